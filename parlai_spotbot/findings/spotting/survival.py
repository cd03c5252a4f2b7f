"""How long each bot passes as human, whose curves differ, and what features go with being spotted (section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival import (
    current_status_survival,
    events,
    followed_survival,
    icenreg,
    log_minus_log,
    logrank_pairs,
    turnbull,
)
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.findings.finding import Finding, Result, Rows, two_ends
from parlai_spotbot.findings.sections import ALL, Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FEATURES, FORM, Annotations
from parlai_spotbot.findings.spotting import survival_words as sentences
from parlai_spotbot.findings.spotting.stopping import bounds_rows, bounds_table, with_bounds
from parlai_spotbot.findings.spotting.survival_effects import effects
from parlai_spotbot.findings.spotting.table_methods import about, resampling
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import between, factor, number, p_said, p_value, percent, some, who

SAID = {
    "survives": '"unsure" counts as not spotted',
    "missing": 'answers "unsure" are left out',
    "half": '"unsure" counts half as spotted and half as not',
}

DEPENDENT = {
    "conversations_workers": ("conversation_id", "worker_id"),
    "conversations": ("conversation_id",),
    "workers": ("worker_id",),
    "annotations": (),
}
"""Which answers are taken to depend on each other, by what the bootstrap draws."""

ALONE = "too few conversations or annotators to know how much these differ"
RATIOS = {"ph": "hazard ratio", "po": "odds ratio"}
EXPLAINED = {
    "ph": "A hazard ratio of 2 says that, exchange for exchange, it is spotted at twice the rate",
    "po": "An odds ratio of 2 says that, at any length, the odds of having been spotted are twice as high",
}
COUNTED = "Appearances judged at this length"

FEW = 30
"""Shares of fewer are called few."""

PARALLEL = (
    "A check of the regression's assumption: where hazards are proportional these lines run parallel, but for chance. "
    "People are among them."
)


@dataclass(frozen=True)
class Setting:
    """How to analyse: `drawn` are replicates of the entities, `rng` makes a generator for a name.

    `followed`: annotators went from exchange to exchange, so that rows carry the time of their decision (appendix B).
    """

    names: Sequence[str]
    drawn: ClusterBootstrap
    backend: str
    unsure: str
    resample: str
    rng: Callable[[str], np.random.Generator]
    followed: bool = False


def compute(own: Annotations) -> dict:
    return own.once("survival", survival_of)


def survival_of(own: Annotations) -> dict:
    """Everything about survival; of a game with the bounds that hold however annotators chose to stop."""
    names = [*own.bots, *([HUMAN] if (own.rows["a"] == HUMAN).any() else [])]
    drawn = own.drawn("survival").take(own.pages)
    options = own.options
    setting = Setting(names, drawn, options.backend, options.unsure, own.resample, own.rng, own.followed)
    found = survival(own.entities, setting) | {"bootstrap": own.bootstrap()}
    return with_bounds(own, found) if own.followed else found


def survival(entities: pd.DataFrame, setting: Setting) -> dict:
    """Everything about survival of the annotated `entities`."""
    backend = icenreg.choose(setting.backend)
    rows = events(entities, setting.unsure)
    names = [name for name in setting.names if (rows["group"] == name).any()]
    clusters = [c for c in DEPENDENT[setting.resample] if rows[c].nunique() > 1]
    drawn = {name: _Drawn(rows, name, setting) for name in names}
    curves = {name: _curve(drawn[name], drawn.get(HUMAN), backend) for name in names}
    for name, own in curves.items():
        own["sentence"] = sentences.curve(name, own)
    # Within lengths that were allotted nothing else differs; lengths that annotators chose are part of the outcome.
    strata = None if setting.followed else rows["k"]
    pairs = _pairs(rows, names, clusters, strata, drawn, backend)
    result = {
        "curves": curves,
        "sentence": sentences.all_curves(curves, pairs),
        "pairs": pairs,
        "pairs_sentence": sentences.all_pairs(pairs),
        "test": _test(clusters, setting.followed),
        "proportionality": _proportionality(rows, names, backend),
        **effects(rows, names, clusters, setting.rng, setting.drawn.replicates, backend),
        "unsure": {"option": setting.unsure, "said": SAID[setting.unsure]},
        "backend": backend,
    }
    lost = [name for name in setting.names if name not in names]
    return result | ({"why": f'only answers "unsure" about {", ".join(lost)}: left out'} if lost else {})


class _Drawn:
    """One contestant's rows at the `lengths` shown, and its survival there when drawn again: `samples` (bootstraps ·
    replicates, lengths).

    `n` were shown that much, of whom `spotted` were called bots then.
    """

    def __init__(self, rows: pd.DataFrame, name: str, setting: Setting) -> None:
        mine = rows[rows["group"] == name]
        self.left, self.right, self.weight = (mine[c].to_numpy() for c in ("left", "right", "weight"))
        self.lengths, level = np.unique(mine["k"], return_inverse=True)
        spotted, self.every, self.rows = np.isfinite(self.right), setting.drawn, mine.index.to_numpy()
        self.drawn = self.every.take(self.rows)
        counts = np.bincount(2 * level + spotted, self.weight, 2 * len(self.lengths))
        self.spotted, self.n, self.survival = self._estimate(counts, setting.followed)
        sums = self.drawn.cell_sums(2 * level + spotted, 2 * len(self.lengths), self.weight)
        self.samples = self._estimate(sums, setting.followed)[2]

    def _estimate(self, counts: np.ndarray, followed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How many were spotted, of how many, and survival, from the numbers unspotted and spotted at each length."""
        cells = counts.reshape(*counts.shape[:-1], len(self.lengths), 2)
        spotted, total = cells[..., 1], cells.sum(axis=-1)
        if not followed:
            return spotted, total, current_status_survival(spotted, total)
        at_risk = np.flip(np.flip(total, axis=-1).cumsum(axis=-1), axis=-1)
        return spotted, at_risk, followed_survival(spotted, at_risk)

    def at(self, k: float) -> tuple[float, np.ndarray] | None:
        """Survival at a length and its replicates; None where that length wasn't shown."""
        place = np.flatnonzero(self.lengths == k)
        return (float(self.survival[place[0]]), self.samples[:, place[0]]) if len(place) else None

    def less(self, other: _Drawn, k: float) -> dict:
        """By how much more of these pass at a length than of `other`, with the interval."""
        (mine, samples), (value, others) = self.at(k), other.at(k)
        both = self.every.take(np.concatenate([self.rows, other.rows]))
        ci = both.interval(mine - value, samples - others, span=(-1, 1)).tolist()
        return {"difference": mine - value, "ci": ci}


def _curve(own: _Drawn, people: _Drawn | None, backend: str) -> dict:
    """S(k) at the lengths shown, with bootstrap intervals, which hold at these fixed lengths; `why` there are none."""
    fit = turnbull(own.left, own.right, own.weight, backend=backend)
    low, high = fit.quantile_bounds(0.5)
    result = {
        "exchanges": [_count(k) for k in own.lengths],
        "survival": fit.survival(own.lengths).tolist(),
        "ci": own.drawn.interval(own.survival, own.samples, span=(0, 1)).tolist(),
        "n": [_count(x) for x in own.n],
        "spotted": [_count(x) for x in own.spotted],
        "median": {"low": float(low), "high": float(high), "note": sentences.median_note(fit)},
    }
    if own is not people:
        k = own.lengths[-1]
        bound = None if people is None else people.at(k)
        result["versus_human"] = None
        if bound is not None:
            result["versus_human"] = {"exchanges": _count(k), "human": bound[0], **own.less(people, k)}
    return result | ({"why": own.drawn.why} if own.drawn.why else {})


def _proportionality(rows: pd.DataFrame, names: Sequence[str], backend: str) -> dict:
    """Each curve as log(-log S) and as logit of the share spotted, and by how much their distances change with k."""
    own = rows[rows["group"].isin(list(names))]
    try:
        found = log_minus_log(own["left"], own["right"], own["group"], own["weight"], np.unique(own["k"]), backend)
    except ValueError as err:
        return {"curves": {}, "why": str(err)}
    scales = ["log_minus_log", "logit"]
    by_name = dict(list(found.table.groupby("group")))
    change = {scale: float(found.spread[scale].mean()) for scale in scales}
    return {
        "exchanges": [_count(k) for k in np.unique(found.table["time"])],
        "curves": {name: by_name[name][scales].to_dict(orient="list") for name in names},
        "mean_change": change,
        "sentence": sentences.proportionality(change, len(np.unique(found.table["time"]))),
    }


def _pairs(
    rows: pd.DataFrame,
    names: Sequence[str],
    clusters: list[str],
    strata: pd.Series | None,
    drawn: dict[str, _Drawn],
    backend: str,
) -> list[dict]:
    if len(names) < 2:
        return []
    arguments = (rows["left"], rows["right"], rows["group"])
    shared = {"names": names, "weights": rows["weight"], "backend": backend}
    options = {"clusters": [rows[c] for c in clusters], "covariance": "robust"} if clusters else {}
    table = logrank_pairs(*arguments, strata=strata, **options, **shared)
    naive = logrank_pairs(*arguments, **shared).to_dict(orient="records")
    found = []
    for row, by_rows in zip(table.to_dict(orient="records"), naive, strict=True):
        row["statistic"] -= row["expected"]
        row |= {key: _count(row[key]) for key in ("n_a", "n_b")}
        kept = ("statistic", "chi2", "df", "p", "log_p", "p_adjusted", "log_p_adjusted")
        row["as_independent"] = {key: by_rows[key] for key in kept}
        if not np.isfinite(row["se"]):
            row["why"] = ALONE
        passing = _passing(drawn[row["a"]], drawn[row["b"]])
        found.append(row | {"passing": passing, "sentence": sentences.pair(row, passing)})
    return found


def _passing(a: _Drawn, b: _Drawn) -> dict | None:
    """How many of both still pass at the longest length at which both were shown, and the difference."""
    shared = np.intersect1d(a.lengths, b.lengths)
    if not len(shared):
        return None
    k = shared[-1]
    return {"exchanges": _count(k), "a": a.at(k)[0], "b": b.at(k)[0], **a.less(b, k)}


def _test(clusters: list[str], followed: bool) -> str:
    by = {"conversation_id": "conversations", "worker_id": "annotators"}
    taken = f"answers on the same {' or by the same '.join(by[c][:-1] for c in clusters)} may depend on each other, so "
    taken += "p is by F with no more degrees of freedom than those allow"
    return (
        f"generalized log-rank (Sun's score){'' if followed else ' within lengths'}, Holm-adjusted; "
        f"{taken if clusters else 'rows as independent'}; positive: a is spotted more than expected"
    )


def _count(value: float) -> int | float:
    """Whole numbers as such; with unsure answers as halves there are others."""
    return int(value) if value == int(value) else float(value)


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """How long each passes, and what features go with it."""
    own = result.data
    charts = [chart for chart in (_curves_chart(own), _effects_chart(own), _parallel_chart(own)) if chart is not None]
    makers = (_in_words, _curves_table, _logrank_table, _effects_table, bounds_table)
    tables = [table for table in (make(own) for make in makers) if table is not None]
    text = [own[key] for key in ("warning", "bounds_sentence") if own.get(key)]
    if not any(chart.name == "parallel" for chart in charts) and (own.get("proportionality") or {}).get("sentence"):
        text.insert(0, own["proportionality"]["sentence"])
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
    shown = [f for f in FEATURES if any(entries.get(f, {}).get("ratio") for entries in fits.values())]
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
        panels.append({"title": FEATURES[feature], "rows": lines})
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


def _parallel_chart(own: Mapping) -> Chart | None:
    """log(-log S) by the number of exchanges, a line a contestant: parallel where hazards are proportional."""
    found = own.get("proportionality") or {}
    lengths = found.get("exchanges", [])
    if len(lengths) < 2:
        return None
    values = {bot: scales["log_minus_log"] for bot, scales in found["curves"].items()}
    series = [{"label": Name(bot), "x": lengths, "y": y} for bot, y in values.items()]
    rows = [
        {"name": who(bot), "exchanges": k, "log_minus_log": x}
        for bot, y in values.items()
        for k, x in zip(lengths, y, strict=True)
    ]
    x, y = "exchanges shown (logarithmic)", "logarithm of the cumulative hazard"
    data = {"series": series, "x": x, "y": y, "log_x": True}
    label = "Logarithm of each contestant's cumulative hazard by the exchanges shown"
    return Chart("parallel", "lines", "", PARALLEL, data, found.get("sentence", ""), label=label, rows=rows)


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
        "To pass is not to be called a bot. In brackets 95 % intervals; p, too, is about chance, corrected for "
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
    names = [f for f in FEATURES if any(f in entries for entries in fits.values())]
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
    head = ("", *(FEATURES[f] for f in names), "p, no feature matters")
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
        return f"None of the {len(tested)} pairs of curves differs by more than chance would have it."
    clear = min(differ, key=lambda p: (p["p_adjusted"], -abs(p["chi2"])))
    sooner, later = (who(clear[end]) for end in ("ab" if clear["statistic"] > 0 else "ba"))
    verb = "are" if sooner == "people" else "is"
    return (
        f"{len(differ)} of {len(tested)} pairs of curves differ by more than chance would have it; clearest: {sooner} "
        f"{verb} spotted sooner than {later} ({p_said(clear['p_adjusted'])})."
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
        f"Strongest goes {who(bot)} favoured in {_feature(feature)} with being spotted {when}: ratio "
        f"{factor(fit['ratio'])}{between(fit['ratio_ci'], factor)}, one of {len(found)} told from 1."
    )


def _feature(name: str) -> str:
    return FEATURES[name] if FEATURES[name].isupper() else FEATURES[name].lower()


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables survival_curves, survival_summary, survival_pairs, survival_cox, survival_cox_models and, of a
    game, game_survival_bounds."""
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
    yield from bounds_rows(data)


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
        found.append("  take care: annotators chose when to stop, so S falls too steeply; the report has bounds")
    return found


FINDING = Finding(
    "survival",
    FORM,
    compute,
    tell,
    rows,
    lines,
    place=20,
    announced=(("survival", "Survival"),),
    options=("backend", "unsure"),
)
