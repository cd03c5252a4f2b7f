"""The ranking as the report reads it: what it rests on, and what it says where a model has no estimate."""

import numpy as np
import pytest

from parlai_spotbot.analysis.methods.spot_the_bot_ranking import ranking
from parlai_spotbot.analysis.ranking import clustered_test, pair_bootstrap


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


def test_pairs_are_tested_by_clusters(matches):
    own = ranked(matches, ["a", "b", "c"])
    judges = ranked(matches, ["a", "b", "c"], crossed=False)
    for pair, alone in zip(own["pairs"], judges["pairs"], strict=True):
        rows = matches[matches["a"].isin([pair["a"], pair["b"]]) & matches["b"].isin([pair["a"], pair["b"]])]
        outcome = rows["outcome"] * np.where(rows["a"] == pair["a"], 1, -1)
        assert pair["p"] == clustered_test(outcome, rows["conversation_id"], rows["worker_id"])
        assert alone["p"] == clustered_test(outcome, rows["conversation_id"])
        assert pair["p_sign"] <= pair["p"] <= pair["p_adjusted"]
    assert "by conversations and by workers" in own["test"]
    assert "workers" not in judges["test"]


def test_strengths_are_bounded_by_the_bootstrap(matches):
    own = ranked(matches, ["a", "b", "c"])
    assert own["davidson_model"]["prior"] == 0
    assert own["davidson_model"]["intervals"].startswith("percentiles of the bootstrap")
    assert "why" not in own["davidson_model"]
    for entry in own["davidson"].values():
        assert entry["ci"][0] < entry["strength"] < entry["ci"][1]
    low, high = own["davidson_model"]["order_effect_ci"]
    assert low < own["davidson_model"]["order_effect"] < high


def test_a_bot_that_never_wins_gets_a_prior_and_the_reason(matches_of):
    own = ranked(crossed(matches_of("ab+ ba- ab= ba= ab- ac+ ca- ac+ ca- ac+ bc+ cb- bc+ cb- bc+ " * 8)), list("abc"))
    assert own["davidson_model"]["prior"] == 1.0
    assert "one side won every match" in own["davidson_model"]["why"]
    assert min(own["davidson"], key=lambda bot: own["davidson"][bot]["strength"]) == "c"
    assert all(np.isfinite(entry["ci"]).all() for entry in own["davidson"].values())


def test_a_bot_that_hardly_ever_wins_has_no_maximum_in_many_replicates(matches_of):
    # c wins in one conversation of many, which a third of the replicates don't draw.
    rare = matches_of(
        "ab+ ba- ab= ba= ab- " * 8 + "ac- ca- ac+ ca- ac+ " + "ac+ ca- ac+ ca- ac+ bc+ cb- bc+ cb- bc+ " * 8
    )
    own = ranked(crossed(rare), list("abc"))
    assert own["davidson_model"]["prior"] == 1.0
    assert "too many bootstrap replicates have no finite maximum" in own["davidson_model"]["why"]


def test_pools_that_never_met_have_no_common_scale(matches_of):
    own = ranked(crossed(matches_of("ab+ ab- cd+ cd- ab= " * 10)), list("abcd"))
    assert own["davidson"]["a"] == {"strength": None, "ci": [None, None]}
    assert "these groups of bots never met: a, b | c, d" in own["davidson_model"]["why"]
