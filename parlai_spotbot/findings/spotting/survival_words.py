"""Sentences on survival for readers without statistics: the effect, its direction and its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

from parlai_spotbot.analysis.survival.turnbull import TurnbullFit
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import factor, genitive, known, listed, points, some, who

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


def median_note(fit: TurnbullFit) -> str:
    """The median for a table's cell: the times between which it lies, or how many are unspotted at the last one."""
    low, high = (float(end) for end in fit.quantile_bounds(0.5))
    if math.isinf(high):
        return f"not reached: {float(fit.survival(low)):.0%} are still unspotted at {low:g}"
    return f"{high:g}" if low == high else f"between {low:g} and {high:g}"


def all_curves(curves: dict[str, dict], pairs: Sequence[dict]) -> str:
    """Return who passes longest, how that compares with people, and who can't be told from them."""
    bots = [name for name in curves if name != HUMAN]
    if not bots:
        return ""
    longest = max(curves[bot]["exchanges"][-1] for bot in bots)
    best = max(bots, key=lambda bot: (curves[bot]["exchanges"][-1] == longest, curves[bot]["survival"][::-1]))
    curve = curves[best]
    said = _share(curve["survival"][-1], curve["ci"][-1], curve["n"][-1])
    last = {bot: curves[bot]["survival"][-1] for bot in bots if curves[bot]["exchanges"][-1] == longest}
    tied = [bot for bot, share in last.items() if share == last[best]]
    which = f"{best} passes" if tied == [best] else f"{some(tied, 'of them')} pass"
    text = f"Of the bots {which} most often: after {longest} exchanges {said} of {genitive(best)} appearances are not "
    text += f"called a bot{_against_people(curve['versus_human'])}{_small(curve['n'][-1])}"
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
    """Return how many pairs can be told apart, and which can't."""
    alike = [f"{who(row['a'])} and {who(row['b'])}" for row in pairs if not row["p_adjusted"] < LEVEL]
    if not pairs:
        return ""
    if len(alike) == len(pairs):
        return f"None of the {len(pairs)} pairs differs in how soon it is spotted by more than chance would make."
    if not alike:
        return f"All {len(pairs)} pairs differ in how soon they are spotted by more than chance would make."
    summary = (
        f"Of {len(pairs)} pairs {len(pairs) - len(alike)} differ in how soon they are spotted by more than chance "
    )
    return summary + "would make" + (f"; not {'; '.join(alike)}." if len(alike) <= 4 else ".")


def all_effects(cox: dict[str, dict], model: str) -> str:
    """With which contestants being favoured in a feature goes with being spotted sooner or later."""
    if not cox:
        return ""
    parts, open_ = [], []
    for feature in next(iter(cox.values())):
        fits = {name: effects[feature] for name, effects in cox.items()}
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


def _against_people(versus: dict | None) -> str:
    if versus is None:
        return ". No conversation of people was judged at this length, so there is no bound to compare with."
    people, ci = f"people's {versus['human']:.0%}", versus["ci"]
    if not known(ci):
        return f"; {people}, without an interval of the difference."
    clear = "clearly differs from" if ci[0] > 0 or ci[1] < 0 else "can't be told from"
    return f", which {clear} {people} ({points(ci[0])} to {points(ci[1])} points)."


def _share(share: float, ci: Sequence[float | None], n: float) -> str:
    if not known(ci):
        return f"{share:.0%}"
    if share in (0, 1):  # drawing again can't show what never happened
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
