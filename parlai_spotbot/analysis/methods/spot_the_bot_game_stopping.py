"""What the game's own way of stopping does to survival: said, bounded, and tested where two annotators allow it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from parlai_spotbot.analysis.survival import events
from parlai_spotbot.analysis.survival.stopping import explained, stopping_bounds, stopping_test
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import p_said

if TYPE_CHECKING:
    from parlai_spotbot.analysis.methods.spot_the_bot import Source

WARNING = (
    "Annotators chose themselves when to stop, and that choice is informative: whoever stops early with “human” does "
    "so because the entity looks human. Turnbull's estimate, the log-rank test and Cox's model assume the contrary: "
    "that whoever stopped would have gone on to spot bots like those who did not stop. Those left in view are the more "
    "suspicious ones, so the curves fall too steeply: bots look as if they were spotted sooner than they are, by more "
    "the earlier annotators stop. A penalty on opening also makes them guess. Compare bots by the bounds too, which "
    "hold whatever the reasons, and take segments of fixed length (survey spot_the_bot) for a measure."
)


def survival_bounds(source: Source, own: dict) -> dict:
    """The part of survival with the warning, and with `bounds` {low, high, ci} at the exchanges of each curve."""
    rows = events(source.entities, source.unsure)
    clusters = source.clusters.take(source.pages)
    for name, curve in own["curves"].items():
        mine = rows[rows["group"] == name]
        found = stopping_bounds(mine, np.array(curve["exchanges"], dtype=float), clusters.take(mine.index))
        curve["bounds"] = {key: value.tolist() for key, value in found.items()}
    return own | {"warning": WARNING, "counted": "Appearances still undecided when so much was open",
                  "bounds_sentence": _bounds_sentence(own["curves"])}  # fmt: skip


def _bounds_sentence(curves: dict[str, dict]) -> str:
    ends = []
    for name, curve in curves.items():
        k, low, high = curve["exchanges"][-1], curve["bounds"]["low"][-1], curve["bounds"]["high"][-1]
        ends.append(f"{'people' if name == HUMAN else name} {low:.0%} to {high:.0%} (after {k})")
    return f"However annotators chose to stop, of the appearances judged there pass: {', '.join(ends)}." if ends else ""


def stopping(source: Source) -> dict:
    """What game.json says of stopping: the `warning`, how much was `opened` of whom, on what that `depends`, `test`."""
    frame = source.entities
    rows = frame.assign(
        group=frame["name"],
        spotted=frame["nature"] == "bot",
        appearance=frame["conversation_id"] + "\t" + frame["entity"].astype(str),
    )
    test = asdict(stopping_test(rows))
    depends = _depends(source)
    return {
        "warning": WARNING,
        "opened": _by_name(source),
        "depends": depends | {"sentence": _depends_sentence(depends)},
        "test": test | {"sentence": _test_sentence(test)},
    }


def _by_name(source: Source) -> list[dict]:
    """Per contestant: exchanges open at the decision, and how often that was the first, or the last there is."""
    result = []
    for name in [*source.bots, HUMAN]:
        own = source.entities[source.entities["name"] == name]
        if len(own):
            called = {nature: own.loc[own["nature"] == nature, "k"].mean() for nature in ("bot", "human")}
            result.append({
                "name": name, "n": len(own), "mean": own["k"].mean(), "mean_called_bot": called["bot"],
                "mean_called_human": called["human"], "first": (own["k"] == 1).mean(),
                "all": (own["k"] == own["whole"]).mean(),
            })  # fmt: skip
    return result


def _depends(source: Source) -> dict:
    """How much of the differences in what was opened lies between contestants, annotators and conversations."""
    own, rows, rng = source.entities, source.annotations, source.rng("opened")
    pair = np.array(["\t".join(sorted(p)) for p in zip(rows["a"], rows["b"], strict=True)], dtype=object)
    worker = rows["worker_id"].to_numpy(dtype=object)
    return {
        "contestant": explained(own["k"], own["name"].to_numpy(), own["worker_id"].to_numpy(), rng),
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
    change, low, high = (f"{100 * test[key]:+.0f}".replace("-", "−") for key in ("difference", "low", "high"))
    points = f"{change} points, 95 % interval {low} to {high}"
    p = p_said(test["p"])
    if test["p"] < 0.05:
        often = "less" if test["difference"] < 0 else "more"
        return (
            f"Stopping is informative here: an entity that one annotator stopped at as human was spotted {often} often "
            f"by the others than one that the annotator went on with ({points}, {p})."
        )
    return (
        f"Two annotators of one entity give no proof that stopping is informative ({points}, {p}), nor of the "
        "contrary: only reasons that both see can show."
    )
