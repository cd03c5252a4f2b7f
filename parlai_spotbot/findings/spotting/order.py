"""Effect of who speaks first on the answers."""

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.order_effects import position_effects
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.wording import filled


def compute(answers: Annotations) -> dict:
    """Return the difference between the places in bots' and in people's conversations."""
    rows = position_effects(answers.by_item.rows, answers.crossed).to_dict(orient="records")
    return {"position": [row | {"sentence": position_sentence(row)} for row in rows]}


def position_sentence(row: Mapping) -> str:
    """Return whether a group's entity 0 is called human more, or less, often than its entity 1."""
    sentence = "{group}: entity 0 is called human in {human_0:.1%}, entity 1 in {human_1:.1%}"
    if not np.isfinite(row["p"]):
        return filled(sentence + "; there are too few conversations or annotators to say more.", **row)
    more = "more" if row["difference"] > 0 else "less"
    verdict = f"the first place is called human {more} often" if clear(row) else "the places can't be told apart"
    ends = "({difference:points_1} points, 95 % interval {low:points_1} to {high:points_1}, {p_adjusted:p_said})."
    return filled(f"{sentence}: {verdict} {ends}", **row)


def summarise(result: Result) -> list[str]:
    """Return whether the first speaker is called human more often."""
    return [f"In conversations of {row['sentence']}" for row in result.data["position"]]


FINDING = declared(__file__, FORM, compute, summarise)
