"""Annotators and segment lengths: the paper's numbers and made-up annotators of known kind."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outside_data import SPOT_THE_BOT, released_data
from scipy.stats import norm

from parlai_spotbot.analysis.annotators import (
    Rules,
    annotator_table,
    detection,
    each_rule,
    pooled_detection,
    rankings_without,
    remove,
    summary,
)
from parlai_spotbot.analysis.annotators.detection import CALLED
from parlai_spotbot.analysis.frames import entities_frame, matches_frame
from parlai_spotbot.analysis.segments import by_length
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.importers.spotbot2020_dump import read_dump, select


def frames(labels: dict[str, list[tuple[str, str, str]]]):
    """Annotations by worker: (nature of entity 0, of entity 1, who spoke)."""
    rows = [
        {
            "annotation_id": f"{worker}{i}",
            "source": "human",
            "worker_id": worker,
            "unit_id": "",
            "item_id": "",
            "conversation_id": f"c{i}",
            "a": who,
            "b": who if who == "human" else "other",
            "k": 2,
            "nature0": first,
            "nature1": second,
            "fluency": 0,
            "sensibleness": 0,
            "specificity": 0,
            "seconds": 10.0 + i,
        }
        for worker, given in labels.items()
        for i, (first, second, who) in enumerate(given)
    ]
    annotations = pd.DataFrame(rows)
    return annotations, entities_frame(annotations)


def test_kinds_of_annotators():
    table = annotator_table(
        *frames(
            {
                "always": [("bot", "bot", "x")] * 15 + [("bot", "bot", "human")] * 5,
                "perfect": [("bot", "bot", "x")] * 15 + [("human", "human", "human")] * 5,
                "wrong": [("human", "human", "x")] * 15 + [("bot", "bot", "human")] * 5,
                "unsure": [("unsure", "unsure", "x")] * 15 + [("unsure", "unsure", "human")] * 5,
                "nobots": [("human", "bot", "human")] * 4,
            }
        )
    )
    assert table["balanced_accuracy"].to_dict() == pytest.approx(
        {"always": 0.5, "perfect": 1.0, "wrong": 0.0, "unsure": 0.5, "nobots": np.nan}, nan_ok=True
    )
    assert table.loc["always", "correct"] == 0.75  # the paper's measure rewards always saying "bot"
    assert np.isnan(table.loc["unsure", "correct"])
    assert table.loc["always", "sensitivity"] == pytest.approx(norm.ppf(30.5 / 31) - norm.ppf(10.5 / 11))
    assert table.loc["perfect", "sensitivity"] == pytest.approx(norm.ppf(30.5 / 31) - norm.ppf(0.5 / 11))
    assert table.loc["always", "bias"] < table.loc["perfect", "bias"]  # quicker to say "bot"
    assert table.loc["unsure", "sensitivity"] == pytest.approx(0)
    assert table.loc["always", "flags"] == ["always the same label", "same answers over and over"]
    assert table.loc["wrong", "flags"] == ["worse than guessing"]
    assert table.loc["nobots", "median_seconds"] == 11.5
    said = summary(table)
    assert said["n"] == 5
    assert said["share_worse_than_guessing"] == 0.25
    assert said["balanced_accuracy"] == pytest.approx(0.5)


@pytest.fixture
def dump():
    path = released_data(SPOT_THE_BOT)
    return lambda domain: read_dump(path, domain)


# Table 9 (annotators, correct, correct on people, share below one half; the paper has the shares of ED and PC
# exchanged), what always saying "bot" scores, and the limits broken in all of the data: annotators with more than 3
# packages, annotator-conversation pairs that saw 2 or 3 segments, segments that one annotator answered twice.
TABLE_9 = {
    "dailydialog": (33, 0.77, 0.86, 0.091, 0.777, 12, 193, 0),
    "empathetic": (32, 0.63, 0.92, 0.2188, 0.834, 16, 239, 46),
    "convai2": (40, 0.69, 0.77, 0.075, 0.798, 21, 490, 6),
}


@pytest.mark.parametrize("domain", list(TABLE_9))
def test_annotators_of_the_released_data(dump, domain):
    data = dump(domain)
    n, correct, people, below, always, units, again, twice = TABLE_9[domain]
    complete = select(data)
    entities = entities_frame(complete)
    said = summary(annotator_table(complete, entities))
    assert said["n"] == n
    assert said["correct"] == pytest.approx(correct, abs=0.0051)
    assert said["correct_people"] == pytest.approx(people, abs=0.0075)  # ED is .927, which the paper cuts to .92
    assert said["share_below_half_correct"] == pytest.approx(below, abs=5.1e-4)
    pooled = pooled_detection(entities)
    assert pooled["always_bot"] == pytest.approx(always, abs=5.1e-4)
    assert pooled["balanced_accuracy"] > 0.65
    assert pooled_detection(entities.assign(nature="bot"))["balanced_accuracy"] == 0.5
    everybody = annotator_table(data.annotations, entities_frame(data.annotations))
    assert (everybody["units"] > 3).sum() == units
    assert everybody["flags"].map(lambda flags: "too many units" in flags).sum() == units
    assert everybody["repeated_segments"].sum() == twice
    pairs = data.annotations.drop_duplicates(["worker_id", "conversation_id", "k"])
    sizes = pairs.groupby(["worker_id", "conversation_id"]).size()
    assert (sizes > 1).sum() == again
    assert everybody["repeated_conversations"].sum() == (sizes - 1).sum()


def test_removal_on_the_released_data(dump):
    data = dump("empathetic").annotations
    kept, removed = remove(data, Rules())
    assert len(kept) + len(removed) == len(data)
    again = annotator_table(kept, entities_frame(kept))
    assert (again["units"] <= 3).all()
    assert not again["repeated_segments"].any()
    assert not again["repeated_conversations"].any()
    only = remove(data, each_rule(Rules())["same segment twice"])[1]
    assert set(only["reason"]) == {"same segment twice"}
    assert len(only) == 46


def test_rankings_without_weak_annotators_of_the_released_data(dump):
    """The paper removes all below .75 and finds the order stable: so it is in DD and PC, but not in ED."""
    moved = {}
    for domain in TABLE_9:
        data = dump(domain)
        found = rankings_without(select(data), data.domain.bots, Rules(min_correct=0.75))
        moved[domain] = set(found["too seldom correct"]["moved"])
        assert found["worse than guessing"]["annotations"] == 0
        assert found["worse than guessing"]["win_rate"] == found["raw"]["win_rate"]
    assert moved == {"dailydialog": set(), "empathetic": {"BR", "GPT"}, "convai2": set()}


def test_intervals_of_sensitivity_and_bias_cover():
    """Labels drawn from known d' and c: 120 bots, 40 people, as of an annotator who does three packages and more."""
    rng = np.random.default_rng(0)
    is_bot = np.repeat([True, False], [120, 40])
    for d, c in ((0.0, 0.0), (1.5, 0.5), (2.0, -0.3)):
        chance = np.where(is_bot, norm.cdf(d / 2 - c), norm.cdf(-d / 2 - c))
        found = [detection(called, is_bot) for called in (rng.random((1000, 160)) < chance).astype(float)]
        covers = np.mean([f.sensitivity_ci[0] <= d <= f.sensitivity_ci[1] for f in found])
        covers_c = np.mean([f.bias_ci[0] <= c <= f.bias_ci[1] for f in found])
        assert 0.93 <= covers <= 0.98
        assert 0.93 <= covers_c <= 0.98
        assert np.mean([f.sensitivity for f in found]) == pytest.approx(d, abs=0.05)
        assert np.mean([f.bias for f in found]) == pytest.approx(c, abs=0.03)


@given(
    st.lists(st.tuples(st.sampled_from(["bot", "unsure", "human"]), st.booleans()), min_size=2, max_size=60),
    st.sampled_from(["bot", "unsure", "human"]),
)
def test_detection_whatever_the_labels(labels, always):
    called = np.array([CALLED[label] for label, _ in labels])
    is_bot = np.array([bot for _, bot in labels])
    found, swapped = detection(called, is_bot), detection(1 - called, ~is_bot)
    if is_bot.all() or not is_bot.any():
        assert np.isnan(found.sensitivity)
        return
    assert np.isfinite([*found.sensitivity_ci, *found.bias_ci]).all()
    assert found.sensitivity == pytest.approx(swapped.sensitivity)  # bots and people, "bot" and "human" exchanged
    assert found.bias == pytest.approx(-swapped.bias)
    assert detection(np.full(len(called), CALLED[always]), is_bot).balanced_accuracy == 0.5


def test_pooled_intervals_know_who_shares_what():
    rng = np.random.default_rng(2)
    entities = pd.DataFrame(
        {"nature": rng.choice(["bot", "human"], 400), "name": rng.choice(["x", "human"], 400, p=[0.8, 0.2])}
    )
    pooled = pooled_detection(entities, Clusters.by(np.arange(400)))
    alone = pooled_detection(entities)
    assert pooled["sensitivity"] == alone["sensitivity"]
    for key in ("sensitivity_ci", "bias_ci"):
        np.testing.assert_allclose(pooled[key], alone[key], atol=0.06)  # labels are independent here
    twice = pooled_detection(pd.concat([entities] * 4), Clusters.by(np.tile(np.arange(400), 4)))
    np.testing.assert_allclose(twice["sensitivity_ci"], pooled["sensitivity_ci"], atol=0.01)
    np.testing.assert_allclose(twice["balanced_accuracy_ci"], pooled["balanced_accuracy_ci"], atol=1e-9)
    assert np.isnan(pooled_detection(entities, Clusters.by(np.zeros(400)))["sensitivity_ci"]).all()
    assert pooled["hit_ci"][0] < pooled["hit"] < pooled["hit_ci"][1]


def straight(n: int, varied: int, seconds: float = 10.0, worker: str = "w"):
    """Annotations of which all but `varied` have the same five answers."""
    rows, _ = frames({worker: [("bot", "human", "x")] * (n - varied) + [("human", "bot", "x")] * varied})
    return rows.assign(seconds=seconds)


def flags_of(rows: pd.DataFrame, worker: str = "w", **options) -> list[str]:
    return annotator_table(rows, entities_frame(rows), **options).loc[worker, "flags"]


def test_straight_liners_and_the_too_fast_are_flagged():
    assert flags_of(straight(20, 1)) == ["same answers over and over"]
    assert flags_of(straight(20, 2)) == []  # 90 % is the limit, not beyond it
    assert flags_of(straight(9, 0)) == []  # too few to say
    others = [straight(10, 5, 30.0, f"v{i}") for i in range(4)]
    fast = pd.concat([straight(10, 5, 14.0), *others], ignore_index=True)
    assert flags_of(fast) == ["too fast"]
    assert annotator_table(fast, entities_frame(fast)).loc["w", "speed"] == pytest.approx(30 / 14)
    near = pd.concat([straight(10, 5, 16.0), *others], ignore_index=True)
    assert flags_of(near) == []
    assert flags_of(near, rules=Rules(max_speed=1.5)) == ["too fast"]
    assert flags_of(fast.assign(seconds=np.nan)) == []


def test_speed_is_relative_to_the_length():
    short, long = straight(10, 5, 10.0, "short").assign(k=2), straight(10, 5, 40.0, "long").assign(k=5)
    table = annotator_table(*(lambda rows: (rows, entities_frame(rows)))(pd.concat([short, long], ignore_index=True)))
    assert table["speed"].to_dict() == {"short": 1.0, "long": 1.0}


def test_each_limit_removes_what_is_beyond_it():
    rows = straight(8, 4).assign(
        conversation_id=["c0", "c0", "c1", "c1", "c2", "c3", "c4", "c5"],
        k=[2, 2, 2, 3, 2, 2, 2, 2],
        unit_id=["u1", "u1", "u1", "u2", "u3", "u4", "u4", "u5"],
    )
    assert flags_of(rows) == ["same segment twice", "two segments of one conversation", "too many units"]
    kept, removed = remove(rows)
    assert removed["reason"].to_dict() == {
        1: "same segment twice",
        3: "two segments of one conversation",
        5: "too many units",
        6: "too many units",
        7: "too many units",
    }
    assert list(kept.index) == [0, 2, 4]
    assert flags_of(kept) == []
    backwards = remove(rows.assign(submitted=range(8, 0, -1)))[1]  # the last row came first
    assert backwards["reason"].to_dict() == {
        0: "same segment twice",
        1: "too many units",
        2: "too many units",
        3: "too many units",
    }
    everything, nothing = remove(rows, Rules(max_units=None, max_segments=None, max_repeats=None))
    assert len(everything) == 8
    assert nothing.empty


def test_annotators_caught_by_their_answers_lose_all():
    rows, _ = frames(
        {
            "always": [("bot", "bot", "x")] * 15 + [("bot", "bot", "human")] * 5,
            "fine": [("bot", "human", "x")] * 10 + [("human", "human", "human")] * 5,
        }
    )
    kept, removed = remove(rows)
    assert set(removed["worker_id"]) == {"always"}
    assert set(removed["reason"]) == {"always the same label"}
    assert list(kept["worker_id"].unique()) == ["fine"]


def test_the_ranking_without_a_saboteur_is_the_true_one():
    """One annotator says the opposite of what the others say, and does most of the work."""
    good = [("human", "bot", "x")] * 12 + [("human", "human", "human")] * 4
    bad = [("bot", "human", "x")] * 40 + [("bot", "bot", "human")] * 4
    rows, _ = frames({"u": good, "v": good, "saboteur": bad})
    found = rankings_without(rows, ["x", "other"], Rules(max_same_answers=None), "annotations")
    assert found["raw"]["order"] == ["other", "x"]
    assert found["worse than guessing"]["order"] == ["x", "other"]
    assert found["worse than guessing"]["moved"] == {"x": [2, 1], "other": [1, 2]}
    assert found["worse than guessing"]["annotators"] == 1
    assert found["worse than guessing"]["win_rate"]["x"] == 1.0
    assert found["all rules"]["order"] == ["x", "other"]
    low, high = found["raw"]["win_rate_ci"]["x"]
    assert low < found["raw"]["win_rate"]["x"] < high


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_units": 0}, "max_units is 0"),
        ({"min_correct": 75}, "min_correct is 75"),
        ({"max_speed": 0}, "max_speed is 0"),
    ],
)
def test_wrong_rules_are_named(options, named):
    with pytest.raises(ValueError, match=named):
        Rules(**options)


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_segment_lengths_of_the_released_data(released, reference, domain):
    known = reference(f"paper_tables/{domain}.json")["table8_segments"]["segments"]
    annotations = released(domain)
    bots = sorted(set(annotations["a"]) - {"human"})
    ours = by_length(matches_frame(annotations), entities_frame(annotations), bots)
    assert list(ours) == list(known)
    for k, expected in known.items():
        assert ours[k]["n"] == expected["n"]
        assert ours[k]["ties"] == pytest.approx(expected["ties"], abs=5.1e-5)
        for name, shares in expected["systems"].items():
            for column in ("win_rate", "human_share", "unsure_share"):
                assert ours[k]["systems"][name][column] == pytest.approx(shares[column], abs=5.1e-5)
        assert np.isnan(ours[k]["systems"]["human"]["win_rate"])
