"""A published copy repeats its tables, and where bots can play its conversations, in an empty folder."""

import dataclasses
import json
import platform
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.records import HUMAN, Contestant, Item, Judgement, Unit
from parlai_spotbot.report.export import CopyOptions, export_study, release
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.spoken import bots_of, spoken

SURVEY = "spot_the_bot"
OTHERS = ("abc_eval", "nuc", "votes")
STORED = Path(__file__).parents[1] / "goldens" / "studies" / "surveys"
BOTS = """
def polite(message, history):
    return f"I see, you said {len(history)} things."


def curious(message, history):
    return "Why do you say that?"
"""
WORDS = ("wer", "wie", "was", "こんにちは", "吃饭", "مرحبا", "hello,", '"well"', "naïve", "5%", "a|b")


def other_kernels() -> dict[str, str]:
    """Return variables with which sums are added up as on a processor without AVX; none where it isn't x86-64."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return {}
    return {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__)}


def repeated(copy: Path, folder: Path, **more: str) -> subprocess.CompletedProcess:
    """Run repeat.sh of a copy in a new folder."""
    folder.mkdir()
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    command = ["sh", str(copy / "repeat.sh")]
    variables = {"PATH": path, "HOME": str(folder.parent), "LC_ALL": "C.UTF-8"} | more
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=300, check=False)


def answer(study: Study, survey: str = SURVEY) -> None:
    """Let two of four people answer each unit of a packed survey, by lot."""
    rng = random.Random(1)
    rows = []
    for unit in study.units(survey):
        for worker in rng.sample(["ann", "bo", "cy", "dee"], 2):
            for item in unit.items:
                name = f"{worker}/{unit.unit_id}/{item.item_id}"
                for question in get_survey(survey).main:
                    for target in question.targets:
                        value = rng.choice(question.options).value
                        about = (survey, unit.unit_id, item.item_id, item.conversation_ids, item.exchanges)
                        about = (*about, target, question.name, value, worker, HUMAN)
                        rows.append(Judgement(f"{name}/{target}/{question.name}", name, *about, seconds=20.3))
    checksums.write_jsonl(study.judgements_path(survey), rows)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A study of two functions on the user's own domain, from self-play to its analysis."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "funny_bots.py").write_text(BOTS, encoding="utf-8")
    (folder / "pool.yaml").write_text("polite: funny_bots:polite\ncurious: funny_bots:curious\n", encoding="utf-8")
    rng = random.Random(2)
    talks = [{"turns": [f"{' '.join(rng.choices(WORDS, k=6))} {n} {t}" for t in range(6)]} for n in range(60)]
    lines = [json.dumps(talk, ensure_ascii=False) for talk in talks]
    (folder / "talks.jsonl").write_text("\n".join(lines), encoding="utf-8")
    words = ("--pool", folder / "pool.yaml", "--domain", folder / "talks.jsonl", "--exchanges", 2, "--segments", "1,2")
    spotbot("selfchat", "--study", folder / "study", *words, "--conversations-per-pair", 4)
    study = Study.open(folder / "study")
    pack_study(study, SURVEY)
    answer(study)
    analyze(study, SURVEY, bootstraps=20, seed=3, backend="native")
    return Study.open(study.path)


@pytest.fixture(scope="module")
def published(played, tmp_path_factory):
    folder = tmp_path_factory.mktemp("published") / "with blanks"
    return export_study(played, folder, CopyOptions(code=True))


def tables(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.csv")}


@pytest.mark.slow
def test_the_script_plays_again_and_gives_the_tables_byte_for_byte(published, tmp_path):
    done = repeated(published.path, tmp_path / "empty")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "self-play: the conversations have the same bytes" in done.stdout
    assert "tables: the same bytes" in done.stdout
    made = tables(tmp_path / "empty" / "tables")
    assert made == tables(published.path / "tables")
    assert len(made) > 10
    # In a folder with something in it nothing is done.
    command = ["sh", str(published.path / "repeat.sh")]
    refused = subprocess.run(command, cwd=tmp_path / "empty", capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")


@pytest.mark.slow
def test_another_processor_makes_the_same_tables(published, tmp_path):
    done = repeated(published.path, tmp_path / "empty", **other_kernels())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tables: the same bytes" in done.stdout


@pytest.mark.slow
def test_without_code_the_conversations_are_taken_and_changed_answers_show(played, tmp_path):
    made = export_study(played, tmp_path / "copy")
    assert made.why_not == "the code or the options of polite are not in this copy"
    assert not (made.path / "code").exists()
    done = repeated(made.path, tmp_path / "empty")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "self-play is not repeated: the code or the options of polite are not in this copy" in done.stdout
    assert tables(tmp_path / "empty" / "tables") == tables(made.path / "tables")
    path = made.path / "surveys" / SURVEY / "judgements.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"human", "worker', '"bot", "worker'), encoding="utf-8")
    assert repeated(made.path, tmp_path / "changed").returncode == 1  # the checksum
    (made.path / "SHA256SUMS").write_text(f"{files.sha256(path)}  surveys/{SURVEY}/judgements.jsonl\n")
    done = repeated(made.path, tmp_path / "tables")
    assert done.returncode == 1
    assert "tables: they differ" in done.stdout


def test_a_copy_has_what_is_needed_and_its_readme_says_so(played, published):
    names = {path.relative_to(published.path).as_posix() for path in published.path.rglob("*") if path.is_file()}
    assert {"code/funny_bots.py", "domain/domain.yaml", "domain/conversations.jsonl", "instructions.md"} <= names
    assert published.code == ("polite", "curious")
    readme = (published.path / "README.md").read_text(encoding="utf-8")
    for name in ("domain", "code", "instructions.md", "tables", "repeat.sh"):
        assert f"| `{name}` |" in readme
    assert "controls.jsonl" not in readme
    assert "spotbot analyze --study study --survey spot_the_bot --bootstraps 20 --seed 3 --backend native" in readme
    for table in tables(published.path / "tables"):
        _, _, rest = readme.partition(f"### tables/{table}\n")
        assert rest, table
        first = (published.path / "tables" / table).read_text(encoding="utf-8").split("\n")[0].split(",")
        described = rest.partition("###")[0]
        for column in first:
            stem = column.removesuffix("_low").removesuffix("_high").removesuffix("_first").removesuffix("_last")
            assert f"| `{column}` |" in described or f"| `{stem}` |" in described, (table, column)
    instructions = (published.path / "instructions.md").read_text(encoding="utf-8")
    survey = get_survey(SURVEY)
    assert all(text in instructions for text in (survey.instructions, *survey.consent))
    assert "The launch had other texts" not in instructions


def test_tables_that_are_not_the_studys_own_are_named(played, published):
    for name in published.differing:
        survey, _, table = name.partition("/")
        own = played.analysis_path(survey) / table
        assert own.read_bytes() != (published.path / "tables" / name).read_bytes()
    assert "spot_the_bot/annotators.csv" in published.differing
    assert "spot_the_bot/ranking.csv" not in published.differing
    assert "spot_the_bot/annotators.csv" in published.said()


def test_every_field_of_the_rows_is_in_the_dictionary(published):
    for name, fields in release.FIELDS.items():
        for path in (*published.path.glob(name), *published.path.glob(f"surveys/*/{name}")):
            described = {word.removeprefix("items.") for key in fields for word in key.split(", ")}
            row = json.loads(path.read_text(encoding="utf-8").split("\n")[0])
            for item in row.get("items", [])[:1]:
                assert item.keys() <= described
            assert row.keys() <= described, name


@pytest.mark.parametrize(("name", "kinds"), [("units.jsonl", (Unit, Item)), ("judgements.jsonl", (Judgement,))])
def test_every_field_that_a_row_may_have_is_in_the_dictionary(name, kinds):
    described = {word.removeprefix("items.") for key in release.FIELDS[name] for word in key.split(", ")}
    assert {field.name for kind in kinds for field in dataclasses.fields(kind)} == described


def test_code_that_has_changed_since_it_played_is_not_copied(played, tmp_path):
    for name, contestant in played.plan.contestants.items():
        assert Path(contestant.code, "funny_bots.py").is_file(), name
    path = Path(played.plan.contestants["polite"].code, "funny_bots.py")
    path.write_text(f"{BOTS}\n# mended\n", encoding="utf-8")
    try:
        made = export_study(played, tmp_path / "copy", CopyOptions(code=True))
    finally:
        path.write_text(BOTS, encoding="utf-8")
    assert made.code == ()
    assert made.why_not
    assert not (made.path / "code").exists()


def test_a_secret_in_the_code_stops_the_copy(played, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", 'return f"I see, you said {len(history)} things."')
    with pytest.raises(UserError, match="the value of MY_API_KEY"):
        export_study(played, tmp_path / "copy", CopyOptions(code=True))
    assert not (tmp_path / "copy").exists()


def test_without_human_turns_no_domain_is_copied(played, tmp_path):
    made = export_study(played, tmp_path / "copy", CopyOptions(human_turns=False, code=True))
    assert made.why_not == "what people said is not in this copy"
    assert not (made.path / "domain").exists()
    assert "\n| `domain` | the domain:" not in (made.path / "README.md").read_text(encoding="utf-8")


@cases(
    "contestant changes why",
    """
- [{model: 'spotbot:alice'}, {}, '']
- [{model_file: 'zoo:blender/blender_90M/model'}, {}, '']
- [{model_file: /home/me/model}, {}, the code or the options of a are not in this copy]
- [{model: 'spotbot:x', opt: {url: 'http://10.0.0.1/v1'}}, {}, the code or the options of a are not in this copy]
- [{model: 'spotbot:alice'}, {import: {source: elsewhere}}, the conversations were not played by this package]
- [{model: 'spotbot:alice'}, {selfplay: null}, the conversations were not played by this package]
- [{model: 'spotbot:alice'}, {extended: true}, the study was extended after its first conversations]
""",
)
def test_self_play_is_repeated_where_nothing_is_missing(tmp_path, contestant, changes, why):
    entries = {**bots_of(["b"], "spotbot:eliza"), "a": Contestant("a", **contestant)}
    study = Study.create(tmp_path / "study", Plan("chitchat", entries, 2))
    checksums.write_jsonl(study.conversations_path, [spoken("c", ("b", "a"), ["x"] * 6)])
    if "selfplay" not in changes:
        study.record("selfplay", {"versions": {}})
    if "import" in changes:
        study.record("import", changes["import"])
    if "extended" in changes:
        study.extend(conversations_per_pair=3)
    made = export_study(Study.open(study.path), tmp_path / "copy")
    assert made.why_not == why
    assert ("selfchat" in (made.path / "repeat.sh").read_text(encoding="utf-8")) is (not why)
    assert "no tables to compare" in (made.path / "README.md").read_text(encoding="utf-8")


@cases(
    "options said",
    """
- [{}, '']
- [{wage: 12.5}, ' --wage 12.5']
- [{known_order: ['human>polite', 'polite>curious']}, " --known-order 'human>polite' 'polite>curious'"]
- [{stability: true}, ' --stability']
""",
)
def test_commands_have_the_options_of_the_analysis(played, tmp_path, options, said):
    copy = Study(tmp_path, played.plan, played.plan)
    release.write_texts(copy.path, surveys_of(played), {SURVEY: options}, "")
    script = (tmp_path / "repeat.sh").read_text(encoding="utf-8")
    assert f"spotbot analyze --study study --survey spot_the_bot{said} ||" in script
    assert subprocess.run(["sh", "-n", str(tmp_path / "repeat.sh")], check=False).returncode == 0


def test_an_entry_without_its_code_is_not_whole():
    alone = Contestant("a", model="spotbot:plain_python", opt={"plain_python": "json:dumps"})
    assert not release._whole(alone, alone)
    assert release._whole(replace(alone, model="spotbot:alice", opt={}), replace(alone, model="spotbot:alice", opt={}))


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """A study of next turns, of votes, and of labels with controls of a kind that is no more."""
    folder = shutil.copytree(STORED, tmp_path_factory.mktemp("others") / "study")
    for path in folder.glob("surveys/*"):
        if path.name not in OTHERS:
            shutil.rmtree(path)
    for survey in OTHERS:
        analyze(Study.open(folder), survey, bootstraps=5)
    return Study.open(folder)


def test_a_copy_of_any_survey_says_what_its_columns_mean(others, tmp_path):
    made = export_study(others, tmp_path / "copy")
    readme = (made.path / "README.md").read_text(encoding="utf-8")
    written = tables(made.path / "tables")
    assert {path.split("/")[0] for path in written} == set(OTHERS)
    for table, content in written.items():
        described = readme.partition(f"### tables/{table}\n")[2].partition("###")[0]
        meanings = dict(re.findall(r"^\| `(\w+)` \| (.*\w{3}.*) \| .+ \|$", described, re.MULTILINE))
        head = content.decode().split("\n")[0].split(",")
        columns = {column: re.sub("_(low|high|first|last)$", "", column) for column in head}
        assert meanings.keys() <= {*columns, *columns.values()}, table
        for column, stem in columns.items():
            assert column in meanings or stem in meanings, (table, column)
    assert "known_labels:" in (made.path / "surveys" / "abc_eval" / "controls.jsonl").read_text(encoding="utf-8")


def test_without_human_turns_no_candidate_is_copied(others, tmp_path):
    made = export_study(others, tmp_path / "without", CopyOptions(human_turns=False))
    assert not (made.path / "tables" / "nuc").exists()
    assert (made.path / "tables" / "votes").exists()
    question = json.loads((others.survey_path("nuc") / "questions.jsonl").read_text(encoding="utf-8").split("\n")[0])
    for text in (*question["context"], *question["candidates"]):
        assert all(text not in path.read_text(encoding="utf-8") for path in made.path.rglob("*") if path.is_file())
