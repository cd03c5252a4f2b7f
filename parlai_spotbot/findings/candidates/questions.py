"""Do people agree, and what do they find together?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.nuc import share
from parlai_spotbot.analysis.nuc.people import plurality
from parlai_spotbot.findings.candidates import FORM, KS, MEASURES, CandidateAnswers, of_corpus
from parlai_spotbot.findings.candidates.recall import shares, with_ends
from parlai_spotbot.findings.candidates.wording import cell, corpus_said, group_said, measure_said
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Section, Table
from parlai_spotbot.wording import interval, number, percent


def compute(own: CandidateAnswers) -> dict:
    """Compute how far annotators agree, and what all of them together find."""
    rows, corpora = own.rows, own.corpora
    return {
        "agreement": [
            _alpha(who, by, corpus, own, of_corpus(rows[mask], corpus))
            for by, who, mask in own.splits
            for corpus in corpora
            if len(of_corpus(rows[mask], corpus))
        ],
        "ceiling": [_ceiling(corpus, of_corpus(rows, corpus)) for corpus in corpora],
        "questions": int(rows["item_id"].nunique()),
    }


def _alpha(who: str, by: str, corpus: str, own: CandidateAnswers, rows: pd.DataFrame) -> dict:
    """Krippendorff's alpha of first choices."""
    told = krippendorff_alpha(rows["item_id"], rows["first"], own.clusters(rows))
    return {
        "by": by,
        "who": who,
        "corpus": corpus,
        "alpha": told["alpha"],
        "ci": list(told["ci"]),
        "questions": int(rows["item_id"].duplicated().groupby(rows["item_id"]).any().sum()),
    }


def _codes(rows: pd.DataFrame) -> tuple[np.ndarray, pd.DataFrame]:
    """The number of each answer's question, and one row a question in that order."""
    codes, _ = pd.factorize(rows["item_id"])
    return codes, rows.drop_duplicates("item_id")


def _ceiling(corpus: str, rows: pd.DataFrame) -> dict:
    """What people find together: by the votes of all who answered a question, where two or more did."""
    rows = rows[rows.groupby("item_id")["item_id"].transform("size") > 1]
    codes, found = _codes(rows)
    empty = {"corpus": corpus, "questions": len(found), "answers": float(len(rows) / len(found)) if len(found) else 0.0}
    if not len(found):
        return empty
    ranks = plurality(codes, rows["first"], rows["second"], found["true"], found["n"])
    homes = list(found["conversation_id"])
    somebody = rows.groupby("item_id", sort=False)["right1"].max()
    voted = {f"recall@{k}": share(ranks.recall(k), homes).to_dict() for k in KS}
    return empty | voted | {"somebody": share(somebody.to_numpy(), homes).to_dict()}


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Tell the agreement, and what people find together."""
    questions = result.data
    rows = [
        (
            group_said(row),
            corpus_said(row["corpus"]),
            number(row["alpha"]),
            interval(row["ci"], 2, share=False),
            str(row["questions"]),
        )
        for row in questions["agreement"]
    ]
    alphas = Table(
        "Agreement on the first choice",
        "1 is perfect agreement, 0 what chance would give; of questions that two or more answered.",
        ("people", "corpus", "alpha", "95 % interval", "questions"),
        rows,
        folded=len(rows) > LONG,
        cite=("hayes2007",),
        method="Krippendorff's alpha, nominal; intervals over conversations and annotators.",
    )
    rows, text = [], []
    for row in questions["ceiling"]:
        if row["questions"]:
            rows.append(
                (
                    corpus_said(row["corpus"]),
                    *(cell(row[name]) for name in MEASURES),
                    cell(row["somebody"]),
                    str(row["questions"]),
                    number(row["answers"], 1),
                )
            )
    whole = questions["ceiling"][-1]
    if whole["questions"]:
        text.append(
            f"By the votes of all who answered, people together find the real next turn in "
            f"{percent(whole['recall@1']['estimate'], 1)} of {whole['questions']} questions "
            f"({interval(whole['recall@1']['ci'], 1)}): what one could hope for from a careful reader of these texts. "
            f"Where even that fails, another reply may fit as well."
        )
    else:
        text.append("No question was answered by two people, so agreement and what people find together aren't known.")
    votes = Table(
        "What people find together",
        "By votes: the reply that most chose first, then second choices; ties count as the expectation. Somebody: at "
        "least one person chose the real turn first. More answers a question make both higher.",
        ("corpus", *(f"by votes, {measure_said(name)}" for name in MEASURES), "somebody", "questions", "answers each"),
        rows,
    )
    tables = [alphas, votes] if whole["questions"] else []
    return [Section("agreement", "Do people agree, and how far could one get?", text, [], tables)]


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables agreement and ceiling."""
    for row in data["agreement"]:
        yield "agreement", with_ends(row)
    for row in _ceiling_rows(data["ceiling"]):
        yield "ceiling", row


def _ceiling_rows(rows: list[dict]) -> list[dict]:
    return [
        {
            "corpus": row["corpus"],
            "questions": row["questions"],
            "answers": row["answers"],
            **shares(row, (*MEASURES, "somebody")),
        }
        for row in rows
    ]


FINDING = Finding("questions", FORM, compute, tell, rows, place=20)
