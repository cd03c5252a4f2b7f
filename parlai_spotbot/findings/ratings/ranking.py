"""How contestants are rated: means, distributions and differences by each dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE, rate
from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Finding, Result, cautioned
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.wording import interval, percent, plainly, who

CRITERION = "mean rating from 1 to 5"
TEST = (
    "difference of means over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a dimension"
)
OVERALL = "quality"
"""The dimension that sums up all others: the ranking is by it where it was asked."""
PAIR_HEAD = ("contestant", "less", "difference", "95 % interval", "n", "p", "adjusted p")


def compute(own: Answers) -> dict:
    return own.once("ranking", _ranking_of)


def _ranking_of(own: Answers) -> dict:
    """The overall dimension's ranking at the top, all under `criteria`."""
    found = {question: ranked(own, own.to(question)) for question in own.questions}
    main = main_dimension(own)
    return {**found[main], "question": main, "criteria": found}


def main_dimension(own: Answers) -> str:
    return OVERALL if OVERALL in own.questions else own.questions[0]


def ranked(own: Answers, rows: pd.DataFrame) -> dict:
    """Means, distributions and tests of the ratings of one dimension."""
    result = rate(rows, own.names, **own.hang)
    result["ends"] = {
        name: end_sentence(name, end, result["distribution"][name]) for name, end in result["ends"].items()
    }
    return {**result, "criterion": CRITERION, "scale": list(SCALE), "test": TEST, "bootstrap": own.bootstrap()}


def end_sentence(name: str, end: int, counts: Sequence[int]) -> str:
    """That half of a contestant's ratings or more are at an end of the scale, from the counts of its values."""
    count, beyond = (counts[0], "worse") if end == SCALE[0] else (counts[-1], "better")
    return (
        f"{count / sum(counts):.0%} of {name}'s ratings are {end}, the end of the scale: one that is {beyond} still "
        "could hardly show it."
    )


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Means, distributions, differences."""
    return cautioned(result, [_means(result.data), _distributions(result.data), _pairs(result.data)])


def _means(own: Mapping) -> Section:
    main = own["criteria"][own["question"]]
    text = [f"By {plainly(own['question'])}: {criteria.order_sentences(main)[0]}", *criteria.order_sentences(main)[1:]]
    chart = criteria.score_chart("means", "Mean ratings", own, False, None)
    return Section("means", "How are they rated?", text, [chart], [criteria.order_table(own, False)])


def _distributions(own: Mapping) -> Section:
    charts, text = [], []
    for question, found in own["criteria"].items():
        rows = [
            {"label": Name(bot), "shares": [c / max(sum(counts), 1) for c in counts], "n": sum(counts)}
            for bot in found["order"]
            if (counts := found["distribution"][bot])
        ]
        best = found["order"][0] if found["order"] else None
        sentence = ""
        if best is not None:
            counts = found["distribution"][best]
            sentence = f"The highest mean in {plainly(question)} is that of {who(best)}, with the best rating in "
            sentence += f"{percent(counts[-1] / sum(counts))} of {sum(counts)} ratings."
        charts.append(
            Chart(
                f"distribution_{question}",
                "bars",
                f"Ratings: {plainly(question)}",
                "Shares of the ratings, lowest on the left.",
                {"rows": rows, "parts": [str(value) for value in found["scale"]], "x": "share of ratings"},
                sentence,
            )
        )
        text += [f"{plainly(question).capitalize()}: {said}" for said in found["ends"].values()]
    table = Table(
        "Shares of each rating",
        "With 95 % intervals that allow for conversations and annotators.",
        ("dimension", "contestant", *(str(value) for value in SCALE), "n"),
        [
            (
                plainly(question),
                Name(bot),
                *(
                    f"{percent(c / max(sum(counts), 1))} ({interval(ci)})"
                    for c, ci in zip(counts, found["distribution_ci"][bot], strict=True)
                ),
                str(sum(counts)),
            )
            for question, found in own["criteria"].items()
            for bot, counts in found["distribution"].items()
        ],
        folded=True,
    )
    note = [] if text else ["No contestant has half of its ratings at an end of the scale."]
    return Section("distributions", "How do ratings spread?", text + note, charts, [table])


def _pairs(own: Mapping) -> Section:
    tables = [
        Table(
            f"Differences: {plainly(question)}",
            "Points on the scale: the first one's mean less the second's.",
            PAIR_HEAD,
            criteria.pair_rows(found, False),
            folded=len(found["pairs"]) > criteria.LONG,
            method=found["test"],
            cite=("cameron2011", "holm1979"),
        )
        for question, found in own["criteria"].items()
        if found["pairs"]
    ]
    return Section(
        "differences", "Who is rated higher?", [criteria.clearest(own["criteria"][own["question"]], False)], [], tables
    )


FINDING = Finding("ranking", FORM, compute, tell, criteria.rows, criteria.lines, criteria.card, place=10)
