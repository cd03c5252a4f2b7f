"""``python -m parlai_spotbot.domains NAME-OR-FILE``: check a domain and say who may appear in which fold."""

from __future__ import annotations

import sys

from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError


def main(arguments: list[str]) -> int:
    """Print each domain's folds; 2 where one can't be read."""
    if not arguments:
        print("usage: python -m parlai_spotbot.domains NAME-OR-FILE …", file=sys.stderr)
        return 2
    try:
        for name in arguments:
            domain = get_domain(name)
            print(domain.table())
            lengths = ", ".join(map(str, domain.segments))
            print(f"  segments of {lengths} exchanges; contexts: {'yes' if domain.contexts else 'no'}")
    except UserError as err:
        print(f"error: {err.problem}\n  {err.remedy}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
