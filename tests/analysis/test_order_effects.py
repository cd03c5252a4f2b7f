"""Who speaks first: the released data's known shares, known effects found again, balanced ones not."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.order_effects import position_effects
from parlai_spotbot.findings.spotting.order import position_sentence
from parlai_spotbot.projects.spot_the_bot_2020.dump import read_dump
from tests.outside_data import SPOT_THE_BOT, released_data


@pytest.fixture
def dump():
    path = released_data(SPOT_THE_BOT)
    return lambda domain: read_dump(path, domain)


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_places_of_the_released_data(dump, domain, reference):
    known = reference(f"paper_tables/{domain}.json")["position_bias_bot_conversations"]
    data = dump(domain)
    bots, people = position_effects(data.annotations).to_dict(orient="records")
    assert (bots["group"], people["group"]) == ("bots", "people")
    assert bots["human_0"] == pytest.approx(known["p_human_entity0"], abs=5.1e-5)
    assert bots["human_1"] == pytest.approx(known["p_human_entity1"], abs=5.1e-5)
    assert bots["difference_low"] < bots["difference"] < bots["difference_high"]
    if domain == "empathetic":
        assert bots["difference_low"] > 0.05
    assert people["p"] > 0.05


def annotations(seed: int, advantage: float = 0.0, share: float = 0.5, size: int = 300, own: float = 0.5):
    """Bot x is called human with probability .2 + own, bot y .2; entity 0 has the advantage; x opens in `share`."""
    rng = np.random.default_rng(seed)
    opens = rng.random(size) < share
    a, b = np.where(opens, "x", "y"), np.where(opens, "y", "x")
    talk = np.arange(size)
    rows = []
    for _ in range(2):
        chance = [0.2 + own * (names == "x") + shift for names, shift in ((a, advantage), (b, 0.0))]
        natures = [np.where(rng.random(size) < p, "human", "bot") for p in chance]
        rows.append(
            pd.DataFrame(
                {
                    "conversation_id": talk,
                    "worker_id": rng.integers(0, 30, size),
                    "a": a,
                    "b": b,
                    "k": 2 + rng.integers(0, 2, size),
                    "nature0": natures[0],
                    "nature1": natures[1],
                    "fluency": rng.integers(-1, 2, size),
                }
            )
        )
    return pd.concat(rows, ignore_index=True)


def test_an_advantage_of_the_first_place_is_found():
    row = position_effects(annotations(0, advantage=0.2, size=3000)).iloc[0]
    assert row["difference"] == pytest.approx(0.2, abs=0.03)
    assert row["p"] < 1e-4


def test_intervals_cover_and_nothing_is_seldom_called_something():
    held = []
    for seed in range(160):
        rows = annotations(seed, advantage=0.1, size=100)
        found = position_effects(rows).iloc[0]
        held.append(found["difference_low"] <= 0.1 <= found["difference_high"])
    assert np.mean(held) > 0.91


def test_groups_and_what_cannot_be_told():
    rows = annotations(4)
    lone = rows.assign(conversation_id="c")
    assert "too few" in position_sentence(position_effects(lone).iloc[0])
    one = position_effects(rows.assign(worker_id="w"))  # one annotator is no sample: conversations are
    assert one["p"][0] == pytest.approx(position_effects(rows, crossed=False)["p"][0])
    people = rows.assign(a="human", b="human")
    assert list(position_effects(people)["group"]) == ["people"]
