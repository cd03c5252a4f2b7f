"""Surveys of whole conversations: nothing that a browser gets tells whose conversation it is, nor a control.

That a control comes first is so for everybody; nothing else of it is: text, shape and length are those of any item.
"""

import itertools
import json
import random
from collections import Counter
from dataclasses import replace

import pytest
from scipy.stats import fisher_exact

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.desk.presentation import present
from parlai_spotbot.records import Utterance
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls
from tests.crowdsourcing import blind, whole
from tests.crowdsourcing.office import answers
from tests.crowdsourcing.test_blind import unfolded

ITEM_KEYS = {"item", "layout", "transcripts", "questions"}
INSIDE = (
    "known_choice known_low is_human conversation_id seed_id item_id unit_id block_id control_mistakes control_first "
    "zzname zztalk zzseed zzdomain"
)


@pytest.fixture
def study_of(tmp_path):
    """A study of conversations whose texts are drawn alike whoever speaks, the scripts of controls among them."""

    def make(name):
        rng, numbers = random.Random(name), itertools.count()

        def talk(number, entities):
            return blind.talk(next(numbers), entities, rng, 4)

        def said(number, turn):
            return f"q{number}t{turn}q " + " ".join(rng.choices(blind.WORDS, k=rng.randint(2, 12)))

        study = whole.make_study(tmp_path / "study", name, each=6, people=24, talk=talk, named="zzname")
        drawn = [
            replace(
                item,
                transcripts=tuple(
                    tuple(Utterance(turn.entity, said(number, place)) for place, turn in enumerate(turns))
                    for number, turns in enumerate(item.transcripts, start=1000 + 10 * n)
                ),
            )
            for n, item in enumerate(read_controls(study.load(name)))
        ]
        checksums.write_jsonl(study.survey_path(name) / "controls.jsonl", drawn)
        return study

    return make


def opinion(question, target):
    if question == "reason":
        return "because"
    return "conversation:0" if target == "pair" else "3"


def visit(server, survey, worker):
    """Every unit that this annotator gets, as pages; and all bytes."""
    browser = blind.Browser(server, worker)
    browser.get("GET", "/")
    state, units = browser.begin(survey), []
    while state["state"] == "working":
        unit = state["unit"]
        units.append(unit["items"])
        pages = [answers(survey, page, opinion) for page in unit["items"]]
        state = browser.said("submit", {"unit": unit["unit"], "items": pages, "comment": ""})
        assert state.get("accepted"), state
        if state["state"] == "ready":
            state = browser.said("unit", {})
    return browser, units


@pytest.mark.parametrize("name", whole.SURVEYS)
def test_no_byte_tells_and_controls_have_the_shape_of_items(tmp_path, study_of, name):
    study, survey = study_of(name), get_survey(name)
    survey = replace(survey, limits=replace(survey.limits, control_mistakes=99, units_per_annotator=3))
    controls = {item.item_id: item for item in read_controls(study.load(name))}
    units = {unit.unit_id: unit for unit in study.units(name)}
    shapes = Counter()
    with whole.served(study, name, tmp_path, survey) as server:
        for number in range(3):
            browser, seen = visit(server, survey, f"annotator-{number}")
            handouts = server.intake.call(server.desk.ledger.handouts, "worker = ?", browser.worker)
            secrets = [word.encode() for word in INSIDE.split()]
            secrets += [handout.chance.encode() for handout in handouts]
            secrets += [unit_id.encode() for unit_id in units]
            secrets += [i.encode() for handout in handouts for i in handout.items]
            for data in unfolded(browser.seen):
                assert [secret for secret in secrets if secret in data] == []
            for handout, pages in zip(handouts, seen, strict=True):
                own = {item.item_id: item for item in units[handout.unit_id].items} | controls
                for item_id, page in zip(handout.items, pages, strict=True):
                    shapes[shape_of(page), item_id in controls] += 1
                    kept = set(blind.MARK.findall(json.dumps(own[item_id].to_json()).encode()))
                    assert set(blind.MARK.findall(json.dumps(page).encode())) == kept
                    assert set(page["questions"]) == set(own[item_id].questions or [q.name for q in survey.questions])
    assert {known for _, known in shapes} == {True, False}
    assert {shape for shape, known in shapes if known} <= {shape for shape, known in shapes if not known}


def shape_of(page):
    """The fields of a page item, without what is said and drawn."""
    assert set(page) == ITEM_KEYS
    transcripts = []
    for transcript in page["transcripts"]:
        assert all(set(turn) == {"entity", "text"} for turn in transcript["turns"])
        entities = tuple(tuple(sorted(entity)) for entity in transcript["entities"])
        transcripts.append((tuple(sorted(transcript)), entities, sum(e["judged"] for e in transcript["entities"])))
    return json.dumps([page["layout"], transcripts])


@pytest.mark.parametrize("name", ["acute_eval", "dialogue_likert"])
def test_who_is_judged_and_who_begins_is_no_sign_of_the_answer(tmp_path, study_of, name):
    """The judged seat, the place and the side of what is right in a control are no better than chance."""
    study, survey = study_of(name), get_survey(name)
    table = Counter()
    for item in read_controls(study.load(name)):
        known = int(item.control[-1])
        for chance in range(200):
            page, record = present(survey, item, 0, f"{item.item_id} {chance}")
            if survey.packing == "pairs":
                table[record[f"place:{known}"] == "left", page["transcripts"][0]["entities"][0]["side"]] += 1
            else:
                table[record["side:0"], record[f"entity:{known}"]] += 1
    rows, columns = sorted({r for r, _ in table}), sorted({c for _, c in table})
    assert (len(rows), len(columns)) == (2, 2)
    assert fisher_exact([[table[r, c] for c in columns] for r in rows]).pvalue > 1e-4
    assert abs(sum(table[rows[0], c] for c in columns) / sum(table.values()) - 0.5) < 0.1
