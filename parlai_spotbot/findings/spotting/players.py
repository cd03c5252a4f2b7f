"""Who plays the game how: points, places and the bonus; who decides at once or opens everything, and what is left
without them (paper, appendix B: "some always decided after just one exchange", "others opened the whole conversation").
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators import Marked
from parlai_spotbot.analysis.annotators.habits import ALPHA, ENOUGH_ITEMS, LEAST_SHARE, find_habit
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking.contrasts import contrasts, win_rate_intervals
from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates
from parlai_spotbot.analysis.survival import events, followed_survival
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings.spotting import Annotations
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.controls import SEGMENTS, truth
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.spot_the_bot_game import GAME

AT_ONCE, OPENS_ALL = "decides at once", "opens everything"
RULE = (
    f"does it with at least {LEAST_SHARE:.0%} of {ENOUGH_ITEMS} items or more, and more often (p < {ALPHA:g}, Holm "
    "over annotators) than is to be expected from the others, those with no such habit, whose shares follow a beta law"
)
HABITS = {
    AT_ONCE: f"decides for both with one exchange open: {RULE}",
    OPENS_ALL: f"decides for neither before everything is open: {RULE}",
}

LEADERBOARD = (
    "rank",
    "worker_id",
    "points",
    "units",
    "points_per_unit",
    "decisions",
    "right",
    "wrong",
    "unsure",
    "accuracy",
    "mean_opened",
    "bonus",
)
WITHOUT = ("annotations", "annotators", "n", "accuracy")

BONUS = (
    "the annotator with the most points over all finished units, controls among them, is paid for one unit more; with "
    "equal points each of them"
)


def marked(own: Annotations) -> Marked:
    """The annotators with a habit that defeats the game, whom results are to be shown without too."""
    if not own.followed:
        return {}
    return {
        habit: [worker for worker, row in found["annotators"].items() if row["flagged"]]
        for habit, found in own.once("habits", habits_of).items()
    }


def decisions(own: Annotations) -> pd.DataFrame:
    """One row a decision on an entity, controls among them.

    Columns: worker_id, unit_id, annotation_id, conversation_id, entity, opened, answer, control, truth ("human" or
    "bot"). Of two decisions on an entity the first counts.
    """
    rows = []
    for row in own.judgements:
        if row.question != "nature" or row.target not in ("entity:0", "entity:1"):
            continue
        talk = own.facts.conversations.get(row.conversation_ids[0])
        known = tuple("human" if person else "bot" for person in talk.is_human) if talk else None
        known = truth(row.control) if row.control in SEGMENTS.marks else known
        if known is None:  # a control that nothing is known of
            continue
        entity = int(row.target[-1])
        about = (row.worker_id, row.unit_id, row.annotation_id, row.conversation_ids[0], entity, row.exchanges)
        rows.append((*about, row.answer, row.control or "", known[entity]))
    columns = [
        "worker_id",
        "unit_id",
        "annotation_id",
        "conversation_id",
        "entity",
        "opened",
        "answer",
        "control",
        "truth",
    ]
    return pd.DataFrame(rows, columns=columns).drop_duplicates(["annotation_id", "entity"])


def players(own: Annotations) -> dict:
    """What game.json says of the players."""
    board = _leaderboard(decisions(own))
    habits = own.once("habits", habits_of)
    decided = _kept_decisions(own)
    return {
        "points": {"right": GAME.right, "wrong": GAME.wrong, "penalty": GAME.penalty},
        "leaderboard": board.to_dict(orient="records"),
        "bonus": {
            "rule": BONUS,
            "annotators": board["worker_id"][board["bonus"]].tolist(),
            "points": board["points"].max(),
        },
        "accuracy": _accuracy(decided),
        "accuracy_by_opened": [_by_opened(k, rows) for k, rows in decided.groupby("opened", sort=True)],
        "habits": habits,
        "habits_sentence": _habits_sentence(habits),
        "without": _without(own),
    }


def _kept_decisions(own: Annotations) -> pd.DataFrame:
    """The decisions that are data: no controls, nobody who failed them. (Points and the bonus count all.)"""
    play = decisions(own)
    return play[(play["control"] == "") & ~play["worker_id"].isin(list(own.failed))]


def _leaderboard(play: pd.DataFrame) -> pd.DataFrame:
    """One row an annotator, the leader first; equal points share a rank."""
    earned = [
        points(GAME, truth, answer, opened)
        for truth, answer, opened in zip(play["truth"], play["answer"], play["opened"], strict=True)
    ]
    rows = []
    for worker, own in play.assign(points=earned).groupby("worker_id", sort=True):
        units, sums = own["unit_id"].nunique(), own["points"].sum()
        rows.append(
            {
                "worker_id": worker,
                "points": sums,
                "units": units,
                "points_per_unit": sums / units,
                **_accuracy(own),
                "mean_opened": own["opened"].mean(),
            }
        )
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
        "n": len(own),
        "right": int(good.sum()),
        "wrong": int((~good).sum()),
        "unsure": len(own) - len(sure),
        "accuracy": _mean(good),
        "accuracy_bots": _mean(of["bot"]),
        "accuracy_people": _mean(of["human"]),
    }


def _mean(values: pd.Series) -> float:
    return float(values.mean()) if len(values) else np.nan


def habits_of(own: Annotations) -> dict:
    """By habit: the `rule`, what is `typical`, the rule's `false_alarms`, and one entry an annotator."""
    rows = own.rows[own.rows["whole"] > 1]
    first = rows[["opened0", "opened1"]].min(axis=1)
    workers = rows["worker_id"].to_numpy(dtype=object)
    names = sorted(set(workers))
    place = np.array([names.index(worker) for worker in workers], dtype=int)
    items = np.bincount(place, minlength=len(names))
    right = {worker: _accuracy(mine) for worker, mine in decisions(own).groupby("worker_id")}
    result = {}
    did = {AT_ONCE: rows["k"] == 1, OPENS_ALL: first == rows["whole"]}
    soon = np.bincount(place, first == 1, len(names))
    counted = {habit: np.bincount(place, mine, len(names)).astype(int) for habit, mine in did.items()}
    for habit, other in ((AT_ONCE, OPENS_ALL), (OPENS_ALL, AT_ONCE)):
        counts = counted[habit]
        apart = counted[other] >= LEAST_SHARE * items
        found = find_habit(counts, items, rng=own.rng(habit), apart=apart)
        each = {
            name: {
                "items": items[i],
                "count": counts[i],
                "share": found.share[i],
                "p": found.p[i],
                "p_adjusted": found.p_adjusted[i],
                "flagged": found.flagged[i],
                "first_decision_at_once": soon[i] / items[i] if items[i] else np.nan,
                **{key: right[name][key] for key in ("accuracy", "accuracy_bots", "accuracy_people")},
            }
            for i, name in enumerate(names)
        }
        result[habit] = {
            "rule": HABITS[habit],
            "typical": found.typical,
            "spread": found.spread,
            "why": found.why,
            "false_alarms": {"annotators": found.false_alarms[0], "studies": found.false_alarms[1]},
            "annotators": each,
        }
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


def _without(own: Annotations) -> dict:
    """Results with everybody, and without those of each habit, and of both: win rates, survival, accuracy."""
    groups = {"nobody": set()} | {habit: set(workers) for habit, workers in marked(own).items()}
    if all(marked(own).values()):
        groups["both habits"] = set().union(*groups.values())
    result, decided = {}, _kept_decisions(own)
    for name, workers in groups.items():
        kept = ~own.rows["worker_id"].isin(workers).to_numpy()
        result[name] = {
            "annotations": int((~kept).sum()),
            "annotators": len(workers),
            "n": int(kept.sum()),
            "accuracy": _accuracy(decided[~decided["worker_id"].isin(workers)])["accuracy"],
            "bots": _results(own, kept),
        }
    return result


def _results(own: Annotations, kept: np.ndarray) -> list[dict]:
    """One row a contestant from the annotations `kept` (n,): win rate; survival after the first and all exchanges."""
    rows = own.rows[kept]
    matches = matches_frame(rows)
    rate = win_rates(win_matrix(matches, own.bots))
    ends = win_rate_intervals(matches, contrasts(matches, own.bots, resample=own.resample))
    entities = own.entities[np.repeat(kept, 2)]
    drawn, found = own.drawn("survival").take(own.pages), events(entities, own.options.unsure, own.features)
    result = []
    for name in [*own.bots, *([HUMAN] if (entities["name"] == HUMAN).any() else [])]:
        mine = found[found["group"] == name]
        place = own.bots.index(name) if name != HUMAN else None
        row = {"name": name, "win_rate": np.nan, "win_rate_low": np.nan, "win_rate_high": np.nan}
        if place is not None:
            row |= dict(zip(row, (name, rate[place], *ends[place]), strict=True))
        result.append(row | _survival(mine, drawn))
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


def _by_opened(k: int, rows: pd.DataFrame) -> dict:
    """How often sure decisions with k exchanges open were right, with Wilson's interval, as of independent ones."""
    found = _accuracy(rows)
    low, high = wilson(found["right"], sure) if (sure := found["right"] + found["wrong"]) else (np.nan, np.nan)
    return {"exchanges": k, **found, "low": low, "high": high}
