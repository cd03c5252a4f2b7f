"""The paper's pools: what the recipes say, training, resuming, and the pool file.

The slow test at the end trains the whole small pool and plays a tournament with it.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
import torch
import yaml

from parlai_spotbot import compat, plugin
from parlai_spotbot.errors import UserError
from parlai_spotbot.projects.spot_the_bot_2020.pools import building, fetching, recipes, small_weights, training
from parlai_spotbot.projects.spot_the_bot_2020.pools.building import PoolOrder
from parlai_spotbot.selfplay.pool import read_pool

MODULE = "parlai_spotbot.projects.spot_the_bot_2020.pools"
COMMAND = [sys.executable, "-P", "-m", MODULE]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
OUR_TASKS_DATA = "spotbot:chitchat"


@pytest.fixture(scope="module", autouse=True)
def mended():
    compat.install()
    plugin.register()


# --- What the recipes say


@pytest.mark.parametrize(
    ("domain", "pool"),
    [
        ("dailydialog", "GPT BR S2 DR"),
        ("empathetic_dialogues", "GPT BR S2 DR BL"),
        ("convai2", "BL KV LC BR HF DR"),
        ("chitchat", "GPT BR S2 DR"),
    ],
)
def test_the_pools_are_the_papers(domain, pool):
    assert list(recipes.pool_of(domain)) == pool.split()


def test_what_the_paper_fixes():
    known = {name: recipes.training_options(recipe, "t", "paper") for name, recipe in recipes.recipes().items()}
    s2 = known["S2"]
    assert (s2["numlayers"], s2["rnn_class"], s2["hiddensize"], s2["attention"]) == (2, "gru", 512, "general")
    assert (s2["embedding_type"].split("_")[0], s2["optimizer"], s2["learningrate"]) == ("fasttext", "adam", 0.001)
    dr = known["DR"]
    assert (dr["numlayers"], dr["rnn_class"], dr["hiddensize"], dr["num_epochs"]) == (1, "gru", 128, 3)
    assert [known[name]["num_epochs"] for name in ("GPT", "BR", "S2")] == [30, 30, 30]
    assert known["BR"]["trained_layers"] == 4
    assert all("max_train_steps" not in options for options in known.values())


@pytest.mark.parametrize("scale", recipes.SCALES)
@pytest.mark.parametrize("name", ["GPT", "BR", "S2", "DR"])
def test_parlai_knows_every_option(name, scale):
    from parlai.scripts.train_model import TrainModel

    recipe = recipes.recipes()[name]
    options = recipes.training_options(recipe, OUR_TASKS_DATA, scale)
    parsed = TrainModel.setup_args().parse_kwargs(**options)
    assert {key: parsed[key] for key in options} == options
    assert recipe.play.keys() <= parsed.keys()


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(UserError, match="dailydialog"):
        recipes.pool_of("dailydialogue")
    with pytest.raises(UserError, match="Known: BR, DR, GPT, S2"):
        recipes.pool_of("dailydialog", ("KV",))


# --- The models


def test_vectors_are_read_for_the_words_wanted(tmp_path):
    from parlai_spotbot.projects.spot_the_bot_2020.pools.seq2seq import read_vectors

    path = tmp_path / "x.vec"
    path.write_text("3 2\nthe 0.5 1 \ncat 2 3\nof 4 5\n")
    words, vectors = read_vectors(str(path), {"the", "of", "dog"})
    assert words == ["the", "of"]
    assert vectors.tolist() == [[0.5, 1.0], [4.0, 5.0]]
    path.write_text("3 2\nthe 0.5 1\nof 4\n")
    with pytest.raises(UserError, match="line 3"):
        read_vectors(str(path), {"of"})
    path.write_text("the 0.5 1\n")
    with pytest.raises(UserError, match="line 1"):
        read_vectors(str(path), {"of"})


def test_s2_starts_from_the_vectors_and_says_no_unknown_word(tmp_path):
    from parlai.core.agents import create_agent
    from parlai.scripts.train_model import TrainModel

    (tmp_path / "x.vec").write_text("2 4\nhello 1 2 3 4\nyou -1 -2 -3 -4\n")
    (tmp_path / "words").write_text(
        "".join(f"{word}\t1\n" for word in ["__null__", "__start__", "__end__", "__unk__", "hello", "i"])
    )
    options = recipes.training_options(recipes.recipes()["S2"], OUR_TASKS_DATA, "small")
    options |= {"vectors_file": str(tmp_path / "x.vec"), "embeddingsize": 4, "hiddensize": 8, "loglevel": "error"}
    agent = create_agent(TrainModel.setup_args().parse_kwargs(**options, dict_file=str(tmp_path / "words")))
    row = agent.dict.tok2ind["hello"]
    for table in (agent.model.encoder.lt, agent.model.decoder.lt):
        assert table.weight[row].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert agent.beam_block_list is not None


def test_only_the_last_layers_are_trained(tmp_path):
    from pytorch_pretrained_bert import BertModel

    from parlai_spotbot.projects.spot_the_bot_2020.pools.bert_rank import freeze_below

    small_weights.make_bert(tmp_path, ["hello there you", "how are you"] * 20)
    shutil.copyfile(tmp_path / "config.json", tmp_path / "bert_config.json")
    own = torch.load(tmp_path / "pytorch_model.bin")
    # The published files are older: another format, other names.
    renamed = {f"bert.{name.replace('LayerNorm.weight', 'LayerNorm.gamma')}": value for name, value in own.items()}
    torch.save(renamed, tmp_path / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    bert = BertModel.from_pretrained(str(tmp_path))
    assert all(torch.equal(weights, own[name]) for name, weights in bert.state_dict().items())
    freeze_below(bert, 4)
    trained = {name for name, weights in bert.named_parameters() if weights.requires_grad}
    layers = {name.split(".")[2] for name in trained if name.startswith("encoder.layer")}
    assert layers == {"2", "3", "4", "5"}
    assert not any(name.startswith("embeddings") for name in trained)
    assert {name.split(".")[0] for name in trained} == {"encoder", "pooler"}


@pytest.mark.slow
def test_the_ranker_learns_what_can_be_learned(tmp_path):
    words = [
        "red",
        "green",
        "blue",
        "black",
        "white",
        "brown",
        "pink",
        "grey",
        "gold",
        "plum",
        "lime",
        "navy",
        "teal",
        "rose",
        "sand",
        "mint",
    ]
    lines = [f"text:do you like {word}\tlabels:yes i love {word} things\tepisode_done:True\n" for word in words]
    (tmp_path / "chats_train.txt").write_text("".join(lines))
    (tmp_path / "chats_valid.txt").write_text("".join(lines))
    bert = tmp_path / "bert"
    bert.mkdir()
    small_weights.make_bert(bert, lines)
    shutil.copyfile(bert / "config.json", bert / "bert_config.json")
    recipe = recipes.recipes()["BR"]
    task = {"fromfile_datapath": str(tmp_path / "chats"), "fromfile_datatype_extension": True}
    train = recipes.training_options(recipe, "fromfile:parlaiformat", "small")
    train = recipes.fill(train | task | {"batchsize": 16, "max_train_steps": 150}, {"bert": str(bert)})
    folder = tmp_path / "BR"
    folder.mkdir()
    training.train({**train, "model_file": str(folder / "model")}, folder)
    evaluation = recipes.evaluation_options(recipe, "fromfile:parlaiformat", "small")
    figures = training.measure({**evaluation, **task, "batchsize": 16, "model_file": str(folder / "model")})
    assert figures["metrics"]["hits@1"] > 0.8  # a guess: 1 of 16
    before = torch.load(bert / "pytorch_model.bin")
    after = torch.load(folder / "model", weights_only=False)["model"]
    for name, weights in before.items():
        frozen = name.startswith("embeddings") or name.startswith(("encoder.layer.0.", "encoder.layer.1."))
        assert torch.equal(weights, after[f"context_encoder.bert_model.{name}"]) == frozen or "pooler" in name, name


def test_stand_ins_are_the_same_each_time(tmp_path):
    texts = ["hello there you", "how are you doing today"] * 20
    for name in ("make_gpt2", "make_bert", "make_vectors"):
        for number in (0, 1):
            (tmp_path / f"{name}{number}").mkdir()
            getattr(small_weights, name)(tmp_path / f"{name}{number}", texts)
        for file in (tmp_path / f"{name}0").iterdir():
            twin = tmp_path / f"{name}1" / file.name
            if file.suffix == ".bin":
                ours, theirs = torch.load(file), torch.load(twin)
                assert all(torch.equal(ours[key], theirs[key]) for key in ours)
            else:
                assert file.read_bytes() == twin.read_bytes(), file


# --- Resuming, and the pool file


def tiny_job(folder, steps, **changes):
    """The job of a very small DR."""
    recipe = recipes.recipes()["DR"]
    train = recipes.training_options(recipe, OUR_TASKS_DATA, "small")
    train |= {"max_train_steps": steps, "save_every_n_secs": 0.2, "hiddensize": 8, "batchsize": 8, "dict_maxexs": 500}
    evaluation = {**recipes.evaluation_options(recipe, OUR_TASKS_DATA, "small"), "num_examples": 20}
    job = {"train": train, "model_file": str(folder / "model"), "task": OUR_TASKS_DATA, "evaluation": evaluation}
    folder.mkdir(exist_ok=True)
    text = json.dumps({**job, "play": recipe.play, "candidates": False, "threads": 1, **changes})
    (folder / training.JOB).write_text(text)


def test_a_killed_training_goes_on_from_its_checkpoint(tmp_path, capsys):
    folder = tmp_path / "DR"
    tiny_job(folder, steps=100_000)
    command = [sys.executable, "-P", "-m", f"{MODULE}.training", str(folder)]
    stats = folder / "model.checkpoint.trainstats"
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not stats.exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    training.drop_torn_checkpoint(folder)  # the kill may have fallen into the writing
    reached = json.loads(stats.read_text())["train_steps"] if stats.exists() else 0
    tiny_job(folder, steps=reached + 10)
    training.run(folder)
    assert (f"goes on after step {reached}" in capsys.readouterr().out) == bool(reached)
    assert json.loads((folder / "model.trainstats").read_text())["train_steps"] == reached + 10
    evaluation = json.loads((folder / training.EVALUATION).read_text())
    assert evaluation["metrics"]["exs"] >= 20
    assert 1 < evaluation["metrics"]["ppl"] < 1e6
    assert all(evaluation["answers"])


def test_every_epoch_is_validated_the_last_too(tmp_path):
    folder = tmp_path / "DR"
    tiny_job(folder, steps=-1)
    job = json.loads((folder / training.JOB).read_text())
    paper = {"num_epochs": 0.02, "validation_every_n_epochs": 0.008, "validation_max_exs": 20, "log_every_n_secs": 0.1}
    training.train({**job["train"], **paper, "model_file": job["model_file"]}, folder)
    reports = json.loads((folder / "model.checkpoint.trainstats").read_text())["valid_reports"]
    epochs = [report["total_epochs"] for report in reports]
    assert epochs[:2] == pytest.approx([0.008, 0.016], abs=0.002)
    assert epochs[-1] >= 0.02
    kept = json.loads((folder / "model.trainstats").read_text())["best_valid"]
    assert kept == min(report["ppl"] for report in reports)


def test_a_torn_checkpoint_is_dropped_a_whole_one_kept(tmp_path, capsys):
    for name in ("model.checkpoint", "model.checkpoint.opt", "model.checkpoint.trainstats"):
        (tmp_path / name).write_text('{"parleys": ')
    (tmp_path / "model.dict").write_text("")
    training.drop_torn_checkpoint(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["model.dict"]
    assert "starts anew" in capsys.readouterr().out
    (tmp_path / "model.checkpoint.trainstats").write_text("{}")
    training.drop_torn_checkpoint(tmp_path)
    assert (tmp_path / "model.checkpoint.trainstats").exists()


def finished(order, name):
    """A contestant's folder as after its training, without the training."""
    folder = order.out / name
    folder.mkdir(parents=True)
    train = recipes.training_options(recipes.recipes()[name], order.task, order.scale)
    for file in ("model", "candidates.txt"):
        (folder / file).write_text("")
    (folder / "model.opt").write_text(json.dumps({"model": train["model"]}))
    row = {"train": train, "finished": "2026-01-01T00:00:00Z", "evaluation": {"metrics": {"ppl": 9.0}}, "sha256": {}}
    (folder / building.RECORD).write_text(json.dumps(row))


def test_what_is_finished_is_not_made_again_and_stands_in_the_pool_file(tmp_path):
    order = PoolOrder("chitchat", tmp_path / "pool", scale="small", only=("DR", "BR"))
    for name in order.only:
        finished(order, name)
    said = []
    path = building.build(order, said.append)
    assert said == ["BR: finished before", "DR: finished before"]
    pool = read_pool(str(path))
    assert list(pool) == ["BR", "DR"]
    assert pool["BR"].opt["fixed_candidates_path"] == str(tmp_path / "pool" / "BR" / "candidates.txt")
    assert pool["BR"].description.startswith("a small stand-in for: BERT")
    assert pool["DR"].model_file == str(tmp_path / "pool" / "DR" / "model")
    held = json.loads((tmp_path / "pool" / "pool.json").read_text())
    assert held["contestants"]["DR"]["evaluation"] == {"metrics": {"ppl": 9.0}}
    assert "nothing about the paper's bots" in path.read_text()


def test_the_pool_can_be_moved(tmp_path):
    order = PoolOrder("chitchat", tmp_path / "a", scale="small", only=("DR",))
    finished(order, "DR")
    building.build(order, lambda _: None)
    shutil.move(tmp_path / "a", tmp_path / "b")
    path = building.build(PoolOrder("chitchat", tmp_path / "b", scale="small", only=("DR",)), lambda _: None)
    assert yaml.safe_load(path.read_text())["DR"]["model_file"] == str(tmp_path / "b" / "DR" / "model")


def test_a_folder_holds_one_pool_at_one_scale_with_one_set_of_options(tmp_path):
    order = PoolOrder("chitchat", tmp_path, scale="small", only=("DR",))
    finished(order, "DR")
    building.build(order, lambda _: None)
    with pytest.raises(UserError, match="at scale small"):
        building.build(PoolOrder("chitchat", tmp_path, only=("DR",)), lambda _: None)
    begun = tmp_path / "DR" / building.RECORD
    row = json.loads(begun.read_text())
    del row["finished"]
    row["train"]["hiddensize"] = 7
    begun.write_text(json.dumps(row))
    with pytest.raises(UserError, match="other options: hiddensize"):
        building.build(order, lambda _: None)


def test_own_models_stand_in_the_pool_file(tmp_path):
    order = PoolOrder("chitchat", tmp_path, only=("GPT",), own={"GPT": "zoo:spotbot/dr/model"})
    assert list(read_pool(str(building.build(order, lambda _: None)))) == ["GPT"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_whole_small_pool_is_trained_and_plays_a_tournament(tmp_path):
    out = tmp_path / "pool"
    command = [*COMMAND, "--domain", "chitchat", "--scale", "small", "--out", str(out)]
    subprocess.run(command, env=ENVIRONMENT, check=True)
    figures = {}
    for name in ("GPT", "BR", "S2", "DR"):
        record = json.loads((out / name / building.RECORD).read_text())
        figures[name] = record["evaluation"]["metrics"]
        assert record["sha256"]["model"] == fetching.sha256(out / name / "model")
        assert not list((out / name).glob("model.checkpoint*"))
    # From random weights, after some hundred steps: far better than a guess among the words or candidates.
    assert all(figures[name]["ppl"] < 400 for name in ("GPT", "S2", "DR"))
    assert figures["BR"]["mrr"] > 0.18  # a guess: 0.18; what can be learned is tested above
    weights = (out / "BR" / "model").stat().st_mtime_ns
    again = subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    assert again.stdout.count("finished before") == 4
    assert (out / "BR" / "model").stat().st_mtime_ns == weights

    from parlai_spotbot.scripts.spotbot_tournament import SpotbotTournament

    study = tmp_path / "study"
    options = ["--pool", str(out / "pool.yaml"), "--study", str(study), "--conversations-per-pair", "2"]
    SpotbotTournament.main(*options, "--exchanges", "2", "--segments", "1,2", "--bootstraps", "50")
    rows = [json.loads(line) for line in (study / "conversations.jsonl").read_text().splitlines()]
    bots = [row for row in rows if "human" not in row["entities"]]
    assert len(bots) == 6 * 2
    assert {name for row in bots for name in row["entities"]} == {"GPT", "BR", "S2", "DR"}
    candidates = set((out / "BR" / "candidates.txt").read_text().splitlines())
    said = [act["text"] for row in bots for pair in row["dialog"][1:] for act in pair if act["id"] == "BR"]
    assert said
    assert all(" ".join(text.split()) in candidates for text in said)
    assert (study / "report" / "index.html").exists()
