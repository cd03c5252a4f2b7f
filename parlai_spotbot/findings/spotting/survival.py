"""How long each bot passes as human, whose curves differ, and what features go with being spotted (section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from parlai_spotbot.findings.finding import Finding, Result, Rows, two_ends
from parlai_spotbot.findings.sections import ALL, Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations, in_text, title
from parlai_spotbot.findings.spotting.survival_estimates import survival_of
from parlai_spotbot.findings.spotting.survival_words import passing
from parlai_spotbot.findings.spotting.table_methods import about, resampling
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import between, factor, number, p_said, p_value, part_of, percent, some, who

RATIOS = {"ph": "hazard ratio", "po": "odds ratio"}
EXPLAINED = {
    "ph": "A hazard ratio of 2 says that, exchange for exchange, it is spotted at twice the rate",
    "po": "An odds ratio of 2 says that, at any length, the odds of having been spotted are twice as high",
}
COUNTED = "Appearances judged at this length"

FEW = 30
"""Shares of fewer are called few."""


def compute(own: Annotations) -> dict:
    return own.once("survival", survival_of)


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """How long each passes, and what features go with it."""
    own = result.data
    charts = [chart for chart in (_curves_chart(own), _effects_chart(own)) if chart is not None]
    makers = (_in_words, _curves_table, _logrank_table, _effects_table)
    tables = [table for table in (make(own) for make in makers) if table is not None]
    option = own.get("unsure", {}).get("option")
    text = [passing(option), *([own["warning"]] if own.get("warning") else [])]
    return [Section("survival", "Survival", text, charts, tables, open_tables=ALL)]


def made(own: Mapping) -> str:
    """How the curves were computed, in a sentence."""
    option = own.get("unsure", {}).get("said")
    text = f"Computed by {own.get('backend', 'an unnamed backend')}"
    text += f"; {option}." if option else "."
    return text + (f" ({own['why']}.)" if own.get("why") else "")


def _curves_chart(own: Mapping) -> Chart | None:
    """The share not spotted after k exchanges, as steps, with intervals at the lengths that were shown."""
    found = own.get("curves")
    if not found:
        return None
    series, rows = [], []
    for bot, curve in found.items():
        low, high = zip(*(ci or (None, None) for ci in curve["ci"]), strict=True)
        line = {"label": Name(bot), "x": curve["exchanges"], "y": curve["survival"], "low": low, "high": high}
        series.append(line | {"n": curve.get("n")})
        counts = curve.get("n") or [None] * len(low)
        for k, value, a, b, n in zip(curve["exchanges"], curve["survival"], low, high, counts, strict=True):
            row = {"name": who(bot), "exchanges": k, "survival": value, "low": a, "high": b}
            rows.append(row | ({"n": n} if "n" in curve else {}))
    caption = (
        "Share not spotted as a bot, by the exchanges shown. Dashed and shaded: people, the reference, which "
        "a bot may pass. Bars are 95 % intervals that belong to the length at which the step stands, set "
        f"apart to be seen. Between lengths nothing is known. {made(own)}"
    )
    data = {
        "series": series,
        "title": "Not spotted as a bot",
        "counted": own.get("counted", COUNTED),
        "x": "exchanges shown",
    }
    plain = " ".join(own[key] for key in ("sentence", "pairs_sentence") if own.get(key))
    label = "Share of each bot, and of people, not spotted by the number of exchanges"
    return Chart("survival", "steps", "", caption, data, plain, label=label, rows=rows)


def better(own: Mapping) -> tuple[dict[str, dict], str]:
    """The regression that fits better of the two: by contestant and feature, and which model it is."""
    model = own.get("cox_better", "ph")
    return own.get("cox_po" if model == "po" else "cox") or {}, model


def _effects_chart(own: Mapping) -> Chart | None:
    """Hazard or odds ratios of being favoured in each feature, with intervals, on a logarithmic axis."""
    fits, model = better(own)
    shown = [f for f in _features(fits) if any(entries.get(f, {}).get("ratio") for entries in fits.values())]
    if not shown:
        return None
    panels, rows = [], []
    for feature in shown:
        lines = []
        for bot, entries in fits.items():
            fit = entries[feature]
            low, high = fit.get("ratio_ci") or (None, None)
            known = {"estimate": fit.get("ratio"), "low": low, "high": high, "infinite": fit.get("separated")}
            lines.append({"label": Name(bot), **known})
        panels.append({"title": title(feature), "rows": lines})
    for bot, entries in fits.items():
        for feature in shown:
            fit = entries[feature]
            numbers = {key: fit.get(key) for key in ("coef", "se", "p", "ratio")}
            row = {"name": who(bot), "feature": feature, "model": model, **numbers}
            rows.append(row | two_ends("ratio", fit.get("ratio_ci")) | {"infinite": fit.get("separated")})
    kind = RATIOS[model]
    caption = (
        "Being favoured in a feature and being spotted, with 95 % intervals. "
        f"{EXPLAINED[model]}. Arrows: beyond the axis, or infinite if hollow. An association, "
        "not a cause: features are asked after the verdict and against the opponent, so who was taken for "
        "human may be favoured for it (halo)."
    )
    x = f"← spotted later · {kind} where favoured · spotted sooner →"
    data = {"panels": panels, "columns": len(panels), "axis": "ratio", "x": x}
    label = f"{kind.capitalize()} of being spotted, by feature favoured and bot"
    return Chart("effects", "panels", "", caption, data, own.get("cox_sentence", ""), label=label, rows=rows)


def _curves_table(own: Mapping) -> Table | None:
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
    return Table("Not spotted", how, head, rows, sentence=_passing_sentence(own), **about("curves"))


def _median(median: dict | None) -> str:
    if not median:
        return "–"
    if median["high"] is None:
        return "not reached"
    return f"{median['high']:g}" if not median["low"] else f"{median['low']:g} to {median['high']:g}"


def _in_words(own: Mapping) -> Table | None:
    """Every contestant's curve, and what features go with it, as sentences."""
    rows = []
    for bot, curve in own.get("curves", {}).items():
        if curve.get("sentence"):
            rows.append((Name(bot), curve["sentence"], own.get("cox_models", {}).get(bot, {}).get("sentence", "–")))
    if not rows:
        return None
    how = (
        "In brackets 95 % intervals; p, too, is about chance, corrected for "
        "how many features and contestants were looked at."
    )
    return Table("In words", how, ("", "How long it passes", "What goes with it"), rows, folded=len(rows) > 3)


def _logrank_table(own: Mapping) -> Table | None:
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
    sentence = _differing(own)
    return Table("Curves compared", how, (*head, "In words"), rows, folded=True, sentence=sentence, **about("logrank"))


def _effects_table(own: Mapping) -> Table | None:
    fits, model = better(own)
    if not fits:
        return None
    rows, reasons = [], []
    names = _features(fits)
    for bot, entries in fits.items():
        cells = [Name(bot)]
        for feature in names:
            fit = entries.get(feature, {})
            cells.append(_effect(fit))
            if fit.get("why"):
                reasons.append(f"{who(bot)}, {feature}: {fit['why']}")
        test = own.get("cox_models", {}).get(bot, {}).get(model, {}).get("test")
        rows.append((*cells, p_value(test["p"]) if test else "–"))
    how = _how(own, model)
    if reasons:
        how += f" Without a number: {'; '.join(reasons)}."
    head = ("", *(title(f) for f in names), "p, no feature matters")
    sentence = _strongest(fits)
    return Table("Features and survival", how, head, rows, folded=True, sentence=sentence, **about("effects"))


def _effect(fit: dict) -> str:
    if fit.get("ratio") is None:
        return {"sooner": "∞", "later": "0"}.get(fit.get("separated", ""), "–")
    p = fit.get("p_adjusted", fit.get("p"))
    return f"{factor(fit['ratio'])}{between(fit['ratio_ci'], factor)} (p {p_value(p)})"


def _how(own: Mapping, model: str) -> str:
    text = (
        f"{RATIOS[model].capitalize()}, for being favoured in the feature against neither being favoured, with its "
        "95 % interval and p (Holm-adjusted over the table). "
    )
    if own.get("cox_backend") == "icenreg":
        text += "Coefficients: R's icenReg. "
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
    notes = [f"{who(bot)}: {note}" for bot, m in models.items() for note in m[model]["notes"]]
    if notes:
        text += f"Take care: {'; '.join(notes)}. "
    return text + "Annotators judged features after the verdict and against the opponent, so read no cause into it."


# -- in one sentence ---------------------------------------------------------------------------------------------------
def _passing_sentence(own: Mapping) -> str:
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


def _differing(own: Mapping) -> str:
    """How many curves differ, and the two farthest apart."""
    tested = [p for p in own.get("pairs", []) if p.get("p_adjusted") is not None]
    if not tested:
        return ""
    differ = [p for p in tested if p["p_adjusted"] < 0.05]
    if not differ:
        which = (
            f"None of the {len(tested)} pairs of curves differs" if len(tested) > 1 else "The two curves don't differ"
        )
        return f"{which} by more than chance would have it."
    clear = min(differ, key=lambda p: (p["p_adjusted"], -abs(p["chi2"])))
    sooner, later = (who(clear[end]) for end in ("ab" if clear["statistic"] > 0 else "ba"))
    verb = "are" if sooner == "people" else "is"
    return (
        f"{part_of(len(differ), len(tested), 'pair', 'of curves differs', 'of curves differ')} by more than chance "
        f"would have it; clearest: {sooner} {verb} spotted sooner than {later} ({p_said(clear['p_adjusted'])})."
    )


def _strongest(fits: Mapping) -> str:
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
        f"Strongest goes {who(bot)} favoured in {in_text(feature)} with being spotted {when}: ratio "
        f"{factor(fit['ratio'])}{between(fit['ratio_ci'], factor)}, one of {len(found)} told from 1."
    )


def _features(fits: Mapping) -> list[str]:
    """The features that the regressions are of."""
    return list(dict.fromkeys(feature for entries in fits.values() for feature in entries))


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables survival_curves, survival_summary, survival_pairs, survival_cox and survival_cox_models."""
    for name, curve in data["curves"].items():
        for i, k in enumerate(curve["exchanges"]):
            low, high = curve["ci"][i]
            yield (
                "survival_curves",
                {
                    "name": name,
                    "exchanges": k,
                    "survival": curve["survival"][i],
                    "low": low,
                    "high": high,
                    "n": curve["n"][i],
                    "spotted": curve["spotted"][i],
                },
            )
        median, versus = curve["median"], curve.get("versus_human") or {}
        low, high = versus.get("ci", (None, None))
        yield (
            "survival_summary",
            {
                "name": name,
                "median_low": median["low"],
                "median_high": median["high"],
                "median": median["note"],
                "minus_human": versus.get("difference"),
                "minus_human_low": low,
                "minus_human_high": high,
                "sentence": curve["sentence"],
            },
        )
    for pair in data["pairs"]:
        yield "survival_pairs", _flat_pair(pair)
    for key, model in (("cox", "ph"), ("cox_po", "po")):
        for name, features in data[key].items():
            for feature, fit in features.items():
                yield "survival_cox", {"name": name, "model": model, "feature": feature, **_flat_fit(fit)}
    for name, models in data["cox_models"].items():
        for model in ("ph", "po"):
            fit = models[model]
            test = fit["test"] or {}
            yield (
                "survival_cox_models",
                {
                    "name": name,
                    "model": model,
                    "loglik": fit["loglik"],
                    "n": fit["n"],
                    "chi2": test.get("chi2"),
                    "df": test.get("df"),
                    "p": test.get("p"),
                    "errors": fit["errors"],
                    "notes": "; ".join(fit["notes"]),
                },
            )


def _flat_pair(pair: dict) -> dict:
    kept = {key: value for key, value in pair.items() if key not in ("as_independent", "passing", "sentence", "why")}
    kept |= {f"as_independent_{key}": value for key, value in pair["as_independent"].items()}
    passing = pair["passing"] or {}
    low, high = passing.get("ci", (None, None))
    kept |= {"exchanges": passing.get("exchanges"), "pass_a": passing.get("a"), "pass_b": passing.get("b")}
    kept |= {"difference": passing.get("difference"), "difference_low": low, "difference_high": high}
    return kept | {"sentence": pair["sentence"]}


def _flat_fit(fit: dict) -> dict:
    kept = {key: fit[key] for key in ("coef", "se", "p", "p_adjusted", "ratio")}
    (low, high), (ratio_low, ratio_high) = fit["ci"], fit["ratio_ci"]
    said = {"low": low, "high": high, "ratio_low": ratio_low, "ratio_high": ratio_high, "why": fit.get("why")}
    return kept | said


def lines(result: Result) -> list[str]:
    own = result.data
    found = [f"  survival by {own['backend']}; {own['unsure']['said']}"]
    if "warning" in own:
        found.append("  take care: annotators chose when to stop, so S falls too steeply")
    return found


FINDING = Finding("survival", FORM, compute, tell, rows, lines, place=20, options=("backend", "unsure"))
