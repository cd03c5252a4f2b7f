"""The sections of the verdicts: ranking, wins, survival, features, segments (paper, section 4)."""

from __future__ import annotations

from parlai_spotbot.report import figures, game, rows, survival_rows, words
from parlai_spotbot.report import survival as drawings_of
from parlai_spotbot.report.parts import Page, Part

PARALLEL = (
    "A check of the regression's assumption: where hazards are proportional these lines run parallel, but for chance. "
    "People are among them."
)


def ranking(page: Page) -> list[Part]:
    """Who ranks where, and how many take each bot for human."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("ranking", source)
        drawing = figures.ranking(own, page.looks, *page.id("ranking", source))
        caption = (
            "Left: the places that each bot may take (bar), from one more than are surely better to as many as aren't "
            "surely worse, and the one in order of strength (mark). Right: share taken for human with 95 % interval; "
            "dashed and shaded: people."
        )
        sentence, orders = rows.orders(own)
        text = [own.get("why"), rows.verdict(own), sentence]
        parts.append(page.part(source, [(drawing, caption, words.leader(own))], [rows.ranking(own)], text, orders))
    return parts


def wins(page: Page) -> list[Part]:
    """Every two bots: who wins how often."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("ranking", source)
        drawing = figures.win_matrix(own, *page.id("wins", source))
        caption = (
            "Share of decided matches that the bot of the row wins against the bot of the column; below it "
            "wins–losses–ties. Blue above one half, orange below; the stronger, the further from it. Intervals "
            "are in the table. The ranking draws on all matches, so it may tell apart two bots that their own "
            "matches alone don't."
        )
        parts.append(page.part(source, [(drawing, caption, words.wins(own))], [rows.pairs(own)]))
    return parts


def survival(page: Page) -> list[Part]:
    """How long each passes, and what features go with it."""
    parts = []
    for source in page.contents.sources:
        own = page.contents.of("survival", source)
        curves = drawings_of.curves(own, page.looks, *page.id("survival", source))
        forest = drawings_of.forest(own, page.looks, *page.id("effects", source))
        caption = (
            "Share not spotted as a bot, by the exchanges shown. Dashed and shaded: people, the reference, which "
            "a bot may pass. Bars are 95 % intervals that belong to the length at which the step stands, set "
            f"apart to be seen. Between lengths nothing is known. {survival_rows.made(own)}"
        )
        _, model = drawings_of.better(own)
        association = (
            "Being favoured in a feature and being spotted, with 95 % intervals. "
            f"{survival_rows.EXPLAINED[model]}. Arrows: beyond the axis, or infinite if hollow. An association, "
            "not a cause: features are asked after the verdict and against the opponent, so who was taken for "
            "human may be favoured for it (halo)."
        )
        plain = " ".join(own[key] for key in ("sentence", "pairs_sentence") if own.get(key))
        parallel = drawings_of.proportionality(own, page.looks, *page.id("parallel", source))
        drawings = [
            (curves, caption, plain),
            (forest, association, own.get("cox_sentence", "")),
            (parallel, PARALLEL, (own.get("proportionality") or {}).get("sentence", "")),
        ]
        makers = (survival_rows.in_words, survival_rows.curves, survival_rows.logrank, survival_rows.effects)
        tables = [*(make(own) for make in makers), game.bounds(own)]
        parts.append(page.part(source, drawings, tables, [own.get("warning"), own.get("bounds_sentence")]))
    return parts


def features(page: Page) -> list[Part]:
    """Win rates by feature."""
    parts = []
    for source in page.contents.sources:
        own, bots = page.contents.analysis.get("features", {}).get(source, {}), page.ranked(source)
        drawing = figures.features(own, bots, page.looks, *page.id("features", source))
        caption = "Win rate by feature with 95 % interval; at the line both are favoured alike. Ties are left out."
        drawings = [(drawing, caption, words.features(own))]
        parts.append(page.part(source, drawings, [rows.features(own, bots)]))
    return parts


def segments(page: Page) -> list[Part]:
    """Win rates and labels by the exchanges shown."""
    parts = []
    for source in page.contents.sources:
        own, bots = page.contents.of("segments", source), page.ranked(source)
        drawing = figures.segments(own, bots, page.looks, *page.id("segments", source))
        caption = (
            "Win rate and share taken for human by the exchanges shown, with the 95 % intervals of the ranking's "
            "bootstrap, set apart sideways to be seen; dashed: people. The interval in the sentence is one of "
            "independent answers, widened by as much as that bootstrap widens the shares over all lengths."
        )
        plain = words.segments(own, page.contents.of("ranking", source))
        parts.append(page.part(source, [(drawing, caption, plain)], [rows.segments(own, bots)]))
    return parts
