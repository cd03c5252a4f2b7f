"""The game of the paper's appendix B: points, places and the bonus."""

import pandas as pd

from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.surveys.controls import KNOWN_BOT, KNOWN_BOTS, KNOWN_HUMAN, truth
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.spot_the_bot_game import GAME
from parlai_spotbot.wording import listed, number

NO_GAME = "a judge is shown everything at once: it plays no game"

BONUS = (
    "the annotator with the most points over all finished units, controls among them, is paid for one unit more; with "
    "equal points each of them"
)


def compute(answers: Annotations) -> Found:
    """Points and places of the annotators; of a judge, why there are none."""
    if not answers.followed:
        return {"whole": {"why": NO_GAME}}
    rules = {"right": GAME.right, "wrong": GAME.wrong, "penalty": GAME.penalty, "bonus": BONUS}
    return {"leaderboard": _leaderboard(decisions(answers)), "rules": rules}


def decisions(answers: Annotations) -> pd.DataFrame:
    """Return one row a decision on an entity, controls among them; of two on an entity the first.

    Columns: worker_id, unit_id, annotation_id, entity, opened, answer, truth ("human" or "bot").
    """
    rows = []
    for row in answers.judgements:
        if row.question != "nature" or row.target not in ("entity:0", "entity:1"):
            continue
        entity = int(row.target[-1])
        talk = answers.facts.conversations.get(row.conversation_ids[0])
        if row.control in (KNOWN_HUMAN, KNOWN_BOTS, *KNOWN_BOT):
            nature = truth(row.control)[entity]
        elif talk:
            nature = "human" if talk.is_human[entity] else "bot"
        else:  # a control without a known truth
            continue
        about = (row.worker_id, row.unit_id, row.annotation_id, entity, row.exchanges)
        rows.append((*about, row.answer, nature))
    columns = ["worker_id", "unit_id", "annotation_id", "entity", "opened", "answer", "truth"]
    return pd.DataFrame(rows, columns=columns).drop_duplicates(["annotation_id", "entity"])


def _leaderboard(play: pd.DataFrame) -> pd.DataFrame:
    """Return one row an annotator, the leader first; equal points share a rank."""
    earned = [points(GAME, *row) for row in zip(play["truth"], play["answer"], play["opened"], strict=True)]
    unsure = play["answer"] == "unsure"
    right = play["answer"] == play["truth"]
    totals = play.assign(points=earned, right=right, wrong=~right & ~unsure, unsure=unsure).groupby("worker_id")
    board = totals[["points", "right", "wrong", "unsure"]].sum()
    board.insert(1, "units", totals["unit_id"].nunique())
    board.insert(2, "points_per_unit", board["points"] / board["units"])
    board = board.reset_index()
    board.insert(0, "rank", board["points"].rank(ascending=False, method="min").astype(int))
    board["bonus"] = board["rank"] == 1
    return board.sort_values(["rank", "worker_id"], kind="stable").reset_index(drop=True)


def summarise(result: Result) -> list[str]:
    """Return who leads; [] of a judge, which plays no game."""
    leaders = [row for row in result.rows("leaderboard") if row["bonus"]]
    if not leaders:
        return []
    who = listed(result.called(row["worker_id"]) for row in leaders)
    verbs = "lead and get" if len(leaders) > 1 else "leads and gets"
    return [f"With {number(leaders[0]['points'], 0)} points {who} {verbs} the bonus."]


FINDING = declared(__file__, FORM, compute, summarise)
