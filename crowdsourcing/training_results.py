"""Outcomes of the training, one row a round: surveys/NAME/training.jsonl.

A row is ``{"task", "annotator", "attempt", "round", "role", "dialogue", "wrong_turns", "of", "mistakes_by_label",
"passed", "at", "seconds", "group"}``. `role` is "training" or "second_chance"; `passed` is null where a round doesn't
decide. Annotators who withdrew are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from parlai_spotbot.crowdsourcing.ledger.entries import TrainingRound


def moment(seconds: float) -> str:
    """Return a time of the ledger as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def training_rows(sittings: Iterable[tuple[str, TrainingRound]], names: Mapping[str, str]) -> list[dict]:
    """Return the rounds, each with its task, in the order in which they came in; `names` replaces worker ids."""
    return [
        {
            "task": task,
            "annotator": names[one.worker],
            **{name: one.result[name] for name in ("attempt", "round", "role")},
            "dialogue": one.dialogue,
            **{name: one.result[name] for name in ("wrong_turns", "of")},
            "mistakes_by_label": one.result["mistakes"],
            "passed": one.passed,
            "at": moment(one.at),
            "seconds": one.result["seconds"],
            "group": one.team,
        }
        for task, one in sorted(sittings, key=lambda pair: pair[1].at)
        if one.body
    ]
