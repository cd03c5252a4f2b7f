"""Puts the page together from contents, figures and tables, and writes it: the same study gives the same bytes.

Text of conversations, contestants and annotators is data: the templates escape everything, and the page's own policy
forbids any request and any script but the one that sorts and copies tables, which it knows by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from parlai_spotbot import files
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import background, hygiene, rows, stability, verdicts
from parlai_spotbot.report.contents import Contents, read_contents
from parlai_spotbot.report.drawing import PALETTE
from parlai_spotbot.report.examples import examples
from parlai_spotbot.report.parts import CAUTION, Page, Part, said
from parlai_spotbot.study import Study

TEMPLATES = Path(__file__).parent / "templates"

NONE = {
    "judges": "No judge has left an account of itself.",
    "time": "No times are known.",
    "stability": stability.COMMAND,
    "game": "Nobody has played it yet; a judge can't.",
}
"""What a section says that has nothing to show."""

TITLES = {"spot_the_bot": "Spot The Bot", "spot_the_bot_game": "Spot The Bot, the game"}

GAMES = ("spot_the_bot_game",)
"""Surveys in which annotators open the dialogue themselves."""


DEFAULT = "spot_the_bot"


def counts(contents: Contents) -> list[tuple[str, str]]:
    """The tiles of the first screen: what there is, and how much of it."""
    people = sum(all(c.is_human) for c in contents.conversations)
    total = len(contents.conversations)
    tiles = [(str(total - people), "conversations of bots"), (str(people), "conversations of people")]
    tiles.append((str(contents.units), "units (sittings of one annotator)"))
    for source in contents.sources:
        workers = sum(s == source for s, _ in contents.annotators)
        whose = f"people ({workers})" if source == HUMAN else f"{said(source, inline=True)} ({workers} variants)"
        tiles.append((str(contents.annotations(source)), f"annotations by {whose}"))
    tiles.append((str(len(contents.judgements)), "judgements in all"))
    return tiles


def missing(contents: Contents) -> list[str]:
    """What has not been made yet or is out of date, with the command that makes it."""
    notes = []
    study = "--study DIR" if contents.survey == DEFAULT else f"--study DIR --survey {contents.survey}"
    if not contents.units:
        notes.append(f"There are no units yet. Run: parlai spotbot_pack {study}")
    if not contents.judgements:
        notes.append(
            "There are no judgements yet. Let people answer the units, or for a quick look an automatic judge: "
            f"parlai spotbot_judge {study}"
        )
    elif not contents.analysis:
        notes.append(f"The judgements are not analysed yet. Run: parlai spotbot_analyze {study}")
    for source in contents.outdated():
        notes.append(
            f"The judgements of {said(source, inline=True)} are not those that were analysed. "
            f"Run: parlai spotbot_analyze {study}"
        )
    if contents.judgements and HUMAN not in contents.sources:
        notes.append(
            "No person has judged anything here: all verdicts below are an automatic judge's, for a quick look."
        )
    return notes


def environment() -> Environment:
    """Templates that escape everything they are given."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["said"] = said
    env.tests["name"] = lambda value: isinstance(value, rows.Name)
    return env


def render(contents: Contents) -> str:
    """The page as text."""
    page = Page(contents)
    script = (TEMPLATES / "tables.js").read_text(encoding="utf-8")
    own = {"script": Markup(script), "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}
    return environment().get_template("page.html").render(**own, **_context(page, contents))


def sections(page: Page) -> list[tuple[str, str, list[Part]]]:
    """The sections after the ranking: anchor, heading, parts. A game has a section of its own, and no segments."""
    played = page.contents.survey in GAMES
    found = [
        ("wins", "Wins", verdicts.wins),
        ("survival", "Survival", verdicts.survival),
        ("features", "Features", verdicts.features),
        ("game", "Game", background.game) if played else ("segments", "Segments", verdicts.segments),
        ("agreement", "Agreement", background.agreement),
        ("annotators", "Annotators", background.annotators),
        ("time", "Time", background.time),
        ("order", "Place and texts", background.order),
        ("hygiene", "Hygiene", hygiene.section),
        ("stability", "Stability", background.stability),
        ("judges", "Judges", background.judges),
    ]
    return [(anchor, heading, section(page)) for anchor, heading, section in found]


def _context(page: Page, contents: Contents) -> dict[str, Any]:
    plan = contents.study.plan
    return {
        "title": TITLES.get(contents.survey, contents.survey),
        "plan": plan,
        "played": contents.survey in GAMES,
        "pairs": len(plan.all_pairs()),
        "palette": list(enumerate(PALETTE)),
        "looks": page.looks,
        "human": HUMAN,
        "caution": CAUTION,
        "counts": counts(contents),
        "missing": missing(contents),
        "sections": sections(page),
        "ranking": verdicts.ranking(page),
        "unmade": NONE,
        "examples": examples(contents),
        "failures": rows.failures(contents.failures, {c.conversation_id for c in contents.conversations}),
        "made_by": contents.made_by.get("ranking"),
        "provenance": contents.study.provenance(),
        "extensions": contents.study.extensions,
        "judge_files": contents.judges,
    }


def build_report(study: Study, survey: str = "spot_the_bot") -> Path:
    """Write the report of `survey` to ``report/index.html`` and return its path.

    Whatever has not been made yet (units, judgements, analysis) is said on the page with the command that makes it.

    Raises
    ------
    UserError
        Where the study has no such survey, or one of its files is malformed.
    """
    text = render(read_contents(study, survey))
    # A lone surrogate in a conversation is no text that a file can hold.
    files.write_text(study.report_path, text.encode("utf-8", "replace").decode("utf-8"))
    return study.report_path
