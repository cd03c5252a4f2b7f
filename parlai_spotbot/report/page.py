"""Puts the page together from contents, figures and tables, and writes it: the same study gives the same bytes.

Text of conversations, contestants and annotators is data: the templates escape everything, and the page's own policy
forbids any request and any script but the one that sorts and copies tables, which it knows by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from parlai_spotbot import files
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import (
    figures,
    order_rows,
    people,
    people_rows,
    rows,
    stability,
    survival,
    survival_rows,
    words,
)
from parlai_spotbot.report.contents import Contents, read_contents
from parlai_spotbot.report.drawing import PALETTE, Look, looks
from parlai_spotbot.report.examples import examples
from parlai_spotbot.study import Study

TEMPLATES = Path(__file__).parent / "templates"

CAUTION = "automatic judge — no substitute for people"

PARALLEL = (
    "A check of the regression's assumption: where hazards are proportional these lines run parallel, but for chance. "
    "People are among them."
)

ANNOTATORS = (
    "A mark an annotator, marked as in the table, hollow where flagged, with 95 % intervals; the diamond is all of "
    "them together. Higher: tells bots from people better; further right: slower to say bot."
)

NONE = {
    "judges": "No judge has left an account of itself.",
    "time": "No times are known.",
    "stability": stability.COMMAND,
}
"""What a section says that has nothing to show."""

VARIANTS = "A judge's annotators are its variants: how they agree says nothing of how people would."

TITLES = {"spot_the_bot": "Spot The Bot"}


@dataclass(frozen=True)
class Part:
    """What one source has to say in one section.

    `figures` are drawings with captions and, where there is one, the sentence that says it to everybody; `text` is a
    sentence or two.
    """

    source: str
    title: str
    caution: str
    figures: list[tuple[Markup, str, str]] = field(default_factory=list)
    tables: list[rows.Table] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    orders: list[tuple[str, list[rows.Name]]] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.figures or self.tables or self.text)


class Page:
    """What the template shows, section by section; each method returns one `Part` a source, people first."""

    def __init__(self, contents: Contents):
        self.contents = contents
        self.bots = contents.bots
        self.looks: dict[str, Look] = looks(self.bots)

    def ranked(self, source: str) -> list[str]:
        """The bots best first, as this source ranks them; those it doesn't rank are left out."""
        return self.contents.of("ranking", source).get("order") or self.bots

    def _part(self, source: str, drawings: list, tables: list, text: list | None = None, orders=()) -> Part:
        # A sentence whose figure can't be drawn is said all the same.
        lost = [sentence for drawing, _, *plain in drawings if drawing is None for sentence in plain]
        return Part(
            source=source,
            title=said(source),
            caution="" if source == HUMAN else CAUTION,
            figures=[
                (drawing, caption, *plain, "")[:3] for drawing, caption, *plain in drawings if drawing is not None
            ],
            tables=[table for table in tables if table is not None],
            text=[t for t in [*lost, *(text or [])] if t],
            orders=list(orders),
        )

    def _id(self, stem: str, source: str) -> tuple[str, str]:
        """The figure's name (prefix of its ids) and the caution written into it."""
        return f"{stem}{self.contents.sources.index(source)}", "" if source == HUMAN else CAUTION

    def ranking(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own = self.contents.of("ranking", source)
            drawing = figures.ranking(own, self.looks, *self._id("ranking", source))
            caption = (
                "Left: the ranks that each bot takes (bar) and its place by TrueSkill (mark); bots on one band share a "
                "cluster. Right: share taken for human with 95 % interval; dashed and shaded: people."
            )
            sentence, orders = rows.orders(own)
            text = [own.get("why"), rows.verdict(own), sentence]
            parts.append(self._part(source, [(drawing, caption, words.leader(own))], [rows.ranking(own)], text, orders))
        return parts

    def wins(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own = self.contents.of("ranking", source)
            drawing = figures.win_matrix(own, *self._id("wins", source))
            caption = (
                "Share of decided matches that the bot of the row wins against the bot of the column; below it "
                "wins–losses–ties. Blue above one half, orange below; the stronger, the further from it. Intervals "
                "are in the table. The ranking draws on all matches, so it may tell apart two bots that their own "
                "matches alone don't."
            )
            parts.append(self._part(source, [(drawing, caption, words.wins(own))], [rows.pairs(own)]))
        return parts

    def survival(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own = self.contents.of("survival", source)
            curves = survival.curves(own, self.looks, *self._id("survival", source))
            forest = survival.forest(own, self.looks, *self._id("effects", source))
            caption = (
                "Share not spotted as a bot, by the exchanges shown. Dashed and shaded: people, the reference, which "
                "a bot may pass. Bars are 95 % intervals that belong to the length at which the step stands, set "
                f"apart to be seen. Between lengths nothing is known. {survival_rows.made(own)}"
            )
            _, model = survival.better(own)
            association = (
                "Being favoured in a feature and being spotted, with 95 % intervals. "
                f"{survival_rows.EXPLAINED[model]}. Arrows: beyond the axis, or infinite if hollow. An association, "
                "not a cause: features are asked after the verdict and against the opponent, so who was taken for "
                "human may be favoured for it (halo)."
            )
            plain = " ".join(own[key] for key in ("sentence", "pairs_sentence") if own.get(key))
            parallel = survival.proportionality(own, self.looks, *self._id("parallel", source))
            drawings = [
                (curves, caption, plain),
                (forest, association, own.get("cox_sentence", "")),
                (parallel, PARALLEL, (own.get("proportionality") or {}).get("sentence", "")),
            ]
            makers = (survival_rows.in_words, survival_rows.curves, survival_rows.logrank, survival_rows.effects)
            parts.append(self._part(source, drawings, [make(own) for make in makers]))
        return parts

    def features(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own, bots = self.contents.analysis.get("features", {}).get(source, {}), self.ranked(source)
            drawing = figures.features(own, bots, self.looks, *self._id("features", source))
            caption = "Win rate by feature with 95 % interval; at the line both are favoured alike. Ties are left out."
            drawings = [(drawing, caption, words.features(own))]
            parts.append(self._part(source, drawings, [rows.features(own, bots)]))
        return parts

    def segments(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own, bots = self.contents.of("segments", source), self.ranked(source)
            drawing = figures.segments(own, bots, self.looks, *self._id("segments", source))
            caption = (
                "Win rate and share taken for human by the exchanges shown; counts are in the table, no intervals of "
                "single points. The intervals of the sentence are those of independent answers, widened by as much as "
                "the ranking's bootstrap widens them."
            )
            plain = words.segments(own, self.contents.of("ranking", source))
            parts.append(self._part(source, [(drawing, caption, plain)], [rows.segments(own, bots)]))
        return parts

    def agreement(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own, bots = self.contents.of("agreement", source), self.ranked(source)
            drawing = people.agreement(own, bots, self.looks, *self._id("agreement", source))
            caption = (
                "Left: Krippendorff's alpha with 95 % interval. Right: of the times that one annotator called it human "
                "(H), bot (B) or unsure (U), how often a second one did too; without intervals, the counts are in the "
                "table."
            )
            length = (own.get("krippendorff_alpha_by_length") or {}).get("nature", {}).get("test", {})
            who = "Annotators" if source == HUMAN else "The judge's variants"
            plain = " ".join(t for t in (words.agreement(own, who), words.alike(own)) if t)
            tables = [people_rows.alphas(own), people_rows.both_given_one(own, bots), people_rows.alike(own)]
            text = [length.get("sentence")]
            if source != HUMAN and any(tables):
                text.append(VARIANTS)
            parts.append(self._part(source, [(drawing, caption, plain)], tables, text))
        return parts

    def annotators(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own = self.contents.of("annotators", source)
            named = {w: name for (s, w), name in self.contents.annotators.items() if s == source}
            numbers = {w: name.removeprefix("annotator ") for w, name in named.items()}
            drawing = people.annotators(own, numbers, *self._id("annotators", source))
            effects = own.get("worker_effects") or {}
            pooled = (own.get("pooled") or {}).get("sentence", "")
            text = [people_rows.without_sentence(own), effects.get("sentence")]
            if own.get("annotators") and drawing is None:
                text.append("Nobody judged both bots and people, so nothing is known of sensitivity and bias.")
            if effects.get("why") and source == HUMAN:
                text.append(f"No ranking with annotators' effects: {effects['why']}.")
            tables = [
                people_rows.annotators(own, named, source == HUMAN),
                people_rows.without(own),
                people_rows.worker_effects(own),
            ]
            parts.append(self._part(source, [(drawing, ANNOTATORS, pooled)], tables, text))
        return parts

    def time(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own = self.contents.of("time", source)
            drawing = people.seconds(own, *self._id("time", source))
            caption = (
                "Thick: the middle half of the annotations; thin: nine tenths of them. Marks: the median with its 95 % "
                "interval. The scale is logarithmic."
            )
            text = [(own.get("effort") or {}).get("sentence")]
            tables = [people_rows.time_by_length(own)]
            parts.append(self._part(source, [(drawing, caption, words.time(own))], tables, text))
        return parts

    def order(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own = self.contents.of("order", source)
            tables = [order_rows.position(own), order_rows.balance(own), *order_rows.presentation(own)]
            overlap = own.get("training_overlap") or {}
            text = [order_rows.sentence(own), order_rows.repeated(own), overlap.get("sentence", "")]
            parts.append(self._part(source, [], [*tables, order_rows.texts(own)], text))
        return parts

    def stability(self) -> list[Part]:
        parts = []
        for source in self.contents.sources:
            own = self.contents.of("stability", source)
            drawing = stability.curves(own, self.looks, *self._id("stability", source))
            caption = stability.CAPTION + (f" {stability.PAPER}" if own.get("paper") else "")
            drawings = [(drawing, caption, stability.sentences(own))]
            tables = [stability.table(own), stability.sizes(own)]
            parts.append(self._part(source, drawings, tables, [own.get("outdated", "")]))
        return parts

    def judges(self) -> list[Part]:
        parts = []
        for source, judge in self.contents.judges.items():
            tables = [rows.confusion(variant, f"Variant {name}") for name, variant in judge["variants"].items()]
            about = {name: variant.get("description") for name, variant in judge["variants"].items()}
            text = [f"Variant {name}: {description}" for name, description in about.items() if description]
            parts.append(self._part(source, [], tables, [*text, judge.get("rule")]))
        return parts

    def counts(self) -> list[tuple[str, str]]:
        """The tiles of the first screen: what there is, and how much of it."""
        people = sum(all(c.is_human) for c in self.contents.conversations)
        total = len(self.contents.conversations)
        tiles = [(str(total - people), "conversations of bots"), (str(people), "conversations of people")]
        tiles.append((str(self.contents.units), "units (sittings of one annotator)"))
        for source in self.contents.sources:
            workers = sum(s == source for s, _ in self.contents.annotators)
            whose = f"people ({workers})" if source == HUMAN else f"{said(source, inline=True)} ({workers} variants)"
            tiles.append((str(self.contents.annotations(source)), f"annotations by {whose}"))
        tiles.append((str(len(self.contents.judgements)), "judgements in all"))
        return tiles

    def missing(self) -> list[str]:
        """What has not been made yet or is out of date, with the command that makes it."""
        notes = []
        if not self.contents.units:
            notes.append("There are no units yet. Run: parlai spotbot_pack --study DIR")
        if not self.contents.judgements:
            notes.append(
                "There are no judgements yet. Let people answer the units, or for a quick look an automatic judge: "
                "parlai spotbot_judge --study DIR"
            )
        elif not self.contents.analysis:
            notes.append("The judgements are not analysed yet. Run: parlai spotbot_analyze --study DIR")
        for source in self.contents.outdated():
            notes.append(
                f"The judgements of {said(source, inline=True)} are not those that were analysed. "
                "Run: parlai spotbot_analyze --study DIR"
            )
        if self.contents.judgements and HUMAN not in self.contents.sources:
            notes.append(
                "No person has judged anything here: all verdicts below are an automatic judge's, for a quick look."
            )
        return notes


def said(source: str, inline: bool = False) -> str:
    """A source in words."""
    if source == HUMAN:
        return "people" if inline else "People"
    name = source.removeprefix("judge:")
    return f"judge {name}" if inline else f"Judge {name}"


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


def _context(page: Page, contents: Contents) -> dict[str, Any]:
    plan = contents.study.plan
    return {
        "title": TITLES.get(contents.survey, contents.survey),
        "plan": plan,
        "pairs": len(plan.all_pairs()),
        "palette": list(enumerate(PALETTE)),
        "looks": page.looks,
        "human": HUMAN,
        "caution": CAUTION,
        "counts": page.counts(),
        "missing": page.missing(),
        "sections": [
            ("wins", "Wins", page.wins()),
            ("survival", "Survival", page.survival()),
            ("features", "Features", page.features()),
            ("segments", "Segments", page.segments()),
            ("agreement", "Agreement", page.agreement()),
            ("annotators", "Annotators", page.annotators()),
            ("time", "Time", page.time()),
            ("order", "Place and texts", page.order()),
            ("stability", "Stability", page.stability()),
            ("judges", "Judges", page.judges()),
        ],
        "ranking": page.ranking(),
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
