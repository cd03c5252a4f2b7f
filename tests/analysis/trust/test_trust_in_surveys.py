"""trust.json as the analyses of surveys make it; people's own results don't change by it."""

from dataclasses import replace

import pytest
from computing import analyze as compute

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
