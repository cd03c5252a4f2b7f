"""The study of metrics as tables, one CSV a file of results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from parlai_spotbot.analysis.metrics.sensitivity import LEVELS


def tables(result: Mapping[str, dict]) -> dict[str, pd.DataFrame]:
    """File stem -> table: one row a source and metric (of coverage a step, of costs a task, of screening a group)."""
    made: dict[str, list[dict]] = {}
    for stem, make in MAKERS.items():
        for source, own in result[stem]["by_source"].items():
            for name, rows in make(own).items():
                made.setdefault(name, []).extend({"source": source, **row} for row in rows)
    return {name: pd.DataFrame(rows) for name, rows in made.items() if rows}


def _flat(row: Mapping[str, Any]) -> dict:
    """Intervals as two columns, lists as text."""
    flat: dict = {}
    for key, value in row.items():
        if key.endswith("ci") and isinstance(value, (list, tuple)):
            stem = key.removesuffix("ci").rstrip("_")
            flat |= dict(zip((f"{stem}_low".lstrip("_"), f"{stem}_high".lstrip("_")), value, strict=True))
        elif isinstance(value, list):
            flat[key] = " ".join(map(str, value))
        elif not isinstance(value, dict):
            flat[key] = value
    return flat


def _interpretability(own: dict) -> dict[str, list[dict]]:
    return {"interpretability": [_flat(row) for row in own["metrics"]]}


def _importance(own: dict) -> dict[str, list[dict]]:
    return {"importance": [{"outcome": name, **_flat(row)} for name, part in own.items() for row in part["metrics"]]}


def _sensitivity(own: dict) -> dict[str, list[dict]]:
    counts, pairs = [], []
    for metric in own["metrics"]:
        key = {"method": metric["method"], "name": metric["name"], "kind": metric["kind"]}
        for level in LEVELS:
            row = metric["counts"].get(f"{level:g}")
            if row:
                counts.append(
                    {
                        **key,
                        "sample": own["sample"],
                        "level": level,
                        "compared": metric["compared"],
                        **{name: value for name, value in row.items() if "ci" not in name},
                        "low": row["ci"][0],
                        "high": row["ci"][1],
                        "low_paper": row["ci_paper"][0],
                        "high_paper": row["ci_paper"][1],
                    }
                )
        pairs += [{**key, **_flat(pair)} for pair in metric["pairs"]]
    return {"sensitivity": counts, "sensitivity_pairs": pairs}


def _coverage(own: dict) -> dict[str, list[dict]]:
    rows = [
        {
            "outcome": outcome,
            "method": method,
            "n": found["n"],
            "metrics": len(step["metrics"]),
            "r2": step["r2"],
            "adjusted": step["adjusted"],
            "removed": step["removed"],
        }
        for outcome in ("rating", "choice")
        for method, found in own[outcome]["methods"].items()
        for step in found.get("steps", [])
    ]
    return {"coverage": rows}


def _costs(own: dict) -> dict[str, list[dict]]:
    return {
        "costs": [_flat(row) for row in own["tasks"]],
        "costs_methods": [_flat(row) for row in own["methods"]],
        "screening": [_flat(row) for row in own.get("screening", [])],
    }


def _recommendation(own: dict) -> dict[str, list[dict]]:
    return {"recommendation": [_flat(row) for row in own.get("sets", [])]}


MAKERS = {
    "interpretability": _interpretability,
    "importance": _importance,
    "sensitivity": _sensitivity,
    "coverage": _coverage,
    "costs": _costs,
    "recommendation": _recommendation,
}
