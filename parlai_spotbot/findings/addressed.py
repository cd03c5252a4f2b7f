"""Rankings without the conversations in which a contestant addresses whoever judges (`texts.addressing`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parlai_spotbot.findings.frames import Found, Frames
from parlai_spotbot.findings.rankings import by_criterion
from parlai_spotbot.wording import filled, listed

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Answers, Facts, Form, Options

REMAIN = "fewer than two contestants remain."


def unaddressed(form: Form, judgements: Sequence[Any], facts: Facts, options: Options) -> dict[str, Answers] | None:
    """Return the answers about all other conversations by source; None where none is about such a conversation."""
    spoken = {identity for ids in facts.addressed.values() for identity in ids}
    if form.as_table or all(spoken.isdisjoint(row.conversation_ids) for row in judgements):
        return None
    return form.sources([row for row in judgements if spoken.isdisjoint(row.conversation_ids)], facts, options)[0]


OTHERS = "unaddressed_"
"""Frames of this beginning are of the ranking by the other conversations."""


def beside(ranking: Mapping, others: Mapping, facts: Facts) -> Found:
    """Return the frames of a ranking with those of that by the other conversations, and who addresses whoever judges
    in how many of its conversations (`addressed`)."""
    rows = []
    for bot, ids in facts.addressed.items():
        talks = sum(bot in talk.entities for talk in facts.conversations.values())
        rows.append({"bot": bot, "addressed": len(ids), "conversations": talks})
    return {
        **ranking,
        "addressed": rows,
        **{OTHERS + name: rows_of_finding for name, rows_of_finding in others.items()},
    }


def others_of(frames: Frames) -> Frames:
    """Return the frames of the ranking by the other conversations."""
    return Frames({name.removeprefix(OTHERS): frame for name, frame in frames.items() if name.startswith(OTHERS)})


def sentences(frames: Frames, ranking: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return what a ranking says, and beside it what the other conversations say: `ranking` and `others` are the
    sentences of both, the answer first. Further sentences are those of the other conversations alone."""
    if not any(len(ranking.order) > 1 for ranking in by_criterion(others_of(frames)).values()):
        others = [REMAIN]
    first, *further = others
    rows = frames.rows("addressed")
    text = "{bot} in {addressed:,} of {conversations:conversation}"
    often = listed(filled(text, **row) for row in rows)
    by = listed(row["bot"] for row in rows)
    return [
        " ".join([*ranking[:1], f"Without conversations in which judges are addressed by {by}: {first}"]),
        f"Turns address the judges, with orders, answers or marks of a prompt: {often}.",
        *(f"Without these conversations: {sentence}" for sentence in further),
    ]
