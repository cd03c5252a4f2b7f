"""The dual encoder learns, by either loss, is saved and loaded, ranks as ParlAI asks it to, and is the same again."""

import pytest
from parlai.core.agents import create_agent
from parlai.core.opt import Opt
from parlai.scripts.eval_model import EvalModel
from parlai.scripts.train_model import TrainModel

from parlai_spotbot import files

TOPICS = ("tea", "rain", "train", "piano", "bread", "garden", "lamp", "book")
CHANCE = 1 / 4
"""Of four candidates."""


@pytest.fixture(scope="module")
def talk(tmp_path_factory, load):
    """Questions whose true next turn is the one of the context's topic, for training, and others for evaluation."""
    load("eliza")
    folder = tmp_path_factory.mktemp("dual")
    for fold, first in (("train", 0), ("valid", 201)):
        rows = []
        for number in range(first, first + 128, 1 if fold == "train" else 2):
            topics = [TOPICS[(number * 5 + place * 3) % 8] for place in range(4)]
            candidates = [f"oh the {topic} was good" for topic in topics]
            context = [f"we spoke of {number}", f"and what about {topics[number % 4]} then"]
            rows.append(
                {
                    "question_id": f"{fold}{number}",
                    "corpus": "made",
                    "conversation_id": f"{fold}{number}",
                    "context": context,
                    "speakers": [0, 1, 0],
                    "candidates": candidates,
                    "true": number % 4,
                }
            )
        files.write_jsonl(folder / f"{fold}.jsonl", rows)
    return folder


def trained(talk, folder, loss="softmax", seed=3, epochs=12):
    """Train on the questions; what ParlAI reports of them, and the model file."""
    TrainModel.main(
        task="spotbot:nuc",
        nuc_questions=str(talk / "train.jsonl"),
        model="spotbot:dual_encoder",
        seed=seed,
        model_file=str(folder / "model"),
        embeddingsize=16,
        hiddensize=16,
        dropout=0.0,
        dual_encoder_loss=loss,
        candidates="inline",
        eval_candidates="inline",
        batchsize=16,
        num_epochs=epochs,
        optimizer="adam",
        learningrate=0.03,
        no_cuda=True,
        loglevel="error",
        dict_file=str(folder / "model.dict"),
    )
    return str(folder / "model")


def evaluated(talk, model, batchsize=16):
    report = EvalModel.main(
        task="spotbot:nuc",
        nuc_questions=str(talk / "valid.jsonl"),
        datatype="valid",
        model_file=model,
        eval_candidates="inline",
        batchsize=batchsize,
        no_cuda=True,
        loglevel="error",
    )
    return {name: float(report[name]) for name in ("hits@1", "hits@5", "mrr", "exs")}


@pytest.mark.parametrize("loss", ["softmax", "binary"])
def test_it_learns_which_turn_comes_next(talk, tmp_path, loss):
    model = trained(talk, tmp_path, loss)
    found = evaluated(talk, model)
    assert found["exs"] == 64
    assert found["hits@1"] > 3 * CHANCE
    assert found["hits@5"] == 1
    assert evaluated(talk, model, batchsize=1) == pytest.approx(found)


def test_the_same_seed_gives_the_same_model(talk, tmp_path):
    states = []
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        (tmp_path / name).mkdir()
        agent = create_agent(
            Opt({"model_file": trained(talk, tmp_path / name, seed=seed, epochs=2), "no_cuda": True, "override": {}}),
            requireModelExists=True,
        )
        states.append(agent.model.state_dict())
    first, again, other = states
    assert all(first[key].equal(again[key]) for key in first)
    assert not first["matrix"].equal(other["matrix"])
