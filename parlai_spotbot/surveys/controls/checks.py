"""Attention checks of the survey nuc: questions whose answer is obvious, mixed into each annotator's.

The paper counted only the respondents who passed all of theirs (section 4.2). Here they are written for the purpose:
one reply continues the conversation, the others have nothing to do with it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import yaml

from parlai_spotbot.records import Item
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import nuc
from parlai_spotbot.surveys.controls.control import KNOWN_CANDIDATE, Answers, Control, ControlSet
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.blocks import PackOptions
from parlai_spotbot.surveys.packing.units_file import in_turn, packed_with
from parlai_spotbot.surveys.survey import Survey

CHOSEN = ("first", "conversation:0")
"""The question and target by which one of an item's candidates is chosen."""

CHECK_RULE = (
    "A check is a question written for the purpose, with one reply that takes up what was said, and others that have "
    "nothing to do with it. It is missed if another reply is the first choice."
)


class CheckControl(Control):
    """Questions with an obvious answer."""

    marks = KNOWN_CANDIDATE
    rule = CHECK_RULE
    title = "questions with an obvious answer"

    def missed(self, mark: str, answers: Answers) -> bool:
        """Another one was chosen first."""
        return answers.get(CHOSEN) != mark.removeprefix("known_")

    def make(self, study: Study, survey: Survey, options: PackOptions) -> ControlSet:
        """All of them, with as many candidates as the study's questions have."""
        packed = packed_with(study, survey.name) or {}
        return ControlSet(make_checks(packed.get("candidates", nuc.CANDIDATES), packed.get("seed", study.plan.seed)))

    def counts(self, items: Sequence[Item]) -> dict[str, int]:
        return {"known_candidate": len(items)}


@cache
def checks() -> tuple[dict, ...]:
    """Return the checks as they are written: `turns`, `reply`, `others`."""
    return tuple(yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")))


def make_checks(candidates: int, seed: int) -> list[Item]:
    """All checks as control items with `candidates` replies each (as many as are written, where these are fewer).

    The control mark, which no browser gets, says which reply is right; its place is drawn.
    """
    items = []
    for number, check in enumerate(checks()):
        rng = random.Random(f"nuc checks {seed} {number}")
        replies = [check["reply"], *check["others"][: candidates - 1]]
        rng.shuffle(replies)
        turns = in_turn(check["turns"])
        name = opaque("nuc check", seed, *check["turns"])
        items.append(
            Item(
                item_id=name,
                conversation_ids=(opaque("nuc check conversation", seed, number),),
                exchanges=(len(turns) + 1) // 2,
                transcripts=(turns,),
                control=KNOWN_CANDIDATE[replies.index(check["reply"])],
                judged=(len(turns) % 2,),
                candidates=tuple(replies),
            )
        )
    return items


KINDS = dict.fromkeys(CheckControl.marks, CheckControl())
