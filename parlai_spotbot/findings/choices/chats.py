"""Comparison of a bot's chats with itself and its chats with people."""

from collections.abc import Mapping

from parlai_spotbot.analysis.choices.chat_kinds import KINDS, MIXED, compare_kinds
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.choices.ranking import compared
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.wording import number


def compute(answers: Answers) -> Found | None:
    """Compare the win shares that kinds of conversations give, on the first question; None where there is one kind."""
    frames = compare_kinds(compared(answers), answers.names, crossed=answers.crossed)
    kinds = frames["kinds"]
    if kinds.empty or kinds["kind"].nunique() < 2:
        return None
    kinds["kind"] = kinds["kind"].map({**KINDS, MIXED: "two kinds"})
    return frames | {"whole": {"question": answers.questions[0]}}


def comparison_sentence(row: Mapping) -> str:
    """Return whether two kinds of conversations put the contestants in one order."""
    x, y = (KINDS[kind] for kind in row["kinds"])
    if row["tau"] is None:
        return f"Conversations of {x} and those of {y} have too few contestants in common to compare orders."
    order = "in the same order" if row["same_order"] else "in different orders"
    text = "Conversations of {} and those of {} put {} contestants {} (Kendall's tau-b {})."
    return text.format(x, y, len(row["contestants"]), order, number(row["tau"]))


def summarise(result: Result) -> list[str]:
    """Return whether kinds of conversations agree."""
    return list(map(comparison_sentence, result.rows("comparisons")))


FINDING = declared(__file__, FORM, compute, summarise)
