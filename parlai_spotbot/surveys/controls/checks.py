"""Attention checks of the survey nuc: questions whose answer is obvious, mixed into each annotator's.

The paper counted only the respondents who passed all of theirs (section 4.2). Here they are written for the purpose:
one reply continues the conversation, the others have nothing to do with it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import yaml

from parlai_spotbot.records import Item
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import nuc
from parlai_spotbot.surveys.controls.control import KNOWN_CANDIDATE, Answers, Control, ControlSet
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.blocks import PackOptions
from parlai_spotbot.surveys.packing.units_file import in_turn, packed_with
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.characters import mostly_not_latin

CHOSEN = ("first", "conversation:0")
"""The question and target by which one of an item's candidates is chosen."""

ENGLISH = "en"
FILES = {ENGLISH: "checks.yaml", "de": "checks_de.yaml"}
"""Where checks are written, by their language."""

TELLING = 0.2
"""Share of words that a language's checks have, too, from which texts are in it, if it is twice that of the others."""

WORD = re.compile(r"[^\W\d_]{3,}")

NO_CHECKS = (
    "no attention checks: they are written in English and German, and the questions are in another language; nobody is "
    "left out for careless answers, so look at the annotators' flags"
)

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

    def make(self, data: SurveyFiles, survey: Survey, options: PackOptions) -> ControlSet:
        """All of them, in the language of the study's questions, with as many candidates as these have."""
        packed = packed_with(data) or {}
        items = data.items.values()
        language = language_of([turn.text for item in items for turns in item.transcripts for turn in turns])
        if not language:
            return ControlSet([], why=NO_CHECKS)
        candidates = packed.get("candidates", nuc.CANDIDATES)
        return ControlSet(make_checks(candidates, packed.get("seed", data.plan.seed), language))

    def counts(self, items: Sequence[Item]) -> dict[str, int]:
        return {"known_candidate": len(items)}


@cache
def checks(language: str = ENGLISH) -> tuple[dict, ...]:
    """Return the checks as they are written: `turns`, `reply`, `others`."""
    path = Path(__file__).with_name(FILES[language])
    return tuple(yaml.safe_load(path.read_text(encoding="utf-8")))


def language_of(texts: Sequence[str]) -> str:
    """Return the language of checks that fit questions of these texts, by the words that both have.

    "" for another language, or where most letters are of other scripts.
    """
    if mostly_not_latin("".join(texts)):
        return ""
    words = [word for text in texts for word in WORD.findall(text.lower())]
    if not words:
        return ENGLISH
    shares = {}
    for language in FILES:
        rows = checks(language)
        known = {word for row in rows for text in (*row["turns"], row["reply"]) for word in WORD.findall(text.lower())}
        shares[language] = sum(word in known for word in words) / len(words)
    *others, best = sorted(shares, key=lambda language: shares[language])
    if shares[best] >= TELLING and all(shares[best] >= 2 * shares[other] for other in others):
        return best
    return ""


def make_checks(candidates: int, seed: int, language: str = ENGLISH) -> list[Item]:
    """All checks as control items with `candidates` replies each (as many as are written, where these are fewer).

    The control mark, which no browser gets, says which reply is right; its place is drawn.
    """
    items = []
    for number, check in enumerate(checks(language)):
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
