"""Ratings on scales of one's own: what is asked is what is taken, ranked by its direction and named on the page."""

import csv
import json

import pytest
import yaml

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import own_surveys
from tests.case_tables import case_table
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
    for row in tables["ranking"]:
        assert whole["scale"][0] <= row["score_low"] <= row["score_high"] <= whole["scale"][-1]


@case_table(__file__, "wrong")
def test_a_scale_that_is_none_is_an_error_before_anything_is_packed(scale, says, tmp_path):
    with pytest.raises(UserError, match=says):
        own_surveys.read_survey(survey_file(tmp_path / "warmth.yaml", scale))


def test_a_scale_without_known_answers_has_no_controls_that_all_would_miss(study, tmp_path):
    path = survey_file(tmp_path / "warmth.yaml", [1, 2, 3, 4, 5, 6, 7], asked=["warm"])
    text = path.read_text().replace("warm\n", "quality\n").replace("name: warm", "name: quality")
    path.write_text(text)
    out, _ = spotbot("pack", "--study", study.path, "--survey", path)
    assert "controls: none" in out
