"""Comparison of a bot's chats with itself and its chats with people."""

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.choices.chat_kinds import KINDS, compare_kinds
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.wording import number


def compute(answers: Answers) -> dict:
    """Compare the win shares that kinds of conversations give, on the first question."""
    main = answers.questions[0]
    rows = answers.rows[(answers.rows["question"] == main) & (answers.rows["a"] != answers.rows["b"])]
    kinds = compare_kinds(rows, answers.names, crossed=answers.crossed)
    compared = [row | {"sentence": comparison_sentence(row)} for row in kinds["comparisons"]]
    return {"question": main, **kinds, "comparisons": compared}


def comparison_sentence(data: Mapping) -> str:
    """Return whether two kinds of conversations put the contestants in one order."""
    x, y = (KINDS[kind] for kind in data["kinds"])
    if not np.isfinite(data["tau"]):
        return f"Conversations of {x} and those of {y} have too few contestants in common to compare orders."
    order = "in the same order" if data["same_order"] else "in different orders"
    return (
        f"Conversations of {x} and those of {y} put {len(data['contestants'])} contestants {order} (Kendall's tau-b "
        f"{number(data['tau'])})."
    )


def summarise(result: Result) -> list[str]:
    """Return whether kinds of conversations agree."""
    return [comparison["sentence"] for comparison in result.data["comparisons"]]


FINDING = declared(__file__, FORM, compute, summarise)
