"""Next-Utterance Classification at the desk: candidates in a drawn order, two different choices, attention checks, the
questionnaire, groups that nobody changes between; and that no answer of the server holds a key.
"""

import json
from collections import Counter, defaultdict

import pytest

from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.withdraw import withdraw
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys.nuc_questions import read_questions
from parlai_spotbot.surveys.packing.candidates import key_of, questions_path
from tests.case_tables import cases
from tests.crowdsourcing import picking
from tests.crowdsourcing.office import refused
from tests.crowdsourcing.picking import NAME, body_of, desk_of

TWO = {"paid": {"people": 3, "recruited": "paid"}, "lab": {"people": 2, "recruited": "lab"}}
ABOUT = {"age": "31-40", "gender": "untold", "expertise": "expert"}


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A study for one group that nobody changes; its desks have ledgers of copies."""
    return picking.make_study(tmp_path_factory.mktemp("nuc") / "study")


@pytest.fixture
def study(tmp_path):
    return picking.make_study(tmp_path / "study")


@pytest.fixture
def grouped(tmp_path):
    return picking.make_study(tmp_path / "grouped", **TWO)


def begin(desk, worker="ann"):
    """The unit that the annotator is handed."""
    visitor = Visitor(worker)
    desk.consent(visitor)
    return desk.next_unit(visitor)["unit"]


# -- candidates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda answers, page: answers[1].update(answer=answers[0]["answer"]), (400, "malformed")),
        (lambda answers, page: answers[0].update(answer="candidate:5"), (400, "malformed")),
        (lambda answers, page: answers[0].update(answer=page["candidates"][0]["text"]), (400, "malformed")),
        (lambda answers, page: answers.pop(), (422, "incomplete")),
    ],
)
def test_forged_choices_are_refused_and_nothing_is_stored(desk_and_unit, change, refusal):
    desk, unit = desk_and_unit
    body = body_of(unit)
    change(body["items"][2]["answers"], unit["items"][2])
    assert refused(desk.submit, Visitor("ann"), body) == refusal
    assert list(desk.ledger.submissions()) == []


@pytest.fixture(scope="module")
def desk_and_unit(packed):
    desk = desk_of(packed)
    return desk, begin(desk)


# -- rules -------------------------------------------------------------------------------------------------------------
def test_who_misses_a_check_is_stopped_and_nobody_gets_two_units(study):
    desk = desk_of(study)
    for worker in ("ann", "bob"):
        said = desk.submit(Visitor(worker), body_of(begin(desk, worker), wrong_checks=worker == "bob"))
        assert said["state"] == ("stopped" if worker == "bob" else "finished")
        assert "unit" not in said
    assert Counter(missed for _, _, _, missed in desk.ledger.grades()) == {False: 3, True: 3}
    more = desk_of(study, units_per_annotator=4)
    assert more.next_unit(Visitor("ann"))["state"] == "finished"  # whatever a launch allows
    assert refused(more.next_unit, Visitor("bob")) == (403, "stopped")


# -- the questionnaire -------------------------------------------------------------------------------------------------
def test_what_annotators_say_of_themselves_becomes_rows_of_its_own_and_goes_when_they_withdraw(study):
    desk = desk_of(study)
    for worker, about in (("ann", ABOUT), ("bob", {}), ("cleo", None)):
        unit = begin(desk, worker)
        assert unit["questionnaire"] is True
        body = body_of(unit, about)
        if about is None:
            del body["questionnaire"]
        assert desk.submit(Visitor(worker), body)["accepted"]
        assert desk.submit(Visitor(worker), body)["accepted"]
    found = collect(study, NAME)
    rows = [row for row in study.judgements(NAME) if row.target == "annotator"]
    assert {row.question: row.answer for row in rows} == ABOUT
    assert {(row.item_id, row.conversation_ids, row.exchanges, row.control, row.seconds) for row in rows} == {
        ("questionnaire", (), 0, None, None)
    }
    assert {row.worker_id for row in rows} == {found.names["ann"]}
    assert len({row.annotation_id for row in rows}) == 1
    assert rows[0].annotation_id not in {row.annotation_id for row in found.rows if row.target != "annotator"}
    assert found.look["n"].to_dict() == dict.fromkeys(found.names.values(), 4)
    assert collect(study, NAME).added == 0
    assert withdraw(study, "ann").units == {NAME: 1}
    collect(study, NAME)
    left = study.judgements(NAME)
    assert {row.worker_id for row in left} == {found.names["bob"], found.names["cleo"]}
    assert not [row for row in left if row.target == "annotator"]
    for path in CollectionPaths(study, NAME).folder.rglob("*"):
        assert not path.is_file() or b"31-40" not in path.read_bytes(), path


@cases(
    "rows",
    """
- [{question: name, answer: Ann}]
- [{question: age, answer: '32'}]
- [{question: age, target: entity:0, answer: 31-40}]
- [{question: age, answer: 31-40}, {question: age, answer: 18-20}]
""",
)
def test_forged_answers_about_oneself_are_refused(desk_and_unit, rows):
    desk, unit = desk_and_unit
    assert refused(desk.submit, Visitor("ann"), {**body_of(unit), "questionnaire": rows}) == (400, "malformed")


# -- groups ------------------------------------------------------------------------------------------------------------
def test_a_group_gets_its_units_alone(grouped):
    paid, lab = desk_of(grouped, "paid"), desk_of(grouped, "lab")
    assert len(paid.stock.units) == 3
    assert len(lab.stock.units) == 2
    for desk, worker in ((paid, "ann"), (lab, "bob"), (paid, "cleo")):
        desk.submit(Visitor(worker), body_of(begin(desk, worker), {"age": "18-20"}))
    found = collect(grouped, NAME)
    assert found.units == 3
    of = {unit.unit_id: unit.group for unit in grouped.units(NAME)}
    groups = defaultdict(set)
    for row in grouped.judgements(NAME):
        groups[row.worker_id].add(of[row.unit_id])
    assert {worker: groups[found.names[worker]] for worker in ("ann", "bob", "cleo")} == {
        "ann": {"paid"},
        "bob": {"lab"},
        "cleo": {"paid"},
    }
    assert withdraw(grouped, "bob").units == {NAME: 1}
    assert collect(grouped, NAME).withdrawn == 1
    assert {of[row.unit_id] for row in grouped.judgements(NAME)} == {"paid"}


def test_a_launch_names_the_groups_there_are(grouped):
    for group, problem in (("", "--group missing"), ("labs", "--group labs")):
        with pytest.raises(UserError, match=problem) as caught:
            launch(LaunchRequest(grouped.path, NAME, part=group, dry_run=True))
        assert "lab" in caught.value.remedy
    said = []
    assert launch(LaunchRequest(grouped.path, NAME, part="lab", dry_run=True), said.append) == 0
    assert "2 to do" in "\n".join(said)


# -- blind -------------------------------------------------------------------------------------------------------------
def test_no_answer_of_the_desk_holds_a_key_an_origin_or_an_id(study):
    desk = desk_of(study)
    questions = read_questions(questions_path(study.load("nuc")))
    ids = {question.question_id for question in questions} | {question.conversation_id for question in questions}
    ids |= set(desk.items) | {unit.unit_id for unit in study.units(NAME)} | {"known_candidate", "check"}
    ids |= {name for item in desk.items.values() for name in item.conversation_ids}
    ann = Visitor("ann")
    said = [desk.session(ann), desk.consent(ann), desk.session(ann), desk.next_unit(ann), desk.session(ann)]
    unit = said[-1]["unit"]
    for page in unit["items"]:
        assert set(page) == {"item", "layout", "transcripts", "questions", "candidates"}
        assert all(set(one) == {"value", "text"} for one in page["candidates"])
    said += [desk.submit(ann, body_of(unit)), desk.session(ann)]
    # What is said to people, the contract, and the texts of contexts and candidates are no ids.
    shown = dict.fromkeys(("texts", "survey", "consent"))
    for answer in said:
        text = json.dumps({**answer, **shown})
        assert not [name for name in ids if f'"{name}"' in text]
        assert not [
            word for word in ("distractor", "origin", "question_id", '"true"', "control", 'key": "cand') if word in text
        ]
    assert not [name for name in ids - {"check"} if name in json.dumps(said[0]["survey"])]


def test_neither_place_nor_order_tells_which_candidate_is_right(tmp_path):
    """Over many hand-outs the right one stands anywhere on the page, and anywhere among the values."""
    study = picking.make_study(tmp_path / "study", unit_size=10, annotators=6)
    desk, key = desk_of(study), key_of(study.load("nuc"))
    by_text = {(key[i].context, key[i].candidates[key[i].true]) for i in key}
    places, values = Counter(), Counter()
    for number in range(24):
        for page in begin(desk, f"worker{number}")["items"]:
            context = tuple(turn["text"] for turn in page["transcripts"][0]["turns"])
            for place, one in enumerate(page["candidates"]):
                if (context, one["text"]) in by_text:
                    places[place] += 1
                    values[one["value"]] += 1
    total = sum(places.values())
    assert total == 240
    # 48 each are expected, with a standard deviation of 6.2; values are the same for all six people of a version.
    assert all(22 < places[place] < 74 for place in range(5))
    assert len(values) == 5
