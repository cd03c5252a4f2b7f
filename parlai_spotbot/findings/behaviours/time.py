"""Time of annotations."""

from parlai_spotbot.findings import costs
from parlai_spotbot.findings.behaviours import FORM

FINDING = costs.finding(FORM)
