"""The options of packing, with their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parlai_spotbot.options import option


@dataclass(frozen=True)
class PackRequest:
    """The options of packing; None, or empty, for the survey's default or what the first packing had.

    See `parlai_spotbot.texts.hygiene` for the faults in `leave_out`, `packing.whole_items.SOURCES` for `sources` and
    `nuc_groups` for `groups`. `people` is whether people are a contestant.
    """

    unit_size: int | None = option(None, "items in a unit (default: the survey's, 20 for spot_the_bot)", "Packing")
    annotators_per_segment: int | None = option(
        None,
        "annotators of an item (default: the survey's, 2 for spot_the_bot)",
        flags=("--annotators-per-segment", "--annotators-per-item"),
    )
    leave_out: tuple[str, ...] = option(
        (),
        "leave out conversations with such faults, counted and named: empty,loop,special_tokens,self_identified,… "
        "(default: none)",
        metavar="KINDS",
    )
    seed: int | None = option(None, "start of all random numbers (default: the study's seed)")
    segments: Sequence[int] | None = option(
        None,
        "segment lengths in exchanges (default: the study's)",
        "Surveys that show segments: spot_the_bot, spot_the_bot_game",
    )
    humans_per_unit: int = option(5, "how many of a unit are between people")
    sources: tuple[str, ...] | None = option(
        None,
        "where bots are judged: self, human_model or pairs, several joined by commas (default: self and human_model as "
        "there are any, else pairs); in spot_the_bot pairs (default), human_model, or both",
        "Surveys that show whole conversations: acute_eval, comparative, dialogue_likert, turn_likert, abc_eval",
        flags=("--source",),
        metavar="SOURCE",
    )
    ask: tuple[str, ...] | None = option(
        None,
        "the questions, in abc_eval the tasks, joined by commas (default: engagingness in acute_eval, else all); in "
        "spot_the_bot and its game which features are compared beside who is human: fluency, sensibleness, "
        "specificity, or none",
        metavar="NAMES",
    )
    comparisons: int | None = option(
        None,
        "acute_eval, comparative: comparisons of each two contestants on each question (default: as many as each "
        "contestant has conversations, 100 at most); interactive: units of each two contestants (default: 33)",
    )
    pairs: str | None = option(
        None,
        "acute_eval, comparative: compare given pairs of conversations: interactors, the two that one person led and "
        "compared (survey interactive); contexts, every two bots' answers to the same, for spotbot_export --format "
        "preferences (default: drawn pairs)",
        metavar="HOW",
    )
    same: bool | None = option(
        None,
        "acute_eval, comparative: compare each bot with itself, too, as often as with others; neither side should be "
        "chosen more often (A/A test)",
        action="store_true",
    )
    people: bool | None = option(
        None, "people are no contestant", flags=("--without-people",), action="store_const", const=False
    )
    repeated: float | None = option(
        None,
        "the share of units, in abc_eval of conversations, for one more annotator (default: 0.25, acute_eval 0)",
        metavar="SHARE",
    )
    nuc_questions: str | None = option(
        None,
        "the questions (default: those of spotbot_nuc, STUDY/nuc/questions.jsonl, made where there are none)",
        "Surveys of questions with candidates: nuc",
        metavar="FILE",
    )
    groups: str | None = option(
        None,
        "a YAML file with groups of people: how many, and their shares of the corpora (default: one group, all "
        "corpora alike)",
        metavar="FILE",
    )
