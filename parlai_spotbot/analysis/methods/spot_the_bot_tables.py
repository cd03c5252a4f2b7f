"""The results of Spot The Bot as flat tables, for CSV."""

from __future__ import annotations

import pandas as pd

from parlai_spotbot.analysis.methods.spot_the_bot_order import order_rows
from parlai_spotbot.analysis.methods.spot_the_bot_people import agreement_rows, annotator_rows, time_rows
from parlai_spotbot.analysis.trust import trust_rows


def flatten(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """One frame a table; each row says its source. Tables without rows are left out."""
    rows: dict[str, list[dict]] = {}
    for stem, add in ADD.items():
        for source, own in result.get(stem, {"by_source": {}})["by_source"].items():
            for table, row in add(own):
                rows.setdefault(table, []).append({"source": source, **row})
    return {table: pd.DataFrame(entries) for table, entries in rows.items()}


def _ranking_rows(own: dict, stem: str = "ranking", **said):
    for bot in own["order"]:
        (low, high), (first, last) = own["win_rate_ci"][bot], own["clusters"][bot]
        row = {
            "bot": bot,
            "cluster_first": first,
            "cluster_last": last,
            "range_first": own["ranges"][bot][0],
            "range_last": own["ranges"][bot][1],
            "win_rate": own["win_rate"][bot],
            "win_rate_low": low,
            "win_rate_high": high,
            "trueskill_mu": own["trueskill"][bot]["mu"],
            "trueskill_sigma": own["trueskill"][bot]["sigma"],
            "davidson": own["davidson"][bot]["strength"],
            **ends("davidson", own["davidson"][bot]["ci"]),
            "score": own["score"][bot],
            **ends("score", own["score_ci"][bot]),
        }
        if "human_share" in own:
            row["human_share"] = own["human_share"][bot]
        yield stem, {**said, **row}
    for pair in own["pairs"]:
        kept = {key: value for key, value in pair.items() if not key.endswith("_ci")}
        found = {**ends("rate", pair["rate_ci"]), **ends("difference", pair["difference_ci"])}
        yield f"{stem}_pairs", {**said, **kept, **found}


def ends(name: str, ci: list) -> dict[str, float | None]:
    """An interval as two columns."""
    return {f"{name}_low": ci[0], f"{name}_high": ci[1]}


def _feature_rows(own: dict):
    for feature, result in own.items():
        yield from _ranking_rows(result, "features", feature=feature)


def _survival_rows(own: dict):
    for name, curve in own["curves"].items():
        for i, k in enumerate(curve["exchanges"]):
            low, high = curve["ci"][i]
            yield "survival_curves", {"name": name, "exchanges": k, "survival": curve["survival"][i], "low": low,
                                      "high": high, "n": curve["n"][i], "spotted": curve["spotted"][i]}  # fmt: skip
        median, versus = curve["median"], curve.get("versus_human") or {}
        low, high = versus.get("ci", (None, None))
        yield "survival_summary", {"name": name, "median_low": median["low"], "median_high": median["high"],
                                   "median": median["note"], "minus_human": versus.get("difference"),
                                   "minus_human_low": low, "minus_human_high": high,
                                   "sentence": curve["sentence"]}  # fmt: skip
    for pair in own["pairs"]:
        yield "survival_pairs", _flat_pair(pair)
    for key, model in (("cox", "ph"), ("cox_po", "po")):
        for name, features in own[key].items():
            for feature, fit in features.items():
                yield "survival_cox", {"name": name, "model": model, "feature": feature, **_flat_fit(fit)}
    for name, models in own["cox_models"].items():
        for model in ("ph", "po"):
            fit = models[model]
            test = fit["test"] or {}
            yield "survival_cox_models", {"name": name, "model": model, "loglik": fit["loglik"], "n": fit["n"],
                                          "chi2": test.get("chi2"), "df": test.get("df"), "p": test.get("p"),
                                          "errors": fit["errors"], "notes": "; ".join(fit["notes"])}  # fmt: skip


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


def _segment_rows(own: dict):
    for k, entry in own["segments"].items():
        for name, shares in entry["systems"].items():
            ends = {key: shares.get(key) or (None, None) for key in ("win_rate_ci", "human_share_ci")}
            flat = {f"{key[:-3]}_{end}": ci[i] for key, ci in ends.items() for i, end in enumerate(("low", "high"))}
            known = {key: value for key, value in shares.items() if key not in ends}
            yield "segments", {"exchanges": k, "ties": entry["ties"], "name": name, **known, **flat}


ADD = {
    "ranking": _ranking_rows,
    "features": _feature_rows,
    "survival": _survival_rows,
    "agreement": agreement_rows,
    "annotators": annotator_rows,
    "segments": _segment_rows,
    "time": time_rows,
    "order": order_rows,
    "trust": trust_rows,
}
