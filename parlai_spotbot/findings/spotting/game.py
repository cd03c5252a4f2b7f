"""The game of the paper's appendix B: points, places and the bonus."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import ALL, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.surveys.controls import SEGMENTS, truth
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.spot_the_bot_game import GAME
from parlai_spotbot.wording import listed, number, percent, upper_first

NO_GAME = "a judge is shown everything at once: it plays no game"

BONUS = (
    "the annotator with the most points over all finished units, controls among them, is paid for one unit more; with "
    "equal points each of them"
)


def compute(own: Annotations) -> dict:
    """Points and places of the annotators; of a judge, why there are none."""
    if not own.followed:
        return {"why": NO_GAME}
    board = _leaderboard(decisions(own))
    leaders = board["worker_id"][board["bonus"]].tolist()
    return {
        "points": {"right": GAME.right, "wrong": GAME.wrong, "penalty": GAME.penalty},
        "leaderboard": board.to_dict(orient="records"),
        "bonus": {"rule": BONUS, "annotators": leaders, "points": board["points"].max()},
    }


def decisions(own: Annotations) -> pd.DataFrame:
    """Return one row a decision on an entity, controls among them; of two on an entity the first.

    Columns: worker_id, unit_id, annotation_id, entity, opened, answer, truth ("human" or "bot").
    """
    rows = []
    for row in own.judgements:
        if row.question != "nature" or row.target not in ("entity:0", "entity:1"):
            continue
        talk = own.facts.conversations.get(row.conversation_ids[0])
        known = tuple("human" if person else "bot" for person in talk.is_human) if talk else None
        known = truth(row.control) if row.control in SEGMENTS.marks else known
        if known is not None:  # else a control without a known truth
            entity = int(row.target[-1])
            about = (row.worker_id, row.unit_id, row.annotation_id, entity, row.exchanges)
            rows.append((*about, row.answer, known[entity]))
    columns = ["worker_id", "unit_id", "annotation_id", "entity", "opened", "answer", "truth"]
    return pd.DataFrame(rows, columns=columns).drop_duplicates(["annotation_id", "entity"])


def _leaderboard(play: pd.DataFrame) -> pd.DataFrame:
    """Return one row an annotator, the leader first; equal points share a rank."""
    rows = []
    for worker, own in play.groupby("worker_id", sort=True):
        earned = sum(points(GAME, *row) for row in zip(own["truth"], own["answer"], own["opened"], strict=True))
        units, sure = own["unit_id"].nunique(), own["answer"] != "unsure"
        right = int((own["answer"] == own["truth"]).sum())
        rows.append(
            {
                "worker_id": worker,
                "points": earned,
                "units": units,
                "points_per_unit": earned / units,
                "decisions": len(own),
                "right": right,
                "wrong": int(sure.sum()) - right,
                "unsure": int((~sure).sum()),
                "accuracy": right / sure.sum() if sure.any() else np.nan,
                "mean_opened": own["opened"].mean(),
            }
        )
    board = pd.DataFrame(rows)
    board.insert(0, "rank", board["points"].rank(ascending=False, method="min").astype(int))
    board["bonus"] = board["rank"] == 1
    return board.sort_values(["rank", "worker_id"], kind="stable").reset_index(drop=True)


def tell(result: Result) -> list[Section]:
    """The leader and the leaderboard."""
    own = result.data
    if not own.get("leaderboard"):
        return []
    winners = [result.called(worker) for worker in own["bonus"]["annotators"]]
    verb = "lead" if len(winners) > 1 else "leads"
    text = f"{upper_first(listed(winners))} {verb} with {number(own['bonus']['points'], 0)} points and gets the bonus."
    return [Section("game", "Game", [text], [], [_leaderboard_table(own, result)], open_tables=ALL)]


def _leaderboard_table(own: Mapping, result: Result) -> Table:
    rows = [
        (
            result.called(e["worker_id"]),
            str(e["rank"]),
            number(e["points"], 0),
            str(e["units"]),
            number(e["points_per_unit"], 1),
            f"{e['right']} / {e['wrong']} / {e['unsure']}",
            percent(e["accuracy"]),
            number(e["mean_opened"], 1),
            "bonus" if e["bonus"] else "–",
        )
        for e in own["leaderboard"]
    ]
    points = own["points"]
    how = (
        f"{number(points['right'], 0)} points for an entity called what it is, {number(points['wrong'], 0)} for one "
        f"called what it is not, 0 for unsure, less {number(points['penalty'], 0)} for every exchange beyond the first "
        "that was open; known segments count. Accuracy is of the sure decisions; always “bot” can be accurate, too."
    )
    head = ("", "Place", "Points", "Units", "Points a unit", "Right / wrong / unsure", "Accuracy", "Exchanges open", "")
    return Table("Leaderboard", how, head, rows, folded=len(rows) > 12)


def rows(data: Mapping) -> Rows:
    """Rows of the table game_leaderboard."""
    for row in data.get("leaderboard", []):
        yield "game_leaderboard", row


FINDING = Finding("game", FORM, compute, tell, rows, place=40, surveys=("spot_the_bot_game",))
