"""Reads `recipes.yaml`: which contestants are in a domain's pool, how each is trained, and what it needs.

The numbers are section 4's and appendix C's of the paper, or marked as not theirs. A recipe's options are ParlAI's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import yaml

from parlai_spotbot.errors import UserError, nearest

SCALES = ("paper", "small")


@dataclass(frozen=True)
class PretrainedSource:
    """Something to be fetched: weights, vectors.

    `kind` is "hub" (Hugging Face's hub), "archive" (a zip file), "zoo" (ParlAI's) or "elsewhere" (not to be had by a
    stable address in a form that runs; `why` says so). `small` names the function that makes a small stand-in,
    `model_file` what the zoo calls it.
    """

    name: str
    kind: str
    address: str
    files: tuple[str, ...] = ()
    small: str = ""
    why: str = ""
    model_file: str = ""


@dataclass(frozen=True)
class Recipe:
    """A contestant: how it is trained (`train`, empty for a ready model), played and measured, in ParlAI's options.

    `small` holds what a quick run changes in `train`; `candidates` says that it answers with training labels.
    """

    name: str
    description: str
    needs: tuple[str, ...] = ()
    train: dict[str, Any] = field(default_factory=dict)
    small: dict[str, Any] = field(default_factory=dict)
    play: dict[str, Any] = field(default_factory=dict)
    evaluation: dict[str, Any] = field(default_factory=dict)
    candidates: bool = False
    model_file: str = ""

    @property
    def trained(self) -> bool:
        return bool(self.train)


@cache
def _data() -> dict:
    text = (resources.files(__package__) / "recipes.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)


def recipes() -> dict[str, Recipe]:
    """Every recipe by its contestant's name."""
    found = {}
    for name, entry in _data()["contestants"].items():
        found[name] = Recipe(name, **{**entry, "needs": tuple(entry["needs"])})
    return found


def sources() -> dict[str, PretrainedSource]:
    """Every source by its name."""
    return {
        name: PretrainedSource(name, **{**entry, "files": tuple(entry.get("files", ()))})
        for name, entry in _data()["sources"].items()
    }


def pool_of(domain: str, only: tuple[str, ...] = ()) -> dict[str, Recipe]:
    """The recipes of a domain's pool, those in `only` if it isn't empty; raises `UserError` for unknown names."""
    pools = _data()["domains"]
    if domain not in pools:
        raise UserError(f"--domain {domain}: there is no pool for it.", nearest(domain, pools))
    for name in only:
        if name not in pools[domain]:
            raise UserError(f"--only {name}: not in the pool of {domain}.", nearest(name, pools[domain]))
    known = recipes()
    return {name: known[name] for name in pools[domain] if not only or name in only}


def training_options(recipe: Recipe, task: str, scale: str) -> dict[str, Any]:
    """ParlAI's options for training `recipe` on `task`, with placeholders for places."""
    options = {"task": task, **_data()["common"], **recipe.train}
    if scale == "small":
        options |= {**_data()["common_small"], **recipe.small}
    return options


def evaluation_options(recipe: Recipe, task: str, scale: str) -> dict[str, Any]:
    """ParlAI's options for measuring `recipe` on the validation set of `task`."""
    limits = _data()["evaluation_small"] if scale == "small" else {}
    return {"task": task, "datatype": "valid", **recipe.evaluation, **limits}


def fill(options: dict[str, Any], places: dict[str, str]) -> dict[str, Any]:
    """`options` with each placeholder ``{name}`` in a text replaced by its place."""

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            for name, place in places.items():
                value = value.replace("{" + name + "}", place)
        return value

    return {key: filled(value) for key, value in options.items()}
