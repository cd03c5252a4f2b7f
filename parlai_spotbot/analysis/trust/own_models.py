"""Which contestants are a judge's own model, by what both say of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

OPTIONS = ("openai_model", "lm_model")
"""The options of contestants that name the model behind them."""


def model_of_judge(about: Mapping) -> str:
    """The model that JUDGE.json names, or "": `model` is a name, or holds one as `model`."""
    model = about.get("model")
    return str((model.get("model") if isinstance(model, Mapping) else model) or "")


def own_contestants(about: Mapping, contestants: Iterable[Any]) -> list[str]:
    """The names of the contestants (`parlai_spotbot.records.Contestant`) that the judge's model answers as, in order.

    The same model under another name, or another version of it, can't be told; a server that serves it isn't compared.
    """
    model = _plain(model_of_judge(about))
    if not model:
        return []
    return [one.name for one in contestants if model in {_plain(name) for name in _models(one)}]


def _models(one: Any) -> list[str]:
    named = [str(one.opt[key]) for key in OPTIONS if one.opt.get(key)]
    return [name for name in (one.model, one.model_file, *named) if name]


def _plain(name: str) -> str:
    return name.strip().removeprefix("spotbot:").rstrip("/").lower()
