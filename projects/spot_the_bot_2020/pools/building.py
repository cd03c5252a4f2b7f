"""Makes a pool: sources, then one contestant after the other, then the pool file; what is finished is kept.

Each contestant has a folder with its model, `contestant.json` (options, versions, checksums) and `evaluation.json`.
The pool file lists all that are finished so far, so it can be used at any time.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.files import lock, read_json, write_json, write_text
from parlai_spotbot.projects.spot_the_bot_2020.pools import fetching
from parlai_spotbot.projects.spot_the_bot_2020.pools.recipes import (
    Recipe,
    evaluation_options,
    fill,
    pool_of,
    sources,
    training_options,
)
from parlai_spotbot.projects.spot_the_bot_2020.pools.training import EVALUATION, JOB

RECORD = "contestant.json"
STAND_IN_TEXTS = 20_000


@dataclass(frozen=True)
class PoolOrder:
    """What is to be made: `own` maps contestants to model files of the user's, used instead of the paper's."""

    domain: str
    out: Path
    scale: str = "paper"
    only: tuple[str, ...] = ()
    skip_missing: bool = False
    own: dict[str, str] = field(default_factory=dict)

    @property
    def task(self) -> str:
        return get_domain(self.domain).task

    def recipes(self) -> dict[str, Recipe]:
        found = pool_of(self.domain, self.only)
        pool_of(self.domain, tuple(self.own))
        return found

    def folder(self, source: str) -> Path:
        return self.out.resolve() / "sources" / source


def obstacles(
    order: PoolOrder, probe: Callable[[str], str] = fetching.unreachable
) -> tuple[tuple[str, str], dict[str, list[tuple[str, str]]]]:
    """Why not all of `order` can be done: (problem, remedy) of the task's data, and a list of them for contestants."""
    known, found = sources(), {}
    for name, recipe in order.recipes().items():
        if name in order.own or _finished(order, name):
            continue
        rows = []
        for need in recipe.needs:
            source = known[need]
            if not (order.scale == "small" and source.small):
                why, remedy = fetching.obstacle(source, order.folder(need), probe)
                rows += [(why, remedy)] if why else []
        if rows:
            found[name] = rows
    return fetching.task_obstacle(order.task, probe), found


def check(order: PoolOrder, probe: Callable[[str], str] = fetching.unreachable) -> dict[str, Recipe]:
    """The recipes that can be made; raises `UserError` that lists what can't be had, unless that is to be skipped."""
    (data, remedy), found = obstacles(order, probe)
    if data:
        raise UserError(
            f"--domain {order.domain}: its data can't be had: {data}.", f"{remedy[:1].upper()}{remedy[1:]}."
        )
    wanted = {name: recipe for name, recipe in order.recipes().items() if name not in found}
    if found and not order.skip_missing:
        lines = [f"{name}: {why}; {remedy}" for name, rows in found.items() for why, remedy in rows]
        raise UserError(
            "Not all contestants of this pool can be had:\n  " + "\n  ".join(lines),
            "Or go on without them (--skip-missing), put models of your own in their place (--own NAME=MODEL_FILE), or "
            "try the recipes small and from random weights (--scale small).",
        )
    if not wanted:
        raise UserError("None of the contestants can be had.", "See --dry-run.")
    for name, path in order.own.items():
        if not path.startswith("zoo:") and not (Path(path).exists() and Path(f"{path}.opt").exists()):
            raise UserError(f"--own {name}={path}: that file or its .opt file does not exist.", "Name a ParlAI model.")
    return wanted


def build(order: PoolOrder, say: Callable[[str], None] = print) -> Path:
    """Make the pool; returns the path of its pool file."""
    wanted = check(order)
    with lock(order.out / ".lock", "making of a pool"):
        _check_folder(order)
        for name, recipe in wanted.items():
            if name in order.own:
                say(f"{name}: {order.own[name]}")
            elif _finished(order, name):
                say(f"{name}: finished before")
            else:
                _make(order, recipe, say)
            write_pool(order)
    return order.out / "pool.yaml"


def _check_folder(order: PoolOrder) -> None:
    """A folder holds the pool of one domain at one scale."""
    path = order.out / "pool.json"
    asked = {"domain": order.domain, "scale": order.scale}
    if path.exists():
        held = {key: read_json(path)[key] for key in asked}
        if held != asked:
            raise UserError(
                f"{order.out} holds the pool of {held['domain']} at scale {held['scale']}.", "Name another --out."
            )
    else:
        write_json(path, {**asked, "contestants": {}})


def _finished(order: PoolOrder, name: str) -> bool:
    record = order.out / name / RECORD
    return record.exists() and bool(read_json(record, "record of a contestant").get("finished"))


def _make(order: PoolOrder, recipe: Recipe, say: Callable[[str], None]) -> None:
    """Fetch what `recipe` needs, train it in a process of its own, and write its record."""
    folder = order.out.resolve() / recipe.name
    folder.mkdir(parents=True, exist_ok=True)
    train = training_options(recipe, order.task, order.scale) if recipe.trained else {}
    record = {
        "contestant": recipe.name,
        "domain": order.domain,
        "scale": order.scale,
        "train": train,
        "play": recipe.play,
        "started": _now(),
    }
    _check_options(folder / RECORD, train)
    known = sources()
    for need in recipe.needs:
        stand_in = order.scale == "small" and known[need].small
        say(f"{recipe.name}: {'a small stand-in for ' if stand_in else ''}{need}")
        fetching.fetch(known[need], order.folder(need), (lambda: _texts(order)) if stand_in else None)
    write_json(folder / RECORD, record)
    say(f"{recipe.name}: {recipe.description}")
    _run(folder, job(order, recipe))
    evaluation = read_json(folder / EVALUATION)
    sums = {path.name: fetching.sha256(path) for path in sorted(folder.glob("model*")) if _kept(path)}
    needs = {need: read_json(order.folder(need) / fetching.RECORD) for need in recipe.needs}
    made = {"sources": needs, "versions": versions(), "sha256": sums, "evaluation": evaluation, "finished": _now()}
    write_json(folder / RECORD, {**record, **made})
    for path in folder.glob("model.checkpoint*"):
        path.unlink()
    say(f"{recipe.name}: {', '.join(f'{k} {v:g}' for k, v in evaluation['metrics'].items())}")


def _kept(path: Path) -> bool:
    return ".checkpoint" not in path.name and path.is_file()


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def versions() -> dict[str, str]:
    """What a training depends on."""
    names = ("parlai_spotbot", "parlai", "torch", "transformers", "pytorch-pretrained-bert")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def _check_options(path: Path, train: dict[str, Any]) -> None:
    """A training that was begun with other options is neither continued nor thrown away."""
    before = read_json(path)["train"] if path.exists() else train
    if before != train:
        changed = sorted(key for key in before.keys() | train.keys() if before.get(key) != train.get(key))
        raise UserError(
            f"{path.parent}: its training was begun with other options: {', '.join(changed)}.",
            "Remove that folder to begin anew, or name another --out.",
        )


def _places(order: PoolOrder, recipe: Recipe) -> dict[str, str]:
    known = sources()
    places = {"contestant": str(order.out.resolve() / recipe.name)}
    for need in recipe.needs:
        archive = known[need].kind == "archive"
        places[need] = str(order.folder(need) / known[need].files[0] if archive else order.folder(need))
    return places


def job(order: PoolOrder, recipe: Recipe) -> dict[str, Any]:
    """What the training process is to do, with all places filled in."""
    places = _places(order, recipe)
    train = training_options(recipe, order.task, order.scale) if recipe.trained else {}
    return {
        "train": fill(train, places),
        "model_file": recipe.model_file or str(Path(places["contestant"]) / "model"),
        "task": order.task,
        "evaluation": fill(evaluation_options(recipe, order.task, order.scale), places),
        "play": fill(recipe.play, places),
        "candidates": recipe.candidates,
        "threads": 1 if order.scale == "small" else 0,
    }


def _run(folder: Path, what: dict[str, Any]) -> None:
    write_json(folder / JOB, what)
    module = f"{__package__}.training"
    # -P: the current folder may hold folders named like packages.
    done = subprocess.run([sys.executable, "-P", "-m", module, str(folder)], check=False)
    if done.returncode:
        raise UserError(
            f"{folder.name}: training ended with exit code {done.returncode}.",
            "See the messages above; the same command goes on from the last checkpoint.",
        )


def _texts(order: PoolOrder) -> Sequence[str]:
    """Turns of the people whom bots may know, for a stand-in's words."""
    turns = [turn for episode in get_domain(order.domain).episodes("bots") for turn in episode.turns]
    return turns[:STAND_IN_TEXTS]


def write_pool(order: PoolOrder) -> None:
    """Write pool.yaml, all contestants that are finished, and pool.json, what they are."""
    entries, held = {}, {}
    for name, recipe in pool_of(order.domain).items():
        if name in order.own:
            path = order.own[name]
            entries[name] = {"model_file": path if path.startswith("zoo:") else str(Path(path).resolve())}
            held[name] = {"own": entries[name]["model_file"]}
        elif _finished(order, name):
            done = job(order, recipe)
            small = "a small stand-in for: " if order.scale == "small" and recipe.trained else ""
            what = f"{small}{recipe.description}"
            entries[name] = {"model_file": done["model_file"], "opt": done["play"], "description": what}
            entries[name] = {key: value for key, value in entries[name].items() if value}
            record = read_json(order.out / name / RECORD)
            held[name] = {key: record[key] for key in ("finished", "evaluation", "sha256")}
    note = f"# The paper's pool of {order.domain}, scale: {order.scale}. How each was made: NAME/contestant.json.\n"
    if order.scale == "small":
        note += "# Small models from random weights: they say nothing about the paper's bots.\n"
    write_text(order.out / "pool.yaml", note + yaml.safe_dump(entries, sort_keys=False, allow_unicode=True))
    write_json(order.out / "pool.json", {"domain": order.domain, "scale": order.scale, "contestants": held})


def plan(order: PoolOrder, probe: Callable[[str], str] = fetching.unreachable) -> list[list[str]]:
    """For each contestant: name, what would be done, and what stands in the way."""
    (data, _), found = obstacles(order, probe)
    rows = []
    for name, recipe in order.recipes().items():
        if name in order.own:
            todo = f"yours: {order.own[name]}"
        elif _finished(order, name):
            todo = "finished"
        elif recipe.trained:
            options = training_options(recipe, order.task, order.scale)
            steps = options.get("max_train_steps")
            length = f"{steps} steps" if steps else f"{options['num_epochs']:g} epochs"
            begun = ", goes on" if (order.out / name / "model.checkpoint").exists() else ""
            todo = f"train {options['model'].rpartition('.')[2]} for {length}{begun}"
        else:
            todo = f"fetch {recipe.model_file}" if recipe.model_file else "fetch"
        why = "; ".join(why for why, _ in found.get(name, []))
        rows.append([name, recipe.description, todo, "; ".join(filter(None, (why, data)))])
    return rows
