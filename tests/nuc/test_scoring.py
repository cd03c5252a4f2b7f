"""Scores of candidates: as ParlAI ranks, as a plain forward pass says, in whatever order candidates come."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from parlai.utils import logging

from parlai_spotbot.analysis.nuc import ranks_of
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.nuc.scoring.scores import PER_BYTE, RANKER, SUM
from parlai_spotbot.nuc.scoring.scoring_server import NucServer, events_of
from parlai_spotbot.records import Contestant
from parlai_spotbot.surveys.nuc_questions import write_questions
from tests.agents.tiny_models import CHATML, parlais_gpt2, save
from tests.nuc.scoring_models import made_questions, saved_agent


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


def server(**entry):
    return NucServer(Contestant.from_json("bot", entry, "a test"), 1)


def scored(own, questions, way=RANKER):
    if own.about()["apart"]:
        list(own.act("encode", sorted({text for question in questions for text in question.candidates})))
    return [np.array(row[way]) for _, row in own.act("score", questions)]


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


@pytest.mark.parametrize("which", ["dual_encoder", "seq2seq", "unforgetting"])
def test_neither_the_order_of_candidates_nor_the_questions_before_change_a_score(which, request):
    entry = {"model": "tests.nuc.scoring_models:UnforgettingAgent"}
    own = server(**entry if which == "unforgetting" else {"model_file": request.getfixturevalue(which)})
    way = SUM if which == "seq2seq" else RANKER
    questions = made_questions(5)
    alone = [scored(own, [question], way)[0] for question in questions]
    np.testing.assert_allclose(scored(own, questions, way), alone, rtol=1e-5)
    turned = [replace(q, candidates=q.candidates[::-1], true=len(q.candidates) - 1 - q.true) for q in questions]
    for one, other in zip(scored(own, questions, way), scored(own, turned, way), strict=True):
        assert one.tolist() == other[::-1].tolist()


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


@pytest.mark.parametrize("which", ["seq2seq", "gpt2 with special tokens", "gpt2 without"])
def test_a_generators_likelihood_is_its_own_loss(which, request, tmp_path):
    """GPT-2 pads on the left, by a token that ends turns."""
    opt = {"model_name": str(tmp_path), "text_truncate": 40, "add_special_tokens": "special" in which}
    gpt2 = {"model": "hugging_face/gpt2", "opt": opt}
    own = server(
        **gpt2 if parlais_gpt2(tmp_path) and "gpt2" in which else {"model_file": request.getfixturevalue(which)}
    )
    assert own.about()["family"] == "likelihood"
    question, other = made_questions(2)
    values, _ = scored(own, [question, other], SUM)
    agent = own.agent
    for value, text in zip(values, question.candidates, strict=True):
        clone = own.heard(question)
        batch = agent.batchify([clone.observation])
        label = agent._vectorize_text(text, add_end=True)[None]
        with torch.inference_mode():
            scores = agent.model(batch.text_vec, ys=label)[0].log_softmax(-1)
        assert value == pytest.approx(scores[0].gather(1, label[0][:, None]).sum().item(), rel=1e-4)


# -- contexts --------------------------------------------------------------------------------------
def test_contexts_are_heard_turn_by_turn_from_the_side_that_is_to_answer():
    question = made_questions(1, turns=3)[0]
    a, b, c = question.context
    assert events_of(question, "") == [(False, a), (True, b), (False, c)]
    even = made_questions(1, turns=2)[0]
    assert events_of(even, "your persona: i fish.") == [(False, "your persona: i fish.\n" + "\n".join(even.context))]
    assert events_of(None, "") == [(False, "__SILENCE__")]
