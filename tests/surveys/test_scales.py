"""Ratings on scales of one's own: what is asked is what is taken, ranked by its direction and named on the page."""

import csv
import itertools
import json

import pytest
import yaml

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.report.chapters import card
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import own_surveys, survey_of
from parlai_spotbot.surveys.asking import asked_of_item
from parlai_spotbot.surveys.controls import missed_by, read_controls, write_controls
from parlai_spotbot.surveys.controls.exclusion import failed_people
from tests.case_tables import case_table
from tests.findings.scripted import small_study
from tests.in_process import spotbot

SCALES = {
    "seven": ([1, 2, 3, 4, 5, 6, 7], "from 1 to 7"),
    "percent": ({"least": 0, "most": 100, "low": "not at all", "high": "very"}, "from 0 to 100"),
    "halves": ({"least": 1, "most": 5, "step": 0.5}, "from 1 to 5"),
    "both ways": ({"least": -3, "most": 3}, "from -3 to 3"),
    "two": ({"least": 0, "most": 1}, "from 0 to 1"),
    "words": (["never", "sometimes", "often", "always"], "from 1 to 4"),
    "uneven": ([0, 0.25, 1, 10], "from 0 to 10"),
}


def survey_file(path, scale, better="more", **more):
    question = {"targets": ["entity:0", "entity:1"], "wording": "How warm is {entity}?", "scale": scale}
    row = {
        "name": "warmth",
        "title": "How warm?",
        "instructions": "Read, then rate.",
        "packing": "dialogues",
        "layout": "dialogue",
        "questions": [{"name": "warm", **question, "better": better}],
        "about": {"question": "who is warm?", "findings": ["ratings"]},
        **more,
    }
    path.write_text(yaml.safe_dump(row))
    return path


def rate(study, path, values, step):
    """Let four people rate all that was packed: each contestant by its place among the names, one of them by less."""
    place = {name: number for number, name in enumerate(sorted({*study.plan.contestants}))}
    by_id = {talk.conversation_id: talk for talk in study.conversations()}
    rows = {("worker_id", "conversation_id", "question", "target", "answer"): None}  # an item is in several units
    for unit in study.units("warmth"):
        for item in unit.items:
            judged = item.judged[0]
            name = by_id[item.conversation_ids[0]].entities[judged]
            for worker in range(4):
                value = values[min(place.get(name, 0) * step + worker % 2, len(values) - 1)]
                rows[f"w{worker}", item.conversation_ids[0], "warm", f"entity:{judged}", value] = None
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def heading(study):
    """What stands over the means of the first screen."""
    [scale] = card(load(Study.open(study.path), "warmth"), HUMAN).card.scales
    return scale.title


@pytest.mark.parametrize("better", ["more", "less"])
@pytest.mark.parametrize("name", SCALES)
def test_a_scale_is_taken_ranked_by_its_direction_and_named(name, better, study, tmp_path):
    scale, said = SCALES[name]
    path = survey_file(tmp_path / "warmth.yaml", scale, better)
    values = [option.value for option in own_surveys.read_survey(path).questions[0].options]
    spotbot("pack", "--study", study.path, "--survey", path)
    packed = Study.open(study.path)
    rate(packed, tmp_path / "answers.csv", values, max(1, len(values) // 4))
    given = ["--study", study.path, "--survey", "warmth"]
    spotbot("import", "--format", "judgements", "--data", tmp_path / "answers.csv", *given)
    out, _ = spotbot("analyze", *given, "--bootstraps", "20")
    tables = json.loads((study.path / "surveys/warmth/analysis/ranking.json").read_text())["tables"]
    (whole,) = tables["whole"]
    assert whole["scale"] == [float(value) for value in values]
    assert said in whole["criterion"]
    assert ("less is better" in whole["criterion"]) == (better == "less")
    assert whole["criterion"][1:] in " ".join(out.split())
    scores = [row["score"] for row in tables["ranking"] if row["bot"] != HUMAN]
    assert scores == sorted(scores, reverse=better == "more")
    assert heading(study) == {"more": "Mean", "less": "Mean, less is better"}[better]
    for row in tables["ranking"]:
        assert row.get("direction", "more") == better
        assert whole["scale"][0] <= row["score_low"] <= row["score_high"] <= whole["scale"][-1]


@case_table(__file__, "wrong")
def test_a_scale_that_is_none_is_an_error_before_anything_is_packed(scale, says, tmp_path):
    with pytest.raises(UserError, match=says):
        own_surveys.read_survey(survey_file(tmp_path / "warmth.yaml", scale))


def test_a_scale_without_known_answers_has_no_controls_that_all_would_miss(study, tmp_path):
    path = survey_file(tmp_path / "warmth.yaml", [1, 2, 3, 4, 5, 6, 7])
    out, _ = spotbot("pack", "--study", study.path, "--survey", path)
    assert "controls: none" in out


ASKED = [("quality",), ("warm", "relevance"), ("engagingness", "quality", "warm")]


@pytest.mark.parametrize("better", ["more", "less"])
@pytest.mark.parametrize("name", SCALES)
def test_who_knows_misses_no_control_of_a_scale_and_the_careless_are_stopped(name, better, tmp_path):
    """Whatever is asked with a dimension in which a script is bad; who knows is analysed, who is careless is not."""
    ask = ASKED[(list(SCALES).index(name) + (better == "less")) % len(ASKED)]
    path = survey_file(tmp_path / "warmth.yaml", SCALES[name][0], better)
    row = yaml.safe_load(path.read_text())
    row["questions"] = [{**row["questions"][0], "name": question} for question in ask]
    path.write_text(yaml.safe_dump(row))
    study = small_study(tmp_path / "study", "dialogue_likert", people=8)
    out, _ = spotbot("pack", "--study", study.path, "--survey", path)
    assert "scripts that say the same few words" in out
    study = Study.open(study.path)
    write_controls(study.load("warmth"))
    about = survey_of(study.load("warmth"))
    controls = read_controls(study.load("warmth"))
    assert controls
    assert "Other scales count as from 1" in study.provenance()["controls"]["warmth"]["rule"]
    values = [option.value for option in about.questions[0].options]
    ends = (values[0], values[-1])
    if better == "less":
        ends = ends[::-1]
    rows = []
    for item, (worker, answer) in itertools.product(controls, zip(("knows", "careless"), ends, strict=True)):
        answers = dict.fromkeys(asked_of_item(about, item, {}), answer)
        assert missed_by(item.control, answers, about) == (worker == "careless")
        rows += [judgement(item, worker, *target, answer) for target in answers]
    assert set(failed_people(rows, about)) == {"careless"}


def judgement(item, worker, question, target, answer):
    name = f"{worker}-{item.item_id}"
    about = {"survey": "warmth", "unit_id": "u", "item_id": item.item_id, "target": target, "question": question}
    shown = {"conversation_ids": item.conversation_ids, "exchanges": item.exchanges, "control": item.control}
    made = {"judgement_id": f"{name}-{question}-{target}", "annotation_id": name, "answer": answer}
    return Judgement(**made, **about, **shown, worker_id=worker, source=HUMAN)
