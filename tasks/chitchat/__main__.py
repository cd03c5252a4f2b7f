"""``python -m parlai_spotbot.tasks.chitchat``: what the task holds, and what was left out and why."""

import sys

from parlai_spotbot.errors import UserError
from parlai_spotbot.tasks.chitchat.data import statistics

try:
    print(statistics().text())
except UserError as err:
    sys.exit(f"error: {err.problem}\n  {err.remedy}")
