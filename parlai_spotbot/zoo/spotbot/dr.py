"""DR, the paper's weak baseline (section 4), as ``zoo:spotbot/dr/model``: ParlAI's seq2seq with one GRU layer of 128.

"Download" means: train it once on the bots' fold of chitchat, some minutes, into the cache. Like the paper's it is
trained for a few epochs only and gives generic answers.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.terminal import Bar

OPTIONS = {
    "task": "spotbot:chitchat",
    "model": "spotbot:dr",
    "rnn_class": "gru",
    "numlayers": 1,
    "hiddensize": 128,
    "embeddingsize": 128,
    "lookuptable": "all",
    "attention": "none",
    "dropout": 0.1,
    "history_size": 2,
    "text_truncate": 32,
    "label_truncate": 24,
    "dict_lower": True,
    "dict_tokenizer": "re",
    "dict_maxtokens": 3000,
    "dict_minfreq": 2,
    "optimizer": "adam",
    "learningrate": 0.002,
    "gradient_clip": 1.0,
    "batchsize": 64,
    "num_epochs": 6.0,
    "no_cuda": True,
    "seed": 2020,
    # How it answers: the likeliest word each time, at least two of them, no phrase of three words twice, nor
    # one of the two turns that it remembers.
    "inference": "beam",
    "beam_size": 1,
    "beam_min_length": 2,
    "beam_block_ngram": 3,
    "beam_context_block_ngram": 3,
    "log_every_n_secs": 2.0,
}
OWN_NAME = "parlai_spotbot.zoo.spotbot.dr"
"""ParlAI imports this module as parlai.zoo.spotbot.dr, a name that a fresh process doesn't know yet."""

THREADS = 1
"""Sums are made in an order that depends on the number of threads, so it is fixed."""


def train(folder: Path, **changes: object) -> None:
    """Train DR into ``folder/model``, in this process; `changes` replace `OPTIONS`."""
    import torch
    from parlai.scripts.train_model import TrainLoop, TrainModel, set_seed
    from parlai.utils import logging

    from parlai_spotbot import compat, plugin

    compat.install()
    plugin.register()
    logging.set_log_level(logging.ERROR)
    torch.set_num_threads(THREADS)
    opt = TrainModel.setup_args().parse_kwargs(**{**OPTIONS, "model_file": str(folder / "model"), **changes})
    set_seed(opt["seed"])
    # TrainLoop.train would go on to measure the model on the other folds, which takes longer than training it.
    loop = TrainLoop(opt)
    with Bar("training", opt["num_epochs"], "epoch") as bar:
        for _ in loop.train_steps():
            bar.at(min(loop._total_epochs, opt["num_epochs"]))
    loop.save_model()


def _train_apart(folder: Path) -> None:
    """Train in a process of its own: training sets the global seeds, options and logging of the process it is in."""
    print("Training DR, the weak baseline (once, at most three minutes) ...", flush=True)
    # -P: the current folder may hold folders named like packages.
    done = subprocess.run([sys.executable, "-P", "-m", OWN_NAME, str(folder)], check=False)
    if done.returncode:
        raise UserError(f"Training DR failed (exit code {done.returncode}).", "See the messages above.")


def key() -> str:
    """Return what the model follows from, in short: its options and the conversations of the bots' fold."""
    from parlai_spotbot.tasks.chitchat import data

    made_of = json.dumps([OPTIONS, data.checksum("bots")], sort_keys=True)
    return hashlib.sha256(made_of.encode()).hexdigest()[:12]


def dr_folder() -> Path:
    """The folder of the trained model; trained when first needed, and again when options or data have changed."""
    return cached_folder(f"dr-{key()}", _train_apart)


def download(datapath: str) -> None:
    """Put DR where ParlAI looks for ``zoo:spotbot/dr/model``: a link in `datapath` to the model in the cache.

    Raises
    ------
    UserError
        If `datapath` cannot be written, or training fails.
    """
    trained = dr_folder()
    place = Path(datapath) / "models" / "spotbot" / "dr"
    if place.is_dir() and place.resolve() == trained.resolve():
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        link = place.with_name(f".dr.{os.getpid()}")
        link.symlink_to(trained.resolve(), target_is_directory=True)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        link.replace(place)
    except OSError as err:
        raise UserError(
            f"{place}: cannot put the model DR here: {err.strerror or err}.",
            "Name a writable folder with --datapath, or in the environment variable PARLAI_DATAPATH.",
        ) from err


if __name__ == "__main__":
    train(Path(sys.argv[1]))
