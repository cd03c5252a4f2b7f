"""Do people agree, what do they find together, and in which questions do they fail?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.nuc import agreement, difficulty, share
from parlai_spotbot.analysis.nuc.people import plurality
from parlai_spotbot.findings.candidates import FORM, KS, MEASURES, CandidateAnswers, of_corpus
from parlai_spotbot.findings.candidates.recall import shares, with_ends
from parlai_spotbot.findings.candidates.wording import cell, corpus_said, group_said, measure_said
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Section, Table
from parlai_spotbot.nuc.background import NucBackground
from parlai_spotbot.wording import NONE, interval, listed, number, p_value, percent

SHOWN = 30
"""So many of the questions in which people fail stand on the page; all are in hard.csv."""


def compute(own: CandidateAnswers) -> dict:
    """Whether annotators agree, what all of them together find, and where people fail."""
    rows, facts = own.rows, own.nuc
    items = list(dict.fromkeys(rows["item_id"]))
    corpora = own.corpora
    return {
        "agreement": [
            _alpha(who, by, corpus, own, of_corpus(rows[mask], corpus))
            for by, who, mask in own.splits
            for corpus in corpora
            if len(of_corpus(rows[mask], corpus))
        ],
        "ceiling": [_ceiling(facts, corpus, of_corpus(rows, corpus)) for corpus in corpora],
        "hard": _hard(facts, rows, items),
        "questions": len(items),
    }


def _alpha(who: str, by: str, corpus: str, own: CandidateAnswers, rows: pd.DataFrame) -> dict:
    """Krippendorff's alpha of first choices, and the share of couples of answers to a question that are the same."""
    told = krippendorff_alpha(rows["item_id"], rows["first"], own.clusters(rows))
    codes, found = _codes(rows)
    alike = agreement(codes, rows["first"], found["n"])
    twice = int(np.isfinite(alike).sum())
    return {
        "by": by,
        "who": who,
        "corpus": corpus,
        "alpha": told["alpha"],
        "ci": list(told["ci"]),
        "questions": twice,
        "alike": float(np.nanmean(alike)) if twice else np.nan,
    }


def _codes(rows: pd.DataFrame) -> tuple[np.ndarray, pd.DataFrame]:
    """The number of each answer's question, and one row a question in that order."""
    codes, _ = pd.factorize(rows["item_id"])
    return codes, rows.drop_duplicates("item_id")


def _ceiling(facts: NucBackground, corpus: str, rows: pd.DataFrame) -> dict:
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


def _hard(facts: NucBackground, rows: pd.DataFrame, items: Sequence[str]) -> list[dict]:
    """The questions in which people prefer a distractor, or do worse than by guessing, with texts; worst first."""
    codes, found = _codes(rows)
    own = difficulty(codes, rows["first"], found["true"], found["n"])
    listed = []
    for place in np.flatnonzero(own.ambiguous | own.below_chance):
        question = facts.questions[items[place]]
        chosen = np.bincount(rows["first"][codes == place], minlength=len(question.candidates))
        listed.append(
            {
                "question_id": question.question_id,
                "corpus": question.corpus,
                "context": list(question.context),
                "speakers": list(question.speakers),
                "candidates": list(question.candidates),
                "true": question.true,
                "rival": int(own.rival[place]),
                "chosen": chosen,
                "answers": int(own.answers[place]),
                "right": own.right[place],
                "ci": list(own.ci[place]),
                "p": own.p[place],
                "ambiguous": bool(own.ambiguous[place]),
                "below_chance": bool(own.below_chance[place]),
                "models_right": _models_right(facts, items[place]),
            }
        )
    return sorted(listed, key=lambda row: (row["right"], row["p"], row["question_id"]))


def _models_right(facts: NucBackground, item: str) -> list[str]:
    """The models that put the true turn first, alone."""
    true = facts.questions[item].true
    scores = {name: own[item] for name, own in facts.models.items() if item in own}
    return [name for name, own in scores.items() if own.argmax() == true and (own == own.max()).sum() == 1]


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Agreement and what people find together, then where they fail."""
    return [_agreement(result.data), _hard_section(result.data)]


def _agreement(questions: Mapping) -> Section:
    rows = [
        (
            group_said(row),
            corpus_said(row["corpus"]),
            number(row["alpha"]),
            interval(row["ci"], 2, share=False),
            percent(row["alike"], 1),
            str(row["questions"]),
        )
        for row in questions["agreement"]
    ]
    alphas = Table(
        "Agreement on the first choice",
        "1 is perfect agreement, 0 what chance would give; of questions that two or more answered.",
        ("people", "corpus", "alpha", "95 % interval", "couples of answers alike", "questions"),
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
    return Section("agreement", "Do people agree, and how far could one get?", text, [], tables)


def _chosen(row: Mapping) -> str:
    instead = row["chosen"][row["rival"]] if row["rival"] >= 0 else 0
    return f"{row['chosen'][row['true']]} : {instead} of {row['answers']}"


def _hard_section(questions: Mapping) -> Section:
    hard = questions["hard"]
    rows = [
        (
            row["corpus"],
            _chosen(row),
            p_value(row["p"]),
            " / ".join(row["context"]),
            row["candidates"][row["true"]],
            row["candidates"][row["rival"]] if row["rival"] >= 0 else NONE,
            listed(row["models_right"]) or "none",
        )
        for row in hard[:SHOWN]
    ]
    ambiguous = sum(row["ambiguous"] for row in hard)
    text = [
        f"In {len(hard)} of {questions['questions']} questions people fail: in {ambiguous} of them another reply was "
        "chosen at least as often as the real one, by two people or more."
    ]
    if ambiguous:
        text.append("Such a reply may answer as well as the real one, which is a limit of the method.")
    table = Table(
        "Questions in which people fail",
        "Turns are parted by a slash. Chosen: how many took the real one, and the other one. p: the probability that "
        "at least so many would take the other one if both fitted equally well; it doesn't allow for the other one "
        "having been picked out as the most popular. "
        + (f"The worst {SHOWN} of {len(hard)}; all are in hard.csv." if len(hard) > SHOWN else ""),
        ("corpus", "chosen", "p", "what was said", "the real next turn", "the other one", "models that find it"),
        rows,
        folded=len(rows) > LONG,
    )
    return Section("hard", "In which questions do people fail?", text, [], [table] if rows else [])


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables agreement, ceiling and hard."""
    for row in data["agreement"]:
        yield "agreement", with_ends(row)
    for row in _ceiling_rows(data["ceiling"]):
        yield "ceiling", row
    for row in data["hard"]:
        yield "hard", _hard_row(row)


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


def _hard_row(row: Mapping) -> dict:
    texts = {
        "context": "\n".join(row["context"]),
        "true": row["candidates"][row["true"]],
        "rival": row["candidates"][row["rival"]] if row["rival"] >= 0 else "",
    }
    kept = ("question_id", "corpus", "answers", "right", "p", "ambiguous", "below_chance")
    return {
        **{key: row[key] for key in kept},
        **texts,
        "chosen": " ".join(map(str, row["chosen"])),
        "low": row["ci"][0],
        "high": row["ci"][1],
        "models_right": " ".join(row["models_right"]),
    }


def lines(result: Result) -> list[str]:
    return [
        f"  {len(result.data['hard'])} questions in which people prefer another reply, or do worse than by guessing"
    ]


FINDING = Finding("questions", FORM, compute, tell, rows, lines, place=20)
