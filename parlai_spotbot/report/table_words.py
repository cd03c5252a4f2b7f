"""What each table says in one sentence: effect, direction, uncertainty. Made from the numbers that it shows.

Each takes one source's results as they stand in ``analysis/``; where they hold too little, the sentence is empty. What
a figure beside a table says already, the table doesn't say again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.figures import FEATURES
from parlai_spotbot.wording import (
    INTERVAL,
    asked,
    between,
    known,
    number,
    p_said,
    percent,
    points,
    some,
    to,
    who,
)

FEW = 30
"""Shares of fewer are called few."""


def ranking(own: dict) -> str:
    """From the first to the last."""
    rated = [bot for bot in own.get("order", []) if own["win_rate"].get(bot) is not None]
    if len(rated) < 2:
        return ""
    first, last = rated[0], rated[-1]
    ends = [own["win_rate_ci"].get(bot) for bot in (first, last)]
    text = f"From first to last the win rate goes from {_rate(own, first)} ({first}) to {_rate(own, last)} ({last})"
    if not all(known(ci) for ci in ends):
        return f"{text}; not every interval is known."
    apart = ends[0][0] > ends[1][1] or ends[1][0] > ends[0][1]
    return f"{text}: these intervals {'do not overlap' if apart else 'overlap, so even that may be chance'}."


def _rate(own: dict, bot: str) -> str:
    return percent(own["win_rate"][bot]) + between(own["win_rate_ci"].get(bot))


def pairs(own: dict) -> str:
    """The pair nearest to even."""
    found = [p for p in own.get("pairs", []) if p["rate_a"] is not None]
    if not found:
        return ""
    even = min(found, key=lambda p: abs(p["rate_a"] - 0.5))
    text = (
        f"Nearest to even are {even['a']} and {even['b']}: the first wins {percent(even['rate_a'])} of the decided "
        f"matches{to(even.get('rate_ci'), prefix=INTERVAL)}, {even['ties']} of {even['n']} matches are ties"
    )
    p = even.get("p_adjusted")
    if p is None:
        return f"{text}."
    return f"{text}; {p_said(p)}, {'apart all the same' if p < 0.05 else 'not told apart'}."


def features(results: dict, shown: Iterable[str]) -> str:
    """In which feature the bots are farthest apart."""
    spread = {}
    for criterion in shown:
        own = results[criterion]
        rated = sorted((r, bot) for bot, r in own["win_rate"].items() if r is not None)
        if len(rated) > 1:
            spread[criterion] = (rated[-1][0] - rated[0][0], rated[-1][1], rated[0][1])
    if not spread:
        return ""
    most = max(spread, key=lambda c: spread[c][0])
    _, best, worst = spread[most]
    own = results[most]
    text = f"Farthest apart are the bots in {_feature(most)}: {best} {_rate(own, best)}, {worst} {_rate(own, worst)}"
    least = min(spread, key=lambda c: spread[c][0])
    return text + (f"; nearest together in {_feature(least)}." if least != most else ".")


def _feature(name: str) -> str:
    return FEATURES[name] if FEATURES[name].isupper() else FEATURES[name].lower()


def segments(lengths: dict, names: Iterable[str]) -> str:
    """Who changes most from the shortest to the longest segment, and how much of that chance would give."""
    ks = sorted(lengths, key=int)
    changes = []
    for name in names:
        ends = [lengths[k]["systems"].get(name, {}) for k in (ks[0], ks[-1])]
        if all(end.get("n") and end.get("human_share") is not None for end in ends):
            changes.append((100 * (ends[1]["human_share"] - ends[0]["human_share"]), name, ends))
    if len(ks) < 2 or not changes:
        return ""
    change, name, ends = max(changes, key=lambda own: abs(own[0]))
    half = 196 * math.sqrt(sum(_variance(end) for end in ends))
    text = (
        f"Most changes {who(name)}: taken for human in {percent(ends[0]['human_share'])} of {ends[0]['n']} after "
        f"{ks[0]} exchanges, in {percent(ends[1]['human_share'])} of {ends[1]['n']} after {ks[-1]}"
    )
    if abs(change) <= half:
        return f"{text}; that may be chance (± {half:.0f} points, if answers were independent)."
    size = f"{points(change / 100)} points (± {half:.0f}, if answers were independent; the most of {len(changes)})"
    return f"{text}: {size}."


def _variance(end: dict) -> float:
    share = (end["human_share"] * end["n"] + 0.5) / (end["n"] + 1)
    return share * (1 - share) / end["n"]


def confusion(variant: dict) -> str:
    """Whether it tells bots from people better than guessing."""
    value, tallies = variant.get("balanced_accuracy"), variant.get("confusion") or {}
    sizes = [sum(tally.values()) for tally in tallies.values()]
    if value is None or len(sizes) < 2 or 0 in sizes:
        return ""
    half = 0.98 * math.sqrt(sum(1 / n for n in sizes)) / 2
    better = value > 0.5 + half
    said = "better than" if better else "worse than" if value < 0.5 - half else "no better than"
    return (
        f"It tells bots from people {said} guessing: balanced accuracy {percent(value)}, where guessing on as many "
        f"comes between {percent(0.5 - half)} and {percent(0.5 + half)} in 95 of 100 cases (if answers were "
        "independent)."
    )


def curves(own: dict) -> str:
    """Who passes longest and shortest, and for whom half are never reached."""
    found = {bot: c for bot, c in (own.get("curves") or {}).items() if c.get("survival")}
    bots = [bot for bot in found if bot != HUMAN]
    if not bots:
        return ""
    last = max(found[bot]["exchanges"][-1] for bot in bots)
    at_last = [bot for bot in bots if found[bot]["exchanges"][-1] == last]
    best = max(at_last, key=lambda bot: found[bot]["survival"][-1])
    worst = min(at_last, key=lambda bot: found[bot]["survival"][-1])
    text = f"After {last} exchanges {best} is not yet spotted in {_end(found[best])}"
    text += f", {worst} in {_end(found[worst])}" if worst != best else ""
    text += f", people in {_end(found[HUMAN])}" if HUMAN in found else ""
    never = [b for b in bots if (found[b].get("median") or {}).get("high", 0) is None]
    if never:
        whom = some(never, f"of {len(bots)} bots")
        text += f". Within the lengths shown half are not reached for {whom}: so no median is given"
    few = [b for b in bots if found[b].get("n") and min(found[b]["n"]) < FEW]
    if few:
        text += f". Few were shown at some length (under {FEW}): {some(few, 'bots')}"
    return f"{text}."


def _end(curve: dict) -> str:
    return percent(curve["survival"][-1]) + between(curve["ci"][-1])


def logrank(own: dict) -> str:
    """How many curves differ, and the two farthest apart."""
    tested = [p for p in own.get("pairs", []) if p.get("p_adjusted") is not None]
    if not tested:
        return ""
    differ = [p for p in tested if p["p_adjusted"] < 0.05]
    if not differ:
        return f"None of the {len(tested)} pairs of curves differs by more than chance would have it."
    clear = min(differ, key=lambda p: (p["p_adjusted"], -abs(p["chi2"])))
    sooner, later = (who(clear[end]) for end in ("ab" if clear["statistic"] > 0 else "ba"))
    verb = "are" if sooner == "people" else "is"
    return (
        f"{len(differ)} of {len(tested)} pairs of curves differ by more than chance would have it; clearest: {sooner} "
        f"{verb} spotted sooner than {later} ({p_said(clear['p_adjusted'])})."
    )


def effects(fits: dict, factor) -> str:
    """The strongest association of a feature with being spotted, and its direction."""
    found = [
        (abs(math.log(fit["ratio"])), bot, feature, fit)
        for bot, entries in fits.items()
        for feature, fit in entries.items()
        if fit.get("ratio") and (fit.get("p_adjusted", fit.get("p")) or 0) < 0.05 and None not in fit["ratio_ci"]
    ]
    if not found:
        return "No feature goes with being spotted sooner or later by more than chance would have it."
    _, bot, feature, fit = max(found, key=lambda own: own[0])
    when = "sooner" if fit["ratio"] > 1 else "later"
    return (
        f"Strongest goes {who(bot)} favoured in {_feature(feature)} with being spotted {when}: ratio "
        f"{factor(fit['ratio'])}{between(fit['ratio_ci'], factor)}, one of {len(found)} told from 1."
    )


def alphas(found: dict) -> str:
    """Where agreement is highest and lowest."""
    known_ones = {q: e for q, e in found.items() if e.get("alpha") is not None}
    if len(known_ones) < 2:
        return ""
    best = max(known_ones, key=lambda q: known_ones[q]["alpha"])
    worst = min(known_ones, key=lambda q: known_ones[q]["alpha"])
    ends = [known_ones[q].get("ci") for q in (best, worst)]
    apart = all(known(ci) for ci in ends) and ends[0][0] > ends[1][1]
    said = [
        f"{asked(q)} ({number(known_ones[q]['alpha'])}{between(known_ones[q].get('ci'), number)})"
        for q in (best, worst)
    ]
    sure = "clearly apart" if apart else "which may be chance"
    return f"Agreement is highest on {said[0]} and lowest on {said[1]}, {sure}."


def both_given_one(found: dict) -> str:
    """The label that is shared most and least, over all names, with an interval as of independent labels."""
    totals: dict[str, list[float]] = {}
    for labels in found.values():
        for nature, x in labels.items():
            if x.get("n") and x.get("share") is not None:
                own = totals.setdefault(nature, [0.0, 0])
                own[0] += x["share"] * x["n"]
                own[1] += x["n"]
    if len(totals) < 2:
        return ""
    shares = {nature: hits / n for nature, (hits, n) in totals.items()}
    best, worst = max(shares, key=lambda q: shares[q]), min(shares, key=lambda q: shares[q])
    said = []
    for nature in (best, worst):
        half = 1.96 * math.sqrt(shares[nature] * (1 - shares[nature]) / totals[nature][1])
        said.append(f"“{nature}” ({percent(shares[nature])} of {totals[nature][1]:.0f}, ± {100 * half:.0f} points)")
    return f"Most often shared is {said[0]}, least often {said[1]}, if labels were independent."


def annotators(found: dict, named: dict[str, str]) -> str:
    """The range, and how many are clearly better than guessing."""
    rated = {w: e for w, e in found.items() if e.get("balanced_accuracy") is not None}
    if len(rated) < 2:
        return ""
    best = max(rated, key=lambda w: rated[w]["balanced_accuracy"])
    worst = min(rated, key=lambda w: rated[w]["balanced_accuracy"])
    said = [
        f"{named.get(w, 'annotator')} {percent(rated[w]['balanced_accuracy'])} of {rated[w]['n']}"
        for w in (best, worst)
    ]
    text = f"Balanced accuracy goes from {said[0]} down to {said[1]}"
    lows = [e.get("sensitivity_low") for e in rated.values()]
    if None in lows:
        return f"{text}; guessing gives 50%."
    sure = sum(low > 0 for low in lows)
    return f"{text}; {sure} of {len(rated)} tell bots from people clearly better than guessing (intervals above 0)."


def alike(found: list[dict]) -> str:
    """The group in which one label draws the other most."""
    told = [e for e in found if e.get("excess") is not None and e.get("low") is not None]
    if not told:
        return ""
    most = max(told, key=lambda e: abs(e["excess"]))
    more = "more" if most["excess"] > 0 else "less"
    ends = sorted(100 * abs(most[key]) for key in ("low", "high"))
    clear = most["low"] > 0 or most["high"] < 0
    size = f"{100 * abs(most['excess']):.0f} points"
    bounds = f" ({ends[0]:.0f} to {ends[1]:.0f})" if clear else ""
    return (
        f"Farthest from chance are conversations of {most['conversations']} within {most['within']}: alike {size} "
        f"{more} often{bounds}{'' if clear else ', which may be chance'}."
    )


def time_by_length(found: list[dict]) -> str:
    row = next((row for row in found if row["k"] == "all"), None)
    if row is None or row.get("q25") is None:
        return ""
    ends = to([row.get("median_low"), row.get("median_high")], lambda v: number(v, 0), prefix=INTERVAL)
    return (
        f"Half of the {row['n']} annotations took between {number(row['q25'], 0)} and {number(row['q75'], 0)} seconds, "
        f"one in twenty longer than {number(row['q95'], 0)}; the median is {number(row['median'], 0)}{ends}."
    )


def balance(found: list[dict]) -> str:
    told = [e for e in found if e.get("share_a") is not None]
    if not told:
        return ""
    most = max(told, key=lambda e: (abs(e["share_a"] - 0.5), e["first_a"] + e["first_b"]))
    total = most["first_a"] + most["first_b"]
    p = most.get("p")
    chance = "" if p is None else f"; by chance {p_said(p)}, of {len(told)} pairs"
    return f"Least balanced: {most['a']} opened {most['first_a']} of {total} conversations with {most['b']}{chance}."


def failures(found: list[dict], finished: set[str]) -> str:
    by: dict[str, int] = {}
    for row in found:
        by[str(row.get("contestant", "–"))] = by.get(str(row.get("contestant", "–")), 0) + 1
    most = max(by, key=lambda name: by[name])
    missing = len({row.get("conversation_id") for row in found} - finished)
    lost = (
        f"{missing} conversation{'s are' if missing != 1 else ' is'} still missing"
        if missing
        else "none is missing now"
    )
    return f"{len(found)} failure{'s' if len(found) != 1 else ''}, most of {most} ({by[most]}); {lost}."
