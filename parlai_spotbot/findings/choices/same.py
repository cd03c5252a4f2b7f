"""Is it the side? A bot against itself, and how often the left conversation is chosen of all."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.choices import same_test, share_test
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Finding, Result, Rows, flat
from parlai_spotbot.findings.sections import Name, Section, Table
from parlai_spotbot.wording import interval, p_said, p_value, percent, plainly

LEVEL = 0.05


def compute(own: Answers) -> dict:
    """Contestants against themselves, and how often the left conversation is chosen."""
    tests, sides = {}, {}
    for question in own.questions:
        rows = own.to(question)
        tests[question] = [row | {"sentence": same_sentence(row)} for row in same_test(rows, **own.hang)]
        sided = rows[rows["left"].notna()]
        if len(sided):
            sides[question] = share_test((sided["left"] > 0).to_numpy(), own.clusters(sided))
    result: dict = {"tests": tests, "left": sides}
    if not any(tests.values()):
        result["why"] = "no contestant was compared with itself"
    return result


def same_sentence(row: Mapping) -> str:
    """How often a contestant's left conversation is chosen over its own right one, and whether that is chance."""
    low, high = row["ci"]
    who = "contestants against themselves" if row["name"] == "all" else f"{row['name']} against itself"
    clear = (
        "that is more than chance explains: look for what favours a side"
        if row["p"] < LEVEL
        else "no more than chance explains"
    )
    return (
        f"{who}: the {row['of']} conversation was chosen in {row['estimate']:.0%} of {row['n']} choices "
        f"({low:.0%} to {high:.0%}, {p_said(row['p'])}), {clear}."
    )


def tell(result: Result) -> list[Section]:
    """What the sides do; nothing where neither is known."""
    own = result.data
    text = [f"{plainly(q).capitalize()}, {row['sentence']}" for q, tests in own["tests"].items() for row in tests]
    for question, found in own["left"].items():
        clear = "more than chance explains" if found["p"] < LEVEL else "as chance would have it"
        text.append(
            f"{plainly(question).capitalize()}: of all {found['n']} choices the left conversation got "
            f"{percent(found['estimate'])} ({interval(found['ci'])}), {clear}."
        )
    if not text:
        return []
    if "why" in own:
        text.append(f"{own['why'].capitalize()}, so there is no test of a bot against itself.")
    rows = [
        (
            plainly(question),
            row["name"] if row["name"] == "all" else Name(row["name"]),
            percent(row["estimate"], 1),
            interval(row["ci"], 1),
            str(row["n"]),
            p_value(row["p"]),
            p_value(row["p_mid"]),
            percent(row["size"], 1),
        )
        for question, tests in own["tests"].items()
        for row in tests
    ]
    tables = (
        [
            Table(
                "Against itself (A/A)",
                "Where a contestant meets itself, both sides should be chosen alike; a small p says something else "
                "decides.",
                ("question", "contestant", "share of the left", "95 % interval", "n", "p", "mid-p", "false alarms"),
                rows,
                method="Exact binomial test of the decided choices. Where both sides are equal it rejects in fewer "
                "than 5 % of studies: in how many stands in the last column.",
                cite=("clopper1934",),
            )
        ]
        if rows
        else []
    )
    return [Section("against_itself", "Is it the side?", text, [], tables)]


def rows(data: Mapping) -> Rows:
    """Rows of the table same."""
    for question, tests in data["tests"].items():
        for row in tests:
            yield "same", {"question": question, **flat(row)}


FINDING = Finding("same", FORM, compute, tell, rows, place=30)
