"""Retrieval bots encode what they search once: what is kept gives the same similarities, and follows its data."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from parlai_spotbot.agents.retrieval import TurnIndex
from parlai_spotbot.agents.tfidf import agents as tfidf
from parlai_spotbot.agents.tfidf.agents import TfidfAgent

TALK = [("hi, how are you?", "fine, and you?", "I like dogs"), ("do you like dogs?", "yes I do", "so do I")]


def prepared(talk):
    agent = TfidfAgent.__new__(TfidfAgent)
    agent.prepared = agent.prepare(TurnIndex(talk))
    return agent


def test_what_is_kept_is_what_was_fitted(tmp_path, monkeypatch):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))
    first = prepared(TALK)
    assert len([entry for entry in tmp_path.iterdir() if entry.is_dir()]) == 1
    texts = ["you like dogs", "how are you", "xyzzy", ""]
    fitted = TfidfVectorizer(**tfidf.OPTIONS)
    matrix = fitted.fit_transform(TurnIndex(TALK).texts).T
    want = (fitted.transform(texts) @ matrix).toarray()
    assert np.array_equal(first.similarity(texts), want)
    assert want[0].max() > 0.4
    monkeypatch.setattr(TfidfVectorizer, "fit_transform", lambda *given: pytest.fail("fitted again"))
    assert np.array_equal(prepared(TALK).similarity(texts), want)
