"""Judgements as events: the released data's own conventions, the three readings of "unsure", what is refused."""

import doctest
import importlib

import numpy as np
import pandas as pd
import pytest
from annotated import annotations_frame
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.frames import FEATURES, entities_frame
from parlai_spotbot.analysis.survival import turnbull
from parlai_spotbot.analysis.survival.events import events

RELEASED = {
    "system": "name",
    "exchange": "k",
    "label": "nature",
    "fluent": "fluency",
    "sensible": "sensibleness",
    "specific": "specificity",
    "convo_id": "conversation_id",
    "user": "worker_id",
}


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_the_papers_own_events(reference, released, domain):
    known = reference(f"survival/events_{domain}.csv")
    found = events(known.rename(columns=RELEASED))
    np.testing.assert_array_equal(found["left"], known["time_left"])
    np.testing.assert_array_equal(found["right"], known["time_right"])
    assert (found["weight"] == 1).all()
    for theirs, ours in RELEASED.items():
        if theirs != "label":
            np.testing.assert_array_equal(found["group" if ours == "name" else ours], known[theirs])
    # The same from annotations: there the features of entity 1 are derived from those of entity 0.
    keys = ["annotation_id", "entity"]
    entities = entities_frame(released(domain))
    derived = events(entities).assign(**entities[keys]).set_index(keys)
    theirs = known.set_index(keys).loc[derived.index]
    for column, own in {"time_left": "left", "fluent": "fluency", "sensible": "sensibleness"}.items():
        np.testing.assert_array_equal(derived[own], theirs[column])
    np.testing.assert_array_equal(derived["group"].replace("human", "Human"), theirs["system"])


def test_from_judgements_to_events(made_up):
    judgements, conversations = made_up()
    rows = annotations_frame(judgements, conversations).frame
    found = events(entities_frame(rows))
    answers = {(j.annotation_id, j.target): j for j in judgements if j.question == "nature"}
    for i, (annotation, row) in enumerate(zip(np.repeat(rows["annotation_id"], 2), found.itertuples(), strict=True)):
        judgement = answers[annotation, f"entity:{i % 2}"]
        expected = (0, judgement.exchanges) if judgement.answer == "bot" else (judgement.exchanges, np.inf)
        assert (row.left, row.right) == expected
        assert (row.conversation_id, row.worker_id) == (judgement.conversation_ids[0], judgement.worker_id)
    assert "human" in set(found["group"])


def frame(*natures, k=2):
    n = len(natures)
    columns = {"name": "BR", "k": k, "nature": natures, "conversation_id": "c", "worker_id": "w"}
    return pd.DataFrame(columns | dict.fromkeys(FEATURES, 0), index=range(10, 10 + n))


def test_unsure_in_three_ways():
    entities = frame("unsure", "bot", "unsure", "human", k=3)
    survives, missing, half = (events(entities, unsure) for unsure in ("survives", "missing", "half"))
    assert survives["right"].tolist() == [np.inf, 3, np.inf, np.inf]
    assert missing.index.tolist() == [11, 13]
    assert missing["right"].tolist() == [3, np.inf]
    assert half.index.tolist() == [10, 10, 11, 12, 12, 13]
    assert half["left"].tolist() == [0, 3, 0, 0, 3, 3]
    assert half["right"].tolist() == [3, np.inf, 3, 3, np.inf, np.inf]
    assert half["weight"].tolist() == [0.5, 0.5, 1, 0.5, 0.5, 1]


answer = st.sampled_from(["human", "unsure", "bot"])


@settings(max_examples=60, deadline=None)
@given(st.lists(answer, min_size=1, max_size=40))
def test_share_spotted_in_closed_form(natures):
    """At one length the estimate is a share: of bots, of bots among the sure, of bots and half of the unsure."""
    bot, unsure, n = natures.count("bot"), natures.count("unsure"), len(natures)
    expected = {"survives": bot / n, "half": (bot + unsure / 2) / n}
    if unsure < n:
        expected["missing"] = bot / (n - unsure)
    for how, share in expected.items():
        found = events(frame(*natures), how)
        fit = turnbull(found["left"], found["right"], found["weight"], backend="native")
        assert 1 - fit.survival(2) == pytest.approx(share, abs=1e-12)
        assert found["weight"].sum() == pytest.approx(n - unsure * (how == "missing"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nature": ["bot", "robot"]}, "row 1, column 'nature' is 'robot', expected one of human, unsure, bot"),
        ({"k": [2, 0]}, "row 1, column 'k' is 0, expected a number of exchanges above 0"),
        ({"k": [np.nan, 2]}, "row 0, column 'k' is nan"),
        ({"k": [2, "two"]}, "entities: k: .*'two'; expected numbers"),
        ({"fluency": [1, 2]}, "row 1, column 'fluency' is 2, expected 1, 0 or -1"),
        ({"worker_id": ["w", None]}, "row 1, column 'worker_id' is"),
    ],
)
def test_what_is_wrong_is_named(change, said):
    with pytest.raises(ValueError, match=said):
        events(frame("bot", "human").assign(**change))


def test_missing_columns_and_readings_are_named():
    with pytest.raises(ValueError, match="no column 'specificity'"):
        events(frame("bot").drop(columns="specificity"))
    with pytest.raises(ValueError, match="unsure is 'guess', expected one of survives, missing, half"):
        events(frame("bot"), "guess")
    assert len(events(frame())) == 0


def test_the_documented_example():
    found = doctest.testmod(importlib.import_module("parlai_spotbot.analysis.survival.events"))
    assert found.attempted > 0
    assert found.failed == 0
