"""Installation, in order: torch, the locks, this checkout itself, the annotation page, R and a browser."""

import contextlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from parlai_spotbot.installation import AGAIN, CHECKOUT, LOCKS, PAGE, PYTHON, cut_off, pins, unmet
from parlai_spotbot.installation.steps import Failed, checksum, is_wanted, one_at_a_time, say, stamped, step

R_PACKAGES = ("r-base-dev", *(f"r-cran-{name}" for name in ("survival", "rcpp", "rcppeigen", "foreach", "coda")))
"""Debian's packages of R, and of what icenReg needs."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""Commands that start a browser which the tests of pages can drive."""
ICENREG = Path(__file__).with_name("icenreg.R")
R_LIBRARY = Path(sys.prefix) / "R"
"""Where icenReg goes, which `analysis.survival.icenreg` looks into."""
SIZE = "1.8 GB"
"""What the packages of the lock take on disk, with torch for CPUs."""
ICENREG_LIMIT = 1800
"""Seconds that R's own installer may take for icenReg and what it needs."""


def install(r: bool = True, cpu: bool = False, demo: bool = False) -> None:
    """Install what is missing into the environment that runs this; `Failed` where a part fails that all else needs.

    `r`: R's backend too; `cpu`: torch without the libraries of a GPU; `demo`: only what plays, judges and reports.
    The environment variables R=no and CHROMIUM=no leave these out, and are remembered until one is "yes".
    """
    if sys.version_info[:2] != PYTHON:
        required, running = (".".join(map(str, version)) for version in (PYTHON, sys.version_info[:2]))
        raise Failed(
            f"ParlAI's world runs on Python {required}, and this is {running}. Make an environment of that version, "
            "install parlai_spotbot there, and run spotbot setup in it."
        )
    with one_at_a_time():
        _packages(cpu)
        if CHECKOUT:
            _checkout(demo)
        if demo:
            return
        page()
        r = is_wanted("R") and r
        if CHECKOUT:
            _of_the_system(r, is_wanted("CHROMIUM"))
        if r:
            _rpy2()
            _icenreg()


def _pip() -> list[str]:
    """Return the command that installs packages: pip, or uv in an environment without pip."""
    if importlib.util.find_spec("pip"):
        # Python compiles what it imports and keeps that, unless it is told not to: compiling all takes a minute.
        lazily = [] if sys.dont_write_bytecode else ["--no-compile"]
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "-qq", *lazily]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "-q", "--python", sys.executable]
    subprocess.run([sys.executable, "-m", "ensurepip"], check=True, stdout=subprocess.DEVNULL)
    return _pip()


def _packages(cpu: bool) -> None:
    pip = _pip()
    lock = LOCKS / "requirements.lock"
    _forget_halves(lock.name)
    torch = f"torch=={pins(lock.name)['torch']}"
    if not stamped("torch", torch):
        say(f"into {sys.prefix}: {SIZE} of packages, half of it torch; on Linux with a GPU's libraries more")
    command = [*pip, "-c", str(lock)]  # with what else it needs on this machine
    if cpu:
        uv = shutil.which("uv")
        if not uv:
            raise Failed("--cpu takes uv, which knows where torch for CPUs comes from: pip install uv")
        command = [uv, "pip", "install", "-q", "--python", sys.executable, "--torch-backend", "cpu", "-c", str(lock)]
    step("torch", torch, f"{torch} (the largest part)", [[*command, torch]], there="torch" not in unmet(lock.name))
    # Two at a time, as unpacking takes a core.
    others = f"grep -v ^torch= {shlex.quote(str(lock))} | xargs -P 2 -n 70 {shlex.join(pip)} --no-deps"
    step("lock", *_step_of_lock(lock), [["sh", "-c", others]], there=not unmet(lock.name))


def _checkout(demo: bool) -> None:
    """Install this checkout itself and, unless it is for a demo, what its tests need."""
    lock = LOCKS / "requirements-dev.lock"
    if not demo:
        _forget_halves(lock.name)
        step("dev", *_step_of_lock(lock), [[*_pip(), "--no-deps", "-r", str(lock)]], there=not unmet(lock.name))
    key = checksum(CHECKOUT / "setup.py", CHECKOUT / "pyproject.toml")
    command = [*_pip(), "--no-deps", "--no-build-isolation", "-e", str(CHECKOUT)]
    step("project", key, "parlai_spotbot itself", [command])


def _forget_halves(lock: str) -> None:
    """Take away what says that half a package is installed, so that it is installed again."""
    for name in pins(lock):
        with contextlib.suppress(metadata.PackageNotFoundError):
            if cut_off(distribution := metadata.distribution(name)):
                shutil.rmtree(distribution._path)  # type: ignore[attr-defined]


def _step_of_lock(lock: Path) -> tuple[str, str]:
    """The key and the message of the step that installs a lock."""
    return checksum(lock), f"the {len(pins(lock.name))} packages of locks/{lock.name}"


def page() -> None:
    """The annotation page: a wheel carries it, a checkout builds it."""
    built = PAGE / "build" / "index.html"
    if not (PAGE / "package.json").exists() or (built.exists() and not CHECKOUT):
        return
    if not (shutil.which("node") and shutil.which("npm")):
        say(
            "node and npm are missing, so the annotation page is left out (all else works). "
            f"To have it: install node 18 or later with npm; then {AGAIN}"
        )
        return
    step(
        "page",
        _sources_checksum(),
        "the annotation page",
        [["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], ["node", "build.mjs"]],
        f"it could not be built, so it is left out (all else works). To try again: {AGAIN}.",
        there=built.exists(),
        cwd=PAGE,
    )


def _sources_checksum() -> str:
    """Return the checksum of the page's sources, without what npm installed and what was built."""
    built = {PAGE / "node_modules", PAGE / "build"}
    return checksum(*sorted(path for path in PAGE.rglob("*") if path.is_file() and not built & {*path.parents}))


def _of_the_system(r: bool, browser: bool) -> None:
    """R and Chromium from Debian's packages, where this user may install them; elsewhere the command is named."""
    missing = []
    if r and not shutil.which("R"):
        missing += R_PACKAGES
    if browser and not any(map(shutil.which, BROWSERS)):
        missing.append("chromium")
    if not missing:
        return
    packages = " ".join(missing)
    left_out = "what needs them is left out (all else works, tests of it skip)"
    otherwise = f"To go without: {AGAIN} R=no CHROMIUM=no"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        say(f"R or a browser is missing: {left_out}. To have them: sudo apt-get install {packages}; then {AGAIN}.")
        say(f"  {otherwise}.")
        return
    # What else installs is waited for, and a network that stumbles is asked again.
    apt = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"]
    update = shlex.join([*apt, "update"])  # which fails where one of several sources does
    install = shlex.join([*apt, "install", "-y", "--no-install-recommends", *missing])
    step(
        "system",
        packages,
        f"Debian packages {packages}",
        [["sh", "-c", f"{update}; exec {install}"]],
        f"they could not be installed: {left_out}. {otherwise}.",
        there=False,
        limit=ICENREG_LIMIT,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )


def _rpy2() -> None:
    if not shutil.which("R"):
        if not CHECKOUT:
            say(
                "R is missing, so its backend is left out (all else works). "
                f"To have it: apt-get install {' '.join(R_PACKAGES)}; then {AGAIN}"
            )
        return
    lock = LOCKS / "requirements-r.lock"
    install = [*_pip(), "--no-deps", "-r", str(lock)]
    step(
        "r",
        _r_key(lock),
        "rpy2 (R, optional)",
        [install, [sys.executable, "-c", "import rpy2.robjects"]],
        "rpy2 could not be built, so R's backend is left out (all else works).",
        there=not unmet(lock.name),
    )


def _icenreg() -> None:
    """R's icenReg, which R's own installer builds from source; without it survival is fitted by this package."""
    if not stamped("r", _r_key(LOCKS / "requirements-r.lock")):
        return
    step(
        "icenreg",
        _r_key(ICENREG),
        "R's package icenReg (optional; it is built once, in 2 to 5 minutes on two cores)",
        [["Rscript", str(ICENREG), str(R_LIBRARY)]],
        "R's package icenReg is left out (all else works): survival is fitted by this package itself.",
        limit=ICENREG_LIMIT,
    )


def _r_key(made_from: Path) -> str:
    return f"{checksum(made_from)} {shutil.which('R')}"
