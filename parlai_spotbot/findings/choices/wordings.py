"""Comparison of wordings on pairs whose better conversation is known (Li et al. 2019)."""

from parlai_spotbot.analysis.choices import compare_wordings, known_pairs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, best_rows, ends
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.wording import filled


def compute(answers: Answers) -> Found:
    """Agreement per wording on pairs whose better one is known, with the `text` that was asked, and which differ."""
    order_known = known_pairs(answers.options.known_order)
    compared = compare_wordings(answers.rows, order_known, crossed=answers.crossed)
    wordings = compared["wordings"]
    if wordings.empty:
        return {"whole": {"known": order_known, "why": "no choice between contestants whose better one is known"}}
    texts = {question.name: question.wording for question in answers.facts.survey.questions}
    wordings["text"] = wordings["question"].map(texts)
    return compared | {"whole": {"known": order_known}}


def summarise(result: Result) -> list[str]:
    """Return which wording has the highest agreement, and which do better than others; [] where none is known."""
    wordings = result.rows("wordings")
    if not wordings:
        return []
    best = best_rows(wordings, "estimate")[0]
    agreement = "“{question}”: {estimate:percent} of {n} choices went to the better conversation{0:ci}."
    if len(wordings) > 1:
        agreement = f"The wording with the highest agreement is {agreement}"
    text = [filled(agreement, ends(best, "estimate"), **best)]
    differences = result.rows("differences")
    template = "“{a}” and “{b}” ({estimate:points} points{0:ci_points}, {p_adjusted:p_said})"
    sentences = [filled(template, ends(row, "estimate"), **row) for row in filter(clear, differences)]
    if differences:
        text.append(f"Wordings that differ clearly: {'; '.join(sentences) or 'none'}.")
    return text


FINDING = declared(__file__, FORM, compute, summarise)
