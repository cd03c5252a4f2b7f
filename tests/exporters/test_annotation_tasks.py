"""Tasks for Label Studio: blind, and what is annotated there comes back as the judgements it was."""

import json
from collections import Counter
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers import label_studio
from parlai_spotbot.importers.annotations import AnnotationFile, controls_of
from parlai_spotbot.scripts.main import main
from parlai_spotbot.scripts.spotbot_import import SpotbotImport
from parlai_spotbot.study import OPENED, Study
from parlai_spotbot.surveys import Option, Question, Survey, get_survey, own_surveys

SURVEYS = ["spot_the_bot", "comparative", "dialogue_likert", "acute_eval"]


def options(survey):
    return ["--survey", survey, *(["--question", "humanness"] if survey == "acute_eval" else [])]


def told(rows):
    """What judgements say, without who says it: item, question, target, answer, and how often."""
    return Counter((r.item_id, r.conversation_ids, r.exchanges, r.target, r.question, str(r.answer)) for r in rows)


@pytest.mark.parametrize("survey", SURVEYS)
def test_annotations_come_back_as_judgements(study, run, tmp_path, capsys, survey):
    own, path = study("surveys"), tmp_path / "tasks.json"
    words = ["--study", own.path, "--format", "label_studio", *options(survey), "--source", "human", "--out", path]
    assert run(*words)[0] == 0
    assert "nothing changed" in run(*words)[1]
    items = {row["data"]["item_id"] for row in json.loads(path.read_text())}
    before = [r for r in own.judgements(survey) if r.source == "human" and r.control is None and r.item_id in items]
    own.judgements_path(survey).unlink()
    again = ["--format", "label_studio", "--survey", survey, "--study", str(own.path), "--data", str(path)]
    SpotbotImport.main(*again)
    said = capsys.readouterr().out
    after = Study.open(own.path).judgements(survey)
    assert told(after) == told(before)
    assert f"{len(before)} judgements by {len({r.worker_id for r in before})} annotators" in said
    assert Counter(Counter(r.worker_id for r in after).values()) == Counter(
        Counter(r.worker_id for r in before).values()
    )
    SpotbotImport.main(*again)
    assert ", 0 of them new" in capsys.readouterr().out


@pytest.mark.parametrize("survey", SURVEYS)
def test_tasks_tell_nothing_of_who_is_a_bot(study, run, tmp_path, survey):
    own, path = study("surveys"), tmp_path / "tasks.json"
    assert run("--study", own.path, "--format", "label_studio", *options(survey), "--out", path)[0] == 0
    text = path.read_text()
    rows = json.loads(text)
    shown = {turn.text for unit in own.units(survey) for item in unit.items for t in item.transcripts for turn in t}
    for said in sorted(shown, key=len, reverse=True):
        text = text.replace(json.dumps(said, ensure_ascii=False), '""')
    names = [*own.plan.contestants, *(c.conversation_id for c in own.conversations())]
    assert [word for word in names if word in text] == []
    assert (
        len(rows) == len({i.item_id for u in own.units(survey) for i in u.items if not i.control})
        or survey == "acute_eval"
    )
    assert not any(row.get(key) for row in rows for key in ("annotations", "predictions"))


def test_the_form_has_every_control_and_its_values(study, run, tmp_path):
    own, path = study("surveys"), tmp_path / "tasks.json"
    run("--study", own.path, "--format", "label_studio", "--survey", "spot_the_bot", "--out", path)
    form = ElementTree.parse(tmp_path / "tasks.json.xml").getroot()
    found = {c.get("name"): [o.get("alias") for o in c] for c in form.iter("Choices")}
    assert found == {
        "nature__entity_0": ["human", "bot", "unsure"],
        "nature__entity_1": ["human", "bot", "unsure"],
        **{f"{f}__pair": ["entity:0", "entity:1", "no_difference"] for f in ("fluency", "sensibleness", "specificity")},
    }
    labels = [option.get("value") for option in form.iter("Choice") if option.get("alias", "").startswith("entity")]
    assert set(labels) == {"Entity A", "Entity B"}
    assert {c.get("toName") for c in form.iter("Choices")} <= {p.get("name") for p in form.iter("Paragraphs")}


def test_a_judges_answers_are_predictions(study, run, tmp_path):
    own = study("surveys")
    words = ["--study", own.path, "--survey", "dialogue_likert", "--source", "judge:coin"]
    run(*words, "--format", "label_studio", "--out", tmp_path / "a.json")
    tasks = json.loads((tmp_path / "a.json").read_text())
    assert {p["model_version"].split("/")[0] for t in tasks for p in t["predictions"]} == {"coin"}
    source = AnnotationFile(tmp_path / "a.json", controls_of(get_survey("dialogue_likert")))
    with pytest.raises(UserError, match="field 'annotations' is missing"):
        list(label_studio.read(source))


def test_what_makes_no_form_is_said(study, run, tmp_path):
    own = study("surveys")
    words = ["--study", own.path, "--format", "label_studio", "--out", tmp_path / "x.json"]
    for more, says in [
        (["--survey", "turn_likert"], "asks turn by turn"),
        (["--survey", "acute_eval"], "Export one at a time: --question"),
        (["--survey", "acute_eval", "--question", "humannes"], "Did you mean 'humanness'?"),
        (["--survey", "spot_the_bot", "--source", "judge:x"], "answered nothing"),
        (["--survey", "interactive"], "has no units"),
        (["--format", "argilla"], "was removed in 0.2. Export tasks with --format label_studio."),
    ]:
        code, _, err = run(*words, *more)
        assert (code, says in err) == (2, True), err
    assert not list(tmp_path.glob("x.json*"))


ODD = (Option("a", "this"), Option("b", "that"))
OWN = Survey(
    name="own_rating",
    title="How likely?",
    instructions="You will read a conversation. Say how likely it is.",
    questions=(
        Question("likely", "scale", ("pair",), "How likely is it?", tuple(Option(str(n), str(n)) for n in range(1, 4))),
        Question("odd", "checkboxes", ("entity:0",), "What is odd?", ODD, required=False),
    ),
    consent=("You take part in a study.",),
)


def test_a_survey_of_ones_own_goes_out_and_comes_in(study, run, tmp_path):
    own, path = study("surveys"), tmp_path / "tasks.json"
    (tmp_path / "own_rating.yaml").write_text(yaml.safe_dump(own_surveys.to_data(OWN)))
    main(["pack", "--study", str(own.path), "--survey", str(tmp_path / "own_rating.yaml"), "--quiet"])
    words = ["--study", own.path, "--format", "label_studio", "--survey", "own_rating", "--out", path]
    assert run(*words)[0] == 0
    rows = json.loads(path.read_text())
    for row in rows:
        results = [("likely__pair", ["2"]), ("odd__entity_0", ["a", "b"])]
        told = [{"from_name": control, "value": {"choices": chosen}} for control, chosen in results]
        row["annotations"] = [{"completed_by": 1, "result": told}]
    path.write_text(json.dumps(rows))
    OPENED.clear()
    SpotbotImport.main(
        "--format", "label_studio", "--survey", "own_rating", "--study", str(own.path), "--data", str(path)
    )
    found = Study.open(own.path).judgements("own_rating")
    assert Counter(str(row.answer) for row in found) == {"2": len(rows), "['a', 'b']": len(rows)}
    OPENED.clear()


def task(**more):
    result = [{"from_name": "nature__entity_0", "to_name": "dialogue_0", "value": {"choices": ["bot"]}}]
    return {"data": {"item_id": "i"}, "annotations": [{"id": 1, "completed_by": 3, "result": result} | more]}


def read(path):
    found = AnnotationFile(path, controls_of(get_survey("spot_the_bot")))
    return list(label_studio.read(found)), found.left_out


def test_label_studios_own_ways_are_read(tmp_path):
    path = tmp_path / "export.json"
    mail = {"email": "a@example.org"}
    rows = [task(lead_time=4.3), task(was_cancelled=True), task(completed_by=mail), task(completed_by={"id": 9} | mail)]
    path.write_text(json.dumps([row | {"predictions": [{}]} for row in rows]))
    found, left_out = read(path)
    assert (found[0].worker_id, found[0].seconds, found[0].answers) == (
        "label_studio-3",
        4.3,
        {"nature__entity_0": "bot"},
    )
    assert found[2].worker_id == "label_studio-9"
    assert "example" not in found[1].worker_id
    assert left_out == {"prediction": 4, "skipped task": 1}


RESULT = {"from_name": "nature__entity_0"}
BAD = [
    ([{"data": {"item_id": "i"}}], "field 'annotations' is missing"),
    ([task() | {"data": {}}], "field 'item_id' is missing"),
    ([task(result=[{"from_name": "natur"}])], "'natur' is no control"),
    ([task(result=[RESULT | {"value": {"choices": ["a", "b"]}}])], "holds 2, expected one"),
    ([task(result=[RESULT | {"value": {}}])], "field 'text' is missing"),
    ([task(completed_by=None)], "field 'completed_by' is None"),
]


@pytest.mark.parametrize(("rows", "says"), BAD, ids=[says for _, says in BAD])
def test_bad_files_are_one_error(tmp_path, rows, says):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(UserError) as error:
        read(path)
    assert says in str(error.value)
    assert str(path) in str(error.value)


def test_foreign_items_and_answers_are_refused_and_nothing_is_written(study, tmp_path, capsys):
    own, path = study("surveys"), tmp_path / "tasks.json"
    before = own.judgements_path("spot_the_bot").read_bytes()
    item = own.units("spot_the_bot")[0].items[0].item_id
    wrong = task(result=[RESULT | {"value": {"choices": ["robot"]}}]) | {"data": {"item_id": item}}
    for row, says in [(task(), "is in none of the"), (wrong, "'robot'")]:
        path.write_text(json.dumps([row]))
        with pytest.raises(SystemExit):
            SpotbotImport.main(
                "--format", "label_studio", "--survey", "spot_the_bot", "--study", str(own.path), "--data", str(path)
            )
        assert says in capsys.readouterr().err
    assert own.judgements_path("spot_the_bot").read_bytes() == before


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["nature__entity_0", "bot"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "rating", "text", "value", "from_name", "meta", "annotator", "item_id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=VALUES,
    result=VALUES,
    more=st.dictionaries(st.sampled_from(["id", "completed_by", "lead_time", "created_at"]), VALUES),
)
def test_whatever_a_file_holds_is_read_or_refused(tmp_path_factory, value, result, more):
    path = tmp_path_factory.mktemp("odd") / "odd.json"
    results = result if isinstance(result, list) else [RESULT | {"value": value, "meta": result}]
    path.write_text(json.dumps([task(result=results, **more)]))
    said = str(path)
    try:
        read(path)
    except UserError as error:
        said = str(error)
    assert str(path) in said
