"""Trains one contestant in a process of its own, measures it, and lets it answer once.

``python -m …pools.training FOLDER`` reads FOLDER/job.json. ParlAI writes ``model.checkpoint`` as it goes, so a killed
training goes on from there; `evaluation.json` appears last, and with it the contestant is finished.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import lock, read_json, write_json, write_text
from parlai_spotbot.terminal import Bar

JOB, EVALUATION = "job.json", "evaluation.json"
QUESTIONS = ("hello, how are you?", "what do you do for fun?")


def run(folder: Path) -> None:
    """Do what FOLDER/job.json says: train, write candidates, measure, answer."""
    import torch
    import transformers
    from parlai.utils import logging

    from parlai_spotbot import compat, plugin

    compat.install()
    plugin.register()
    logging.set_log_level(logging.ERROR)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    job = read_json(folder / JOB, "job")
    if job["threads"]:
        torch.set_num_threads(job["threads"])
    with lock(folder / ".lock", "another training"):
        if job["train"] and not (folder / "trained").exists():
            train({**job["train"], "model_file": str(folder / "model")}, folder)
            write_text(folder / "trained", "")
        if job["candidates"]:
            write_candidates(job["task"], folder / "candidates.txt")
        figures = measure({**job["evaluation"], "model_file": job["model_file"]})
        answers = answer(job["model_file"], job["play"])
        write_json(folder / EVALUATION, {**figures, "answers": answers})


def train(opt: dict[str, Any], folder: Path) -> None:
    """Train into ``folder/model``, going on from ``model.checkpoint`` if that is there."""
    from parlai.scripts.train_model import TrainLoop, TrainModel, set_seed

    drop_torn_checkpoint(folder)
    filled = TrainModel.setup_args().parse_kwargs(**opt)
    set_seed(filled["seed"])
    loop = TrainLoop(filled)
    steps = filled.get("max_train_steps") or -1
    total, unit = (steps, "step") if steps > 0 else (filled["num_epochs"], "epoch")
    if loop._train_steps:
        print(f"goes on after step {loop._train_steps}", flush=True)

    def reached() -> float:
        return min(loop._train_steps if steps > 0 else loop._total_epochs, total)

    parent = os.getppid()
    metric = filled["validation_metric"]
    with Bar(folder.name, total, unit) as bar:
        for report in loop.train_steps():
            shown = next(name for name in (metric, "mean_loss", "loss", "exs") if name in report)
            bar.note(f"{shown} {_value(report, shown):.4g}")
            bar.at(reached())
            if os.getppid() != parent:
                raise SystemExit(1)  # who started this is gone; another may start it anew
            if loop._total_epochs >= loop.max_num_epochs:
                loop.validate()  # ParlAI would not ask whether the last epoch's state is the best
        bar.at(total)


def _value(report: dict, metric: str) -> float:
    value = report.get(metric, float("nan"))
    return float(value.value() if hasattr(value, "value") else value)


def drop_torn_checkpoint(folder: Path) -> None:
    """Remove a checkpoint whose statistics a kill left half written: training starts anew instead of failing."""
    stats = folder / "model.checkpoint.trainstats"
    try:
        json.loads(stats.read_text(encoding="utf-8"))
    except FileNotFoundError:
        pass
    except ValueError:
        print(f"{stats} was half written: this training starts anew", flush=True)
        for path in folder.glob("model.checkpoint*"):
            path.unlink()


def write_candidates(task: str, path: Path) -> None:
    """Write each label of the training set once, in order, one a line: what a ranker may answer."""
    from parlai.core.teachers import create_task_agent_from_taskname
    from parlai.scripts.build_candidates import setup_args

    if path.exists():
        return
    opt = setup_args().parse_kwargs(task=task, datatype="train:evalmode")
    labels: dict[str, None] = {}
    for teacher in create_task_agent_from_taskname(opt):
        while not teacher.epoch_done():
            act = teacher.act()
            found = act.get("labels") or act.get("eval_labels") or ()
            labels.update((" ".join(label.split()), None) for label in found[:1] if label.strip())
            teacher.observe({})
    write_text(path, "\n".join(labels) + "\n")


def measure(opt: dict[str, Any]) -> dict[str, Any]:
    """ParlAI's ``eval_model``: its figures under "metrics", with what they were measured on."""
    from parlai.scripts.eval_model import EvalModel

    with quiet():
        report = EvalModel.main(**opt, loglevel="error")
    metrics = {name: _value(report, name) for name in sorted(report)}
    wanted = ("exs", "ppl", "loss", "token_acc", "accuracy", "hits@1", "hits@5", "hits@10", "mrr")
    return {
        "metrics": {name: round(metrics[name], 5) for name in wanted if name in metrics},
        "task": opt["task"],
        "datatype": opt["datatype"],
        "options": {key: value for key, value in opt.items() if key not in ("task", "datatype", "model_file")},
    }


def answer(model_file: str, play: dict[str, Any]) -> list[str]:
    """What the contestant answers, played as its pool says; this also encodes a ranker's candidates once, on disk."""
    from parlai.core.agents import create_agent
    from parlai.core.opt import Opt

    with quiet():
        agent = create_agent(Opt({"model_file": model_file, "override": dict(play)}), requireModelExists=True)
        answers = []
        for text in QUESTIONS:
            agent.observe({"text": text, "episode_done": False})
            answers.append(str(agent.act().get("text", "")))
    if not all(text.strip() for text in answers):
        raise UserError(f"{model_file}: it answered nothing to {list(QUESTIONS)}.", "Train it longer.")
    return answers


@contextmanager
def quiet() -> Iterator[None]:
    """Swallow what ParlAI prints while it loads and measures: all of it is in the files that are written."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield


if __name__ == "__main__":
    try:
        run(Path(sys.argv[1]))
    except UserError as err:
        print(f"error: {err.problem}\n  {err.remedy}".rstrip(), file=sys.stderr)
        sys.exit(2)
