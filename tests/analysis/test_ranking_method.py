"""The ranking as the report reads it: what it rests on, and what it says where a model has no estimate."""

import numpy as np
import pytest

from parlai_spotbot.analysis.ranking import contrasts, pair_bootstrap
from parlai_spotbot.findings.spotting.standing import ranking


def ranked(matches, bots, **options):
    weights = pair_bootstrap(matches, rng=np.random.default_rng(0), replicates=200).weights()
    return ranking(matches, bots, weights, np.random.default_rng(0), **options)


def crossed(matches, workers=6):
    """Five matches a conversation, spread over workers."""
    place = np.arange(len(matches))
    return matches.assign(conversation_id=place // 5, worker_id=place % workers)


@pytest.fixture(scope="module")
def matches(matches_of):
    text = "ab+ ab= ba= ab- ba- ac+ ca= ac= ac- ca+ bc+ cb= bc= cb- bc- "
    return crossed(matches_of(text * 12))


def test_the_headline_is_by_contrasts_and_the_papers_ranking_stands_beside(matches):
    own = ranked(matches, ["a", "b", "c"])
    judges = ranked(matches, ["a", "b", "c"], crossed=False)
    for result, crossed in ((own, True), (judges, False)):
        theirs = contrasts(matches, ["a", "b", "c"], crossed=crossed)
        assert [pair["p"] for pair in result["pairs"]] == theirs.pairs["p"].tolist()
        assert result["order"] == theirs.ranked
        assert [result["clusters"][bot] for bot in "abc"] == theirs.places.tolist()
        assert set(result["ranges"]) == set(result["trueskill"]) == {"a", "b", "c"}
    for pair in own["pairs"]:
        low, high = pair["rate_ci"]
        assert low < pair["rate_a"] < high
        assert pair["difference_ci"][0] < pair["difference"] < pair["difference_ci"][1]
    for bot, (low, high) in own["win_rate_ci"].items():
        assert low < own["win_rate"][bot] < high
    assert "by conversations and by annotators" in own["test"]
    assert "annotators" not in judges["test"]


def test_strengths_have_clustered_intervals(matches):
    own = ranked(matches, ["a", "b", "c"])
    assert own["davidson_model"]["prior"] == 0
    assert "why" not in own["davidson_model"]
    for entry in own["davidson"].values():
        assert entry["ci"][0] < entry["strength"] < entry["ci"][1]
    low, high = own["davidson_model"]["order_effect_ci"]
    assert low < own["davidson_model"]["order_effect"] < high


def test_a_bot_that_never_wins_gets_a_prior_and_the_reason(matches_of):
    own = ranked(crossed(matches_of("ab+ ba- ab= ba= ab- ac+ ca- ac+ ca- ac+ bc+ cb- bc+ cb- bc+ " * 8)), list("abc"))
    assert own["davidson_model"]["prior"] == pytest.approx(1 / 2)
    assert "one side won every match" in own["davidson_model"]["why"]
    assert min(own["davidson"], key=lambda bot: own["davidson"][bot]["strength"]) == "c"
    assert np.isnan(own["davidson"]["c"]["ci"]).all()
    # 16 conversations, all lost: Clopper and Pearson's bound.
    assert own["score_ci"]["c"] == pytest.approx([0.0, 1 - 0.025 ** (1 / 16)])
    assert own["clusters"]["c"] == [3, 3]


def test_pools_that_never_met_have_no_common_scale(matches_of):
    own = ranked(crossed(matches_of("ab+ ab- cd+ cd- ab= " * 10)), list("abcd"))
    assert np.isnan(own["davidson"]["a"]["strength"])
    assert "these were never compared with each other: a, b | c, d" in own["davidson_model"]["why"]
    assert set(map(tuple, own["clusters"].values())) == {(1, 4)}
