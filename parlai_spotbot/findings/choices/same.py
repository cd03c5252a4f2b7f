"""Is it the side? A bot against itself, and how often the left conversation is chosen of all."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.choices import same_test, share_test
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.wording import INTERVAL, p_said, percent, plainly, to

LEVEL = 0.05


def compute(answers: Answers) -> dict:
    """Contestants against themselves, and how often the left conversation is chosen."""
    tests, sides = {}, {}
    for question in answers.questions:
        rows = answers.to(question)
        tests[question] = [row | {"sentence": same_sentence(row)} for row in same_test(rows, **answers.hang)]
        sided = rows[rows["left"].notna()]
        if len(sided):
            sides[question] = share_test((sided["left"] > 0).to_numpy(), answers.clusters(sided))
    result: dict = {"tests": tests, "left": sides}
    if not any(tests.values()):
        result["why"] = "no contestant was compared with itself"
    return result


def same_sentence(row: Mapping) -> str:
    """Return how often a contestant's left conversation is chosen over its own right one, and whether that is
    chance."""
    who = "contestants against themselves" if row["name"] == "all" else f"{row['name']} against itself"
    clear = "more than chance explains" if row["p"] < LEVEL else "no more than chance explains"
    share = f"{percent(row['estimate'])} of {row['n']} choices{to(row['ci'], prefix=INTERVAL)}"
    return f"{who}: the {row['of']} conversation was chosen in {share}, {clear} ({p_said(row['p'])})."


def summarise(result: Result) -> list[str]:
    """Return how often the left conversation is chosen, against itself and of all; [] where neither is known."""
    data = result.data
    text = [f"{plainly(q).capitalize()}, {row['sentence']}" for q, tests in data["tests"].items() for row in tests]
    for question, found in data["left"].items():
        clear = "more than chance explains" if found["p"] < LEVEL else "as chance would have it"
        text.append(
            f"{plainly(question).capitalize()}: of all {found['n']} choices the left conversation got "
            f"{percent(found['estimate'])}{to(found['ci'])}, {clear}."
        )
    return text


TABLE = Table(
    "tests/{question}",
    {
        "question": Column("term", "Question"),
        "name": Column("name", "Contestant"),
        "estimate": Column("share", "Share of the left", ci="ci", digits=1),
        "n": Column("count", "n"),
        "p": Column("p", "p"),
    },
    "Against itself (A/A)",
    "Exact binomial test of the decided choices.",
    ("clopper1934",),
)

FINDING = Finding(
    "same", FORM, compute, tables={"same": TABLE}, summarise=summarise, heading="Is it the side?", place=30
)
