"""How long a question takes, by group and corpus."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.findings import costs
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers, of_corpus
from parlai_spotbot.findings.candidates.recall import with_ends
from parlai_spotbot.findings.candidates.wording import corpus_said, group_said
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Section, Table
from parlai_spotbot.wording import interval, number, percent


def compute(own: CandidateAnswers) -> dict:
    """As of any survey, and seconds a question and minutes a person by group and corpus."""
    found = []
    for by, who, mask in own.splits:
        for corpus in own.corpora:
            rows = of_corpus(own.rows[mask], corpus).dropna(subset=["seconds"])
            if not len(rows):
                continue
            mean = mean_of(rows["seconds"], frame_clusters(rows))
            minutes = rows.groupby("worker_id")["seconds"].sum() / 60
            found.append(
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
    return {**costs.compute_time(own), "by": found}


def tell(result: Result) -> list[Section]:
    """Seconds a question, and which group takes longer."""
    own = result.data
    if not own.get("by"):
        return []
    rows = [
        (
            group_said(row),
            corpus_said(row["corpus"]),
            number(row["median"], 1),
            number(row["mean"], 1),
            interval(row["ci"], 1, share=False),
            number(row["minutes"], 1),
            str(row["n"]),
            str(row["annotators"]),
        )
        for row in own["by"]
    ]
    table = Table(
        "Seconds a question",
        "Minutes a person: the median of what each spent on these questions.",
        ("people", "corpus", "median", "mean", "95 % interval of the mean", "minutes a person", "answers", "how many"),
        rows,
        folded=len(rows) > LONG,
    )
    first = own["by"][0]
    text = (
        f"A question took {number(own['median'], 1)} seconds in the median; all took {number(own['hours'], 1)} hours."
    )
    groups = [row for row in own["by"] if row["by"] == "group" and row["corpus"] == first["corpus"]]
    if len(groups) == 2 and min(row["mean"] for row in groups) > 0:
        slow, quick = sorted(groups, key=lambda row: -row["mean"])
        more = percent(slow["mean"] / quick["mean"] - 1)
        text += f" Group {slow['who']} took {more} longer a question than {quick['who']}."
    return [Section("time", "How long does it take?", [text], [], [table])]


def rows(data: Mapping) -> Rows:
    """Rows of the table time."""
    for row in data["by"]:
        yield "time", with_ends(row)


FINDING = Finding("time", FORM, compute, tell, rows, place=50, options=("wage",))
