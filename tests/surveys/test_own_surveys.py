"""A survey of one's own, from a file anywhere: Python or data, kept by the study, known by its name from then on."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from in_process import spotbot

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.scripts.main import main
from parlai_spotbot.study import OPENED, Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey, own_surveys, survey_names, survey_of
from parlai_spotbot.surveys.spot_the_bot import SURVEY as SPOT

CONTRIBUTING = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
MEMORABLE = re.search(r"```python\n# parlai_spotbot/surveys/memorable.py\n(.*?)```", CONTRIBUTING, re.S)[1]
ROOM = Path(own_surveys.__file__).parent
README = re.search(r"    # my_survey.yaml\n    (.*?)\n\n", (ROOM / "README.md").read_text(encoding="utf-8"), re.S)[1]
DATA = own_surveys.__doc__.partition("\n\n    ")[2]


@pytest.fixture(autouse=True)
def nothing_opened(monkeypatch):
    """Surveys of other tests' studies aren't known."""
    for path in list(OPENED):
        monkeypatch.delitem(OPENED, path)
    yield
    OPENED.clear()
    own_surveys._OFFERED.clear()


@pytest.fixture
def study(tmp_path, pool):
    plan = Plan("chitchat", {f"bot{i}": Contestant(f"bot{i}", model="spotbot:eliza") for i in range(3)}, 4, seed=3)
    made = Study.create(tmp_path / "study", plan)
    files.write_jsonl(made.conversations_path, [talk.to_json() for talk in pool(bots=3, per_pair=4, people=6)])
    return made


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.py"):
        path = tmp_path / "elsewhere" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def pack(study, survey):
    main(["pack", "--study", str(study.path), "--survey", str(survey), "--quiet"])


def refused(study, survey, capsys) -> str:
    def content():
        paths = (path for path in study.path.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in paths if path.name not in (".lock", "manifest.json")}

    before = content()
    with pytest.raises(SystemExit) as end:
        pack(study, survey)
    assert end.value.code == 2
    assert content() == before
    assert not (study.path / "surveys").exists() or before
    return capsys.readouterr().err


def as_yaml(survey) -> str:
    return yaml.safe_dump(own_surveys.to_data(survey), allow_unicode=True)


@pytest.mark.parametrize("text", [DATA, README], ids=["docstring", "README"])
def test_the_examples_of_data_are_the_survey_of_contributing(written, text):
    data = yaml.safe_load(re.sub(r"(?m)^    ", "", "    " + text))
    python = own_surveys.read_survey(written(MEMORABLE))
    example = own_surveys.read_survey(written(yaml.safe_dump(data), "example.yaml"))
    same = replace(example, instructions=python.instructions, consent=python.consent, limits=python.limits)
    assert same == python
    assert own_surveys.read_survey(written(as_yaml(python), "mine.yaml")) == python
    assert own_surveys.read_survey(written(json.dumps(own_surveys.to_data(python)), "mine.json")) == python


def test_the_study_keeps_it_and_knows_it_by_its_name_wherever_it_goes(study, written, tmp_path):
    source = written(MEMORABLE)
    pack(study, source)
    assert study.provenance()["own_surveys"]["memorable"]["file"] == str(source)
    units = study.units_path("memorable").read_bytes()
    source.unlink()
    assert "memorable" in survey_names()
    assert get_survey("memorable").questions[0].name == "memory"
    pack(study, "memorable")
    assert study.units_path("memorable").read_bytes() == units
    moved = shutil.move(study.path, tmp_path / "moved")
    code = (
        "import sys; from parlai_spotbot.study import Study; from parlai_spotbot.surveys import survey_of\n"
        "print(survey_of(Study.open(sys.argv[1]), 'memorable').question('memory').wording)"
    )
    told = subprocess.run([sys.executable, "-c", code, moved], capture_output=True, text=True, check=True, cwd="/")
    assert told.stdout == "Which speaker will you still remember tomorrow?\n"


def test_it_is_answered_analysed_told_and_published(study, written, tmp_path):
    pack(study, written(MEMORABLE))
    rows = [
        {
            **{"judgement_id": f"{worker}/{item.item_id}", "annotation_id": f"{worker}/{item.item_id}"},
            **{"survey": "memorable", "unit_id": unit.unit_id, "item_id": item.item_id, "target": "pair"},
            **{"conversation_ids": list(item.conversation_ids), "exchanges": item.exchanges, "question": "memory"},
            **{"answer": f"conversation:{(number + worker) % 2}", "worker_id": f"w{worker}", "source": "human"},
        }
        for unit in study.units("memorable")
        for number, item in enumerate(unit.items)
        for worker in range(3)
    ]
    files.write_jsonl(study.judgements_path("memorable"), rows)
    name = ["--study", str(study.path), "--survey", "memorable"]
    main(["analyze", *name, "--bootstraps", "20", "--quiet"])
    main(["report", *name, "--quiet"])
    main(["report", *name[:2], "--export", str(tmp_path / "copy"), "--quiet"])
    assert "which of two bots is remembered?" in (study.path / "report" / "index.html").read_text(encoding="utf-8")
    OPENED.clear()
    copy = Study.open(next((tmp_path / "copy").rglob("study.yaml")).parent)
    assert survey_of(copy, "memorable").about.findings == ("choices",)
    assert "elsewhere" not in (copy.path / "provenance.json").read_text(encoding="utf-8")


@pytest.fixture
def judge(monkeypatch):
    """A server whose judge always answers the first that it may."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "agents"))
    import chat_servers

    def first(body):
        schema = body["response_format"]["json_schema"]["schema"]["properties"]["answer"]
        return json.dumps({"answer": schema["enum"][0]})

    monkeypatch.setitem(chat_servers.FIELDS, "response_format", dict)
    with chat_servers.ChatServer(first) as server:
        yield ["--judge-url", server.url, "--judge-model", "parrot-1", "--yes"]


@pytest.mark.slow
def test_a_tournament_takes_it_from_its_file_and_goes_on_with_either(written, judge, tmp_path):
    source, study = written(MEMORABLE), tmp_path / "study"
    words = ["--study", study, "--pool", "rules", "--conversations-per-pair", 1, "--bootstraps", 20]
    spotbot("tournament", *words, "--survey", source, *judge)
    assert Study.open(study).judgements("memorable")
    assert "which of two bots is remembered?" in (study / "report" / "index.html").read_text(encoding="utf-8")
    units = (study / "surveys" / "memorable" / "units.jsonl").read_bytes()
    for again in (source, "memorable"):
        own_surveys._OFFERED.clear()
        spotbot("tournament", *words, "--survey", again, *judge)
        assert (study / "surveys" / "memorable" / "units.jsonl").read_bytes() == units


def test_a_tournament_says_what_is_wrong_with_the_file_before_anything_is_played(written, tmp_path):
    source = written(MEMORABLE.replace('findings=("choices",)', 'findings=("choises",)'))
    _, err = spotbot("tournament", "--study", tmp_path / "study", "--pool", "rules", "--survey", source, code=2)
    assert str(source) in err
    assert "choices" in err
    assert not (tmp_path / "study").exists()


def test_who_is_human_and_features_of_ones_own_survey_can_be_chosen_too(study, written):
    mine = replace(SPOT, name="mine", title="Mine")
    pack(study, written(as_yaml(mine), "mine.yaml"))
    assert survey_of(study, "mine") == mine
    main(["pack", "--study", str(study.path), "--survey", "mine", "--ask", "fluency", "--quiet"])
    assert [question.name for question in survey_of(study, "mine").questions] == ["nature", "fluency"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\n", "mine.py: no survey in it."),
        (MEMORABLE.replace("SURVEY = ", "OTHER = ") + "\nMORE = OTHER\n", "holds OTHER, MORE, but no survey that is"),
        ("x = 1\ny = z\n", "mine.py, line 2: NameError: name 'z' is not defined"),
        ("x = (\n", "mine.py, line 1: SyntaxError"),
        (MEMORABLE.replace('"memorable"', '"acute_eval"'), "the package has a survey acute_eval"),
        (MEMORABLE.replace('"memorable"', '"../x"'), "name is '../x'"),
        (
            MEMORABLE.replace('packing="pairs"', 'packing="contestants"'),
            "packing is 'contestants', which is for a survey",
        ),
        (MEMORABLE.replace('layout="side_by_side"', 'layout="dialogue"'), "layout is 'dialogue', packing 'pairs'"),
        (
            MEMORABLE.replace('speakers=("Speaker 1", "Speaker 2")', "speakers=()"),
            "speakers are [], expected two names",
        ),
        (MEMORABLE.replace('findings=("choices",)', 'findings=("choises",)'), "names 'choises': no such folder"),
        (MEMORABLE.replace('findings=("choices",)', 'findings=("choices.x",)'), "about.findings x: no such finding"),
        (MEMORABLE.replace('("choices",)', '("ratings.leniency",)'), "'ratings.leniency', which was removed"),
    ],
)
def test_a_wrong_python_file_is_named_and_nothing_is_written(study, written, capsys, text, says):
    assert says in refused(study, written(text), capsys)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"titel": "x"}, "unknown key 'titel'.\n  Did you mean 'title'?"),
        ({"title": 1}, ": title: expected a valid string, found '1'"),
        ({"speakers": "Ann"}, ": speakers: expected a valid array, found 'Ann'"),
        ({"questions": [{"name": "x"}]}, ": questions[0]: 'kind' is missing"),
        ({"questions": [{"name": "x", "kind": "choise", "targets": ["pair"], "wording": "?"}]}, "found 'choise'"),
        ({"limits": {"units_per_annotator": True}}, "units_per_annotator: expected a valid integer, found 'True'"),
        ({"chat": {}}, "only surveys of the package have chat"),
    ],
)
def test_wrong_data_is_named_and_nothing_is_written(study, written, capsys, change, says):
    row = own_surveys.to_data(own_surveys.read_survey(written(MEMORABLE))) | change
    assert says in refused(study, written(yaml.safe_dump(row), "mine.yaml"), capsys)


def test_what_is_not_there_and_what_is_not_packed_is_said(study, written, capsys, tmp_path):
    assert "gone.py: no such file" in refused(study, tmp_path / "gone.py", capsys)
    with pytest.raises(SystemExit):
        main(["judge", "--study", str(study.path), "--survey", str(written(MEMORABLE)), "--judges", "spotter"])
    assert "Pack it (spotbot_pack --survey" in capsys.readouterr().err


def test_packing_that_fails_leaves_nothing_behind(study, written, capsys):
    study.conversations_path.write_text("")
    assert "error:" in refused(study, written(as_yaml(replace(SPOT, name="mine")), "mine.yaml"), capsys)
    assert not (study.path / "surveys" / "mine").exists()


def test_a_survey_that_has_answers_stays_as_it_is(study, written, capsys):
    pack(study, written(MEMORABLE))
    pack(study, written(MEMORABLE.replace("tomorrow?", "next week?")))
    assert "next week" in survey_of(study, "memorable").question("memory").wording
    study.judgements_path("memorable").write_text("")
    assert "differs from the one that" in refused(study, written(MEMORABLE), capsys)


def test_a_changed_copy_and_two_surveys_of_one_name_are_said(study, written, tmp_path):
    pack(study, written(MEMORABLE))
    other = shutil.copytree(study.path, tmp_path / "other")
    assert get_survey("memorable") == survey_of(Study.open(other), "memorable")
    pack(Study.open(other), written(MEMORABLE.replace("tomorrow?", "next week?")))
    assert "next week" in survey_of(Study.open(other), "memorable").question("memory").wording
    assert "tomorrow" in survey_of(study, "memorable").question("memory").wording
    with pytest.raises(UserError, match="have different surveys of the name memorable"):
        get_survey("memorable")
    OPENED.clear()
    path = own_surveys.path_of(study, "memorable")
    path.write_text(path.read_text(encoding="utf-8").replace("tomorrow", "on Monday"), encoding="utf-8")
    with pytest.raises(UserError, match="changed since it was written"):
        survey_of(study, "memorable")
