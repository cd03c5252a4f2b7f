"""ParlAI's world in one step, from the exact locks that the package carries: `spotbot setup`, `make install`; and what
of it is there: `spotbot doctor`.

ParlAI's and Mephisto's own pins contradict each other, so the locks are installed without dependency resolution. This
room needs nothing but Python itself, since it installs all the rest.
"""

import sysconfig
from importlib import metadata
from pathlib import Path

from parlai_spotbot import hints

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parent if (PACKAGE.parent / ".ci" / "install.sh").exists() else None
"""The folder of the sources, where this is no installed wheel."""
OURS = CHECKOUT or PACKAGE
"""What holds locks/, crowdsourcing/ and the other rooms."""
LOCKS = OURS / "locks"
PAGE = OURS / "crowdsourcing" / "webapp"
AGAIN = "make install" if CHECKOUT else hints.SET_UP
PYTHON = (3, 11)
"""The Python that ParlAI 1.7.2 and Mephisto 1.1.1 run on, with our fixes."""


def pins(lock: str) -> dict[str, str]:
    """The exact versions of a lock, by package."""
    lines = (LOCKS / lock).read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line and not line.startswith("#"))


def version(package: str) -> str:
    """The installed version; "" where there is none, or half of it."""
    try:
        distribution = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return ""
    if cut_off(distribution):
        return ""
    return distribution.version


def cut_off(distribution: metadata.Distribution) -> bool:
    """Return True if the installation of a package into this environment was cut off.

    pip and uv name themselves last, when its commands are made, but take it for installed before.
    """
    folders = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    return Path(str(distribution.locate_file(""))) in folders and not distribution.read_text("INSTALLER")


def unmet(lock: str) -> dict[str, str]:
    """Return packages of a lock that aren't installed in its version, with the installed one, "" for none.

    A local part of a version, as torch's "+cpu", makes no difference.
    """
    versions = {name: (version(name), locked) for name, locked in pins(lock).items()}
    return {name: installed for name, (installed, locked) in versions.items() if installed.partition("+")[0] != locked}
