"""The two conversations that one person led, side by side, for judges outside (ABC-Eval 2022, sections 3 and 5.1).

Which of the two was better that person said in the survey `interactive`; what people outside choose of the same two can
then be held against it (predictive validity).
"""

from __future__ import annotations

from collections.abc import Sequence

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.packing import PackRequest

DRAWN, INTERACTORS = "drawn", "interactors"
"""Which two conversations stand beside each other: any two of two contestants, or the two that one person led."""

ASKED_BY = "interactive"
"""The survey in which people lead two conversations and compare them."""

OTHERS = ("comparisons", "same", "people")
"""What else may be wanted of comparisons, and means nothing where the pairs are given."""


def pairing(asked: str) -> str:
    """How pairs are made, as it is recorded: "" where they are drawn."""
    if asked not in ("", DRAWN, INTERACTORS):
        raise UserError(f"--pairs {asked}: unknown.", nearest(asked, (DRAWN, INTERACTORS)))
    return "" if asked == DRAWN else asked


def check_led(wanted: PackRequest) -> None:
    """Raise `UserError` where something is wanted that pairs of interactors leave no room for."""
    for name in OTHERS:
        if getattr(wanted, name) not in (None, False) or (name == "people" and wanted.people):
            raise UserError(
                f"--{name}: with --pairs {INTERACTORS} each person's two conversations are compared once.",
                "Leave it out.",
            )
    if wanted.sources not in (None, ("human_model",)):
        raise UserError(
            f"--source {','.join(wanted.sources)}: --pairs {INTERACTORS} takes conversations of people with bots.",
            "Leave it out.",
        )


def led_by_one(study: Study, conversations: Sequence[Conversation]) -> tuple[tuple[str, str], ...]:
    """Every two conversations that one person led and compared, as far as the study still has both, in their order."""
    path = study.judgements_path(ASKED_BY)
    known = {c.conversation_id for c in conversations if c.kind == "human_model" and c.exchanges}
    rows = study.judgements(ASKED_BY) if path.exists() else []
    asked = (row.conversation_ids for row in rows if row.source == HUMAN and len(row.conversation_ids) == 2)
    found = dict.fromkeys((first, second) for first, second in asked if {first, second} <= known)
    if not found:
        raise UserError(
            f"--pairs {INTERACTORS}: the study holds no two conversations that one person led and compared.",
            "Let people chat with two bots each: spotbot_pack --survey interactive, then spotbot_crowdsource.",
        )
    return tuple(found)
