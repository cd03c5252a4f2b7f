"""The study of metrics as tables, one CSV a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def tables(result: Mapping[str, dict]) -> dict[str, pd.DataFrame]:
    """Return file stem -> table: one row a source and metric (of coverage a step, of costs a task or method)."""
    made: dict[str, list[dict]] = {}
    for stem, part in result.items():
        for source, results in part["by_source"].items():
            for name, rows in ROWS[stem](results).items():
                made.setdefault(name, []).extend({"source": source, **_flat(row)} for row in rows)
    return {name: pd.DataFrame(rows) for name, rows in made.items() if rows}


def _flat(row: Mapping[str, Any]) -> dict:
    """Return a row with intervals as two columns and lists as text."""
    flat: dict = {}
    for key, value in row.items():
        if key == "ci" or key.startswith("ci_") or key.endswith("_ci"):
            flat |= dict(zip((key.replace("ci", "low"), key.replace("ci", "high")), value, strict=True))
        elif isinstance(value, list):
            flat[key] = " ".join(map(str, value))
        elif not isinstance(value, dict):
            flat[key] = value
    return flat


def _sensitivity(result: dict) -> dict[str, list[dict]]:
    counts, pairs = [], []
    for metric in result["metrics"]:
        key = {name: metric[name] for name in ("method", "name", "kind")}
        for level, row in metric["counts"].items():
            counts.append(
                {**key, "sample": result["sample"], "level": float(level), "compared": metric["compared"], **row}
            )
        pairs += [{**key, **pair} for pair in metric["pairs"]]
    return {"sensitivity": counts, "sensitivity_pairs": pairs}


def _coverage(result: dict) -> dict[str, list[dict]]:
    rows = [
        {"outcome": outcome, "method": method, "n": summary["n"], **step, "metrics": len(step["metrics"])}
        for outcome in ("rating", "choice")
        for method, summary in result[outcome]["methods"].items()
        for step in summary.get("steps", [])
    ]
    return {"coverage": rows}


ROWS = {
    "interpretability": lambda result: {"interpretability": result["metrics"]},
    "importance": lambda results: {
        "importance": [{"outcome": name, **row} for name, part in results.items() for row in part["metrics"]]
    },
    "sensitivity": _sensitivity,
    "coverage": _coverage,
    "costs": lambda result: {"costs": result["tasks"], "costs_methods": result["methods"]},
}
