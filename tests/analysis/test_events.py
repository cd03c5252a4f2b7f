"""Judgements as events: the released data's own conventions, what is refused."""

import doctest
import importlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from parlai_spotbot.analysis.frames import entities_frame
from parlai_spotbot.analysis.survival.events import events
from parlai_spotbot.records import FEATURES
from tests.case_tables import case_table

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


def frame(*natures, k=2):
    n = len(natures)
    columns = {"name": "BR", "k": k, "nature": natures, "conversation_id": "c", "worker_id": "w"}
    return pd.DataFrame(columns | dict.fromkeys(FEATURES, 0), index=range(10, 10 + n))


answer = st.sampled_from(["human", "unsure", "bot"])


def test_the_documented_example():
    found = doctest.testmod(importlib.import_module("parlai_spotbot.analysis.survival.events"))
    assert found.attempted > 0
    assert found.failed == 0


@case_table(__file__, "refused")
def test_refused(change, error):
    with pytest.raises(ValueError, match=error):
        events(frame("bot", "human").assign(**change))


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match="no column 'specificity'"):
        events(frame("bot").drop(columns="specificity"))
