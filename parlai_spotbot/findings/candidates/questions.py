"""Do people agree, and what do they find together?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.nuc import share
from parlai_spotbot.analysis.nuc.people import plurality
from parlai_spotbot.findings.candidates import FORM, KS, CandidateAnswers, of_corpus
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.wording import interval, number, percent


def compute(answers: CandidateAnswers) -> dict:
    """Compute how far annotators agree, and what all of them together find."""
    rows, corpora = answers.rows, answers.corpora
    return {
        "agreement": [
            _alpha(who, by, corpus, answers, of_corpus(rows[mask], corpus))
            for by, who, mask in answers.splits
            for corpus in corpora
            if len(of_corpus(rows[mask], corpus))
        ],
        "ceiling": [_ceiling(corpus, of_corpus(rows, corpus)) for corpus in corpora],
        "questions": int(rows["item_id"].nunique()),
    }


def _alpha(who: str, by: str, corpus: str, answers: CandidateAnswers, rows: pd.DataFrame) -> dict:
    """Krippendorff's alpha of first choices."""
    alpha = krippendorff_alpha(rows["item_id"], rows["first"], answers.clusters(rows))
    return {
        "by": by,
        "who": who,
        "corpus": corpus,
        "alpha": alpha["alpha"],
        "ci": list(alpha["ci"]),
        "questions": int(rows["item_id"].duplicated().groupby(rows["item_id"]).any().sum()),
    }


def _codes(rows: pd.DataFrame) -> tuple[np.ndarray, pd.DataFrame]:
    """The number of each answer's question, and one row a question in that order."""
    codes, _ = pd.factorize(rows["item_id"])
    return codes, rows.drop_duplicates("item_id")


def _ceiling(corpus: str, rows: pd.DataFrame) -> dict:
    """Return what people find together: by the votes of all who answered a question, where two or more did."""
    rows = rows[rows.groupby("item_id")["item_id"].transform("size") > 1]
    codes, categories = _codes(rows)
    empty = {
        "corpus": corpus,
        "questions": len(categories),
        "answers": float(len(rows) / len(categories)) if len(categories) else 0.0,
    }
    if not len(categories):
        return empty
    ranks = plurality(codes, rows["first"], rows["second"], categories["true"], categories["n"])
    homes = list(categories["conversation_id"])
    somebody = rows.groupby("item_id", sort=False)["right1"].max()
    voted = {f"recall@{k}": share(ranks.recall(k), homes) for k in KS}
    return empty | voted | {"somebody": share(somebody.to_numpy(), homes)}


def summarise(result: Result) -> list[str]:
    """Return the agreement, and what people find together."""
    data = result.data
    whole = data["ceiling"][-1]
    if not whole["questions"]:
        return ["No question was answered by two people, so agreement and what people find together aren't known."]
    alpha, recall = data["agreement"][0], whole["recall@1"]
    return [
        f"Krippendorff's alpha of first choices is {number(alpha['alpha'])}; 1 is perfect, 0 is chance.",
        f"By the votes of all who answered, people together find the real next turn in "
        f"{percent(recall['estimate'], 1)} of {whole['questions']} questions ({interval(recall['ci'], 1)}); where "
        f"that fails, another reply may fit.",
    ]


TABLES = {
    "agreement": Table(
        "agreement",
        {
            "by": Column("text"),
            "who": Column("text", "People"),
            "corpus": Column("text", "Corpus"),
            "alpha": Column("number", "Alpha", "ci"),
            "questions": Column("count", "Questions"),
        },
        "Agreement on the first choice",
        "Krippendorff's alpha, nominal, of questions that two or more answered; intervals over conversations and "
        "annotators.",
        ("hayes2007",),
        csv="agreement",
    )
}

FINDING = Finding(
    "questions",
    FORM,
    compute,
    tables=TABLES,
    summarise=summarise,
    heading="Do people agree, and how far could one get?",
    place=20,
)
