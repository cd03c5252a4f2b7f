"""Ratings: hand-made means and distributions, tests that keep their level, the ends of the scale."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.analysis.ratings import rate, rating_frame
from parlai_spotbot.records import HUMAN, indexed
from tests.analysis.made_up import Made, item_of, likert, talk
from tests.case_tables import cases


def frame_of(made: Made):
    judgements, conversations, items = made.everything()
    answers = answers_frame(judgements, conversations).frame
    return rating_frame(answers, indexed(conversations), {i.item_id: i for i in items})


def ratings(values: dict[str, list[int]], workers=None) -> pd.DataFrame:
    """Ratings of contestants, each of a conversation and by an annotator of its own."""
    rows = [(name, value) for name, own in values.items() for value in own]
    frame = pd.DataFrame(rows, columns=["name", "value"])
    frame["conversation_ids"] = [(f"c{i}",) for i in range(len(frame))]
    frame["worker_id"] = [f"w{i}" for i in range(len(frame))] if workers is None else workers
    return frame.assign(annotation_id=[str(i) for i in range(len(frame))])


def test_means_distributions_and_welchs_test_where_nothing_is_shared():
    rng = np.random.default_rng(0)
    values = {"a": rng.integers(1, 6, 30).tolist(), "b": rng.integers(2, 6, 30).tolist()}
    found = rate(ratings(values), ["a", "b"])
    own = found.contestants.set_index("bot").loc["a"]
    assert own["score"] == pytest.approx(np.mean(values["a"]))
    assert own["distribution"] == [values["a"].count(v) for v in range(1, 6)]
    pair, welch = found.pairs.iloc[0], ttest_ind(values["a"], values["b"], equal_var=False)
    assert pair["estimate"] == pytest.approx(np.mean(values["a"]) - np.mean(values["b"]))
    assert pair["n"] == 60
    assert pair["p"] == pytest.approx(welch.pvalue, rel=0.05)
    ends = welch.confidence_interval()
    assert (pair["low"], pair["high"]) == pytest.approx((ends.low, ends.high), abs=0.02)
    assert found.contestants["bot"][0] == max(values, key=lambda name: np.mean(values[name]))


def test_annotators_who_rate_both_make_the_difference_surer():
    rng = np.random.default_rng(1)
    lenient = np.clip(np.round(rng.normal(3, 1.2, 40)), 1, 4)
    both = {"a": lenient.astype(int).tolist(), "b": (lenient + 1).astype(int).tolist()}
    known = rate(ratings(both, np.tile(np.arange(40), 2)), ["a", "b"]).pairs.iloc[0]
    apart = rate(ratings(both), ["a", "b"]).pairs.iloc[0]
    assert known["se"] < 0.3 * apart["se"]
    assert known["p"] < apart["p"]


def test_equal_bots_are_told_apart_in_five_of_a_hundred_studies():
    alarms, covered = [], []
    for seed in range(120):
        made = likert({"a": 3.0, "b": 3.0}, 20, dimensions=("quality",), annotators=15, seed=seed)
        found = rate(frame_of(made)[0], ["a", "b"])
        alarms.append(found.pairs["p"][0] < 0.05)
        covered += ((found.contestants["score_low"] <= 3) & (found.contestants["score_high"] >= 3)).tolist()
    assert np.mean(alarms) < 0.11
    assert np.mean(covered) > 0.91


def test_turns_are_their_speakers_and_people_beside_a_bot_are_not_rated():
    made = Made("turn_likert")
    chats = [talk("c0", ("a", "b")), talk("c1", (HUMAN, "a")), talk("c2", (HUMAN, HUMAN))]
    made.conversations.update(indexed(chats))
    for chat in chats:
        made.annotation(item_of([chat]), {("quality", f"turn:{t}"): str(t % 5 + 1) for t in range(6)}, "w0")
    rows, left_out = frame_of(made)
    of = rows.groupby(["conversation_id", "name"])["target"].apply(list).to_dict()
    assert of["c0", "a"] == ["turn:0", "turn:2", "turn:4"]
    assert of["c1", "a"] == ["turn:1", "turn:3", "turn:5"]
    assert len(of["c2", HUMAN]) == 6
    assert ("c1", HUMAN) not in of
    assert sum(left_out.values()) == 3


@cases(
    "target answer said",
    """
- [turn:0, '6', 'answer ''6'', expected one of 1, 2, 3, 4, 5']
- [turn:0, true, answer True]
- [turn:6, '3', 'target ''turn:6'', expected entity:0, entity:1 or turn:N of its 6 turns']
- [entity:2, '3', target 'entity:2']
""",
)
def test_wrong_ratings_are_named(target, answer, said):
    made = Made("turn_likert")
    made.conversations["c0"] = talk("c0", ("a", "b"))
    made.annotation(item_of([made.conversations["c0"]]), {("quality", target): answer}, "w0")
    with pytest.raises(ValueError, match=f"judgement 1: {said}"):
        frame_of(made)
