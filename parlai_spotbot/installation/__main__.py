"""``python -m parlai_spotbot.installation``: what `make install` and `make demo` run first, with Python alone."""

import argparse
import sys

from parlai_spotbot.installation.steps import Failed, say
from parlai_spotbot.installation.world import install, page

parser = argparse.ArgumentParser(prog="parlai_spotbot.installation", description=__doc__)
parser.add_argument("--demo", action="store_true", help="leave out all but what plays, judges and reports")
parser.add_argument("--page", action="store_true", help="build the annotation page, which a wheel carries, alone")
chosen = parser.parse_args()
try:
    page() if chosen.page else install(demo=chosen.demo)
except Failed as err:
    print(f"install: {err}", file=sys.stderr)
    sys.exit(1)
except KeyboardInterrupt:
    say("stopped; the same command goes on from here")
    sys.exit(130)
