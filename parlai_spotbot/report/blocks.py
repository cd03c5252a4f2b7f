"""What the page says of one survey: its sections, from the builders of the report, or from those of its method.

A survey whose method module (``analysis/methods/NAME.py``) has ``sections(analysis, source)`` is drawn from that; of
one without, the page says what there is.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from parlai_spotbot.analysis import methods
from parlai_spotbot.analysis.sections import Section
from parlai_spotbot.errors import UserError
from parlai_spotbot.report import background, charts, judges, stability, trust, verdicts
from parlai_spotbot.report.contents import Contents
from parlai_spotbot.report.parts import Page, Part

TITLES = {
    "spot_the_bot": "Spot The Bot",
    "spot_the_bot_game": "Spot The Bot, the game",
    "acute_eval": "ACUTE-Eval",
    "comparative": "Comparative evaluation",
    "dialogue_likert": "Likert ratings of conversations",
    "turn_likert": "Likert ratings of turns",
    "abc_eval": "ABC-Eval",
    "nuc": "Next-Utterance Classification by people",
    "votes": "Votes of an arena",
}

QUESTIONS = {
    "spot_the_bot": "which bot passes longest as human?",
    "spot_the_bot_game": "which bot passes longest as human?",
    "acute_eval": "which of two speakers do people prefer?",
    "comparative": "which of two bots is better, and in what?",
    "dialogue_likert": "how good are whole conversations?",
    "turn_likert": "how good is each answer?",
    "abc_eval": "what do bots do, turn by turn?",
    "nuc": "can people pick the real next turn?",
    "votes": "whose answer is better?",
}
"""What a survey is to find out, as the page's heading has it."""

GAMES = ("spot_the_bot_game",)
"""Surveys in which annotators open the dialogue themselves."""

NONE = {
    "trust": "No judge has answered what people answered, so nothing is known of how far to trust one.",
    "judges": "No judge has left an account of itself.",
    "time": "No times are known.",
    "stability": stability.COMMAND,
    "game": "Nobody has played it yet; a judge can't.",
}
"""What a section says that has nothing to show."""

Builder = Callable[[Page], list[Part]]


@dataclass(frozen=True)
class Shown:
    """A section as the page shows it: `anchor` is unique on the page, `none` is said where there are no parts."""

    anchor: str
    heading: str
    parts: list[Part]
    none: str = "Not computed yet."

    @property
    def empty(self) -> bool:
        return all(part.empty for part in self.parts)


@dataclass(frozen=True)
class Block:
    """One survey on the page."""

    name: str
    anchor: str
    title: str
    question: str
    page: Page
    sections: list[Shown] = field(default_factory=list)

    @property
    def played(self) -> bool:
        return self.name in GAMES

    @property
    def segmented(self) -> bool:
        """Whether what annotators see is cut to the plan's lengths."""
        return self.name == "spot_the_bot"


def block(page: Page) -> Block:
    """The sections of a survey."""
    name = page.contents.survey
    otherwise = "Not computed yet." if page.contents.judged else "Nothing has been judged yet."
    with known_to(page.contents):
        made = _sections(page)
    sections = [
        Shown(f"{page.prefix}{anchor}", heading, parts, NONE.get(anchor, otherwise)) for anchor, heading, parts in made
    ]
    title = TITLES.get(name, name.replace("_", " ").capitalize())
    return Block(name, f"survey-{name}", title, QUESTIONS.get(name, "what was found?"), page, sections)


def _sections(page: Page) -> list[tuple[str, str, list[Part]]]:
    survey = page.contents.survey
    told = method_sections(survey)
    if survey in ("spot_the_bot", *GAMES):
        own = [(anchor, heading, build(page)) for anchor, heading, build in spotting(survey in GAMES)]
    elif told is not None:
        own = generic(page, told)
    else:
        own = [("results", "Results", unknown(page))]
    shared = [(anchor, heading, build(page)) for anchor, heading, build in SHARED]
    # What only some surveys have (trust, a judge's account) is not announced where there is nothing of it.
    return own + [
        (anchor, heading, parts)
        for anchor, heading, parts in shared
        if parts or not (page.prefix or page.contents.counted)
    ]


SHARED: list[tuple[str, str, Builder]] = [
    ("trust", "How far to trust the judges", trust.section),
    ("judges", "Judges", judges.section),
]
"""Sections that any survey has, after its own: anchor, heading, builder of the parts."""


def spotting(played: bool) -> list[tuple[str, str, Builder]]:
    """The sections of Spot The Bot. The game has a section of its own, and no segments."""
    return [
        ("ranking", "Ranking", verdicts.ranking),
        ("wins", "Wins", verdicts.wins),
        ("survival", "Survival", verdicts.survival),
        ("features", "Features", verdicts.features),
        ("game", "Game", background.game) if played else ("segments", "Segments", verdicts.segments),
        ("agreement", "Agreement", background.agreement),
        ("annotators", "Annotators", background.annotators),
        ("time", "Time", background.time),
        ("order", "Place and texts", background.order),
        ("stability", "Stability", background.stability),
    ]


def method_sections(survey: str) -> Callable[[dict, str], list[Section]] | None:
    """What the survey's method has to tell, where it has a module that tells it."""
    name = f"{methods.__name__}.{survey}"
    if not survey.isidentifier() or importlib.util.find_spec(name) is None:
        return None
    return getattr(importlib.import_module(name), "sections", None)


OPEN = 2
"""Of a section's figures, and of its tables, so many are open; further ones are opened by their titles."""


def generic(page: Page, told: Callable[[dict, str], list[Section]]) -> list[tuple[str, str, list[Part]]]:
    """The sections that a method tells as data, each with a part for every source that it tells something of."""
    found: dict[str, tuple[str, list[Part]]] = {}
    for source in page.contents.sources:
        own = {stem: by_source[source] for stem, by_source in page.contents.analysis.items() if source in by_source}
        for section in told(own, source) if own else []:
            figures = [charts.figure(page, source, chart) for chart in section.charts]
            if len(figures) > OPEN:  # one of each question, say: the first are read, the others looked up
                figures = [figure._replace(folded=place >= OPEN) for place, figure in enumerate(figures)]
            tables = [
                replace(table, folded=table.folded or (len(section.tables) > OPEN and place >= OPEN))
                for place, table in enumerate(section.tables)
            ]
            part = page.part(source, figures, tables, section.text)
            found.setdefault(section.anchor, (section.heading, []))[1].append(part)
    return [(anchor, heading, parts) for anchor, (heading, parts) in found.items()]


@contextmanager
def known_to(contents: Contents) -> Iterator[None]:
    """What sections don't find in the results of an analysis was made by another version of it: a `UserError`."""
    try:
        yield
    except KeyError as err:
        raise UserError(
            f"{contents.study.analysis_path(contents.survey)}: nothing of {err}; made by another version.",
            f"Run: parlai spotbot_analyze --study {contents.study.path} --survey {contents.survey}",
        ) from err


def unknown(page: Page) -> list[Part]:
    """What there is of a survey that this report has no figures for."""
    parts = []
    for source in page.contents.sources:
        found = [stem for stem, by_source in page.contents.analysis.items() if source in by_source]
        text = [f"{page.contents.annotations(source)} annotations."]
        if found:
            text.append(f"Analysed: {', '.join(found)}. The results are in {where(page.contents)}, as JSON.")
        else:
            text.append("No statistics are known for this survey, so there is nothing to draw.")
        parts.append(page.part(source, [], [], text))
    return parts


def where(contents: Contents) -> str:
    """The folder of the analysis, within the study."""
    return contents.study.analysis_path(contents.survey).relative_to(contents.study.path).as_posix()
