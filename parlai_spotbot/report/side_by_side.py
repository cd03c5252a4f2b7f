"""Methods side by side: do they rank the contestants alike, which finds more for the same hours, what does one buy?

Made from the stored analyses when the page is made: it is quick, the same for the same files, and can't be older than
what it compares. People's answers are compared with people's, a judge's with its own under another method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parlai_spotbot.analysis.sections import Chart, Name, Table
from parlai_spotbot.analysis.side_by_side import (
    CHOICES,
    LEAST,
    Agreement,
    Buys,
    Found,
    Ranking,
    agreements,
    buys,
    common_hours,
    equal_cost,
    found_of,
)
from parlai_spotbot.analysis.values import generator
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import charts
from parlai_spotbot.report.blocks import TITLES
from parlai_spotbot.report.parts import Page, Part
from parlai_spotbot.wording import ends, interval, listed, number, p_value, percent, plainly

if TYPE_CHECKING:
    from parlai_spotbot.report.studies.standings import Standing

SEED = 0
SHORT = {
    "spot_the_bot_game": "the game",
    "comparative": "Comparative",
    "dialogue_likert": "Dialogue Likert",
    "turn_likert": "Turn Likert",
    "abc_eval": "ABC-Eval",
}

Standings = dict[str, list["Standing"]]


def section(page: Page) -> list[Part]:
    """One part a source that answered two surveys or more; nothing for a study of one survey."""
    by: dict[str, dict[str, Page]] = {}
    for own in page.pages:
        for source in own.contents.sources:
            if own.contents.of("ranking", source).get("order"):
                by.setdefault(source, {})[own.contents.survey] = own
    parts = [_part(page, source, pages) for source, pages in by.items() if len(pages) > 1]
    return sorted(parts, key=lambda part: (part.source != HUMAN, part.source))


def title(survey: str) -> str:
    """What a method is called, shorter than in a heading."""
    return SHORT.get(survey) or TITLES.get(survey) or plainly(survey).capitalize()


def _part(page: Page, source: str, pages: dict[str, Page]) -> Part:
    from parlai_spotbot.report.studies.standings import standings  # its room builds pages, as this one is part of

    own = {name: [s for s in standings(other.contents) if s.source == source] for name, other in pages.items()}
    found = agreements(_rankings(own), rng=generator(SEED, source, "methods"))
    text, drawn, tables = [], [], []
    for make in (_ranks, _places):
        chart = make(own, found)
        drawn += [chart] if chart else []
    tables += _agreement_table(own, found)
    said, more, last = _cost(source, pages)
    text += _differently(own, found) + said
    return page.part(source, [charts.figure(page, source, chart) for chart in drawn + more], tables + last, text)


def _rankings(own: Standings) -> list[Ranking]:
    return [
        Ranking(survey, standing.criterion, standing.order, standing.scores)
        for survey, found in own.items() for standing in found
    ]  # fmt: skip


def _differently(own: Standings, found: Sequence[Agreement]) -> list[str]:
    """What each method ranks by, and what can't be compared."""
    by: dict[str, list[str]] = {}
    for survey, standing in own.items():
        by.setdefault(standing[0].what, []).append(title(survey))
    asked = [f"{listed(names)} by {what}" for what, names in by.items()]
    text = [f"Each method ranks by its main question: {'; '.join(asked)}."]
    if not found:
        text.append(f"No two methods share {LEAST} contestants, so their orders can't be compared.")
    return text


def _main(found: Sequence[Agreement]) -> list[Agreement]:
    return [row for row in found if row.criterion == ""]


def _ranks(own: Standings, found: Sequence[Agreement]) -> Chart | None:
    """Every method against every other one: Kendall's tau-b of their main orders."""
    found = _main(found)
    names = [name for name in own if any(name in (row.first, row.second) for row in found)]
    if not names:
        return None
    cell = {(row.first, row.second): row.found for row in found} | {(r.second, r.first): r.found for r in found}
    values, texts = [], []
    for a in names:
        line = [cell.get((a, b)) for b in names]
        values.append([None if c is None or not np.isfinite(c.tau) else (c.tau + 1) / 2 for c in line])
        texts.append(["" if c is None else _tau(c.tau, c.tau_ci, "\n") for c in line])
    return Chart(
        "methods_ranks", "grid", "Do the methods rank alike?",
        "Kendall's tau-b of two methods' orders of the contestants that both judged: 1 is the same order, −1 the "
        "reverse, 0 no connection. Below it the 95 % interval, or – where none can be had.",
        {"rows": [title(name) for name in names], "columns": [title(name) for name in names], "values": values,
         "texts": texts, "x": "", "y": ""},
        _alike(found),
        method="Intervals: both methods' scores are drawn anew around themselves by their standard errors, 2,000 "
        "times. Errors are taken as independent between methods; over the same conversations they go together a "
        "little, so intervals are rather too wide.",
    )  # fmt: skip


def _tau(tau: float, ci: tuple[float, float] | None, between: str = " ") -> str:
    if not np.isfinite(tau):
        return "–"
    return f"{number(tau)}{between}({ends(ci, number)})"


def _alike(found: Sequence[Agreement]) -> str:
    """Which two are most alike, which least, and whether any differ by more than chance."""
    known = sorted((row for row in found if np.isfinite(row.found.tau)), key=lambda row: -row.found.tau)
    if not known:
        return ""
    best, worst = known[0], known[-1]
    if worst.found.tau > 1 - 1e-9 and len(known) > 1:
        least = min(known, key=lambda row: row.found.tau_ci[0] if row.found.tau_ci else -1.0)
        text = f"All give the contestants that they share the same order (tau-b 1; {_both(least)} least surely, "
        return text + f"{_tau(least.found.tau, least.found.tau_ci)}, {len(least.names)} contestants)."
    text = (
        f"{_both(best)} rank {'most ' if len(known) > 1 else ''}alike: tau-b {_tau(best.found.tau, best.found.tau_ci)}"
    )
    text += f", {len(best.names)} contestants"
    if worst is not best:
        text += f"; least alike are {_both(worst)}: {_tau(worst.found.tau, worst.found.tau_ci)}"
    beyond = [row for row in known if row.p_adjusted < 0.05]
    if beyond:
        return f"{text}. By more than chance these orders differ: {listed([_both(row) for row in beyond])}."
    return f"{text}. No two orders differ by more than chance; that does not show that they are the same."


def _both(row: Agreement) -> str:
    return f"{title(row.first)} and {title(row.second)}"


def _places(own: Standings, found: Sequence[Agreement]) -> Chart | None:
    """The places of each contestant by each method."""
    main = {survey: of[0] for survey, of in own.items() if of}
    common = set.intersection(*(set(standing.order) for standing in main.values())) - {HUMAN}
    if len(common) < 2:
        return None
    places = {name: [_rank(standing, name, common) for standing in main.values()] for name in common}
    order = sorted(common, key=lambda name: (sum(places[name]), name))
    ends = [[_cluster(standing, name, common) for standing in main.values()] for name in order]
    texts = [
        [
            f"{place}" if low == high else f"{place} ({low}–{high})"
            for place, (low, high) in zip(places[name], own, strict=True)
        ]
        for name, own in zip(order, ends, strict=True)
    ]
    shade = [[1 - (place - 1) / (len(common) - 1) for place in places[name]] for name in order]
    firsts = {survey: next(n for n in standing.order if n in common) for survey, standing in main.items()}
    if len(set(firsts.values())) == 1:
        sentence = f"All {len(main)} methods put {next(iter(firsts.values()))} first."
    else:
        by = {name: [title(s) for s, n in firsts.items() if n == name] for name in dict.fromkeys(firsts.values())}
        sentence = f"First is {'; '.join(f'{name} by {listed(who)}' for name, who in by.items())}."
    return Chart(
        "methods_places", "grid", "Places by each method",
        "1 is the best place among the contestants that all methods judged; the best by all methods together stand "
        "first. In brackets the places within which the order may be chance.",
        {"rows": [Name(name) for name in order], "columns": [title(survey) for survey in main], "values": shade,
         "texts": texts, "x": "", "y": ""}, sentence,
    )  # fmt: skip


def _rank(standing: Standing, name: str, common: set[str]) -> int:
    return 1 + [other for other in standing.order if other in common].index(name)


def _cluster(standing: Standing, name: str, common: set[str]) -> tuple[int, int]:
    """The places of those that share its group, counted among the contestants in common."""
    ends = standing.clusters.get(name)
    own = [_rank(standing, other, common) for other in common if standing.clusters.get(other) == ends]
    return (min(own), max(own)) if ends is not None else (_rank(standing, name, common),) * 2


def _agreement_table(own: Standings, found: Sequence[Agreement]) -> list[Table]:
    if not found:
        return []
    rows = [
        (plainly(row.criterion) or "main question", title(row.first), title(row.second), str(len(row.names)),
         _tau(row.found.tau, row.found.tau_ci), _tau(row.found.rho, row.found.rho_ci),
         p_value(None if row.found.p is None else row.p_adjusted))
        for row in found
    ]  # fmt: skip
    return [Table(
        "Agreement of orders, by criterion",
        "The main question, then every one that two methods share by name. A small p says that the orders differ by "
        "more than chance; a large one doesn't show that they are the same.",
        ("criterion", "method", "and", "contestants", "Kendall's tau-b", "Spearman's rho", "p (Holm)"), rows,
        folded=len(rows) > 12,
        method="Parametric bootstrap from the stored scores and their 95 % intervals. p: how often tau-b would be as "
        "low as it is, if both methods measured the same and only chance differed; Holm's correction over all rows.",
    )]  # fmt: skip


def _cost(source: str, pages: dict[str, Page]) -> tuple[list[str], list[Chart], list[Table]]:
    """What hours buy by each method: sentences, the curves, the table."""
    found, timeless = [], []
    for survey, page in pages.items():
        contents = page.contents
        used = (contents.made_by.get("ranking", {}).get("used") or {}).get(source, 0)
        one = found_of(survey, *(contents.of(stem, source) for stem in ("ranking", "time", "cost")), used)
        if one is not None and one.seconds > 0:
            found.append(one)
        elif one is not None:
            timeless.append(title(survey))
    text = []
    if timeless:
        text.append(
            f"No times are known of {listed(timeless)}, so what {'it costs' if len(timeless) == 1 else 'they cost'} "
            "isn't known either."
        )
    common = set.intersection(*({frozenset(pair) for pair in own.pairs} for own in found)) if found else set()
    if len(found) < 2 or not common:
        return text, [], []
    found = [own.of(common) for own in found]
    hours = common_hours(found)
    if not len(hours):
        return text, [], []
    bought = [buys(own, hours, rng=generator(SEED, source, own.method)) for own in found]
    return [*text, *_reused(found)], [_curves(found, bought)], [_hour_table(found, bought)]


def _reused(found: Sequence[Found]) -> list[str]:
    """Why an hour goes further by some methods."""
    kinds = {own.kind for own in found}
    if len(kinds) < 2:
        return []
    return [
        "A comparison speaks of one pair, a rating of every pair that its contestant is in: with many contestants that "
        "is to the advantage of ratings, and is reckoned with here."
    ]


def _curves(found: Sequence[Found], bought: Sequence[Buys]) -> Chart:
    hours = bought[0].hours
    place = _place(found, hours)
    series = [
        {"label": title(own.method), "x": hours.tolist(), "y": own.share.tolist(), "low": own.low.tolist(),
         "high": own.high.tolist()}
        for own in bought
    ]  # fmt: skip
    return Chart(
        "methods_cost", "lines", "Which method finds more for the same hours?",
        "Expected share of pairs whose difference is significant, by hours of annotators' time in all, spread evenly. "
        "Bands: 95 %, for what the true differences may be. One test a pair at 0.05, without correction for the "
        "number of pairs. Qualification and controls take no time here.",
        {"series": series, "x": "person-hours in all", "y": "expected share of pairs found", "steps": False,
         "log_x": True, "reference": None},
        _at(bought, place),
        method="Effects are drawn from what each method found and how uncertain it is, shrunk by a hierarchical normal "
        "model, and the power of the exact binomial test, or of Welch's t-test, is averaged over them (assurance). "
        "Conversations and annotators are taken to come in the study's own proportions.",
    )  # fmt: skip


def _place(found: Sequence[Found], hours: np.ndarray) -> int:
    """The hours at which methods are compared: the geometric mean of what they took."""
    spent = [own.spent for own in found if own.spent > 0]
    return int(np.argmin(np.abs(np.log(hours) - np.mean(np.log(spent)))))


def _at(bought: Sequence[Buys], place: int) -> str:
    """What each is expected to find at the same hours, and which differ."""
    ranked = sorted(bought, key=lambda own: -own.share[place])
    told = [
        f"{title(own.method)} {number(own.share[place] * own.pairs, 1)} of {own.pairs} pairs "
        f"({number(own.low[place] * own.pairs, 1)} to {number(own.high[place] * own.pairs, 1)})"
        for own in ranked
    ]  # fmt: skip
    text = f"With {_hours(bought[0].hours[place])} each would find: {'; '.join(told)}."
    first, more = title(ranked[0].method), equal_cost(ranked, place)
    behind = [
        f"{title(own.method)} by {number(by, 1)} ({interval([low, high], 1, share=False)})"
        for own in ranked[1:] for by, low, high in [more[ranked[0].method, own.method]] if low > 0
    ]  # fmt: skip
    if behind:
        return f"{text} {first} is ahead by more than chance of {listed(behind)}."
    return f"{text} {first} is ahead of none by more than chance."


def _hours(value: float) -> str:
    if value < 1:
        return f"{60 * value:.0f} minutes"
    return f"{value:.1f} hours" if value < 10 else f"{value:.0f} hours"


def _hour_table(found: Sequence[Found], bought: Sequence[Buys]) -> Table:
    rows = []
    for own, one in zip(found, bought, strict=True):
        chance, low, high = one.an_hour
        half = f"more than {_hours(one.hours[-1])}" if one.half is None else _hours(one.half)
        rows.append((title(own.method), number(one.seconds, 0), number(3600 / one.seconds, 0),
                     "one pair" if own.kind == CHOICES else "all pairs of a contestant",
                     f"{percent(chance)} ({interval([low, high])})", half, number(own.spent, 1)))  # fmt: skip
    best = max(zip(found, bought, strict=True), key=lambda both: both[1].an_hour[0])
    chance, low, high = best[1].an_hour
    return Table(
        "What does an hour buy?",
        "Seconds are the mean of an annotation, people's own conversations that are shown among the others included. "
        "The chance is that of a significant difference in a pair, if one hour is spent on it alone.",
        ("method", "seconds an annotation", "annotations an hour", "one speaks of", "chance per pair and hour",
         "hours until half of the pairs are found", "hours spent"),
        rows,
        sentence=f"An hour spent on one pair finds a difference most often by {title(best[0].method)}: "
        f"{percent(chance)} on average over the pairs ({interval([low, high])}).",
    )  # fmt: skip
