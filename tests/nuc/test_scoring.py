"""Scores of candidates: as ParlAI ranks, as a plain forward pass says, in whatever order candidates come."""

import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from parlai.utils import logging
from scoring_models import made_questions, saved_agent

sys.path.append(str(Path(__file__).parents[1] / "agents"))
from tiny_models import CHATML, save

from parlai_spotbot.analysis.nuc import ranks_of, share
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.nuc.scoring.encoding import EncodedTexts, corpus_ranks
from parlai_spotbot.nuc.scoring.scores import PER_BYTE, RANKER, SUM
from parlai_spotbot.nuc.scoring.scoring_server import SERVERS, events_of
from parlai_spotbot.records import Contestant
from parlai_spotbot.surveys.nuc_questions import write_questions


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    logging.set_log_level(logging.ERROR)
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def dual_encoder(folder):
    return saved_agent(folder / "dual", "spotbot:dual_encoder", hiddensize=16, embeddingsize=12)


@pytest.fixture(scope="module")
def seq2seq(folder):
    return saved_agent(folder / "seq", "seq2seq", hiddensize=16, embeddingsize=12, attention="none")


def server(family="auto", **entry):
    return SERVERS[family](Contestant.from_json("bot", entry, "a test"), 1)


def scored(own, questions, way=RANKER):
    if own.about()["apart"]:
        list(own.act("encode", sorted({text for question in questions for text in question.candidates})))
    return [np.array(row[way]) for _, row in own.act("score", questions, None)]


def test_hits_are_parlais_own(dual_encoder, tmp_path):
    from parlai.scripts.eval_model import EvalModel

    questions = made_questions(40)
    write_questions(tmp_path / "questions.jsonl", questions)
    report = EvalModel.main(
        task="spotbot:nuc",
        nuc_questions=str(tmp_path / "questions.jsonl"),
        datatype="valid",
        model_file=dual_encoder,
        eval_candidates="inline",
        batchsize=8,
        no_cuda=True,
    )
    own = server(model_file=dual_encoder)
    assert own.about()["family"] == "ranker"
    assert own.about()["apart"]
    ranks = ranks_of(scored(own, questions), [question.true for question in questions])
    assert ranks.recall(1).mean() == pytest.approx(float(report["hits@1"]))
    assert ranks.recall(5).mean() == pytest.approx(float(report["hits@5"]))
    assert ranks.reciprocal().mean() == pytest.approx(float(report["mrr"]), abs=1e-4)
    assert 0 < ranks.recall(1).mean() < 1


def test_hits_of_our_retrieval_agents_are_the_same(tmp_path):
    from parlai.scripts.eval_model import EvalModel

    questions = made_questions(40)
    write_questions(tmp_path / "questions.jsonl", questions)
    report = EvalModel.main(
        task="spotbot:nuc",
        nuc_questions=str(tmp_path / "questions.jsonl"),
        datatype="valid",
        model="spotbot:tfidf",
        batchsize=8,
        loglevel="error",
    )
    own = server(model="spotbot:tfidf")
    ranks = ranks_of(scored(own, questions), [question.true for question in questions])
    assert not ranks.equal.any()
    assert ranks.recall(1).mean() == pytest.approx(float(report["hits@1"]))
    assert float(report["exs"]) == 40
    assert 0 < ranks.recall(1).mean() < 1


def test_candidates_encoded_apart_get_the_scores_that_they_get_together(dual_encoder):
    own = server(model_file=dual_encoder)
    questions = made_questions(6)
    for apart, together in zip(scored(own, questions), own.way.together(questions), strict=True):
        np.testing.assert_allclose(apart, together, rtol=1e-4, atol=1e-5)


def test_a_ranker_that_reads_both_together_is_asked_together(folder):
    file = saved_agent(
        folder / "cross",
        "transformer/crossencoder",
        embedding_size=12,
        n_heads=2,
        n_layers=1,
        ffn_size=12,
        n_positions=64,
        text_truncate=40,
        label_truncate=20,
        reduction_type="first",
    )
    own = server(model_file=file)
    assert own.about() | {"family": "ranker", "apart": False} == own.about()
    values = scored(own, made_questions(4))
    assert all(len(set(row)) > 1 for row in values)


@pytest.mark.parametrize("which", ["dual_encoder", "seq2seq"])
def test_the_order_of_candidates_changes_nothing(which, request):
    own = server(model_file=request.getfixturevalue(which))
    way = RANKER if which == "dual_encoder" else SUM
    questions = made_questions(5)
    turned = [replace(q, candidates=q.candidates[::-1], true=len(q.candidates) - 1 - q.true) for q in questions]
    for one, other in zip(scored(own, questions, way), scored(own, turned, way), strict=True):
        assert one.tolist() == other[::-1].tolist()


def test_guessing_is_at_chance():
    own = server(model="random_candidate")
    questions = made_questions(300, candidates=5)
    random.seed(1)
    ranks = ranks_of(scored(own, questions), [question.true for question in questions])
    found = share(ranks.recall(1), [question.conversation_id for question in questions])
    assert found.ci[0] < 1 / 5 < found.ci[1]


def test_guesses_are_the_same_again_and_in_any_order():
    own = server(model="random_candidate")
    questions = made_questions(8)
    first = scored(own, questions)
    turned = [replace(q, candidates=q.candidates[::-1], true=len(q.candidates) - 1 - q.true) for q in questions]
    assert [row.tolist() for row in first] == [row[::-1].tolist() for row in scored(own, turned)]


# -- likelihood --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("family", ["llama", "mamba"])
def test_a_language_models_likelihood_is_that_of_a_plain_forward_pass(family, tmp_path):
    from parlai_spotbot.agents.dialogue import Dialogue

    save(tmp_path, family, CHATML)
    own = server(model="spotbot:causal_lm", opt={"lm_model": str(tmp_path), "lm_dtype": "fp32", "lm_device": "cpu"})
    assert own.about()["family"] == "likelihood"
    question = made_questions(1, candidates=6)[0]
    (values,) = scored(own, [question], SUM)
    model, layout = own.agent.language_model
    turns = zip(question.context, question.speakers, strict=False)
    prompt = own.agent.prompt(Dialogue(turns=tuple(RememberedTurn(t, s == question.speakers[-1]) for t, s in turns)))
    for value, text in zip(values, question.candidates, strict=True):
        turn = layout.tokenizer(f"{text}<|im_end|>", add_special_tokens=False)["input_ids"]
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([prompt + turn])).logits[0].double().log_softmax(-1)
        expected = sum(logits[len(prompt) + i - 1, token].item() for i, token in enumerate(turn))
        assert value == pytest.approx(expected, rel=1e-4)
    (per_byte,) = scored(own, [question], PER_BYTE)
    np.testing.assert_allclose(per_byte, values / [len(text.encode()) for text in question.candidates], rtol=1e-5)


def test_a_generators_likelihood_is_its_own_loss(seq2seq):
    own = server(model_file=seq2seq)
    assert own.about()["family"] == "likelihood"
    question = made_questions(1)[0]
    (values,) = scored(own, [question], SUM)
    agent = own.agent
    for value, text in zip(values, question.candidates, strict=True):
        clone = own.heard(question)
        batch = agent.batchify([clone.observation])
        label = agent._vectorize_text(text, add_end=True)[None]
        with torch.inference_mode():
            scores = agent.model(batch.text_vec, ys=label)[0].log_softmax(-1)
        assert value == pytest.approx(scores[0].gather(1, label[0][:, None]).sum().item(), rel=1e-4)


def test_what_is_likely_without_context_is_found_too(seq2seq):
    own = server(model_file=seq2seq)
    texts = made_questions(1)[0].candidates
    ((_, values),) = own.act("empty", list(texts))
    assert len(values) == len(texts)
    assert all(value < 0 for value in values)


# -- ways, contexts, the corpus --------------------------------------------------------------------------------------
def test_a_way_that_an_agent_lacks_is_an_error(dual_encoder):
    with pytest.raises(ValueError, match="--way likelihood: DualEncoderAgent can't"):
        server("likelihood", model_file=dual_encoder)


def test_contexts_are_heard_turn_by_turn_from_the_side_that_is_to_answer():
    question = made_questions(1, turns=3)[0]
    a, b, c = question.context
    assert events_of(question, "") == [(False, a), (True, b), (False, c)]
    even = made_questions(1, turns=2)[0]
    assert events_of(even, "your persona: i fish.") == [(False, "your persona: i fish.\n" + "\n".join(even.context))]
    assert events_of(None, "") == [(False, "__SILENCE__")]


def test_ranks_among_the_corpus_in_small_blocks_are_those_of_all_scores(dual_encoder, monkeypatch):
    own = server(model_file=dual_encoder)
    questions = made_questions(7)
    texts = sorted({text for question in made_questions(40) for text in question.candidates})
    encoded = EncodedTexts(texts, own.way)
    list(encoded.fill())
    excluded = [question.context for question in questions]
    contexts = own.way.contexts(questions)
    monkeypatch.setattr("parlai_spotbot.nuc.scoring.encoding.BLOCK_BYTES", 16 * 4 * 5)  # blocks of five texts
    assert len(list(encoded.blocks(7))) > 5
    ranks = corpus_ranks(own.way, encoded, questions, contexts, excluded)
    all_scores = own.way.compare(contexts, encoded.rows(slice(None)))
    for row, question in enumerate(questions):
        true = all_scores[row, encoded.place[question.answer]]
        others = [encoded.place[t] for t in texts if t not in question.context and t != question.answer]
        assert ranks.n[row] == len(others) + 1
        assert abs(ranks.greater[row] - (all_scores[row, others] > true).sum()) <= ranks.equal[row]


def test_encodings_are_cached_by_texts(monkeypatch, tmp_path):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))
    monkeypatch.setattr("parlai_spotbot.nuc.scoring.encoding.PIECE", 4)

    class Counting:
        kept_as = "counting"
        asked = 0

        def encode(self, texts):
            self.asked += len(texts)
            return np.array([[len(text), text.count("a")] for text in texts], dtype=np.float32)

    texts = [f"{'a' * number} text" for number in range(10)]
    agent = Counting()
    first, again = EncodedTexts(texts, agent), EncodedTexts(texts, agent)
    assert (list(first.fill()), list(again.fill()), agent.asked) == ([4, 8, 10], [10], 10)
    assert again.rows(slice(None)).tobytes() == agent.encode(first.texts).tobytes()
    assert list(EncodedTexts(texts[1:], agent).fill()) == [4, 8, 9]
