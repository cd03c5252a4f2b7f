"""Time of a question, by group and corpus."""

from __future__ import annotations

from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.findings import costs
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers, of_corpus
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.wording import percent


def compute(answers: CandidateAnswers) -> dict:
    """As of any survey, and seconds a question and minutes a person by group and corpus."""
    group_rows = []
    for by, who, mask in answers.splits:
        for corpus in answers.corpora:
            rows = of_corpus(answers.rows[mask], corpus).dropna(subset=["seconds"])
            if not len(rows):
                continue
            mean = mean_of(rows["seconds"], frame_clusters(rows))
            minutes = rows.groupby("worker_id")["seconds"].sum() / 60
            group_rows.append(
                {
                    "by": by,
                    "who": who,
                    "corpus": corpus,
                    "n": len(rows),
                    "annotators": len(minutes),
                    "median": float(rows["seconds"].median()),
                    "mean": mean["estimate"],
                    "ci": list(mean["ci"]),
                    "minutes": float(minutes.median()),
                }
            )
    return {**costs.compute_time(answers), "by": group_rows}


def summarise(result: Result) -> list[str]:
    """Return how long answering took, and which of two groups took longer."""
    data = result.data
    text = costs.summarise_time(result)
    groups = [row for row in data["by"] if row["by"] == "group" and row["corpus"] == data["by"][0]["corpus"]]
    if len(groups) == 2 and min(row["mean"] for row in groups) > 0:
        slow, quick = sorted(groups, key=lambda row: -row["mean"])
        more = percent(slow["mean"] / quick["mean"] - 1)
        text.append(f"Group {slow['who']} took {more} longer a question than {quick['who']}.")
    return text


TABLE = Table(
    "by",
    {
        "by": Column("text"),
        "who": Column("text", "People"),
        "corpus": Column("text", "Corpus"),
        "median": Column("number", "Median seconds", digits=1),
        "mean": Column("number", "Mean seconds", "ci", digits=1),
        "minutes": Column("number", "Minutes a person", digits=1),
        "n": Column("count", "Answers"),
        "annotators": Column("count", "Annotators"),
    },
    "Seconds a question",
    "Minutes a person: the median over annotators of the sum of their times.",
)

FINDING = Finding(
    "time", FORM, compute, tables={"time": TABLE}, summarise=summarise, heading="Time", place=50, options=("wage",)
)
