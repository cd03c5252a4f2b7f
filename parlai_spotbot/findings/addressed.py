"""Rankings without the conversations in which a contestant addresses whoever judges (`texts.addressing`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parlai_spotbot.wording import counted, listed

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Answers, Facts, Form, Options

REMAIN = "fewer than two contestants remain."


def unaddressed(form: Form, judgements: Sequence[Any], facts: Facts, options: Options) -> dict[str, Answers] | None:
    """Return the answers about all other conversations by source; None where none is about such a conversation."""
    spoken = {identity for ids in facts.addressed.values() for identity in ids}
    if form.as_table or all(spoken.isdisjoint(row.conversation_ids) for row in judgements):
        return None
    return form.sources([row for row in judgements if spoken.isdisjoint(row.conversation_ids)], facts, options)[0]


def beside(ranking: Mapping, others: Mapping | None, facts: Facts) -> dict:
    """Return a ranking with that by the other conversations, and who addresses whoever judges in how many of its
    conversations."""
    talks = facts.conversations.values()
    counts = {bot: [len(ids), sum(bot in talk.entities for talk in talks)] for bot, ids in facts.addressed.items()}
    return {**ranking, "unaddressed": {"contestants": counts, "ranking": others or {}}}


def sentences(spoken: Mapping, ranking: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return what a ranking says, and beside it what the other conversations say: `ranking` and `others` are the
    sentences of both, the answer first. Further sentences are those of the other conversations alone."""
    counts, ranked = spoken["contestants"], spoken["ranking"]
    first, *further = others if len(ranked.get("order") or ranked.get("criteria") or ()) > 1 else [REMAIN]
    often = listed(f"{bot} in {part:,} of {counted(of, 'conversation')}" for bot, (part, of) in counts.items())
    return [
        " ".join([*ranking[:1], f"Without conversations in which judges are addressed by {listed(counts)}: {first}"]),
        f"Turns address the judges, with orders, answers or marks of a prompt: {often}.",
        *(f"Without these conversations: {sentence}" for sentence in further),
    ]
