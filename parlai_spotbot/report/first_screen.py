"""What a reader sees first of a survey: who ranks where by each source, how sure that is, and what would settle it.

The rest of the page explains it. Bars are drawn by the page itself, so that they are text to a screen reader.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import rows
from parlai_spotbot.report.contents import DEFAULT, Contents
from parlai_spotbot.report.needs import Needs, needs
from parlai_spotbot.report.parts import CAUTION, Page, said
from parlai_spotbot.wording import NAMED, between, listed, number, percent, span

ALPHA = 0.05
FEW = 6
"""A judge's table of more criteria starts folded."""


@dataclass(frozen=True)
class Bar:
    """A value with its interval on a scale from 0 to 100 (percent of the bar's width), and as text."""

    at: float
    low: float
    high: float
    said: str


@dataclass(frozen=True)
class Card:
    """One source's ranking: `clusters` are (places, [(bot, range of ranks, bars)]), `scales` name the bars.

    `people` is where people stand on the last bar (percent of its width), `people_said` the same as text. A survey
    that has an order by each of its criteria only has a `table` of them in place of clusters.
    """

    source: str
    title: str
    caution: str
    scales: tuple[str, ...]
    clusters: list[tuple[str, list[tuple[Name, str, list[Bar | None]]]]]
    people: float | None = None
    people_said: str = ""
    text: list[str] = field(default_factory=list)
    folded: bool = False
    table: Table | None = None


@dataclass(frozen=True)
class First:
    """The first screen of a survey: `counts` are tiles, `missing` notes on what is to be made yet."""

    counts: list[tuple[str, str]]
    missing: list[str]
    cards: list[Card]
    needs: Needs


def first_screen(page: Page) -> First:
    """Everything a reader should see before scrolling."""
    contents = page.contents
    cards = [found for source in contents.sources if (found := card(page, source)) is not None]
    return First(counts(contents), missing(contents), cards, needs(contents))


def card(page: Page, source: str) -> Card | None:
    """The ranking of one source in clusters, whatever the survey; nothing where there is none."""
    own = page.contents.of("ranking", source)
    order = own.get("order")
    if not order:
        return apart(source, own) if own.get("criteria") else None
    spotting = "win_rate" in own
    values = _spotting(own) if spotting else _scores(own)
    clusters: list[tuple[tuple[int, int], list]] = []
    for bot in order:
        ranks = span(own["ranges"][bot]) if bot in own.get("ranges", {}) else ""
        bars = [values[scale].get(bot) for scale in values]
        if not clusters or clusters[-1][0] != tuple(own["clusters"][bot]):
            clusters.append((tuple(own["clusters"][bot]), []))
        clusters[-1][1].append((Name(bot), ranks, bars))
    people = own.get("human_reference") or {}
    share = people.get("human_share")
    text = [rows.verdict(own), rows.orders(own)[0]] if spotting else [_led(own)]
    notes = [f"Note: {own['why']}."] if own.get("why") and not spotting else []
    judges = [s for s in page.contents.sources if s != HUMAN]
    return Card(
        source, said(source), "" if source == HUMAN else CAUTION, tuple(values),
        [(span(places), members) for places, members in clusters],
        None if share is None else 100 * share,
        "" if share is None else f"People are taken for human in {percent(share)}{between(people.get('ci'))}.",
        [*(sentence for sentence in text if sentence), *notes],
        folded=source != HUMAN and (len(judges) > 2 or len(order) > 12),
    )  # fmt: skip


def apart(source: str, own: dict) -> Card | None:
    """Where there is no overall order: who shows least and most of each criterion, and how many pairs differ."""
    lines = []
    for criterion, found in own["criteria"].items():
        scores = {bot: x for bot, x in found["score"].items() if x is not None}
        if not scores:
            continue
        low, high = min(scores, key=scores.__getitem__), max(scores, key=scores.__getitem__)
        tested = [pair["p_adjusted"] for pair in found["pairs"] if pair["p_adjusted"] is not None]
        ends = [f"{percent(scores[bot])} ({'people' if bot == HUMAN else bot})" for bot in (low, high)]
        ends = ends if scores[low] < scores[high] else [f"{percent(scores[low])} (all)", ""]
        lines.append((criterion.replace("_", " "), *ends, f"{sum(p < ALPHA for p in tested)} of {len(tested)}"))
    if not lines:
        return None
    head = ("Behaviour", "Least", "Most", "Clear pairs")
    how = f"{own['criterion'].capitalize()}. Clear: p < 0.05, corrected over the pairs of a behaviour."
    return Card(
        source, said(source), "" if source == HUMAN else CAUTION, (), [], text=[own.get("why", "")],
        folded=source != HUMAN and len(lines) > FEW, table=Table("Behaviours", how, head, lines),
    )  # fmt: skip


def _spotting(own: dict) -> dict[str, dict[str, Bar]]:
    """What the rows are ordered by (points; in older analyses the win rate) and the share taken for human, from 0 to
    100 %."""
    if own.get("score"):
        found = {"Points (tie = ½)": (own["score"], own["score_ci"])}
    else:
        found = {"Win rate": (own["win_rate"], own["win_rate_ci"])}
    if any(share is not None for share in own.get("human_share", {}).values()):
        found["Taken for human"] = (own["human_share"], own.get("human_share_ci", {}))
    return {
        scale: {bot: _bar(value, cis.get(bot), 0.0, 1.0, percent) for bot, value in of.items() if value is not None}
        for scale, (of, cis) in found.items()
    }


def _scores(own: dict) -> dict[str, dict[str, Bar]]:
    """The scores that a survey ranks by: shares from 0 to 100 %, others over the range that they take."""
    scores = {bot: x for bot, x in (own.get("score") or {}).items() if x is not None}
    cis = own.get("score_ci") or {}
    ends = [x for bot in scores for x in (scores[bot], *(e for e in cis.get(bot) or [] if e is not None))]
    shares = all(0 <= x <= 1 for x in ends)
    low, high = (0.0, 1.0) if shares or not ends else (min(ends), max(ends))
    show = percent if shares else number
    return {"Score": {bot: _bar(x, cis.get(bot), low, high, show) for bot, x in scores.items()}}


def _bar(value: float, ci: list | None, low: float, high: float, show) -> Bar:
    def place(x: float) -> float:
        return round(100 * (x - low) / ((high - low) or 1), 1)

    known = ci if ci and None not in ci else [value, value]
    return Bar(place(value), place(known[0]), place(known[1]), show(value) + between(ci, show))


def _led(own: dict) -> str:
    best = [bot for bot in own["order"] if own["clusters"][bot][0] == 1]
    if len(best) == len(own["order"]) > 1:
        return "No contestant can be told apart from the others."
    named = ["people" if bot == HUMAN else bot for bot in best[:NAMED]]
    criterion = f" Ranked by {own['criterion']}." if own.get("criterion") else ""
    if len(best) == 1:
        text = f"{named[0]} {'are' if best[0] == HUMAN else 'is'} ahead of all others."
    else:
        text = f"{listed(named)} can't be told apart at the top."
    return text[:1].upper() + text[1:] + criterion if best[0] == HUMAN else text + criterion


def counts(contents: Contents) -> list[tuple[str, str]]:
    """The tiles: what there is, and how much of it."""
    if contents.counted:
        return _of_votes(contents)
    kinds = Counter(c.kind for c in contents.conversations)
    of_bots, mixed = kinds["pairs"] + kinds["self"], kinds["human_model"]
    selves = f", {kinds['self']:,} of them of a bot with itself" if kinds["self"] else ""
    tiles = [(f"{of_bots:,}", f"conversations of bots{selves}"), (f"{kinds['people']:,}", "conversations of people")]
    if mixed:
        tiles.append((f"{mixed:,}", "conversations of a bot with a person"))
    tiles.append((f"{contents.units:,}", "units (sittings of one annotator)"))
    for source in contents.sources:
        workers = sum(s == source for s, _ in contents.annotators)
        whose = f"people ({workers})" if source == HUMAN else f"{said(source, inline=True)} ({workers} variants)"
        tiles.append((f"{contents.annotations(source):,}", f"annotations by {whose}"))
    tiles.append((f"{len(contents.judgements):,}", "judgements in all"))
    return tiles


def _of_votes(contents: Contents) -> list[tuple[str, str]]:
    """The tiles of votes, which have no conversations."""
    tiles = [(f"{len(contents.bots):,}", "contestants")]
    for source, own in contents.analysis.get("votes", {}).items():
        known = own["annotators"]["count"]
        told = f" ({known:,} annotators)" if known and source == HUMAN else ""
        tiles.append((f"{own['n']:,}", f"votes by {said(source, inline=True)}{told}"))
        for what, words in (("tie", "of them ties"), ("both_bad", "of them for both bad")):
            tiles += [(f"{own['outcomes'][what]:,}", words)] if own["outcomes"][what] else []
    return tiles


def missing(contents: Contents) -> list[str]:
    """What has not been made yet or is out of date, with the command that makes it."""
    notes = []
    study = "--study DIR" if contents.survey == DEFAULT else f"--study DIR --survey {contents.survey}"
    if not contents.units:
        notes.append(f"There are no units yet. Run: parlai spotbot_pack {study}")
    if not contents.judged:
        notes.append(
            "There are no judgements yet. Let people answer the units, or for a quick look an automatic judge: "
            f"parlai spotbot_judge {study}"
        )
    elif not contents.analysis:
        notes.append(f"The judgements are not analysed yet. Run: parlai spotbot_analyze {study}")
    elif why := contents.outdated:
        notes.append(f"{why} Run: parlai spotbot_analyze {study}")
    if contents.sources and HUMAN not in contents.sources:
        notes.append(
            "No person has judged anything here: all verdicts below are an automatic judge's, for a quick look."
        )
    return notes
