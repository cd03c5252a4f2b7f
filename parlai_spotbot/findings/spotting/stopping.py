"""What the game's own way of stopping does to survival: said, bounded, and tested where two annotators allow it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from parlai_spotbot.analysis.frames import cluster_of
from parlai_spotbot.analysis.survival import events
from parlai_spotbot.analysis.survival.stopping import explained, stopping_bounds, stopping_test
from parlai_spotbot.findings.finding import Rows
from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.findings.spotting import Annotations
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import between, p_said, percent, points, who

WARNING = (
    "Annotators chose themselves when to stop, and that choice is informative: whoever stops early with “human” does "
    "so because the entity looks human. Turnbull's estimate, the log-rank test and Cox's model assume the contrary: "
    "that whoever stopped would have gone on to spot bots like those who did not stop. Those left in view are the more "
    "suspicious ones, so the curves fall too steeply: bots look as if they were spotted sooner than they are, by more "
    "the earlier annotators stop. A penalty on opening also makes them guess. Compare bots by the bounds too, which "
    "hold whatever the reasons, and take segments of fixed length (survey spot_the_bot) for a measure."
)


def with_bounds(own: Annotations, found: dict) -> dict:
    """What survival.json holds, with the warning, and with `bounds` {low, high, ci} at the exchanges of each curve."""
    rows = events(own.entities, own.options.unsure, own.features)
    clusters = own.together.take(own.pages)
    for name, curve in found["curves"].items():
        mine = rows[rows["group"] == name]
        ends = stopping_bounds(mine, np.array(curve["exchanges"], dtype=float), clusters.take(mine.index))
        curve["bounds"] = {key: value.tolist() for key, value in ends.items()}
    counted = "Appearances still undecided when so much was open"
    return found | {"warning": WARNING, "counted": counted, "bounds_sentence": _bounds_sentence(found["curves"])}


def _bounds_sentence(curves: dict[str, dict]) -> str:
    ends = []
    for name, curve in curves.items():
        k, low, high = curve["exchanges"][-1], curve["bounds"]["low"][-1], curve["bounds"]["high"][-1]
        ends.append(f"{who(name)} {low:.0%} to {high:.0%} (after {k})")
    return f"However annotators chose to stop, of the appearances judged there pass: {', '.join(ends)}." if ends else ""


def bounds_table(survival: Mapping) -> Table | None:
    """Between what each curve must lie, whyever annotators stopped."""
    found = {name: curve for name, curve in (survival.get("curves") or {}).items() if "bounds" in curve}
    if not found:
        return None
    lengths = sorted({k for curve in found.values() for k in curve["exchanges"]})
    rows = []
    for name, curve in found.items():
        own = curve["bounds"]
        at = {k: (own["low"][i], own["high"][i], own["ci"][i]) for i, k in enumerate(curve["exchanges"])}
        cells = [f"{percent(at[k][0])} to {percent(at[k][1])}{between(at[k][2])}" if k in at else "–" for k in lengths]
        rows.append((Name(name), *cells))
    how = (
        "Between what the share that passes lies however annotators chose to stop: from all who stopped before "
        "having been about to spot it, to none of them; in brackets with 95 % intervals of both ends. A curve above "
        "assumes that they would have gone on like the others."
    )
    return Table("Bounds of survival", how, ("", *(f"{k} exchanges" for k in lengths)), rows)


def bounds_rows(survival: Mapping) -> Rows:
    """Rows of the table game_survival_bounds."""
    for name, curve in survival["curves"].items():
        if "bounds" in curve:
            own = curve["bounds"]
            for k, low, high, ends in zip(curve["exchanges"], own["low"], own["high"], own["ci"], strict=True):
                row = {"name": name, "exchanges": k, "low": low, "high": high, "ci_low": ends[0], "ci_high": ends[1]}
                yield "game_survival_bounds", row


def stopping(own: Annotations) -> dict:
    """What game.json says of stopping: the `warning`, how much was `opened` of whom, on what that `depends`, `test`."""
    frame = own.entities
    rows = frame.assign(
        group=frame["name"],
        conversation_id=cluster_of(frame),
        spotted=frame["nature"] == "bot",
        appearance=frame["conversation_id"] + "\t" + frame["entity"].astype(str),
    )
    test = asdict(stopping_test(rows))
    depends = _depends(own)
    return {
        "warning": WARNING,
        "opened": _by_name(own),
        "depends": depends | {"sentence": _depends_sentence(depends)},
        "test": test | {"sentence": _test_sentence(test)},
    }


def _by_name(own: Annotations) -> list[dict]:
    """Per contestant: exchanges open at the decision, and how often that was the first, or the last there is."""
    result = []
    for name in [*own.bots, HUMAN]:
        mine = own.entities[own.entities["name"] == name]
        if len(mine):
            called = {nature: mine.loc[mine["nature"] == nature, "k"].mean() for nature in ("bot", "human")}
            result.append(
                {
                    "name": name,
                    "n": len(mine),
                    "mean": mine["k"].mean(),
                    "mean_called_bot": called["bot"],
                    "mean_called_human": called["human"],
                    "first": (mine["k"] == 1).mean(),
                    "all": (mine["k"] == mine["whole"]).mean(),
                }
            )
    return result


def _depends(own: Annotations) -> dict:
    """How much of the differences in what was opened lies between contestants, annotators and conversations."""
    frame, rows, rng = own.entities, own.rows, own.rng("opened")
    pair = np.array(["\t".join(sorted(p)) for p in zip(rows["a"], rows["b"], strict=True)], dtype=object)
    worker = rows["worker_id"].to_numpy(dtype=object)
    return {
        "contestant": explained(frame["k"], frame["name"].to_numpy(), frame["worker_id"].to_numpy(), rng),
        "annotator": explained(rows["k"], worker, pair, rng),
        "conversation": explained(rows["k"], rows["conversation_id"].to_numpy(), worker, rng),
    }


def _depends_sentence(depends: dict) -> str:
    parts = [
        f"{own['share']:.0%} between {kind}s ({p_said(own['p'])})"
        for kind, own in depends.items()
        if np.isfinite(own["share"])
    ]
    if not parts:
        return (
            "Nothing can be said of what the exchanges opened depend on: all are alike, or there is only one of each."
        )
    return (
        f"Of the differences in how much was opened before a decision there lie {', '.join(parts)} (each of what is "
        "left within annotators, or within pairs of bots). Contestants differ because some give themselves away "
        "sooner; annotators would not if all played alike."
    )


def _test_sentence(test: dict) -> str:
    if not np.isfinite(test["p"]):
        return (
            "No two annotators of one entity stopped differently, or too few annotators or conversations did, so "
            "nothing tells whether stopping is informative."
        )
    change, low, high = (points(test[key]) for key in ("difference", "low", "high"))
    size = f"{change} points, 95 % interval {low} to {high}"
    p = p_said(test["p"])
    if test["p"] < 0.05:
        often = "less" if test["difference"] < 0 else "more"
        return (
            f"Stopping is informative here: an entity that one annotator stopped at as human was spotted {often} often "
            f"by the others than one that the annotator went on with ({size}, {p})."
        )
    return (
        f"Two annotators of one entity give no proof that stopping is informative ({size}, {p}), nor of the "
        "contrary: only reasons that both see can show."
    )
