"""The eight dimensions of a conversation that the Likert and the comparative surveys ask about, as plain values.

The set is that of Finch & Choi (2020), as ABC-Eval (2022, table 3) uses it; dimensions.yaml has the definitions.
"""

from typing import Any

from parlai_spotbot.surveys.shipped import data
from parlai_spotbot.surveys.survey import RATING_VALUES

NAMES = tuple(dimension["name"] for dimension in data("dimensions"))
SPEAKERS = [
    {"value": "conversation:0", "label": "{name}"},
    {"value": "conversation:1", "label": "{name}"},
    {"value": "neither", "label": "Neither", "definition": "Only where you can't tell the two apart in this respect."},
]


def of_speakers(targets: list[str] | tuple[str, ...] = ("entity:0", "entity:1")) -> list[dict[str, Any]]:
    """Return each dimension as a scale from 1 to 5, asked of each speaker about the whole conversation."""
    return [
        _question(row, "of_speaker", help=row["definition"], options=_scale(row), targets=targets) | {"shuffle": True}
        for row in data("dimensions")
    ]


def of_turns() -> list[dict[str, Any]]:
    """Return each dimension as a scale from 1 to 5, asked of every turn."""
    return [
        _question(row, "of_turn", help=row["turn"], options=_scale(row), targets=["turn"]) for row in data("dimensions")
    ]


def of_pairs(ending: str = "") -> list[dict[str, Any]]:
    """Return each dimension as a choice between the judged speakers of two conversations, or neither.

    `ending` of the names tells the questions from others about the same dimensions.
    """
    more = {"shuffle": True, "kind": "choice", "targets": ["pair"], "options": SPEAKERS}
    return [
        _question(row, "of_pair", help=row["definition"], **more) | {"name": row["name"] + ending}
        for row in data("dimensions")
    ]


def _question(row: dict[str, str], wording: str, **more: Any) -> dict[str, Any]:
    return {"name": row["name"], "heading": row["heading"], "wording": row[wording], "kind": "scale", **more}


def _scale(row: dict[str, str]) -> list[dict[str, str]]:
    ends = {"1": row["low"], "5": row["high"]}
    return [{"value": value, "label": value, "definition": ends.get(value, "")} for value in RATING_VALUES]
