"""Tasks for Label Studio: blind, and what is annotated there comes back as the judgements it was."""

import json
from collections import Counter
from xml.etree import ElementTree

import pytest
import yaml

from parlai_spotbot import checksums
from parlai_spotbot.analysis.answers import last_answers
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers import label_studio
from parlai_spotbot.importers.judgements import JudgementReader
from parlai_spotbot.importers.left_out import LeftOut
from parlai_spotbot.records import Item
from parlai_spotbot.scripts.spotbot_import import SpotbotImport
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from tests.case_tables import cases

SURVEYS = ["spot_the_bot", "comparative", "dialogue_likert", "acute_eval"]


def options(survey):
    return ["--survey", survey, *(["--question", "humanness"] if survey == "acute_eval" else [])]


def told(rows):
    """What judgements say, without who says it: item, question, target, answer, and how often."""
    return Counter((r.item_id, r.conversation_ids, r.exchanges, r.target, r.question, str(r.answer)) for r in rows)


def annotated(rows, judgements, controls):
    """The tasks with the judgements about them as a user of Label Studio would answer."""
    for row in rows:
        own = [j for j in judgements if j.item_id == row["data"]["item_id"]]
        row["annotations"] = []
        for number, name in enumerate(sorted({j.annotation_id for j in own})):
            result = []
            for one in (j for j in own if j.annotation_id == name):
                control = label_studio.control(one.question, one.target)
                control = control if control in controls else label_studio.control(one.question, "judged")
                answer = one.answer if isinstance(one.answer, list) else [one.answer]
                free = controls[control] == "TextArea"
                result.append({"from_name": control, "value": {"text": answer} if free else {"choices": answer}})
            who = {j.annotation_id: j.worker_id for j in own}[name]
            row["annotations"].append({"id": f"{name}-{number}", "completed_by": who, "result": result})
    return rows


@pytest.mark.parametrize("survey", SURVEYS)
def test_annotations_come_back_as_judgements(study, run, tmp_path, capsys, survey):
    own, path = study("surveys"), tmp_path / "tasks.json"
    words = ["--study", own.path, "--format", "label_studio", *options(survey), "--out", path]
    assert run(*words)[0] == 0
    assert "nothing changed" in run(*words)[1]
    rows, form = json.loads(path.read_text()), ElementTree.parse(tmp_path / "tasks.json.xml").getroot()
    controls = {c.get("name"): c.tag for c in form.iter() if c.get("toName")}
    items = {row["data"]["item_id"] for row in rows}
    before = [r for r in own.judgements(survey) if r.source == "human" and r.control is None and r.item_id in items]
    path.write_text(json.dumps(annotated(rows, before, controls)))
    checksums.remove(own.judgements_path(survey))
    again = ["--format", "label_studio", "--survey", survey, "--study", str(own.path), "--data", str(path)]
    SpotbotImport.main(*again)
    said = capsys.readouterr().out
    after = Study.open(own.path).judgements(survey)
    assert told(after) == told(before)
    assert f"{len(before)} judgements by {len({r.worker_id for r in before})} annotators" in said
    SpotbotImport.main(*again)
    assert ", 0 of them new" in capsys.readouterr().out


def test_a_corrected_annotation_counts_and_exports_again_change_nothing(study, tmp_path, capsys):
    own = study("surveys")
    checksums.remove(own.judgements_path("spot_the_bot"))
    item = next(item for unit in own.units("spot_the_bot") for item in unit.items if not item.control)
    said = []
    for day, choice in enumerate(["human", "bot", "human", "bot"], start=1):
        answer = {"from_name": "nature__entity_0", "value": {"choices": [choice]}}
        about = {"id": 1, "completed_by": 3, "updated_at": f"2026-05-0{2 - day % 2}T12:00:00Z", "result": [answer]}
        path = tmp_path / "export.json"
        path.write_text(json.dumps([{"data": {"item_id": item.item_id}, "annotations": [about]}]))
        words = ["--format", "label_studio", "--survey", "spot_the_bot", "--study", str(own.path), "--data", str(path)]
        SpotbotImport.main(*words)
        said.append(capsys.readouterr().out.partition("read, ")[2][:1])
    rows = Study.open(own.path).judgements("spot_the_bot")
    assert ("".join(said), [row.answer for row in rows]) == ("1100", ["human", "bot"])
    ((_, last),) = last_answers(rows, lambda row: row.item_id)[0]
    assert last.answer == "bot"


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
    items = {i.item_id for u in own.units(survey) for i in u.items if not i.control}
    assert len(rows) == len(items) or survey == "acute_eval"


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


def test_what_makes_no_form_is_said(study, run, tmp_path):
    own = study("surveys")
    words = ["--study", own.path, "--format", "label_studio", "--out", tmp_path / "x.json"]
    for more, says in yaml.safe_load("""
        - [[--survey, turn_likert], asks turn by turn]
        - [[--survey, acute_eval], Export one question at a time]
        - [[--survey, acute_eval, --question, humannes], "Did you mean 'humanness'?"]
        - [[--survey, spot_the_bot, --source, human], '--source: bears on no file of format label_studio']
        - [[--survey, interactive], has no units]
        - [[--format, argilla], '--format argilla: not known.']
    """):
        code, _, err = run(*words, *more)
        assert (code, says in err) == (2, True), err
    assert not list(tmp_path.glob("x.json*"))


# -- files of Label Studio -------------------------------------------------------------------------------------------
RESULT = {"from_name": "nature__entity_0"}


def task(**more):
    result = [RESULT | {"value": {"choices": ["bot"]}}]
    return {"data": {"item_id": "i"}, "annotations": [{"id": 1, "completed_by": 3, "result": result} | more]}


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Judgements of rows about item "i" of one conversation, and what was left out."""
    from parlai_spotbot.records import Conversation, Turn

    path = tmp_path_factory.mktemp("label_studio") / "export.json"
    talk = Conversation("c", "d", ("a", "b"), 0, ("a", "b"), (Turn("a", "x"), Turn("b", "y")) * 2, 0)
    survey, items = get_survey("spot_the_bot"), {"i": ("u", Item("i", ("c",), 2, ((),)))}

    def rows(given):
        path.write_text(json.dumps(given))
        left_out, skipped = LeftOut(), Counter()
        found = list(label_studio.read(path, items, JudgementReader({"c": talk}, survey), left_out, skipped))
        left_out.check(path)
        return found, skipped + left_out.counts

    return rows


def test_label_studios_own_ways_are_read(read):
    rows = [task(lead_time=4.3), task(was_cancelled=True), task(completed_by={"id": 9, "email": "a@example.org"})]
    found, left_out = read([row | {"predictions": [{}]} for row in rows])
    assert (found[0].worker_id, found[0].seconds, found[0].answer) == ("label_studio-3", 4.3, "bot")
    assert found[1].worker_id == "label_studio-9"
    assert left_out == {"prediction": 3, "skipped task": 1}


def test_what_cannot_be_used_is_left_out_and_counted(read):
    relation = {"type": "relation", "from_id": "a", "to_id": "b", "labels": []}
    region = {"type": "labels", "from_name": "span", "value": {"labels": ["x"]}}
    answer = RESULT | {"value": {"choices": ["human"]}}
    rows = [
        task(result=[relation, answer, region]),
        task(completed_by=None, updated_at="2026-05-01T12:00:00Z"),
        task(id=2, completed_by=None, updated_at="2026-05-01T12:00:00Z"),
        task(id=3, completed_by=None, updated_at="2026-05-01T13:00:00Z"),
        task(id=6, result=[answer]),
        task(id=4, result=[]),
        task(id=5, result=[RESULT | {"value": {}}]),
        task() | {"data": {"text": "of another project"}},
        *(task(id=n, completed_by=n) for n in range(10, 14)),
    ]
    found, left_out = read(rows)
    assert Counter(row.worker_id for row in found) == Counter(
        f"label_studio-{name}" for name in (3, "unknown-1", "unknown-1", 10, 11, 12, 13)
    )
    assert left_out == {
        "copy of another row": 2,
        "annotation that has no answer": 1,
        "annotation with a lost answer": 1,
        "annotation of a task of another study": 1,
    }


@cases(
    "change says",
    """
- [{result: [{from_name: natur, value: {choices: [bot]}}]}, "'natur' is no control"]
- [{result: [{from_name: nature__entity_0, value: {choices: [a, b]}}]}, 'holds 2, expected one']
- [{result: [{from_name: nature__entity_0, value: {choices: [robot]}}]}, "'robot'"]
- [{completed_by: []}, completed_by]
- [{result: []}, 1 × annotation that has no answer]
- [{result: [{from_name: nature__entity_0, value: {}}]}, 1 × annotation with a lost answer]
- [{data: {item_id: i}}, "'annotations' is missing"]
- - data: {item_id: j}
    annotations: [{id: 1, completed_by: 3, result: [{from_name: nature__entity_0, value: {choices: [bot]}}]}]
  - item 'j' is in none of the study's units
- [{item_id: i, nature__entity_0: bot, annotator: 1, annotation_id: 1}, 'Export as JSON, not as JSON-MIN']
""",
)
def test_bad_files_are_one_error(read, change, says):
    whole = {"data", "item_id"} & change.keys()
    with pytest.raises(UserError) as error:
        read([change if whole else task(**change)])
    assert says in str(error.value)
    assert "export.json, entry 1" in str(error.value)
