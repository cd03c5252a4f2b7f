"""The tests that a full run may skip: why, and the probe that shows that they can't run on this machine."""

import functools
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable
from typing import NamedTuple

CRAN = "https://cloud.r-project.org/src/contrib/PACKAGES"


class AllowedSkip(NamedTuple):
    """Tests whose skip has a reason that matches `pattern`; `probe` returns why they may, "" where they should run."""

    pattern: str
    probe: Callable[[], str]


def always(why: str) -> Callable[[], str]:
    """Return a probe for what may be skipped anywhere."""
    return lambda: why


@functools.cache
def no_debian_package(name: str) -> str:
    """Return why a package of Debian can't be installed here; "" where it can."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return f"this user can't install {name}: no root on Debian"
    subprocess.run(["apt-get", "update", "-qq"], capture_output=True, timeout=600)
    with tempfile.TemporaryDirectory() as folder:
        options = ["-o", "APT::Sandbox::User=root"]  # another user couldn't write there
        fetched = subprocess.run(
            ["apt-get", "download", "-qq", *options, name], cwd=folder, capture_output=True, text=True, timeout=600
        )
    if fetched.returncode == 0:
        return ""
    return f"the network has no {name}: apt-get download {name} says {fetched.stderr.strip()[-200:]!r}"


def no_browser() -> str:
    return no_debian_package("chromium")


@functools.cache
def no_icenreg() -> str:
    """Return why R's icenReg can't be had here: no R, or neither CRAN nor the sources in a folder."""
    if not shutil.which("R"):
        return no_debian_package("r-base-dev")
    if os.environ.get("SPOTBOT_R_PACKAGES"):
        return ""
    try:
        urllib.request.urlopen(CRAN, timeout=20).close()
    except OSError as err:
        return f"the network has no icenReg: {CRAN} says {err}, and SPOTBOT_R_PACKAGES names no sources"
    return ""


def no_released_data() -> str:
    if os.environ.get("SPOTBOT_SHARED"):
        return ""
    return "the data are not in the project, and SPOTBOT_SHARED names no folder that has them"


ALLOWED = (
    AllowedSkip("needs icenReg", no_icenreg),
    AllowedSkip("no Chromium here", no_browser),
    AllowedSkip("needs the released data", no_released_data),
    AllowedSkip("could not import 'ray'", always("Ray is large and optional: make install-ray")),
    AllowedSkip("no LaTeX here", always("LaTeX is large, and only its own test needs it")),
    AllowedSkip("could not import 'pyarrow'", always("pandas computes with it where it is there: tested by itself")),
    AllowedSkip("this processor's kernels|processors with bf16", always("this processor lacks the instructions")),
    AllowedSkip("no other bytes|makes no such items", always("this combination of cases does not exist")),
    AllowedSkip("no time left", always("slow tests start within a limit of minutes")),
)


def excuse(reason: str) -> str:
    """Return why a test with this reason may be skipped here; "" where nothing excuses it."""
    for allowed in ALLOWED:
        if re.search(allowed.pattern, reason):
            return allowed.probe()
    return ""
