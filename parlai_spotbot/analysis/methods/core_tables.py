"""The results of surveys of the common core as flat tables for CSV, and in a few lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from parlai_spotbot.wording import interval, number, span

Rows = Iterator[tuple[str, dict]]


def tables(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """One frame a table; each row says its source. Tables without rows are left out."""
    rows: dict[str, list[dict]] = {}
    for stem, add in ADD.items():
        for source, own in result.get(stem, {"by_source": {}})["by_source"].items():
            for table, row in add(own):
                rows.setdefault(table, []).append({"source": source, **row})
    return {table: pd.DataFrame(entries) for table, entries in rows.items()}


def flat(row: dict) -> dict:
    """Intervals as two columns, lists as text, deeper parts left out."""
    found = {}
    for key, value in row.items():
        if isinstance(value, (list, tuple)) and len(value) == 2 and not any(isinstance(end, str) for end in value):
            name = key.removesuffix("ci").rstrip("_") or "estimate"
            found[f"{name}_low"], found[f"{name}_high"] = value
        elif isinstance(value, (list, tuple)):
            found[key] = " > ".join(map(str, value)) if key == "of" else " ".join(map(str, value))
        elif not isinstance(value, dict):
            found[key] = value
    return found


def _ranking(own: dict) -> Rows:
    for question, found in own["criteria"].items():
        said = {"question": question}
        for bot in found["order"]:
            (low, high), (first, last) = found["score_ci"][bot], found["clusters"][bot]
            row = {"bot": bot, "cluster_first": first, "cluster_last": last, "score": found["score"][bot],
                   "score_low": low, "score_high": high}  # fmt: skip
            if "strength" in found:
                row["strength"] = found["strength"][bot]["strength"]
            yield "ranking", {**said, **row}
            if "distribution" in found:
                ends = found["distribution_ci"][bot]
                for value, count, (low, high) in zip(found["scale"], found["distribution"][bot], ends, strict=True):
                    yield "distribution", {**said, "bot": bot, "rating": value, "count": count,
                                           "share": count / found["n"][bot], "share_low": low,
                                           "share_high": high}  # fmt: skip
            if "shares" in found:
                shares = dict(found["shares"][bot])
                n = shares.pop("n")
                for what, share in shares.items():
                    yield "shares", {**said, "bot": bot, "outcome": what, **flat(share), "n": n}
        for pair in found["pairs"]:
            yield "ranking_pairs", {**said, **flat(pair)}
        for row in found.get("cycles", {}).get("cycles", []):
            yield "cycles", {**said, **flat(row)}


def _agreement(own: dict) -> Rows:
    for question, row in own["krippendorff_alpha"].items():
        yield "agreement", {"question": question, "metric": own["metric"], **flat(row)}
    for question, row in own.get("annotator_models", {}).items():
        for model, told in row["models"].items():
            said = {"units": row["units"], "ties": row["ties"], "model": model}
            yield "annotator_models", {"question": question, **said, **told}
        for worker, entry in row["annotators"].items():
            matrix = entry.get("confusion", {})
            shares = {f"{given}_where_{right}": p for right, own in matrix.items() for given, p in own.items()}
            said = {key: entry[key] for key in ("answers", "majority", "accuracy", "ability")}
            yield "annotator_models_annotators", {"question": question, "worker_id": worker, **said, **shares}
        for unit in row["differing"]:
            yield "annotator_models_differing", {"question": question, **unit}


def _leniency(own: dict) -> Rows:
    for question, found in own["dimensions"].items():
        for bot, level in found.get("levels", {}).items():
            low, high = level["ci"]
            yield "leniency", {"question": question, "bot": bot, "raw": level["raw"], "adjusted": level["adjusted"],
                               "low": low, "high": high}  # fmt: skip
        for worker, value in found.get("intercepts", {}).items():
            yield "leniency_annotators", {"question": question, "worker_id": worker, "intercept": value}


def _same(own: dict) -> Rows:
    for question, tests in own["tests"].items():
        for row in tests:
            yield "same", {"question": question, **flat(row)}


def _chats(own: dict) -> Rows:
    for found in own["comparisons"]:
        for pair in found["pairs"]:
            yield "chats_pairs", {"kinds": " ".join(found["kinds"]), **flat(pair)}
    for row in own["degeneration"]["shares"]:
        yield "chats_circles", flat(row)
    for row in own["training"]["shares"]:
        yield "chats_training", {key: value for key, value in flat(row).items() if not key.startswith("common")}


def _wordings(own: dict) -> Rows:
    for name, row in own["wordings"].items():
        yield "wordings", {"question": name, **flat(row)}
    for row in own["differences"]:
        yield "wordings_differences", flat(row)


def _annotators(own: dict) -> Rows:
    for worker, row in own["annotators"].items():
        yield "annotators", {"worker_id": worker, **row}


def _time(own: dict) -> Rows:
    if own["n"]:
        quantiles = {f"q{100 * float(q):02.0f}": value for q, value in own["quantiles"].items()}
        yield "time", {"n": own["n"], "median": own["median"], "mean": own["mean"], **quantiles, "hours": own["hours"],
                       "cost": own["cost"]}  # fmt: skip


def _cost(own: dict) -> Rows:
    for curve in own["curves"]:
        columns = ("hours", "annotations", "power", "low", "high")
        for values in zip(*(curve[name] for name in columns), strict=True):
            row = dict(zip(columns, values, strict=True))
            yield "cost", {"question": own["question"], "a": curve["a"], "b": curve["b"], **row}


ADD = {
    "ranking": _ranking,
    "agreement": _agreement,
    "leniency": _leniency,
    "same": _same,
    "chats": _chats,
    "wordings": _wordings,
    "annotators": _annotators,
    "time": _time,
    "cost": _cost,
}


def summary(result: dict[str, dict]) -> str:
    """For each source: what was left out, and the order by each question with scores and intervals."""
    ranking = result["ranking"]
    lines = of_extensions(ranking)
    for source, own in ranking["by_source"].items():
        lines += of_source(ranking, source)
        for question, found in own["criteria"].items():
            lines += _order_lines(question, found)
        for question, found in result.get("wordings", {"by_source": {}})["by_source"].get(source, {}).items():
            if question == "sentences":
                lines += [f"  {sentence}" for sentence in found]
    return "\n".join(lines)


def of_extensions(ranking: dict) -> list[str]:
    """How the study was extended, if it was."""
    extended = ranking["made_by"].get("study_extended", [])
    return [f"the study was extended: {'; '.join(extended)}"] if extended else []


def of_source(ranking: dict, source: str) -> list[str]:
    """How many annotations of a source are used, and what of it is left out."""
    automatic = "" if source == "human" else " (automatic, not people)"
    left_out = sorted(ranking["made_by"]["left_out"].get(source, {}).items())
    return [f"{source}: {ranking['made_by']['used'][source]} annotations{automatic}"] + [
        f"  left out: {count} × {reason}" for reason, count in left_out
    ]


def _order_lines(question: str, found: dict) -> list[str]:
    lines = [f"  {question}: {found['criterion']}", f"  {'cluster':<8} {'name':<20} {'score':>7}  interval"]
    for bot in found["order"]:
        ci = interval(found["score_ci"][bot], 2, share=False)
        lines.append(f"  {span(found['clusters'][bot]):<8} {bot:<20} {number(found['score'][bot]):>7}  {ci}")
    clear = sum(pair["p_adjusted"] is not None and pair["p_adjusted"] < 0.05 for pair in found["pairs"])
    lines.append(f"  {clear} of {len(found['pairs'])} pairs differ clearly (Holm-adjusted p < 0.05)")
    for key in ("cycles", "fit"):
        if key in found:
            lines.append(f"  {found[key]['sentence']}")
    return lines + ([f"  {found['why']}"] if "why" in found else [])
