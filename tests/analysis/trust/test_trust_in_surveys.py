"""trust.json as the analyses of surveys make it; people's own results don't change by it."""

from dataclasses import replace

import pytest

from parlai_spotbot.records import HUMAN
from tests.analysis.computing import analyze as compute
from tests.analysis.computing import of_source


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
    people, beside, contradicted = (of_source(found, HUMAN) for found in (alone, result, other))
    for stem in alone:
        assert people[stem] == beside[stem] == contradicted[stem]
    assert of_source(other, "judge:quick")["trust"] != of_source(result, "judge:quick")["trust"]
