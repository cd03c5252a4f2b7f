"""The tables and sentences of survival, from one source's results as they stand in ``analysis/survival.json``."""

from __future__ import annotations

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import table_words
from parlai_spotbot.report.figures import FEATURES
from parlai_spotbot.report.rows import resampling
from parlai_spotbot.report.survival import better
from parlai_spotbot.report.table_methods import about
from parlai_spotbot.wording import between, number, p_value, percent

RATIOS = {"ph": "hazard ratio", "po": "odds ratio"}

EXPLAINED = {
    "ph": "A hazard ratio of 2 says that, exchange for exchange, it is spotted at twice the rate",
    "po": "An odds ratio of 2 says that, at any length, the odds of having been spotted are twice as high",
}


def made(own: dict) -> str:
    """How the curves were computed, in a sentence for the caption."""
    said = own.get("unsure", {}).get("said")
    text = f"Computed by {own.get('backend', 'an unnamed backend')}"
    text += f"; {said}." if said else "."
    return text + (f" ({own['why']}.)" if own.get("why") else "")


def curves(own: dict) -> Table | None:
    found = own.get("curves")
    if not found:
        return None
    lengths = sorted({k for curve in found.values() for k in curve["exchanges"]})
    rows = []
    for bot, curve in found.items():
        cells = [Name(bot)]
        for k in lengths:
            if k not in curve["exchanges"]:
                cells.append("–")
                continue
            i = curve["exchanges"].index(k)
            spotted = f" · {curve['spotted'][i]} of {curve['n'][i]}" if "n" in curve else ""
            cells.append(percent(curve["survival"][i]) + between(curve["ci"][i]) + spotted)
        cells.append(_median(curve.get("median")))
        rows.append(tuple(cells))
    drawn = resampling(own) if "bootstrap" in own else "95 % bootstrap intervals"
    how = (
        "The share not yet spotted as a bot after so many exchanges (Turnbull's estimate for interval-censored data), "
        f"with {drawn}, which hold at these lengths only; then how many were spotted of those shown at this length. "
        f"Last, by how many exchanges half are spotted. {made(own)}"
    )
    if own.get("bootstrap", {}).get("why"):
        how += f" ({own['bootstrap']['why'].capitalize()}.)"
    if any(share in (0, 1) for curve in found.values() for share in curve["survival"]):
        how += (
            " Where all or none were spotted, drawing anew can't show what never happened: there the interval is the "
            "exact one (Clopper and Pearson's) of as many answers as there are conversations or annotators, whichever "
            "is less."
        )
    few = sorted({curve["why"] for curve in found.values() if curve.get("why")})
    if few:
        how += f" Without an interval: {'; '.join(few)}."
    head = ("", *(f"{k} exchanges" for k in lengths), "Half spotted by")
    return Table("Not spotted", how, head, rows, sentence=table_words.curves(own), **about("curves"))


def _median(median: dict | None) -> str:
    if not median:
        return "–"
    if median["high"] is None:
        return "not reached"
    return f"{median['high']:g}" if not median["low"] else f"{median['low']:g} to {median['high']:g}"


def in_words(own: dict) -> Table | None:
    """Every contestant's curve, and what features go with it, as sentences."""
    rows = []
    for bot, curve in own.get("curves", {}).items():
        if curve.get("sentence"):
            rows.append((Name(bot), curve["sentence"], own.get("cox_models", {}).get(bot, {}).get("sentence", "–")))
    if not rows:
        return None
    how = (
        "To pass is not to be called a bot. In brackets 95 % intervals; p, too, is about chance, corrected for "
        "how many features and contestants were looked at."
    )
    return Table("In words", how, ("", "How long it passes", "What goes with it"), rows, folded=len(rows) > 3)


def logrank(own: dict) -> Table | None:
    if not own.get("pairs"):
        return None
    rows = []
    for p in own["pairs"]:
        cells = [Name(p["a"]), Name(p["b"]), number(p["statistic"], 1), number(p["chi2"], 1)]
        cells.append(p_value(p.get("p_adjusted")))
        if "as_independent" in p:
            cells.append(p_value(p["as_independent"]["p_adjusted"]))
        rows.append((*cells, p.get("sentence", "")))
    test = own.get("test", "log-rank, adjusted for the number of pairs").split("; positive")[0]
    how = f"Whether two curves differ. Test: {test}. U above 0: the first is spotted more than expected."
    head = ["First", "Second", "U", "χ²", "p, adjusted"]
    if "as_independent" in own["pairs"][0]:
        head.append("p, if answers were independent")
        how += (
            " The last p is the paper's way, which takes all answers as independent: they are not, so it is too small."
        )
    sentence = table_words.logrank(own)
    return Table("Curves compared", how, (*head, "In words"), rows, folded=True, sentence=sentence, **about("logrank"))


def effects(own: dict) -> Table | None:
    fits, model = better(own)
    if not fits:
        return None
    rows, reasons = [], []
    names = [f for f in FEATURES if any(f in entries for entries in fits.values())]
    for bot, entries in fits.items():
        cells = [Name(bot)]
        for feature in names:
            fit = entries.get(feature, {})
            cells.append(_effect(fit))
            if fit.get("why"):
                reasons.append(f"{'people' if bot == HUMAN else bot}, {feature}: {fit['why']}")
        test = own.get("cox_models", {}).get(bot, {}).get(model, {}).get("test")
        rows.append((*cells, p_value(test["p"]) if test else "–"))
    how = _how(own, model)
    if reasons:
        how += f" Without a number: {'; '.join(reasons)}."
    head = ("", *(FEATURES[f] for f in names), "p, no feature matters")
    sentence = table_words.effects(fits, factor)
    return Table("Features and survival", how, head, rows, folded=True, sentence=sentence, **about("effects"))


def _effect(fit: dict) -> str:
    if fit.get("ratio") is None:
        return {"sooner": "∞", "later": "0"}.get(fit.get("separated", ""), "–")
    p = fit.get("p_adjusted", fit.get("p"))
    return f"{factor(fit['ratio'])}{between(fit['ratio_ci'], factor)} (p {p_value(p)})"


def factor(value: float) -> str:
    """A ratio with two significant digits or so."""
    return f"{value:.2f}" if 0.1 <= value < 10 else f"{value:.2g}" if value < 1000 else "> 1000"


def _how(own: dict, model: str) -> str:
    text = (
        f"{RATIOS[model].capitalize()}, for being favoured in the feature against neither being favoured, with its "
        "95 % interval and p (Holm-adjusted over the table). "
    )
    models = own.get("cox_models", {})
    errors = sorted({m[model]["errors"] for m in models.values() if m.get(model, {}).get("errors")})
    if errors:
        text += f"Standard errors: {'; '.join(errors)}. "
    better_ones = [m["better"] for m in models.values() if m.get("better")]
    if better_ones:
        name = {"ph": "hazards", "po": "odds"}[model]
        text += (
            f"The model of proportional {name} fits better over all, and for {better_ones.count(model)} of "
            f"{len(better_ones)} contestants by itself; the other stands in survival.json. "
        )
    notes = [f"{'people' if bot == HUMAN else bot}: {note}" for bot, m in models.items() for note in m[model]["notes"]]
    if notes:
        text += f"Take care: {'; '.join(notes)}. "
    return text + "Annotators judged features after the verdict and against the opponent, so read no cause into it."
