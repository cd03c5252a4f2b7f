"""Controls: items whose right answer is known, one kind a file; they are made and graded by one protocol (`control`).

The server, which grades while people work, and the analysis, which leaves out who failed, go by `missed_by`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot import checksums, files, plugin
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import Survey, survey_of
from parlai_spotbot.surveys.controls.control import (
    KNOWN_BETTER,
    KNOWN_BOT,
    KNOWN_BOTS,
    KNOWN_CANDIDATE,
    KNOWN_CHOICE,
    KNOWN_HUMAN,
    KNOWN_LOW,
    Answers,
    Control,
    ControlSet,
    on_five,
)
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.units_file import answers_of, packed_with

if TYPE_CHECKING:
    from parlai_spotbot.surveys.packing.blocks import PackOptions

FILE = "controls.jsonl"
FEWEST = 4
SHORTAGE = (
    f"{{}} controls, where {FEWEST} or more are needed to find careless annotators: {{}}, or ask a question that a "
    "control can be graded by"
)
MORE_PEOPLE = "import more conversations between people"
"""Remedy for too few controls: people that no unit shows."""

FEW = (
    "{} controls for the {} places in units: each is met more often than an item, so annotators who talk to each other "
    "can know them; {} (two that no unit shows, as long as the longest items, for each control of people)"
)

MODULES = {
    **dict.fromkeys((KNOWN_HUMAN, KNOWN_BOTS, *KNOWN_BOT), "segments"),
    **dict.fromkeys((*KNOWN_CHOICE, *KNOWN_BETTER, *KNOWN_LOW), "whole_controls"),
    **dict.fromkeys(KNOWN_CANDIDATE, "checks"),
}
"""The modules that make and grade controls, by the marks of their items."""


TRUTHS = {
    "known_human": ("human", "human"),
    "known_bots": ("bot", "bot"),
    "known_bot:0": ("bot", "human"),
    "known_bot:1": ("human", "bot"),
    "known_choice:0": ("human", "bot"),
    "known_choice:1": ("bot", "human"),
    "known_low:0": ("bot", "human"),
    "known_low:1": ("human", "bot"),
}
"""What both entities of a control are, by its mark; see `truth`."""


def kind_of_mark(mark: str) -> Control:
    """Return the kind of the controls with this mark."""
    return plugin.find(__name__, "KINDS", MODULES[mark], "control")[mark]


# -- grading ---------------------------------------------------------------------------------------------------------
def missed_by(control: str | None, answers: Answers, survey: Survey | None = None) -> bool:
    """Return True if an annotator's answers miss a control of this mark; an unknown mark is a `ValueError`.

    Ratings are on the scales of the `survey`, by default from 1 to 5.
    """
    if control not in MODULES:
        raise ValueError(f"control is {control!r}, expected one of {', '.join(MODULES)}")
    return kind_of_mark(control).missed(control, on_five(answers, survey))


def truth(control: str | None) -> tuple[str, str]:
    """Return "human" or "bot" for each of the two entities; with two conversations, for the judged one of each.

    (Of a rated conversation: which entity is a bot, the other one is a person.)
    """
    if control not in TRUTHS:
        raise ValueError(f"control is {control!r}, expected one of {', '.join(TRUTHS)}")
    return TRUTHS[control]


# -- the study's controls --------------------------------------------------------------------------------------------
def kind_of(survey: Survey) -> Control | None:
    """Return the kind of a survey's controls; None for chats, of which nothing is known."""
    packing = packing_of(survey)
    if packing.chats or survey.tasks:
        return None
    mark = KNOWN_LOW[0]
    if packing.grouped:
        mark = KNOWN_CANDIDATE[0]
    elif packing.cuts:
        mark = KNOWN_HUMAN
    elif packing.compares:
        mark = KNOWN_CHOICE[0]
    return kind_of_mark(mark)


def announced(data: SurveyFiles) -> str:
    """Return in a line which controls the units of a packed survey will get at launch."""
    about = survey_of(data)
    kind = kind_of(about)
    if not about.limits.controls_per_unit:
        return "controls: none, as its limits have controls_per_unit 0"
    if kind is None or not kind.asked(about, data.units):
        return (
            "controls: none, as nothing that is asked has an answer that is known before (questions named nature, of "
            "both entities; of pairs, whom one prefers; ratings of quality, engagingness, informativeness "
            "and relevance have)"
        )
    where = "each unit"
    if about.control_first:
        where = "an annotator's first unit"
    return f"controls: {about.limits.controls_per_unit} in {where}, made at launch: {kind.title}"


def write_controls(data: SurveyFiles, seed: int | None = None) -> Path:
    """Set the controls of a packed survey aside in surveys/NAME/controls.jsonl; the caller holds the study's lock.

    The same call again changes nothing, and once units were handed out or judged by people, no call does; nor does any
    where the controls were imported. The file is empty where there is nothing to make controls from. The rule, counts
    and warnings are in provenance.json.
    """
    path = data.path / FILE
    about = survey_of(data)
    if path.exists() and (not data.recorded("controls") or answers_of(data)):
        return path
    kind = kind_of(about)
    if kind is None:
        checksums.write_text(path, "")
        return path
    if seed is None:
        seed = data.plan.seed
    lengths = {item.exchanges for item in data.items.values()} or set(data.plan.segments)
    options = _options(data.survey, seed, {"segments": sorted(lengths), **(packed_with(data) or {})})
    controls = kind.make(data, about, options)
    text = "".join(files.dumps(item.to_json()) + "\n" for item in controls.items)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        checksums.write_text(path, text)
    made_by = {
        "rule": kind.rule + _scales_of(about),
        "seed": options.seed,
        **kind.counts(controls.items),
        "from_domain": controls.from_domain,
        "warnings": _warnings(controls, _more_people(data, about)),
    }
    data.record("controls", made_by)
    return path


def _warnings(controls: ControlSet, more: str) -> list[str]:
    """Return what is wrong with controls that were made; `more` is how to have more of them."""
    made = len(controls.items)
    if controls.why:
        return [controls.why]
    if made < FEWEST:
        return [SHORTAGE.format(made, more)]
    if made < controls.needed:
        return [FEW.format(made, controls.needed, more)]
    return []


def _scales_of(survey: Survey) -> str:
    """Return how a rule that counts from 1 to 5 is meant where a rating has another scale; "" where none has."""
    if any(len(question.scale) > 1 and not question.is_likert for question in survey.main):
        return " Other scales count as from 1, for the worst, to 5, for the best."
    return ""


def _more_people(data: SurveyFiles, survey: Survey) -> str:
    """Return how to have more people that no unit shows; of segments a quarter of them by packing fewer in a unit."""
    recorded = packed_with(data) or {}
    if packing_of(survey).cuts and "humans_per_unit" in recorded:
        options = replace(
            _options(survey.name, 0, recorded),
            unit_size=recorded["unit_size"],
            humans_per_unit=recorded["humans_per_unit"],
        )
        kinds = Counter(talk.kind for talk in data.conversations)
        fewer = options.fewer_people(kinds.total() - kinds["people"], 3 * kinds["people"] // 4)
        if fewer is not None:
            return f"pack again with --humans-per-unit {fewer}, {MORE_PEOPLE}"
    return MORE_PEOPLE


def read_controls(data: SurveyFiles) -> list[Item]:
    """Return the controls of a survey, [] if none were made; a file that holds anything else is a `UserError`.

    A study that grew may show the conversation of a control in a unit by now. That does no harm, as nobody is handed
    two segments of one conversation, controls included.
    """
    path = data.path / FILE
    if not path.exists():
        return []
    remedy = "Remove the file before the first launch, or restore it after."
    items = checksums.read_jsonl(path, Item.from_json, "controls file", remedy)
    for number, item in enumerate(items, start=1):
        if item.control not in MODULES:
            raise UserError(
                f"{path}, line {number}: field 'control' is {item.control!r}, expected {', '.join(MODULES)}.", remedy
            )
    return [item for item in items if item.control in MODULES]


def _options(survey: str, seed: int, packed: Mapping) -> PackOptions:
    """Describe how the survey was packed; units from elsewhere have no surface form of their own."""
    from parlai_spotbot.surveys.packing.blocks import PackOptions

    segments = tuple(packed["segments"])
    return PackOptions(survey=survey, segments=segments, seed=seed, surface=packed.get("surface", "keep"))
