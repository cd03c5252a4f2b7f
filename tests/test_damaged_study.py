"""A damaged file of a study is named and refused, or makes no difference: no traceback, no hang, no other result."""

import contextlib
import io
import random
import shutil
import signal
from pathlib import Path

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.main import main
from parlai_spotbot.study import Study
from parlai_spotbot.study_check import check_study
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.sealing import sealed
from tests.study_mutations import ADDED, CONTENT, PLACE, mutate

GOLDEN = Path(__file__).parent / "goldens" / "studies" / "rules"
SURVEY, JUDGE = "spot_the_bot", "surveys/spot_the_bot/judges/spotter.json"
QUICK = {
    "check": ("check", "study"),
    "export": ("export", "--study", "study", "--format", "messages", "--out", "out.jsonl"),
    "pack": ("pack", "--study", "study", "--survey", SURVEY),
    "copy": ("report", "--study", "study", "--export", "copy"),
}
LONG = {"analyze": ("analyze", "--study", "study"), "report": ("report", "--study", "study")}
WRITTEN = {
    "check": "none",
    "export": "out.jsonl",
    "pack": "study/**/units.jsonl",
    "copy": "copy/conversations.jsonl",
    "analyze": "study/**/analysis/*.json",
    "report": "study/report/index.html",
}
SECONDS = 300


def new_study(folder):
    """A study as this version writes it, of files that an older one wrote."""
    shutil.copytree(GOLDEN, folder)
    plan = folder / "study.yaml"
    plan.write_text(plan.read_text().replace("# The plan", f"# {checksums.MANIFEST}: checksums. The plan"))
    sealed(folder)
    return folder


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A small study with a judge's answers, analysed."""
    study = new_study(tmp_path_factory.mktemp("sound") / "study")
    spotbot("analyze", "--study", study)
    return study


def result(command, folder):
    """Run a command in `folder`; returns its exit code, what it printed, and the files that it wrote."""
    words = (QUICK | LONG)[command]

    def late(*_):
        raise TimeoutError(f"{words} takes over {SECONDS} s")

    out, code = io.StringIO(), 0
    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            main(list(words))
    except SystemExit as end:
        code = end.code
    finally:
        signal.alarm(0)
    return code, out.getvalue(), {path: path.read_bytes() for path in folder.glob(WRITTEN[command]) if path.is_file()}


def damage(sound, folder, commands, seeds):
    """Damage a copy of the study once for each seed, and run one of the commands."""

    def fresh():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sound, folder / "study")

    wanted, refused = {}, 0
    for name in commands:
        fresh()
        wanted[name] = result(name, folder)
        assert wanted[name][0] == 0, wanted[name][1]
    files = [p for p in sound.rglob("*") if p.suffix in (".json", ".jsonl", ".yaml") and p.stat().st_size]
    names = sorted(path.relative_to(sound).as_posix() for path in files)
    for seed in seeds:
        chance = random.Random(seed)
        command = chance.choice(commands)
        fresh()
        what = mutate(folder / "study", names, chance)
        code, said, written = result(command, folder)
        if code in (1, 2):
            refused += 1
            assert "error: " in said or "WRONG" in said, (seed, command, what, said)
            path = Path(what.partition(":")[0])
            assert path.name in said or path.parent.name in said, (seed, command, what, said)
        else:
            assert (code, written) == (0, wanted[command][2]), (seed, command, what, said)
            assert command != "check" or what.startswith("manifest.json"), (seed, what, said)
    assert refused > len(seeds) // 4


def test_a_damaged_file_is_refused_or_makes_no_difference(sound, tmp_path):
    damage(sound, tmp_path / "work", [*QUICK], range(24))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_three_hundred_damaged_files_are_refused_or_make_no_difference(sound, tmp_path):
    damage(sound, tmp_path / "work", [*QUICK, *LONG], range(1000, 1350))


@pytest.mark.parametrize("how", [*CONTENT, *PLACE])
@pytest.mark.parametrize("name", [JUDGE, "provenance.json"])
def test_every_kind_of_damage_is_an_error_where_the_file_is_read(name, how, tmp_path):
    path = new_study(tmp_path / "study") / name
    before = path.read_bytes()
    if how in CONTENT:
        path.write_bytes(CONTENT[how](before, random.Random(1)))
        if path.read_bytes() == before:
            pytest.skip("no other bytes")
    else:
        path.unlink()
        PLACE[how](path)

    def read():
        study = Study.open(tmp_path / "study")
        return study.provenance(), study.judges(SURVEY)

    with pytest.raises(UserError, match=rf"{Path(name).name}: (changed since it was written|is a)"):
        read()


@pytest.mark.parametrize("name", ADDED)
def test_a_file_that_no_command_wrote_is_an_error(name, tmp_path):
    study = new_study(tmp_path / "study")
    path = study / name
    if path.exists():
        checksums.remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")
    with pytest.raises(UserError, match="no command has written it") as caught:
        checksums.check_files(study, ("analysis/",)) if name.startswith("analysis") else Study.open(study)
    assert caught.value.remedy.startswith("Remove it. Or, where you changed it yourself: ")
    sealed(study)
    checksums.check_files(study)
    checksums.check_files(study, ("",))


@cases("gone", "[[manifest.json], [provenance.json], [manifest.json, provenance.json]]")
def test_a_study_of_this_version_needs_manifest_and_provenance(gone, tmp_path):
    study = new_study(tmp_path / "study")
    for name in gone:
        (study / name).unlink()
    with pytest.raises(UserError, match=rf"{gone[0]}: .*(missing|it is gone)"):
        Study.open(study)


def test_a_check_verifies_each_file_once(sound, monkeypatch):
    verify, verified = checksums.verify, []
    monkeypatch.setattr(
        checksums, "verify", lambda path, *rest, **more: (verify(path, *rest, **more), verified.append(path))
    )
    checked = list(check_study(sound))
    assert not [one for one in checked if one.problem]
    assert sorted(verified) == sorted([*(one.path for one in checked), sound / "history.jsonl"])  # the plan reads it


def test_a_study_of_an_older_version_is_read(tmp_path):
    assert len(Study.open(shutil.copytree(GOLDEN, tmp_path / "study")).judgements(SURVEY)) > 0


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        (JUDGE, '"judge": ', '"stopped": 5, "judge": ', "stopped: expected a valid string, found '5'"),
        (JUDGE, '"judge": ', '"usage": NaN, "judge": ', "not a valid JSON file of a judge: it holds NaN"),
        (
            f"surveys/{SURVEY}/units.jsonl",
            '"conversation_ids": [',
            '"conversation_ids": ["x", ',
            "'transcripts': expected",
        ),
    ],
)
def test_a_file_of_an_older_version_is_refused_in_words(name, old, new, says, tmp_path):
    study = shutil.copytree(GOLDEN, tmp_path / "study")
    path = study / name
    path.write_text(path.read_text().replace(old, new, 1))
    _, err = spotbot("report", "--study", study, "--export", tmp_path / "copy", code=2)
    assert says in err
