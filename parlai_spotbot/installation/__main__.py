"""``python -m parlai_spotbot.installation``: what `make install` runs, before there is anything but Python."""

import argparse
import sys

from parlai_spotbot.installation.steps import Failed, say
from parlai_spotbot.installation.world import install

parser = argparse.ArgumentParser(prog="parlai_spotbot.installation", description=__doc__)
parser.add_argument("--without-r", action="store_true", help="leave R's backend out")
chosen = parser.parse_args()
try:
    install(r=not chosen.without_r)
except Failed as err:
    print(f"install: {err}", file=sys.stderr)
    sys.exit(1)
except KeyboardInterrupt:
    say("stopped; the same command goes on from here")
    sys.exit(130)
