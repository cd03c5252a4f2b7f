"""The ranking as the report reads it: what it rests on, and what it says where a model has no estimate."""

import numpy as np
import pytest

from parlai_spotbot.analysis.choices import clear_circle, pair_grid
from parlai_spotbot.analysis.ranking import contrasts
from tests.analysis.made_up_studies import places_of, study
from tests.findings.made_up_answers import HUMAN, JUDGE, MadeUp, ranked


def made(matches, source=HUMAN, workers=6, each=5):
    """The matches as answers of a source: `each` of a pair in a conversation, on a prompt of its own."""
    matches = matches[["a", "b", "outcome"]]
    place = matches.groupby(["a", "b"]).cumcount()
    talk = matches["a"] + matches["b"] + (place // each).map(str)
    rows = matches.rename(columns={"a": "first", "b": "second"})
    return MadeUp(rows.assign(talk=talk, prompt=talk, worker=place % workers), source)


def as_contrasts_take_them(own):
    columns = {"first": "a", "second": "b", "talk": "conversation_id", "worker": "worker_id"}
    return own.rows.rename(columns=columns)


@pytest.fixture(scope="module")
def matches(matches_of):
    text = "ab+ ab= ba= ab- ba- ac+ ca= ac= ac- ca- bc+ cb= bc= cb- bc- "
    return matches_of(text * 12)


@pytest.mark.parametrize("source", [HUMAN, JUDGE])
def test_the_headline_is_by_contrasts_and_the_papers_ranking_stands_beside(source, matches):
    answers = made(matches, source)
    own = ranked("spot_the_bot", answers)
    theirs = contrasts(as_contrasts_take_them(answers), ["a", "b", "c"], crossed=source == HUMAN)
    assert not own.circle
    assert [pair["p"] for pair in own.pairs] == pytest.approx(theirs.pairs["p"].tolist())
    assert own.order == theirs.ranked
    assert [own.places[bot] for bot in "abc"] == places_of(theirs).tolist()
    assert all(row["range_first"] <= row["range_last"] for row in own.contestants.values())
    for pair in own.pairs:
        for name in ("estimate", "difference"):
            assert pair[f"{name}_low"] < pair[name] < pair[f"{name}_high"]
    for row in own.contestants.values():
        for name in ("score", "win_rate", "davidson", "trueskill_mu"):
            assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]
    assert ("by conversations and by annotators" in own.whole["test"]) == (source == HUMAN)


def test_a_circle_has_no_single_order(matches_of):
    """Each beats the next, the last the first: pairs are tested by their own matches, and no place is given."""
    names = "abcd"
    steps = [f"{x}{y}+ {y}{x}- " for x, y in zip(names, names[1:] + names[0], strict=True)]
    rows = matches_of("".join(steps) * 15 + "ac+ ac- bd+ bd- " * 15)
    own = ranked("spot_the_bot", made(rows, workers=len(rows), each=1))
    circle = own.circle
    assert circle[circle.index("a") :] + circle[: circle.index("a")] == list(names)
    assert set(map(tuple, own.places.values())) == {(1, len(names))}
    beaten = {(pair["a"], pair["b"]): pair["p_adjusted"] for pair in own.pairs}
    assert all(beaten[tuple(sorted(step))] < 0.001 for step in zip(names, names[1:] + names[0], strict=True))


def test_one_order_keeps_its_level():
    """Of 60 null studies, and 60 of one scale, hardly any is said to have no single order."""
    rng, rejected = np.random.default_rng(0), 0
    for spread in (0.0, 1.0):
        for _ in range(60):
            rows = study(rng, spread * np.linspace(-1, 1, 5), 8, 2, 20)
            grid = pair_grid(rows, [f"b{i}" for i in range(5)])
            rejected += bool(clear_circle(grid))
    assert rejected <= 1
