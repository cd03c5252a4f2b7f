"""What else verdicts in Spot The Bot may rest on: place, order, presentation, and texts that come again and again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from parlai_spotbot.analysis.order_effects import BY, order_balance, position_effects, presentation_effects
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.texts.repetition import identical_conversations, repeated_turns

if TYPE_CHECKING:
    from parlai_spotbot.analysis.methods.spot_the_bot import Source


def presentations(judgements: Iterable[Judgement]) -> dict[tuple[str, str], dict[str, str]]:
    """How each annotation was presented, as text: (source, annotation id) -> {what: how}."""
    shown: dict[tuple[str, str], dict[str, str]] = {}
    for judgement in judgements:
        own = shown.setdefault((judgement.source, judgement.annotation_id), {})
        for key, value in judgement.presentation.items():
            own.setdefault(key, value if isinstance(value, str) else json.dumps(value, sort_keys=True))
    return shown


def order_part(source: Source) -> dict:
    """order.json: `position` by kind of conversation, length, pair and bot; `balance` of the order of two bots;
    `presentation` {what: [one entry a way of showing]}; `repeated_turns`, `identical_conversations`.
    """
    rows, crossed = source.annotations, source.name == HUMAN
    return {
        "position": {by: position_effects(rows, by, crossed).to_dict(orient="records") for by in BY},
        "balance": order_balance(rows).to_dict(orient="records"),
        "presentation": _presentation(source),
        "repeated_turns": repeated_turns(source.turns).to_dict(orient="records"),
        "identical_conversations": identical_conversations(source.turns).to_dict(orient="records"),
    }


def _presentation(source: Source) -> dict[str, list[dict]]:
    """Only what was shown in two ways or more; annotations that don't say how are passed over."""
    result = {}
    for what in sorted({key for own in source.shown for key in own}):
        told = [own.get(what) for own in source.shown]
        known = [value is not None for value in told]
        if len({value for value in told if value is not None}) > 1:
            rows, ways = source.annotations[known], [value for value in told if value is not None]
            table = presentation_effects(rows, ways, crossed=source.name == HUMAN)
            result[what] = table.to_dict(orient="records")
    return result


def order_rows(own: dict):
    """Rows of the flat tables: (table, row)."""
    for by, entries in own["position"].items():
        for row in entries:
            yield "order_position", {"by": by, **row}
    for row in own["balance"]:
        yield "order_balance", row
    for what, entries in own["presentation"].items():
        for row in entries:
            yield "order_presentation", {"what": what, **row}
    for row in own["repeated_turns"]:
        yield "order_repeated_turns", row
    for row in own["identical_conversations"]:
        yield "order_identical", {**row, "conversation_ids": " ".join(row["conversation_ids"])}
