"""Sentence embeddings: unit length, near for like meaning, and the same alone and in a batch."""

import numpy as np
import pytest

from parlai_spotbot.models.minilm import MiniLM

TEXTS = ["I love dogs.", "Puppies are my favourite animals.", "The stock market fell by two percent today."]


@pytest.fixture(scope="module")
def model():
    return MiniLM()


def test_loading_says_nothing(capfd):
    MiniLM()
    assert capfd.readouterr() == ("", "")


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


def test_a_corpus_that_was_embedded_in_part_is_embedded_to_the_same_bytes(model, monkeypatch, tmp_path):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))
    monkeypatch.setattr("parlai_spotbot.models.minilm.PART", 1)
    texts = [f"{'word ' * (number % 9)}number {number}" for number in range(64 * 3)]
    asked, real = [], model._embed_batch

    def killed(batch):
        asked.append(len(batch))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return real(batch)

    with monkeypatch.context() as patch:
        patch.setattr(model, "_embed_batch", killed)
        with pytest.raises(KeyboardInterrupt):
            model.embedded_once("corpus", texts, "")
        asked.clear()
        asked += [0] * 5
        file = model.embedded_once("corpus", texts, "")
    assert asked[5:] == [64]  # the other two batches were kept
    assert np.load(file).tobytes() == model.embed(texts).tobytes()
    assert [path.name for path in file.parent.iterdir()] == ["embeddings.npy"]
