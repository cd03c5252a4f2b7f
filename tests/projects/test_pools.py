"""The paper's pools: the recipes, their two agents, fetching, a training, and the pool file."""

import json
import shutil
from pathlib import Path

import pytest
import torch
import yaml

from parlai_spotbot import compat, plugin
from parlai_spotbot.projects.spot_the_bot_2020.pools import __main__ as pools
from parlai_spotbot.selfplay.pool import read_pool

TRAINED = ("GPT", "BR", "S2", "DR")


@pytest.fixture(scope="module", autouse=True)
def mended():
    compat.install()
    plugin.register()


@pytest.fixture
def recipes(monkeypatch):
    """A copy of the recipes that a test may change."""
    own = json.loads(json.dumps(pools.recipes()))
    monkeypatch.setattr(pools, "recipes", lambda: own)
    return own


PLACES = {name: f"/{name}" for name in ("contestant", "gpt2", "bert", "fasttext")}


# -- recipes ---------------------------------------------------------------------------------------------------------
def test_pools_and_options_are_the_papers():
    assert pools.recipes()["domains"] == yaml.safe_load("""
        dailydialog: [GPT, BR, S2, DR]
        empathetic_dialogues: [GPT, BR, S2, DR, BL]
        convai2: [BL, KV, LC, BR, HF, DR]
        chitchat: [GPT, BR, S2, DR]
    """)
    known = {name: pools.options_of(name, "train", PLACES, "t") for name in TRAINED}
    s2, dr = known["S2"], known["DR"]
    assert (s2["numlayers"], s2["rnn_class"], s2["hiddensize"], s2["attention"]) == (2, "gru", 512, "general")
    assert (s2["embedding_type"].split("_")[0], s2["optimizer"], s2["learningrate"]) == ("fasttext", "adam", 0.001)
    assert (dr["numlayers"], dr["rnn_class"], dr["hiddensize"], dr["num_epochs"]) == (1, "gru", 128, 3)
    assert [known[name]["num_epochs"] for name in ("GPT", "BR", "S2")] == [30, 30, 30]
    assert known["BR"]["trained_layers"] == 4
    assert known["GPT"]["model_name"] == "/gpt2"


@pytest.mark.parametrize("name", TRAINED)
def test_parlai_knows_every_option(name):
    from parlai.scripts.train_model import TrainModel

    options = pools.options_of(name, "train", PLACES, "spotbot:chitchat")
    parsed = TrainModel.setup_args().parse_kwargs(**options)
    assert {key: parsed[key] for key in options} == options
    assert pools.options_of(name, "play", PLACES).keys() <= parsed.keys()


def test_s2_starts_from_the_vectors_and_says_no_unknown_word(tmp_path):
    from parlai.core.agents import create_agent
    from parlai.scripts.train_model import TrainModel

    (tmp_path / "x.vec").write_text("2 4\nhello 1 2 3 4\nyou -1 -2 -3 -4\n")
    words = ["__null__", "__start__", "__end__", "__unk__", "hello", "i"]
    (tmp_path / "words").write_text("".join(f"{word}\t1\n" for word in words))
    options = pools.options_of("S2", "train", PLACES, "spotbot:chitchat")
    options |= {"vectors_file": str(tmp_path / "x.vec"), "embeddingsize": 4, "hiddensize": 8, "no_cuda": True}
    agent = create_agent(TrainModel.setup_args().parse_kwargs(**options, dict_file=str(tmp_path / "words")))
    row = agent.dict.tok2ind["hello"]
    for table in (agent.model.encoder.lt, agent.model.decoder.lt):
        assert table.weight[row].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert agent.beam_block_list is not None


def small_bert(folder: Path, words: list[str]) -> None:
    """A BERT of six layers of 64 with random weights, in the format of pytorch-pretrained-bert."""
    from pytorch_pretrained_bert.modeling import BertConfig, BertModel

    folder.mkdir()
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    sizes = {"hidden_size": 64, "num_hidden_layers": 6, "num_attention_heads": 2, "intermediate_size": 128}
    config = BertConfig(len(pieces), **sizes, max_position_embeddings=256)
    (folder / "bert_config.json").write_text(config.to_json_string())
    torch.manual_seed(2020)
    torch.save(BertModel(config).state_dict(), folder / "pytorch_model.bin")


@pytest.mark.slow
def test_the_ranker_learns_what_can_be_learned(tmp_path):
    from parlai.scripts.train_model import TrainModel

    words = [f"colour{number}" for number in range(16)]
    lines = [f"text:do you like {word}\tlabels:yes i love {word} things\tepisode_done:True\n" for word in words]
    for fold in ("train", "valid", "test"):
        (tmp_path / f"chats_{fold}.txt").write_text("".join(lines))
    small_bert(tmp_path / "bert", ["do", "you", "like", "yes", "i", "love", "things", *words])
    train = pools.options_of("BR", "train", PLACES | {"bert": str(tmp_path / "bert")}, "fromfile:parlaiformat")
    train |= {"fromfile_datapath": str(tmp_path / "chats"), "fromfile_datatype_extension": True, "no_cuda": True}
    train |= {"optimizer": "adam", "learningrate": 0.001, "gradient_clip": 1.0, "out_dim": 64, "text_truncate": 48}
    train |= {"bert_aggregation": "mean", "max_train_steps": 150, "num_epochs": -1, "validation_every_n_epochs": -1}
    report, _ = TrainModel.main(**train, model_file=str(tmp_path / "model"), loglevel="error")
    assert float(report["hits@1"]) > 0.8  # a guess: 1 of 16
    before = torch.load(tmp_path / "bert" / "pytorch_model.bin")
    after = torch.load(tmp_path / "model", weights_only=False)["model"]
    for name, weights in before.items():
        frozen = name.startswith(("embeddings", "encoder.layer.0.", "encoder.layer.1."))
        assert torch.equal(weights, after[f"context_encoder.bert_model.{name}"]) == frozen or "pooler" in name, name


@pytest.mark.slow
def test_a_small_training_is_finished_once_and_its_pool_file_is_read(tmp_path, recipes, capsys):
    changes = {"num_epochs": -1, "max_train_steps": 5, "hiddensize": 8, "embeddingsize": 8, "validation_max_exs": 20}
    changes["short_final_eval"] = True
    recipes["contestants"]["DR"]["train"] |= changes | {"dict_maxexs": 500}
    recipes["common"]["validation_every_n_epochs"] = -1
    words = ["--domain", "chitchat", "--only", "DR", "--out", str(tmp_path / "out")]
    assert pools.main(words) == 0
    weights = (tmp_path / "out" / "DR" / "model").stat().st_mtime_ns
    assert pools.main(words) == 0
    assert (tmp_path / "out" / "DR" / "model").stat().st_mtime_ns == weights
    shutil.move(tmp_path / "out", tmp_path / "moved")
    assert pools.main([*words[:-1], str(tmp_path / "moved")]) == 0
    pool = read_pool(str(tmp_path / "moved" / "pool.yaml"))
    assert pool["DR"].model_file == str(tmp_path / "moved" / "DR" / "model")
    recipes["contestants"]["DR"]["train"]["hiddensize"] = 7
    assert pools.main([*words[:-1], str(tmp_path / "moved")]) == 2
    assert "other options" in capsys.readouterr().err
