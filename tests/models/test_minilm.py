"""Sentence embeddings: unit length, near for like meaning, and the same alone and in a batch."""

import numpy as np
import pytest

from parlai_spotbot.models.minilm import MiniLM

TEXTS = ["I love dogs.", "Puppies are my favourite animals.", "The stock market fell by two percent today."]


@pytest.fixture(scope="module")
def model():
    return MiniLM()


def test_like_meaning_is_near(model):
    rows = model.embed(TEXTS)
    assert rows.shape == (3, 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    similarity = rows @ rows.T
    assert similarity[0, 1] > 0.4 > similarity[0, 2] + 0.2


def test_order_and_batch_do_not_matter(model):
    together = model.embed(TEXTS, batchsize=3)
    alone = np.concatenate([model.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(model.embed(TEXTS, dtype="bf16"), alone, atol=0.02)


def test_a_corpus_is_embedded_once(model, monkeypatch, tmp_path):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))
    texts = [f"number {number}" for number in range(3)]
    rows = model.embedded_once("corpus", texts, "", "fp32")
    assert np.sum(rows * model.embed(texts), axis=1).min() > 0.9  # one of four for each number
    monkeypatch.setattr(model, "_embed_batch", None)
    assert np.array_equal(model.embedded_once("corpus", texts, "", "fp32"), rows)
