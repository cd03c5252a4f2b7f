"""The wheel on top of the lock works from any folder; locks, licences, make targets and the installer hold together."""

import ast
import importlib
import json
import os
import re
import shutil
import site
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from parlai_spotbot.installation.world import SIZE
from tests.case_tables import cases
from tests.light_packages import light_packages, normal

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("tasks", "agents", "crowdsourcing", "projects")
SOURCES = ("parlai_spotbot", "parlai_internal", *ROOMS, "locks", "tests")
PICTURES = ".png"
"""Of READMEs; all else in the rooms is packed."""
FETCHED_BY_USERS = {"inspect-ai"}
"""Readers of one kind of file, which a clear error tells people to install who bring such a file."""
NOT_PACKED = shutil.ignore_patterns("__pycache__", "node_modules", ".*", "*.egg-info")


def locked(lock: Path) -> dict[str, str]:
    """The pins of a lock: name to version."""
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", lock.read_text(encoding="utf-8"), flags=re.MULTILINE))


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """A copy of the sources, so that no old build is packed and none is left behind."""
    copy = tmp_path_factory.mktemp("source")
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, copy)
    for folder in (*SOURCES, ".ci", "docs"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=NOT_PACKED)
    # Files as a web app leaves them behind: its sources and the built page are packed, what npm installed is not.
    for name in ("webapp/src/page.js", "webapp/build/assets/page-1.js", "webapp/node_modules/big/index.js"):
        path = copy / "crowdsourcing" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\n")
    return copy


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*build, "--no-build-isolation", "-w", str(folder), str(source)], check=True, timeout=300)
    [path] = folder.glob("*.whl")
    return path


def environment(wheel: Path, home: Path) -> Path:
    """The packages' folder of a fresh environment in `home`, with the wheel in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True, timeout=300)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(home / "bin" / "python")]
    subprocess.run(
        [*pip, "install", "-q", "--no-compile", "--no-index", "--no-deps", str(wheel)], check=True, timeout=300
    )
    [packages] = home.glob("lib/*/site-packages")
    return packages


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """The interpreter of a fresh environment: the wheel in it, the lock's packages beside it.

    A .pth file adds the lock's folder without reading the .pth files in there, so the editable install stays hidden.
    """
    home = tmp_path_factory.mktemp("environment")
    packages = environment(wheel, home)
    (packages / "lock.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return home / "bin" / "python"


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=300, cwd=folder, env=environment
    )


def test_wheel_holds_every_module_and_data_file(source, wheel):
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder in SOURCES[:-1]:
        place = f"parlai_spotbot/{folder}" if folder in (*ROOMS, "locks") else folder
        files = [f for f in (source / folder).rglob("*") if f.is_file() and "node_modules" not in f.parts]
        files = [f for f in files if f.suffix != PICTURES]
        assert files
        assert {f"{place}/{f.relative_to(source / folder).as_posix()}" for f in files} <= packed
    assert {
        f"parlai_spotbot/crowdsourcing/webapp/{name}" for name in ("src/page.js", "build/assets/page-1.js")
    } <= packed
    assert not [name for name in packed if "node_modules" in name]


def test_wheel_installs_nothing_under_common_names(wheel):
    tops = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"parlai_spotbot", "parlai_internal"}
    # A regular package parlai_internal would hide the user's own.
    assert "parlai_internal/__init__.py" not in zipfile.ZipFile(wheel).namelist()


def test_wheel_is_what_is_imported(python, tmp_path):
    """From any folder; and the rooms' data files are read as package resources."""
    script = """
import importlib.resources
import parlai_spotbot.tasks
from parlai_spotbot import scripts
from parlai_spotbot.installation.world import ICENREG
import parlai.zoo.spotbot
page = importlib.resources.files("parlai_spotbot.crowdsourcing").joinpath("webapp/src/page.js")
print(parlai_spotbot.__file__, parlai_spotbot.tasks.__file__, parlai.zoo.spotbot.__file__, sep="\\n")
print(len(scripts.COMMANDS) - len(scripts.load(scripts.COMMANDS)), page.read_text().strip())
"""
    outcome = run(python, "-c", script, folder=tmp_path)
    assert outcome.returncode == 0, outcome.stderr
    *places, last = outcome.stdout.splitlines()
    assert len(places) == 3
    assert all(Path(place).is_relative_to(python.parents[1]) for place in places)
    assert last == "0 1"


def requirements(wheel: Path) -> list[str]:
    """The wheel's lines on what it needs, extras included."""
    [about] = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/METADATA")]
    metadata = zipfile.ZipFile(wheel).read(about).decode("utf-8")
    return re.findall(r"^Requires-Dist: (.+)", metadata, flags=re.MULTILINE)


def test_what_we_import_is_locked(wheel):
    """Every library that our code imports, and every requirement, has its pin."""
    declared = {normal(re.match(r"[\w.-]+", line)[0]) for line in requirements(wheel)}
    pinned = {normal(name) for lock in (ROOT / "locks").glob("*.lock") for name in locked(lock)}
    assert declared <= pinned
    providers = packages_distributions()
    for folder in SOURCES[:-2]:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "node_modules" in path.parts:
                continue
            for name in imported(path) - set(sys.stdlib_module_names) - {"parlai_spotbot"}:
                packages = {normal(package) for package in providers.get(name, [name])}
                assert packages & (pinned | FETCHED_BY_USERS), f"{path} imports {name}: add it to a lock"


@pytest.fixture(scope="module")
def light(wheel, tmp_path_factory) -> Path:
    """The console script `spotbot` of an environment that has the wheel and its plain requirements, and no others."""
    home = tmp_path_factory.mktemp("light")
    packages = environment(wheel, home)
    for distribution in light_packages().values():
        for top in {file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(distribution.locate_file(top))
    return home / "bin" / "spotbot"


def test_the_doctor_names_what_is_missing_and_what_mends_it(light, tmp_path):
    said = run(light, "doctor", folder=tmp_path).stdout
    assert "MISSING parlai" in said
    assert re.search(r"to fix it: \S*/bin/spotbot setup", said)
    here = run(sys.executable, "-c", "from parlai_spotbot.scripts.main import main; main(['doctor'])", folder=tmp_path)
    assert "MISSING" not in here.stdout, here.stdout


def imported(path: Path) -> set[str]:
    """The top-level names that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


def test_locks_agree_and_licences_are_listed():
    pins, listed = {}, (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    for lock in sorted((ROOT / "locks").glob("*.lock")):
        lines = [line for line in lock.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        assert len(lines) == len(locked(lock)), f"{lock}: every line is an exact pin"
        for name, version in locked(lock).items():
            assert pins.setdefault(normal(name), version) == version, f"{lock}: {name} is pinned twice"
            licence = re.search(rf"^\| {re.escape(name)} \| (.+) \|$", listed, flags=re.MULTILINE)
            assert licence, f"THIRD_PARTY.md lacks {name}: run .ci/third_party.py"
            assert licence[1] != "unknown"


def test_a_step_of_r_that_failed_is_named_by_the_doctor_and_tried_again(tmp_path, monkeypatch):
    from parlai_spotbot.analysis.survival import icenreg
    from parlai_spotbot.installation import doctor, steps

    for module in (doctor, steps):
        monkeypatch.setattr(module, "STAMPS", tmp_path)
    monkeypatch.setattr(icenreg, "unusable", lambda: "R has no package icenReg")
    monkeypatch.setattr(doctor.shutil, "which", lambda name: "/usr/bin/R")
    survival = [part.state for part in doctor.parts()][-1:]
    assert "failed" not in survival[0]
    for code, done in ((1, False), (1, False), (0, True), (1, True)):  # once done, it isn't run again
        assert steps.step("icenreg", "key", "icenReg", [["sh", "-c", f"echo no; exit {code}"]], "left out.") is done
        [part] = [part for part in doctor.parts() if part.name == "survival analysis"]
        assert (f"failed: {tmp_path / 'icenreg.log'}" in part.state) is not done


@cases(
    "user commands packages",
    """
- [0, [apt-get], [r-base-dev, chromium]]
- [0, [apt-get, R], [chromium]]
- [0, [apt-get, google-chrome], [r-base-dev]]
- [0, [apt-get, R, chromium], []]
- [0, [], []]
- [1000, [apt-get], []]
""",
)
def test_r_and_a_browser_are_installed_where_this_user_may(monkeypatch, capsys, user, commands, packages):
    from parlai_spotbot.installation import world

    installed = []
    monkeypatch.setattr(world, "R_PACKAGES", ("r-base-dev",))
    monkeypatch.setattr(world.os, "geteuid", lambda: user)
    monkeypatch.setattr(world.shutil, "which", lambda name: name if name in commands else None)
    monkeypatch.setattr(world, "step", lambda name, key, *more, **options: installed.extend(key.split()))
    world._of_the_system(r=True, browser=True)
    assert installed == packages
    named = "apt-get install r-base-dev chromium; then make install" in capsys.readouterr().out
    assert named == (not packages and "R" not in commands)


def test_what_is_not_wanted_is_remembered(tmp_path, monkeypatch):
    from parlai_spotbot.installation import steps

    monkeypatch.setattr(steps, "STAMPS", tmp_path)
    monkeypatch.delenv("R", raising=False)
    assert steps.is_wanted("R")
    for choice, is_wanted in (("no", False), ("", False), ("yes", True), ("", True)):
        monkeypatch.setenv("R", choice)
        assert steps.is_wanted("R") is is_wanted
        assert steps.is_wanted("CHROMIUM")


def test_a_long_step_says_that_it_runs_and_ends_at_its_limit(tmp_path, monkeypatch, capsys):
    from parlai_spotbot.installation import steps

    monkeypatch.setattr(steps, "STAMPS", tmp_path)
    monkeypatch.setattr(steps, "PATIENCE", 0.2)
    assert steps.step("slow", "key", "a slow step", [["sleep", "0.5"]], "left out.")
    assert "  0 min so far" in capsys.readouterr().out
    assert not steps.step("slower", "key", "a slower step", [["sleep", "60"]], "left out.", limit=0.3)
    assert "timed out" in (tmp_path / "slower.log").read_text("utf-8")


def test_the_hosted_runner_installs_the_same_packages_of_r():
    from parlai_spotbot.installation.world import R_PACKAGES

    action = (ROOT / ".github" / "actions" / "install" / "action.yml").read_text("utf-8")
    assert " ".join(R_PACKAGES) in action


@cases("target", "[install, demo, test, test-all, lint, bench, wheel, clean]")
def test_make_knows_the_target(target):
    helped = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^{target} +\S", helped, flags=re.MULTILINE)
    subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, check=True)


def test_times_and_sizes_in_words_are_those_that_are_held(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tests" / "bench")
    first, again, rules = importlib.import_module("tests.bench.bench_demo").PROMISED.values()
    readme, quickstart = ((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/quickstart.md"))
    assert f"{first // 60} minutes the first time, {again // 60} another time" in readme
    assert f"{rules} seconds" in quickstart
    assert f"({SIZE} of packages" in readme


def write_wheel(path: Path) -> None:
    """A small but real wheel, as pip reads it: ``NAME-VERSION-py3-none-any.whl`` with one empty module."""
    name, version = path.name.split("-")[:2]
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(f"{name}.py", "")
        out.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        out.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        out.writestr(f"{about}/RECORD", "")


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A checkout with the real installer and small packages in its locks, found in the folder `wheels`."""
    folder, wheels = tmp_path / "checkout", tmp_path / "wheels"
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    (folder / "parlai_spotbot").mkdir()
    for name in ("__init__.py", "hints.py"):
        shutil.copy(ROOT / "parlai_spotbot" / name, folder / "parlai_spotbot")
    shutil.copytree(ROOT / "parlai_spotbot" / "installation", folder / "parlai_spotbot" / "installation")
    wheels.mkdir()
    for name in ("torch-2.0", "first-1.0", "project-0.1"):
        write_wheel(wheels / f"{name}-py3-none-any.whl")
    (folder / "locks").mkdir()
    (folder / "locks" / "requirements.lock").write_text("first==1.0\nsecond==1.0\ntorch==2.0\n")
    (folder / "locks" / "requirements-dev.lock").write_text("first==1.0\n")
    (folder / "setup.py").write_text("")
    backend = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    (folder / "pyproject.toml").write_text(backend)
    built = "project-0.1-py3-none-any.whl"
    (folder / "backend.py").write_text(
        "import shutil\n\n\ndef build_editable(folder, *options):\n"
        f"    shutil.copy({str(wheels / built)!r}, folder)\n    return {built!r}\n"
    )
    return folder


def install(checkout: Path, *options: str, **environment: str) -> tuple[int, list[str], str]:
    """Run the installer without a network, R and a browser; return its exit code, the steps it took, and its errors."""
    outcome = subprocess.run(
        [checkout / ".ci" / "install.sh", *options],
        capture_output=True,
        text=True,
        timeout=120,
        env={
            **os.environ,
            "PYTHON": sys.executable,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(checkout.parent / "wheels"),
            "R": "no",
            "CHROMIUM": "no",
            **environment,
        },
    )
    steps = [line.removeprefix("install: ") for line in outcome.stdout.splitlines()]
    return outcome.returncode, [step for step in steps if not step.startswith(" ")], outcome.stderr


def test_installing_resumes_and_repeats_nothing(checkout):
    lock, two = "the 3 packages of locks/requirements.lock", "the 2 packages of locks/requirements.lock"
    torch, itself, tests = (
        "torch==2.0 (the largest part)",
        "parlai_spotbot itself",
        "the 1 packages of locks/requirements-dev.lock",
    )
    code, steps, errors = install(checkout)
    assert code != 0
    assert steps[0] == "a virtual environment in .venv"
    assert re.fullmatch(r"into \S+/.venv: [\d.]+ GB of packages, .*", steps[1])  # what and how large, before it begins
    assert steps[2:] == [torch, lock]
    assert "second==1.0" in errors  # pip's own words on what is missing
    assert "run the same command again" in errors

    write_wheel(checkout.parent / "wheels" / "second-1.0-py3-none-any.whl")
    assert install(checkout, "--demo") == (0, [lock, itself], "")  # no tests, no R, no annotation
    assert install(checkout) == (0, [tests], "")
    assert install(checkout) == install(checkout, "--demo") == (0, [], "")

    (checkout / "locks" / "requirements.lock").write_text("first==1.0\ntorch==2.0\n")
    assert install(checkout) == (0, [two], "")

    moved = checkout.rename(checkout.with_name("moved"))  # an environment names its own folder in its scripts
    assert install(moved)[1][0] == "a virtual environment in .venv"


@pytest.mark.slow
def test_what_is_gone_or_of_another_version_is_told_and_installed_again(checkout):
    wheels = checkout.parent / "wheels"
    for name in ("second-1.0", "second-2.0"):
        write_wheel(wheels / f"{name}-py3-none-any.whl")
    assert install(checkout)[0] == 0
    python = checkout / ".venv" / "bin" / "python"
    pip = [python, "-m", "pip", "-q", "--disable-pip-version-check"]
    # R is out of sight: of it the doctor asks a room that this checkout lacks.
    told = (
        "from parlai_spotbot.installation import doctor; doctor.shutil.which = lambda name: None\n"
        "print(*doctor.parts(), sep='\\n')"
    )
    lock = "the 3 packages of locks/requirements.lock"
    [half] = python.parent.parent.glob("lib/*/site-packages/first-1.0.dist-info")
    (half / "INSTALLER").unlink()  # as a pip that was killed over it leaves it
    assert "first missing in place of 1.0" in run(python, "-c", told, folder=checkout).stdout
    assert install(checkout) == (0, [lock], "")
    assert (half / "INSTALLER").exists()
    for change, said, steps in (
        (["uninstall", "-y", "first"], "first missing in place of 1.0", [lock]),
        (["uninstall", "-y", "torch"], "torch missing in place of 2.0", ["torch==2.0 (the largest part)"]),
        (["install", "--no-index", wheels / "second-2.0-py3-none-any.whl"], "second 2.0 in place of 1.0", [lock]),
    ):
        subprocess.run([*pip, *change], check=True, timeout=120)
        outcome = run(python, "-c", told, folder=checkout)
        assert said in outcome.stdout, outcome.stderr
        assert "torch doesn't load" in outcome.stdout or "torch" in said  # the small torch can't tell of a GPU
        assert install(checkout) == (0, steps, "")
    assert said not in run(python, "-c", told, folder=checkout).stdout


BUILD = "import fs from 'node:fs'; fs.mkdirSync('build', {recursive: true}); fs.writeFileSync('build/index.html', 'x');"


@pytest.fixture
def webapp(checkout) -> Path:
    """A page without dependencies in the checkout, all of whose packages are there."""
    write_wheel(checkout.parent / "wheels" / "second-1.0-py3-none-any.whl")
    folder = checkout / "crowdsourcing" / "webapp"
    folder.mkdir(parents=True)
    about = {"name": "page", "version": "1.0.0", "private": True, "type": "module"}
    lock = {"name": "page", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": about}}
    (folder / "package.json").write_text(json.dumps(about))
    (folder / "package-lock.json").write_text(json.dumps(lock))
    (folder / "build.mjs").write_text(BUILD)
    return folder


@pytest.mark.skipif(not shutil.which("npm"), reason="no npm here")
def test_the_page_is_built_once_and_again_after_a_change(checkout, webapp):
    built = webapp / "build" / "index.html"
    assert install(checkout)[1][-1] == "the annotation page"
    assert built.exists()
    assert install(checkout) == (0, [], "")
    (webapp / "src").mkdir()
    (webapp / "src" / "page.js").write_text("changed")
    assert install(checkout) == (0, ["the annotation page"], "")
    built.unlink()
    assert install(checkout) == (0, ["the annotation page"], "")
    assert built.exists()


def test_a_missing_python_is_one_clear_line(checkout):
    code, steps, errors = install(checkout, PYTHON="/no/such/python3.11")
    assert code == 1
    assert steps == ["a virtual environment in .venv"]
    assert "/no/such/python3.11 is no Python 3.11" in errors
    assert "make install PYTHON=" in errors
    assert len(errors.splitlines()) == 1
