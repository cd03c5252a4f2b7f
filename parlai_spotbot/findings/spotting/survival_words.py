"""What survival says, in sentences for people who know no statistics: the effect, its direction, how sure it is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from parlai_spotbot.analysis.survival.steps import StepDistribution
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import ends, factor, genitive, known, listed, p_said, points, some, upper_first, who

LEVEL = 0.05

SMALL = 20
"""With fewer appearances at a length a share is little more than a hint."""

CHOSEN = (
    "Annotators chose themselves when to stop, and that choice is informative: whoever stops early with “human” does "
    "so because the entity looks human. Turnbull's estimate, the log-rank test and Cox's model assume that whoever "
    "stopped would have gone on to spot bots like those who did not stop, so the curves fall too steeply. For a "
    "measure take segments of fixed length (survey spot_the_bot)."
)

RATIO = {"ph": "hazard ratio", "po": "odds ratio"}

PASSING = {
    "survives": "judged “human” or “unsure”",
    "missing": "judged “human”; answers “unsure” are left out",
    "half": "judged “human”; an answer “unsure” counts half",
}


def passing(unsure: str | None = None) -> str:
    """Define what it is to pass, by what "unsure" counts as; “taken for human” elsewhere counts “human” alone."""
    text = f"To pass, or survive, is here not to be called a bot: {PASSING.get(unsure or '', PASSING['survives'])}."
    return f"{text} Taken for human, in the ranking, is “human” alone."


def curve(name: str, own: dict) -> str:
    """Say how often one contestant isn't called a bot at the longest length, and how that compares with people."""
    k, share, n = own["exchanges"][-1], own["survival"][-1], own["n"][-1]
    said = _share(share, own["ci"][-1], n)
    if name == HUMAN:
        text = f"People themselves are not called bots in {said} of their appearances after {k} exchanges: the bound "
        text += "that bots are measured by."
    else:
        text = f"After {k} exchanges {said} of {genitive(name)} appearances are not called a bot"
        text += _against_people(own["versus_human"])
    few = f" No interval: {own['why']}." if own.get("why") else ""
    return f"{text} {_median(own['median'], k)}{_small(n)}{few}"


def median_note(fit: StepDistribution) -> str:
    """The median for a table's cell: the times between which it lies, or how many are unspotted at the last one."""
    low, high = (float(end) for end in fit.quantile_bounds(0.5))
    if math.isinf(high):
        return f"not reached: {float(fit.survival(low)):.0%} are still unspotted at {low:g}"
    return f"{high:g}" if low == high else f"between {low:g} and {high:g}"


def pair(row: dict, passing: dict | None) -> str:
    """Whether the first of a pair is spotted sooner or later than the second; `passing`: how many pass at a length."""
    a, b = who(row["a"]), who(row["b"])
    if row.get("why"):
        text = f"{a} and {b} can't be compared ({row['why']})"
    elif row["p_adjusted"] < LEVEL:
        verb, when = "are" if row["a"] == HUMAN else "is", "sooner" if row["statistic"] > 0 else "later"
        text = f"{a} {verb} spotted {when} than {b} ({p_said(row['p_adjusted'])})"
    else:
        text = f"These data can't tell {a} and {b} apart ({p_said(row['p_adjusted'])})"
    text = upper_first(text) if row["a"] == HUMAN else text
    if passing is None:
        return text + "."
    text += ";" if row.get("why") else ":"
    text += f" after {passing['exchanges']} exchanges {passing['a']:.0%} against {passing['b']:.0%} pass"
    if row.get("why") or not known(passing["ci"]):
        return text + "."
    low, high = passing["ci"]
    if row["p_adjusted"] < LEVEL:
        return f"{text}, {_difference(passing['difference'], (low, high))}."
    text += f", a difference of {points(passing['difference'])} points ({points(low)} to {points(high)}"
    return text + ("; not corrected for the number of pairs)." if low > 0 or high < 0 else ").")


def effects(name: str, fits: dict[str, dict], model: str) -> str:
    """Which features go with one contestant being spotted sooner or later."""
    fitted = {f: fit for f, fit in fits.items() if fit["ratio"] is not None and known(fit["ratio_ci"])}
    clear = [f for f in fitted if fitted[f]["p_adjusted"] < LEVEL]
    are, it = ("are", "they are") if name == HUMAN else ("is", "it is")
    if clear:
        parts = [
            f"{'sooner' if fitted[f]['coef'] > 0 else 'later'} where {it} favoured in {f} ({_ratio(fitted[f], model)})"
            for f in clear
        ]
        text = f"{upper_first(who(name)) if name == HUMAN else name} {are} spotted {listed(parts)}."
    elif fitted:
        near = min(fitted, key=lambda f: fitted[f]["p"])
        text = f"With {who(name)} no feature goes clearly with being spotted sooner or later; nearest comes {near} "
        text += f"({_ratio(fitted[near], model)}, {p_said(fitted[near]['p_adjusted'])})."
    else:
        text = f"With {who(name)} no feature has an estimate."
    apart = [f for f, fit in fits.items() if fit.get("separated")]
    if apart:
        text += f" {upper_first(listed(apart))} alone told spotted from unspotted, so no number can be given."
    return text


def all_curves(curves: dict[str, dict], pairs: Sequence[dict]) -> str:
    """Who passes longest, how that compares with people, and who can't be told from them."""
    bots = [name for name in curves if name != HUMAN]
    if not bots:
        return curves[HUMAN]["sentence"] if curves else ""
    if len(bots) == 1:
        return curves[bots[0]]["sentence"]
    longest = max(curves[bot]["exchanges"][-1] for bot in bots)
    best = max(bots, key=lambda bot: (curves[bot]["exchanges"][-1] == longest, curves[bot]["survival"][::-1]))
    own = curves[best]
    said = _share(own["survival"][-1], own["ci"][-1], own["n"][-1])
    last = {bot: curves[bot]["survival"][-1] for bot in bots if curves[bot]["exchanges"][-1] == longest}
    tied = [bot for bot, share in last.items() if share == last[best]]
    which = f"{best} passes" if tied == [best] else f"{some(tied, 'of them')} pass"
    text = f"Of the bots {which} most often: after {longest} exchanges {said} of {genitive(best)} appearances are not "
    text += f"called a bot{_against_people(own['versus_human'])}{_small(own['n'][-1])}"
    if len(pairs) == 1:  # that one is said by itself
        return text
    alike = [
        row["b"] if row["a"] == best else row["a"]
        for row in pairs
        if best in (row["a"], row["b"]) and HUMAN not in (row["a"], row["b"]) and not row["p_adjusted"] < LEVEL
    ]
    if alike:
        text += f" These data can't tell {some(alike, 'other bots')} from it."
    else:
        text += " All other bots clearly differ from it."
    return text


def all_pairs(pairs: Sequence[dict]) -> str:
    """How many pairs can be told apart, and which can't."""
    alike = [f"{who(row['a'])} and {who(row['b'])}" for row in pairs if not row["p_adjusted"] < LEVEL]
    if not pairs:
        return ""
    if len(pairs) == 1:
        return pairs[0]["sentence"]
    if len(alike) == len(pairs):
        return f"None of the {len(pairs)} pairs differs in how soon it is spotted by more than chance would make."
    if not alike:
        return f"All {len(pairs)} pairs differ in how soon they are spotted by more than chance would make."
    some = f"Of {len(pairs)} pairs {len(pairs) - len(alike)} differ in how soon they are spotted by more than chance "
    return some + "would make" + (f"; not {'; '.join(alike)}." if len(alike) <= 4 else ".")


def all_effects(cox: dict[str, dict], model: str) -> str:
    """With which contestants being favoured in a feature goes with being spotted sooner or later."""
    if not cox:
        return ""
    parts, open_ = [], []
    for feature in next(iter(cox.values())):
        fits = {name: own[feature] for name, own in cox.items()}
        clear = {n: fit for n, fit in fits.items() if fit["p_adjusted"] is not None and fit["p_adjusted"] < LEVEL}
        for when, sign in (("later", -1), ("sooner", 1)):
            names = [name for name in clear if clear[name]["coef"] * sign > 0]
            if names:
                ratios = _ratios([clear[name] for name in names], model)
                whom = some([who(name) for name in names], "contestants")
                parts.append(f"in {feature} goes with being spotted {when} for {whom} ({ratios})")
        if not clear:
            open_.append(feature)
    rest = f"in {listed(open_, 'or')} it goes with neither clearly" if open_ else ""
    if not parts:
        return "For no feature is it clear that being favoured in it goes with being spotted sooner or later."
    return f"Being favoured {'; '.join([*parts, rest] if rest else parts)}."


def _difference(difference: float, ci: Sequence[float]) -> str:
    """A difference of two shares in percentage points, with its interval; "fewer" or "more" where it is clear."""
    low, high = ci
    size = f"{abs(100 * difference):.0f} points"
    if high < 0:
        return f"{size} fewer ({-100 * high:.0f} to {-100 * low:.0f})"
    if low > 0:
        return f"{size} more ({100 * low:.0f} to {100 * high:.0f})"
    return f"a difference of {points(difference)} points ({ends(ci, points)})"


def _against_people(versus: dict | None) -> str:
    if versus is None:
        return ". No conversation of people was judged at this length, so there is no bound to compare with."
    people, ci = f"people's ({versus['human']:.0%})", versus["ci"]
    if not known(ci):
        return f"; of {people}, without an interval of the difference."
    if ci[0] > 0 or ci[1] < 0:
        return f", {_difference(versus['difference'], ci).replace('(', '(likely ')} than of {people}."
    return f"; from {people} these data can't tell that apart ({points(ci[0])} to {points(ci[1])} points)."


def _share(share: float, ci: Sequence[float | None], n: float) -> str:
    if not known(ci):
        return f"{share:.0%}"
    if share in (0, 1):  # drawing anew can't show what never happened
        text = f"{share:.0%} ({'all' if share else 'none'} of {n:g}; an exact bound from as many conversations or "
        return f"{text}annotators: {ci[0]:.0%} to {ci[1]:.0%})"
    return f"{share:.0%} ({ci[0]:.0%} to {ci[1]:.0%})"


def _small(n: float) -> str:
    return f" Only {n:g} appearances at this length: read it as a hint." if n < SMALL else ""


def _median(median: dict, k: float) -> str:
    low, high = median["low"], median["high"]
    if not math.isfinite(high):
        return f"More than half pass at {k} exchanges."
    return (
        f"Half are spotted by {high:g} exchanges." if not low else f"Half are spotted by {low:g} to {high:g} exchanges."
    )


def _ratio(fit: dict, model: str) -> str:
    low, high = fit["ratio_ci"]
    return f"{RATIO[model]} {factor(fit['ratio'])}, {factor(low)} to {factor(high)}"


def _ratios(fits: list[dict], model: str) -> str:
    if len(fits) == 1:
        return _ratio(fits[0], model)
    least, most = (pick(fit["ratio"] for fit in fits) for pick in (min, max))
    return f"{RATIO[model]}s {factor(least)} to {factor(most)}"
