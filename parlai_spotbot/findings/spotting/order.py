"""Effect of who speaks first on the answers."""

from collections.abc import Mapping

from parlai_spotbot.analysis.order_effects import position_effects
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.schema import all_known, clear
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.wording import filled


def compute(answers: Annotations) -> Found:
    """Return the difference between the places in bots' and in people's conversations."""
    return {"position": position_effects(answers.by_item.rows, answers.crossed)}


def position_sentence(row: Mapping) -> str:
    """Return whether a group's first speaker is called human more, or less, often than its second."""
    sentence = "{group}: the first speaker is called human in {human_0:.1%}, the second in {human_1:.1%}"
    if not all_known(row["p"]):
        return filled(sentence + "; there are too few conversations or annotators to say more.", **row)
    verdict = "not told apart"
    if clear(row):
        more = "more" if row["difference"] > 0 else "less"
        verdict = f"the first is called human {more} often"
    ends = "[{difference_low:points_1}, {difference_high:points_1}]"
    return filled(f"{sentence}: {verdict} ({{difference:points_1}} points {ends}, {{p_adjusted:p_said}}).", **row)


def summarise(result: Result) -> list[str]:
    """Return whether the first speaker is called human more often."""
    return [f"In conversations of {position_sentence(row)}" for row in result.rows("position")]


FINDING = declared(__file__, FORM, compute, summarise)
