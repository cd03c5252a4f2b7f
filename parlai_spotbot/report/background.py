"""The sections of what stands behind the verdicts: annotators, agreement, time, order, stability (paper,
section 5 and appendix G)."""

from __future__ import annotations

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import game as playing
from parlai_spotbot.report import order_rows, people, people_rows, words
from parlai_spotbot.report import stability as repeatable
from parlai_spotbot.report.parts import Page, Part

ANNOTATORS = (
    "A mark an annotator, marked as in the table, hollow where flagged, with 95 % intervals; the diamond is all of "
    "them together. Higher: tells bots from people better; further right: slower to say bot."
)

VARIANTS = "A judge's annotators are its variants: how they agree says nothing of how people would."


def agreement(page: Page) -> list[Part]:
    """How far annotators agree; a judge's variants with each other."""
    parts = []
    for source in page.contents.sources:
        own, bots = page.contents.of("agreement", source), page.ranked(source)
        drawing = people.agreement(own, bots, page.looks, *page.id("agreement", source))
        caption = (
            "Left: Krippendorff's alpha with 95 % interval. Right: of the times that one annotator called it human "
            "(H), bot (B) or unsure (U), how often a second one did too; without intervals, the counts are in the "
            "table."
        )
        length = (own.get("krippendorff_alpha_by_length") or {}).get("nature", {}).get("test", {})
        who = "Annotators" if source == HUMAN else "The judge's variants"
        plain = " ".join(t for t in (words.agreement(own, who), words.alike(own)) if t)
        tables = [people_rows.alphas(own), people_rows.both_given_one(own, bots), people_rows.alike(own)]
        compared = length.get("sentence") if length.get("p") is not None else ""
        text = [compared]
        if source != HUMAN and any(tables):
            text.append(VARIANTS)
        parts.append(page.part(source, [(drawing, caption, plain)], tables, text))
    return parts


def annotators(page: Page) -> list[Part]:
    """How well each annotator tells bots from people, and results without some of them."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("annotators", source)
        named, numbers = _called(page, source)
        drawing = people.annotators(own, numbers, *page.id("annotators", source))
        effects = own.get("worker_effects") or {}
        pooled = (own.get("pooled") or {}).get("sentence", "")
        text = []
        controls = own.get("controls") or {}
        if controls.get("answered"):
            text.append(controls["sentence"])
        if "with_everybody" in own:
            text.append(own["with_everybody"]["sentence"])
        if own.get("annotators") and drawing is None:
            text.append("Nobody judged both bots and people, so nothing is known of sensitivity and bias.")
        if effects.get("why") and source == HUMAN:
            text.append(f"No ranking with annotators' effects: {effects['why']}.")
        tables = [
            people_rows.annotators(own, named, source == HUMAN),
            people_rows.without(own),
            people_rows.worker_effects(own),
        ]
        parts.append(page.part(source, [(drawing, ANNOTATORS, pooled)], tables, text))
    return parts


def _called(page: Page, source: str) -> tuple[dict[str, str], dict[str, str]]:
    """What the annotators of a source are called, in words and by number alone."""
    named = {w: name for (s, w), name in page.contents.annotators.items() if s == source}
    return named, {w: name.removeprefix("annotator ") for w, name in named.items()}


def game(page: Page) -> list[Part]:
    """Who plays how, who leads, and what is left without those whose habits defeat the game."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("game", source)
        named, numbers = _called(page, source)
        drawing = playing.habits(own, numbers, *page.id("game", source))
        stopping = [(own.get(key) or {}).get("sentence") for key in ("depends", "test")]
        text = [*stopping, playing.bonus_sentence(own, named)]
        tables = [
            playing.leaderboard(own, named),
            playing.habits_table(own, named),
            playing.without(own),
            playing.opened(own),
        ]
        drawings = [(drawing, playing.CAPTION, own.get("habits_sentence", ""))]
        parts.append(page.part(source, drawings, tables, text))
    return parts


def time(page: Page) -> list[Part]:
    """How long annotations took."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("time", source)
        drawing = people.seconds(own, *page.id("time", source))
        caption = (
            "Thick: the middle half of the annotations; thin: nine tenths of them. Marks: the median with its 95 % "
            "interval. The scale is logarithmic."
        )
        text = [(own.get("effort") or {}).get("sentence")]
        tables = [people_rows.time_by_length(own)]
        parts.append(page.part(source, [(drawing, caption, words.time(own))], tables, text))
    return parts


def order(page: Page) -> list[Part]:
    """What else verdicts rest on: place, order, presentation, texts."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("order", source)
        tables = [order_rows.position(own), order_rows.balance(own), *order_rows.presentation(own)]
        overlap = own.get("training_overlap") or {}
        text = [overlap.get("sentence", "")]
        parts.append(page.part(source, [], [*tables, order_rows.texts(own)], text))
    return parts


def stability(page: Page) -> list[Part]:
    """How many conversations make the ranking repeatable."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("stability", source)
        drawing = repeatable.curves(own, page.looks, *page.id("stability", source))
        caption = repeatable.CAPTION + (f" {repeatable.PAPER}" if own.get("paper") else "")
        drawings = [(drawing, caption, repeatable.sentences(own))]
        tables = [repeatable.table(own), repeatable.sizes(own)]
        parts.append(page.part(source, drawings, tables, [own.get("outdated", "")]))
    return parts
