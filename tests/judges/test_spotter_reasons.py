"""Reasons: they add up to the logit, stand beside the answers, and survive what answers survive."""

import json
import math
from collections import Counter

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.reasons import read_rows, reasons, reasons_path
from parlai_spotbot.judges.run import judge_study, summary_path
from parlai_spotbot.records import HUMAN

SURVEY = "spot_the_bot"


def test_reasons_add_up_to_the_logit_of_the_probability(judged):
    rows = read_rows(judged[0], SURVEY, "spotter")
    for row in rows:
        total = row["base"] + sum(reason["contribution"] for reason in row["reasons"]) + row["others"]
        assert total == pytest.approx(row["logit"], abs=1e-5)
        assert row["probability"] == pytest.approx(1 / (1 + math.exp(-row["logit"])), abs=1e-5)
    assert len({row["worker_id"] for row in rows}) == 2
    assert any(row["others"] for row in rows)


def test_every_answer_on_nature_has_reasons_that_fit_it(judged):
    rows = {(row["annotation_id"], row["target"]): row for row in read_rows(judged[0], SURVEY, "spotter")}
    answers = [j for j in judged[0].judgements(SURVEY) if j.question == "nature"]
    assert len(rows) == len(answers)
    for judgement in answers:
        row = rows[judgement.annotation_id, judgement.target]
        assert row["answer"] == judgement.answer
        unsure = abs(row["probability"] - 0.5) <= row["unsure_within"] + 1e-6
        expected = "unsure" if unsure else "human" if row["probability"] > 0.5 else "bot"
        assert judgement.answer == expected
    told = reasons(judged[0], SURVEY)
    assert set(told) == set(rows)
    assert all(name and text and push == push for found in told.values() for name, text, push in found)


def test_words_that_are_named_were_said(judged):
    study = judged[0]
    items = {item.item_id: item for unit in study.units(SURVEY) for item in unit.items}
    seen = Counter()
    for row in read_rows(study, SURVEY, "spotter"):
        own = " ".join(
            u.text.lower() for u in items[row["item_id"]].transcripts[0] if u.entity == int(row["target"][-1])
        )
        for reason in row["reasons"]:
            if reason["group"] == "lexical":
                assert all(word in own for word in reason["feature"].split(" ")), reason
                seen[reason["feature"]] += 1
    assert len(seen) > 20


@pytest.mark.parametrize("left", [0.4, pytest.param(None, marks=pytest.mark.slow)])
def test_missing_or_torn_reasons_are_made_again_to_the_same_bytes(copy, judged, left):
    path = reasons_path(copy, SURVEY, "spotter")
    whole, answers = path.read_bytes(), copy.judgements_path(SURVEY).read_bytes()
    if left is None:
        path.unlink()
        files.write_bytes(copy.judgements_path(SURVEY), answers[: len(answers) // 2])
    else:
        path.write_bytes(whole[: int(len(whole) * left)])
    assert judge_study(copy, SURVEY, "spotter", seed=0, progress=False) == judged[1]
    assert path.read_bytes() == whole
    assert copy.judgements_path(SURVEY).read_bytes() == answers


def test_a_malformed_row_is_named(copy):
    path = reasons_path(copy, SURVEY, "spotter")
    rows = read_rows(copy, SURVEY, "spotter")
    files.write_jsonl(path, [rows[0], {**rows[1], "reasons": [{"feature": "x", "text": "y"}]}])
    with pytest.raises(UserError, match=r"line 2: field 'contribution' is missing"):
        reasons(copy, SURVEY)
    path.unlink()
    assert reasons(copy, SURVEY) == {}


def test_calibration_is_measured_on_what_was_not_seen(judged):
    study, summary = judged
    who = {c.conversation_id: c.entities for c in study.conversations()}
    rows = [row for row in read_rows(study, SURVEY, "spotter") if not row["control"]]
    for worker, variant in summary["variants"].items():
        own = [row for row in rows if row["worker_id"] == worker]
        found = variant["calibration"]
        assert found["n"] == len(own) == variant["n"]
        squares = {True: [], False: []}
        for row in own:
            human = who[row["conversation_id"]][int(row["target"][-1])] == HUMAN
            squares[human].append((row["probability"] - human) ** 2)
        assert found["brier"] == pytest.approx(sum(sum(v) / len(v) for v in squares.values()) / 2, abs=1e-5)
        assert found["unsure"]["n"] == sum(row["answer"] == "unsure" for row in own)
        assert 0 < variant["unsure_between"]["low"] < 0.5 < variant["unsure_between"]["high"] < 1


def test_features_are_named_with_their_direction(judged):
    summary = json.loads(summary_path(judged[0], SURVEY, "spotter").read_text())
    features = summary["variants"]["spotter-coherence"]["features"]
    assert {f["group"] for f in features} == {"coherence", "repetition", "fluency", "unlike people"}
    assert {f["group"] for f in summary["variants"]["spotter-words"]["features"]} == {"wording", "unlike people"}
    assert [f["strength"] for f in features] == sorted((f["strength"] for f in features), reverse=True)
    assert all(f["meaning"] and f["title"] and f["direction"] and len(f["curve"]) == 5 for f in features)
    words = summary["variants"]["spotter-words"]["words"]
    assert all(word["people"] > word["bots"] for word in words["human"])
    assert all(word["bots"] >= word["people"] for word in words["bot"])
    assert words["human"] and words["bot"]  # noqa: PT018
