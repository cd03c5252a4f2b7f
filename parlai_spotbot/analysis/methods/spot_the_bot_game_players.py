"""Who plays the game how: points, places and the bonus; who decides at once or opens everything, and what is left
without them (paper, appendix B: "some always decided after just one exchange", "others opened the whole conversation").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators import Marked
from parlai_spotbot.analysis.annotators.habits import LEAST_SHARE, RULE, find_habit
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking.contrasts import contrasts, win_rate_intervals
from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates
from parlai_spotbot.analysis.survival import events, followed_survival
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.spot_the_bot_game import GAME

if TYPE_CHECKING:
    from parlai_spotbot.analysis.methods.spot_the_bot import Source

AT_ONCE, OPENS_ALL = "decides at once", "opens everything"
TOLD = {
    AT_ONCE: f"decides for both with one exchange open: {RULE}",
    OPENS_ALL: f"decides for neither before everything is open: {RULE}",
}

LEADERBOARD = ("rank", "worker_id", "points", "units", "points_per_unit", "decisions", "right", "wrong", "unsure",
               "accuracy", "mean_opened", "bonus")  # fmt: skip
WITHOUT = ("annotations", "annotators", "n", "accuracy")

BONUS = (
    "the annotator with the most points over all finished units, controls among them, is paid for one unit more; with "
    "equal points each of them"
)


def marked(habits: dict) -> Marked:
    """The annotators with a habit that defeats the game."""
    return {
        habit: (TOLD[habit], [worker for worker, row in own["annotators"].items() if row["flagged"]])
        for habit, own in habits.items()
    }


def players(source: Source) -> dict:
    """What game.json says of the players."""
    board = _leaderboard(source.play)
    habits = source.habits
    own = _kept_decisions(source)
    return {
        "points": {"right": GAME.right, "wrong": GAME.wrong, "penalty": GAME.penalty},
        "leaderboard": board.to_dict(orient="records"),
        "bonus": {
            "rule": BONUS,
            "annotators": board["worker_id"][board["bonus"]].tolist(),
            "points": board["points"].max(),
        },
        "accuracy": _accuracy(own),
        "accuracy_by_opened": [{"exchanges": k, **_accuracy(rows)} for k, rows in own.groupby("opened", sort=True)],
        "habits": habits,
        "habits_sentence": _habits_sentence(habits),
        "without": _without(source),
    }


def _kept_decisions(source: Source) -> pd.DataFrame:
    """The decisions that are data: no controls, nobody who failed them. (Points and the bonus count all.)"""
    return source.play[(source.play["control"] == "") & ~source.play["worker_id"].isin(list(source.failed))]


def _leaderboard(play: pd.DataFrame) -> pd.DataFrame:
    """One row an annotator, the leader first; equal points share a rank."""
    earned = [
        points(GAME, truth, answer, opened)
        for truth, answer, opened in zip(play["truth"], play["answer"], play["opened"], strict=True)
    ]
    rows = []
    for worker, own in play.assign(points=earned).groupby("worker_id", sort=True):
        units, sums = own["unit_id"].nunique(), own["points"].sum()
        rows.append({
            "worker_id": worker, "points": sums, "units": units, "points_per_unit": sums / units, **_accuracy(own),
            "mean_opened": own["opened"].mean(),
        })  # fmt: skip
    board = pd.DataFrame(rows).rename(columns={"n": "decisions"})
    board["rank"] = board["points"].rank(ascending=False, method="min").astype(int)
    board["bonus"] = board["rank"] == 1
    return board.sort_values(["rank", "worker_id"], kind="stable").reset_index(drop=True)


def _accuracy(own: pd.DataFrame) -> dict:
    """Decisions: n, right, wrong, unsure; `accuracy` of the sure ones, on bots and on people."""
    sure = own[own["answer"] != "unsure"]
    good = sure["answer"] == sure["truth"]
    of = {kind: good[sure["truth"] == kind] for kind in ("bot", "human")}
    return {
        "n": len(own), "right": int(good.sum()), "wrong": int((~good).sum()), "unsure": len(own) - len(sure),
        "accuracy": _mean(good), "accuracy_bots": _mean(of["bot"]), "accuracy_people": _mean(of["human"]),
    }  # fmt: skip


def _mean(values: pd.Series) -> float:
    return float(values.mean()) if len(values) else np.nan


def habits_of(source: Source) -> dict:
    """By habit: the `rule`, what is `typical`, the rule's `false_alarms`, and one entry an annotator."""
    rows = source.annotations[source.annotations["whole"] > 1]
    first = rows[["opened0", "opened1"]].min(axis=1)
    workers = rows["worker_id"].to_numpy(dtype=object)
    names = sorted(set(workers))
    place = np.array([names.index(worker) for worker in workers], dtype=int)
    items = np.bincount(place, minlength=len(names))
    right = {worker: _accuracy(own) for worker, own in source.play.groupby("worker_id")}
    result = {}
    did = {AT_ONCE: rows["k"] == 1, OPENS_ALL: first == rows["whole"]}
    soon = np.bincount(place, first == 1, len(names))
    counted = {habit: np.bincount(place, own, len(names)).astype(int) for habit, own in did.items()}
    for habit, other in ((AT_ONCE, OPENS_ALL), (OPENS_ALL, AT_ONCE)):
        counts = counted[habit]
        apart = counted[other] >= LEAST_SHARE * items
        found = find_habit(counts, items, rng=source.rng(habit), apart=apart)
        each = {
            name: {
                "items": items[i], "count": counts[i], "share": found.share[i], "p": found.p[i],
                "p_adjusted": found.p_adjusted[i], "flagged": found.flagged[i],
                "first_decision_at_once": soon[i] / items[i] if items[i] else np.nan,
                **{key: right[name][key] for key in ("accuracy", "accuracy_bots", "accuracy_people")},
            }
            for i, name in enumerate(names)
        }  # fmt: skip
        result[habit] = {
            "rule": TOLD[habit], "typical": found.typical, "spread": found.spread, "why": found.why,
            "false_alarms": {"annotators": found.false_alarms[0], "studies": found.false_alarms[1]},
            "annotators": each,
        }  # fmt: skip
    return result


def _habits_sentence(habits: dict) -> str:
    parts = []
    for habit, own in habits.items():
        flagged = sum(row["flagged"] for row in own["annotators"].values())
        if own["why"]:
            parts.append(f"Who {habit} can't be told: {own['why']}.")
            continue
        alarm = own["false_alarms"]["annotators"]
        who = f"{flagged} of {len(own['annotators'])} annotators" if flagged else "Nobody"
        does = habit if flagged < 2 else habit.replace("s ", " ", 1)
        does += "" if flagged else " so often that it can be told from chance"
        parts.append(
            f"{who} {does}; the others do so with {own['typical']:.0%} of items (the rule flags {alarm:.1%} of "
            "annotators like them by mistake)."
        )
    return " ".join(parts)


def _without(source: Source) -> dict:
    """Results with everybody, and without those of each habit, and of both: win rates, survival, accuracy."""
    groups = {"nobody": set()} | {habit: set(workers) for habit, (_, workers) in source.marked.items()}
    if all(workers for _, workers in source.marked.values()):
        groups["both habits"] = set().union(*groups.values())
    result, decided = {}, _kept_decisions(source)
    for name, workers in groups.items():
        kept = ~source.annotations["worker_id"].isin(workers).to_numpy()
        result[name] = {
            "annotations": int((~kept).sum()),
            "annotators": len(workers),
            "n": int(kept.sum()),
            "accuracy": _accuracy(decided[~decided["worker_id"].isin(workers)])["accuracy"],
            "bots": _results(source, kept),
        }
    return result


def _results(source: Source, kept: np.ndarray) -> list[dict]:
    """One row a contestant from the annotations `kept` (n,): win rate; survival after the first and all exchanges."""
    rows = source.annotations[kept]
    matches = matches_frame(rows)
    rate = win_rates(win_matrix(matches, source.bots))
    ends = win_rate_intervals(matches, contrasts(matches, source.bots, resample=source.resample))
    entities = source.entities[np.repeat(kept, 2)]
    drawn, found = source.drawn("survival").take(source.pages), events(entities, source.unsure)
    result = []
    for name in [*source.bots, *([HUMAN] if (entities["name"] == HUMAN).any() else [])]:
        own = found[found["group"] == name]
        place = source.bots.index(name) if name != HUMAN else None
        row = {"name": name, "win_rate": np.nan, "win_rate_low": np.nan, "win_rate_high": np.nan}
        if place is not None:
            row |= dict(zip(row, (name, rate[place], *ends[place]), strict=True))
        result.append(row | _survival(own, drawn))
    return result


def _survival(own: pd.DataFrame, drawn: ClusterBootstrap) -> dict:
    """Survival of one contestant's events after the first exchange (`pass_first`) and the last (`pass_last`)."""
    if own.empty:
        return {}
    k = own["k"].to_numpy(dtype=int)
    spotted, weight = np.isfinite(own["right"]).to_numpy(), own["weight"].to_numpy()
    cells, count = 2 * (k - 1) + spotted, 2 * int(k.max())
    drawn = drawn.take(own.index)
    sums = np.vstack([np.bincount(cells, weight, count), drawn.cell_sums(cells, count, weight)])
    sums = sums.reshape(len(sums), -1, 2)
    at_risk = np.flip(np.flip(sums.sum(axis=2), axis=1).cumsum(axis=1), axis=1)
    curve = followed_survival(sums[..., 1], at_risk)
    ends = drawn.interval(curve[0], curve[1:], span=(0, 1))
    result = {}
    for when, at in (("first", 0), ("last", -1)):
        result |= {f"pass_{when}": curve[0, at], f"pass_{when}_low": ends[at, 0], f"pass_{when}_high": ends[at, 1]}
    return result
