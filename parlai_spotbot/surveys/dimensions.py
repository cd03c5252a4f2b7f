"""The eight dimensions of a conversation that the Likert and the comparative surveys ask about, as plain values.

The set is that of Finch & Choi (2020), as ABC-Eval (2022, table 3) uses it; dimensions.yaml has the definitions.
"""

from __future__ import annotations

from typing import Any

from parlai_spotbot.surveys.shipped import data

NAMES = tuple(dimension["name"] for dimension in data("dimensions"))
SPEAKERS = [
    {"value": "conversation:0", "label": "{name}"},
    {"value": "conversation:1", "label": "{name}"},
    {"value": "neither", "label": "Neither", "definition": "Only where you can't tell the two apart in this respect."},
]


def of_speakers(targets: tuple[str, ...] | list[str] = ("entity:0", "entity:1")) -> list[dict[str, Any]]:
    """Return each dimension as a scale from 1 to 5, asked of each speaker about the whole conversation."""
    more = {"shuffle": True, "kind": "scale", "targets": targets}
    return [
        _question(dimension, "of_speaker", help=dimension["definition"], options=_scale(dimension), **more)
        for dimension in _all()
    ]


def of_turns() -> list[dict[str, Any]]:
    """Return each dimension as a scale from 1 to 5, asked of every turn."""
    more = {"kind": "scale", "targets": ["turn"]}
    return [
        _question(dimension, "of_turn", help=dimension["turn"], options=_scale(dimension), **more)
        for dimension in _all()
    ]


def of_pairs(ending: str = "") -> list[dict[str, Any]]:
    """Return each dimension as a choice between the judged speakers of two conversations, or neither.

    `ending` of the names tells the questions from others about the same dimensions.
    """
    more = {"shuffle": True, "kind": "choice", "targets": ["pair"], "options": SPEAKERS}
    return [
        _question(dimension, "of_pair", help=dimension["definition"], **more) | {"name": dimension["name"] + ending}
        for dimension in _all()
    ]


def _all() -> list[dict[str, str]]:
    return data("dimensions")


def _question(dimension: dict[str, str], wording: str, **more: Any) -> dict[str, Any]:
    return {"name": dimension["name"], "heading": dimension["heading"], "wording": dimension[wording], **more}


def _scale(dimension: dict[str, str]) -> list[dict[str, str]]:
    ends = {"1": dimension["low"], "5": dimension["high"]}
    return [{"value": value, "label": value, "definition": ends.get(value, "")} for value in "12345"]
