"""trust.json as the analyses of surveys make it; people's own results don't change by it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from annotated import annotations_frame
from computing import analyze as compute

from parlai_spotbot.findings.spotting.trust import beside_people
from parlai_spotbot.records import HUMAN


@pytest.fixture(scope="module")
def both(made_up):
    return made_up(bots=3, per_pair=8, people=6, seed=4)


def analyze(judgements, conversations, **more):
    return compute(judgements, conversations, bootstraps=20, backend="native", **more)


@pytest.fixture(scope="module")
def result(both):
    return analyze(*both)


def test_people_are_told_the_same_whatever_judges_say(both, result):
    """Nothing that is modelled from a judge stands instead of what people said."""
    judgements, conversations = both
    contrary = [
        replace(row, answer="human") if row.source != HUMAN and row.question == "nature" else row for row in judgements
    ]
    alone = analyze([row for row in judgements if row.source == HUMAN], conversations)
    other = analyze(contrary, conversations)
    assert "trust" not in alone
    for stem, own in alone.items():
        assert own["by_source"][HUMAN] == result[stem]["by_source"][HUMAN] == other[stem]["by_source"][HUMAN]
    assert other["trust"]["by_source"] != result["trust"]["by_source"]


def test_of_judges_only_with_all_that_is_promised(result):
    assert list(result["trust"]["by_source"]) == ["judge:quick"]
    own = result["trust"]["by_source"]["judge:quick"]
    assert set(own["questions"]) == {"nature", "fluency", "sensibleness", "specificity"}
    for part in ("ranks", "powered"):
        assert list(own[part]) == ["nature", "fluency", "sensibleness", "specificity"]
    json.dumps(result["trust"], allow_nan=False)


def test_a_judge_may_use_the_names_of_peoples_annotations(both):
    wide = annotations_frame(*both).frame
    people, judge = (wide[wide["source"] == s].reset_index(drop=True) for s in (HUMAN, "judge:quick"))
    assert len(judge) <= len(people)
    same = judge.assign(annotation_id=people["annotation_id"].to_numpy()[: len(judge)])
    plain, taken = (beside_people(people, own, rng=np.random.default_rng(0), replicates=10) for own in (judge, same))
    np.testing.assert_equal(taken, plain)
