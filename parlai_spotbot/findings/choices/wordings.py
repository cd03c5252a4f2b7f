"""Comparison of wordings on pairs whose better conversation is known (Li et al. 2019)."""

from collections.abc import Mapping

from parlai_spotbot.analysis.choices import compare_wordings, known_pairs
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.wording import filled


def compute(answers: Answers) -> dict:
    """Agreement per wording on pairs whose better one is known, and which wordings differ.

    `texts` holds what was asked, by the question's name, where the survey is known.
    """
    compared = compare_wordings(answers.rows, known_pairs(answers.options.known_order), crossed=answers.crossed)
    result = compared | {"sentences": sentences(compared)}
    survey = answers.facts.survey
    texts = {q.name: q.wording for q in survey.questions if q.name in result["wordings"]} if survey else {}
    return result | {"texts": texts}


def sentences(result: Mapping) -> list[str]:
    """Return which wording has the highest agreement, and which do better than others; [] where none is known."""
    wordings = result["wordings"]
    if not wordings:
        return []
    best = best_first(list(wordings), (row["estimate"] for row in wordings.values()))[0]
    told = [
        filled("“{a}” and “{b}” ({estimate:points} points{ci:ci_points}, {p_adjusted:p_said})", **row)
        for row in result["differences"]
        if clear(row)
    ]
    text = [
        filled(
            "The wording with the highest agreement is “{best}”: {row[estimate]:percent} of {row[n]} choices went to "
            "the better conversation{row[ci]:ci}.",
            best=best,
            row=wordings[best],
        )
    ]
    if result["differences"]:
        text.append(f"Wordings that differ clearly: {'; '.join(told) or 'none'}.")
    return text


def summarise(result: Result) -> list[str]:
    """Return which wording has the highest agreement, and which differ clearly."""
    return result.data["sentences"]


FINDING = declared(__file__, FORM, compute, summarise)
