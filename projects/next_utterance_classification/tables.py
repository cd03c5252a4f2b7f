"""The paper's Tables 1 and 2 beside what was found here, cell by cell: of other corpora and people, so nothing is to be
reached."""

from collections.abc import Mapping

from parlai_spotbot.projects.cells import PaperTable, paper_values

MEASURES = {"recall@1": 0, "recall@2": 2}
"""Each measure's place in a row of paper.yaml; the half of its interval follows."""

FIGURES = ("1", "1_low", "1_high", "2", "2_low", "2_high")
"""What there is of people's recall."""

NOBODY = "nobody has answered the survey here, so there are no figures of people"
OWN = "of {n} questions, by {way}; Wilson's interval clustered by conversation"
OTHERS = (
    "the paper's figures are of three corpora (SubTle movies, Twitter, Ubuntu) and of people who were paid, or "
    "volunteers; ours of {}"
)


def table2(ranking: Mapping, people: Mapping | None) -> PaperTable:
    """Recall@1 and @2 of the paper's people and model; then of our contestants, and of our people where there are any.

    `ranking` is what `spotbot_nuc` found, `people` the results by file of the survey's analysis.
    """
    table = PaperTable("table2", "Table 2: Recall@1 and Recall@2 among five candidates, people beside models")
    for who, values_of_group in paper_values("next_utterance_classification")["table2"].items():
        for corpus, values in values_of_group["corpora"].items():
            for measure, place in MEASURES.items():
                row = f"{who}, {corpus} (paper)"
                table.add(row, measure, values[place] / 100, None, "the paper's, of its own corpus", 3, beside=True)
    corpus = ranking["questions"].get("corpus", "")
    for values_of_group in [*ranking["contestants"], *ranking.get("corpora", [])]:
        home = f"{values_of_group['corpus']} alone" if "corpus" in values_of_group else corpus
        row = f"{values_of_group['contestant']}, {home}" + (
            "" if values_of_group["main"] else f" ({values_of_group['way']})"
        )
        _add_rows(table, row, values_of_group, OWN.format(**values_of_group))
    for row in _people(people) if people else ():
        how = f"of {row['annotators']} people; Wilson's interval clustered by conversation and annotator"
        columns = {f"recall@{figure.replace('_', ' ')}": row[f"recall{figure}"] for figure in FIGURES}
        table.own(f"people: {row['who']}, {row['corpus']}", how, columns, 3)
    for measure in MEASURES:
        share = int(measure[-1]) / paper_values("next_utterance_classification")["candidates"]
        table.add("guessing", measure, share, ranking["chance"][measure], "k / 5", 3, beside=True)
    table.notes.append(OTHERS.format(corpus or "others"))
    table.notes += list(ranking["cautions"].values())
    if not people:
        table.notes.append(NOBODY)
    return table


def _people(people: Mapping) -> list[dict]:
    """Return the recall of each group of people, by corpus."""
    rows = people["recall"]["by_source"]["human"]["recall"].query("kind == 'people'")
    return [row for _, group in rows.groupby(["by", "who"], sort=False) for row in group.to_dict("records")]


def _add_rows(table: PaperTable, row: str, row_values: Mapping, how: str) -> None:
    for measure in MEASURES:
        low, high = row_values[measure]["ci"]
        table.own(
            row, how, {measure: row_values[measure]["estimate"], f"{measure} low": low, f"{measure} high": high}, 3
        )


def table1(people: Mapping | None) -> PaperTable:
    """Return who took part: the paper's shares; ours where people answered, the answers of few taken together."""
    table = PaperTable("table1", "Table 1: who took part")
    for question, answers in paper_values("next_utterance_classification")["table1"].items():
        for answer, value in answers.items():
            row = f"{question}: {answer}"
            table.add(row, "share", value / 100, None, "the paper's, of 145 people", 3, beside=True)
    for cell in people["questionnaire"]["by_source"]["human"].rows("questionnaire") if people else ():
        row = f"{cell['question']}: {cell['label']} (here)"
        table.own(row, "of those whose answers count; few are pooled", {"share": cell["share"]}, 3)
    if not people:
        table.notes.append(NOBODY)
    return table


def tests(ranking: Mapping) -> PaperTable:
    """Every two contestants on the same questions."""
    table = PaperTable("tests", "Contestants against each other, paired by question (not in the paper)")
    for comparison in ranking["comparisons"]:
        row = f"{comparison['a']} less {comparison['b']}, {comparison['measure']}"
        how = "mean difference a question, clustered by conversation; Holm's correction within a measure"
        low, high = comparison["ci"]
        columns = {
            "difference": comparison["difference"],
            "low": low,
            "high": high,
            "p (Holm)": comparison["p_adjusted"],
        }
        table.own(row, how, columns, 3)
    return table
