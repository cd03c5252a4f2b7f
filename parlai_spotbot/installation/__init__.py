"""ParlAI's world in one step, from the exact locks that the package carries: `spotbot setup`, `make install`; and what
of it is there: `spotbot doctor`.

ParlAI's and Mephisto's own pins contradict each other, so the locks are installed without dependency resolution. This
room needs nothing but Python itself, since it installs all the rest.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parent if (PACKAGE.parent / ".ci" / "install.sh").exists() else None
"""The folder of the sources, where this is no installed wheel."""
OURS = CHECKOUT or PACKAGE
"""What holds locks/, crowdsourcing/ and the other rooms."""
LOCKS = OURS / "locks"
PAGE = OURS / "crowdsourcing" / "webapp"
AGAIN = "make install" if CHECKOUT else "spotbot setup"
PYTHON = (3, 11)
"""The Python that ParlAI 1.7.2 and Mephisto 1.1.1 run on, with our mends."""


def pins(lock: str) -> dict[str, str]:
    """The exact versions of a lock, by package."""
    lines = (LOCKS / lock).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))
