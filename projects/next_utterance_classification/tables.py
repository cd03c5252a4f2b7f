"""The paper's Tables 1 and 2 beside what was found here, cell by cell: of other corpora and people, so nothing is to be
reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from parlai_spotbot.projects.cells import PaperCell, PaperTable

MEASURES = {"recall@1": 0, "recall@2": 2}
"""Each measure's place in a row of paper.yaml; the half of its interval follows."""

NOBODY = "nobody has answered the survey here, so there are no figures of people"
OTHERS = (
    "the paper's figures are of three corpora (SubTle movies, Twitter, Ubuntu) and of people who were paid, or "
    "volunteers; ours of {}"
)


@cache
def paper_values() -> dict:
    """What the paper prints."""
    return yaml.safe_load((Path(__file__).parent / "paper.yaml").read_text(encoding="utf-8"))


def _beside(row: str, column: str, paper: float | None, ours: float | None, definition: str) -> PaperCell:
    return PaperCell(row, column, paper, ours, definition, 3, beside=True)


def table2(ranking: Mapping, people: Mapping | None) -> PaperTable:
    """Recall@1 and @2 of the paper's people and model; then of our contestants, and of our people where there are any.

    `ranking` is what `spotbot_nuc` found, `people` the results by file of the survey's analysis.
    """
    table = PaperTable("table2", "Table 2: Recall@1 and Recall@2 among five candidates, people beside models")
    for who, own in paper_values()["table2"].items():
        for corpus, values in own["corpora"].items():
            for measure, place in MEASURES.items():
                row = f"{who}, {corpus} (paper)"
                table.cells.append(_beside(row, measure, values[place] / 100, None, "the paper's, of its own corpus"))
    corpus = ranking["questions"].get("corpus", "")
    for own in ranking["contestants"]:
        row = f"{own['contestant']}, {corpus}" + ("" if own["main"] else f" ({own['way']})")
        table.cells += _ours(
            row, own, f"of {own['n']} questions, by {own['way']}; Wilson's interval clustered by conversation"
        )
    for own in ranking.get("corpora", []):
        row = f"{own['contestant']}, {own['corpus']} alone" + ("" if own["main"] else f" ({own['way']})")
        table.cells += _ours(
            row, own, f"of {own['n']} questions, by {own['way']}; Wilson's interval clustered by conversation"
        )
    for own in people["recall"]["by_source"]["human"]["people"] if people else ():
        how = f"of {own['annotators']} people; Wilson's interval clustered by conversation and annotator"
        table.cells += _ours(f"people: {own['who']}, {own['corpus']}", own, how)
    for measure in MEASURES:
        table.cells.append(
            _beside(
                "guessing",
                measure,
                int(measure[-1]) / paper_values()["candidates"],
                ranking["chance"][measure],
                "k / 5",
            )
        )
    table.notes.append(OTHERS.format(corpus or "others"))
    table.instead += list(ranking["cautions"].values())
    if not people:
        table.notes.append(NOBODY)
    return table


def _ours(row: str, own: Mapping, how: str) -> list[PaperCell]:
    cells = []
    for measure in MEASURES:
        found = own[measure]
        cells += [
            _beside(row, measure, None, found["estimate"], how),
            _beside(row, f"{measure} low", None, found["ci"][0], how),
            _beside(row, f"{measure} high", None, found["ci"][1], how),
        ]
    return cells


def table1(people: Mapping | None) -> PaperTable:
    """Who took part: the paper's shares; ours where people answered, the answers of few taken together."""
    table = PaperTable("table1", "Table 1: who took part")
    for question, own in paper_values()["table1"].items():
        for answer, value in own.items():
            table.cells.append(
                _beside(f"{question}: {answer}", "share", value / 100, None, "the paper's, of 145 people")
            )
    for question in people["questionnaire"]["by_source"]["human"]["questions"] if people else ():
        for cell in question["answers"]:
            row = f"{question['heading']}: {cell['label']} (here)"
            table.cells.append(
                _beside(row, "share", None, cell["share"], "of those whose answers count; few are pooled")
            )
    if not people:
        table.notes.append(NOBODY)
    return table


def tests(ranking: Mapping) -> PaperTable:
    """Every two contestants on the same questions."""
    table = PaperTable("tests", "Contestants against each other, paired by question (not in the paper)")
    for own in ranking["comparisons"]:
        row = f"{own['a']} less {own['b']}, {own['measure']}"
        how = "mean difference a question, clustered by conversation; Holm's correction within a measure"
        ends: Sequence[float | None] = own["ci"]
        for column, value in (
            ("difference", own["difference"]),
            ("low", ends[0]),
            ("high", ends[1]),
            ("p (Holm)", own["p_adjusted"]),
        ):
            table.cells.append(_beside(row, column, None, value, how))
    return table
