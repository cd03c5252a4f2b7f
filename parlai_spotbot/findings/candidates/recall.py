"""Can people find the real next turn? Recall of people and models on the same questions, and tests between them."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.nuc import chance, ranks_of, share
from parlai_spotbot.analysis.nuc.people import against
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings.candidates import EVERYBODY, FORM, KS, CandidateAnswers, of_corpus
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.nuc.background import NucBackground
from parlai_spotbot.wording import filled, listed


def compute(answers: CandidateAnswers) -> dict:
    """Recall@1 and @2 of people by corpus and group, of the models on the same items, and tests."""
    rows, corpora, splits, facts = answers.rows, answers.corpora, answers.splits, answers.nuc
    people = [
        _people_row(by, who, of_corpus(rows[mask], corpus), corpus, answers.crossed)
        for by, who, mask in splits
        for corpus in corpora
    ]
    people = [row for row in people if row["annotators"]]
    values = {name: _model_values(facts, rows, scores) for name, scores in facts.models.items()}
    models = [
        _model_row(facts, name, corpus, of_corpus(rows, corpus), model_values)
        for name, model_values in values.items()
        for corpus in corpora
    ]
    guessing = {corpus: _chance(of_corpus(rows, corpus)) for corpus in corpora}
    return {
        "corpora": corpora,
        "people": people,
        "models": models,
        "recall": _together(people, models, guessing),
        "ways": dict(facts.ways),
        "unscored": {name: count for name, count in facts.unscored.items() if count},
        "cautions": list(facts.cautions),
        "chance": guessing,
        "against_models": _against(rows, corpora, values),
    }


def _people_row(by: str, who: str, rows: pd.DataFrame, corpus: str, crossed: bool) -> dict:
    workers = list(rows["worker_id"]) if crossed else None
    recalls = {f"recall@{k}": share(rows[f"right{k}"], list(rows["conversation_id"]), workers) for k in KS}
    return {
        "by": by,
        "who": who,
        "corpus": corpus,
        "annotators": int(rows["worker_id"].nunique()),
        "questions": int(rows["item_id"].nunique()),
        **recalls,
    }


def _chance(rows: pd.DataFrame) -> dict:
    return {f"recall@{k}": chance(rows["n"], k) for k in KS}


def _model_values(facts: NucBackground, rows: pd.DataFrame, scores: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Recall@k of one model, a row an item and a column a k."""
    items = [item for item in rows["item_id"].unique() if item in scores]
    if not items:
        return pd.DataFrame(columns=list(KS), dtype=float)
    ranks = ranks_of([scores[item] for item in items], [facts.questions[item].true for item in items])
    return pd.DataFrame({k: ranks.recall(k) for k in KS}, index=items)


def _model_row(facts: NucBackground, name: str, corpus: str, rows: pd.DataFrame, values: pd.DataFrame) -> dict:
    items = [item for item in rows["item_id"].unique() if item in values.index]
    homes = [facts.questions[item].conversation_id for item in items]
    recalls = {f"recall@{k}": share(values.loc[items, k].tolist(), homes) for k in KS}
    return {"contestant": name, "way": facts.ways.get(name, ""), "corpus": corpus, "questions": len(items), **recalls}


def _against(rows: pd.DataFrame, corpora: Sequence[str], models: Mapping[str, pd.DataFrame]) -> list[dict]:
    """All people against each model, paired by question; Holm's correction over the tests of a measure."""
    test_rows = []
    for k in KS:
        tests = []
        for corpus in corpora:
            corpus_rows = of_corpus(rows, corpus)
            corpus_rows = corpus_rows[corpus_rows["n"] > k]
            for name, values in models.items() if len(corpus_rows) else ():
                other = corpus_rows["item_id"].map(values[k])
                row = against(corpus_rows[f"right{k}"], other, corpus_rows["conversation_id"], corpus_rows["worker_id"])
                tests.append({"measure": f"recall@{k}", "who": EVERYBODY, "corpus": corpus, "contestant": name, **row})
        adjusted = adjust_known(np.array([test["p"] for test in tests], dtype=float))
        test_rows += [test | {"p_adjusted": p} for test, p in zip(tests, adjusted, strict=True)]
    return test_rows


def _together(people: list[dict], models: list[dict], guessing: Mapping[str, dict]) -> list[dict]:
    """Return people, models and guessing as rows of one table, by corpus."""
    rows = [row | {"n": row["questions"]} for row in people]
    rows += [row | {"by": row["way"], "who": row["contestant"], "n": row["questions"]} for row in models]
    rows += [
        {"who": "guessing", "corpus": corpus} | {name: {"estimate": share} for name, share in row.items()}
        for corpus, row in guessing.items()
    ]
    corpora = list(guessing)
    return sorted((row for row in rows if row.get("n", 1)), key=lambda row: corpora.index(row["corpus"]))


def summarise(result: Result) -> list[str]:
    """Return people's recall, the best model's, which models differ from people, and cautions."""
    data = result.data
    everybody = {row["corpus"]: row for row in data["people"] if row["who"] == EVERYBODY and not row["by"]}
    whole = everybody[data["corpora"][-1]]
    recall, corpus = whole["recall@1"], whole["corpus"]
    text = [
        filled(
            "People chose the real next turn first in {recall[estimate]:percent_1} of {recall[n]} answers to "
            "{whole[questions]} questions ({recall[ci]:interval_1}; {whole[annotators]} people); guessing finds it in "
            "{chance[recall@1]:percent_1}.",
            recall=recall,
            whole=whole,
            chance=data["chance"][corpus],
        )
    ]
    models = [row for row in data["models"] if row["corpus"] == corpus and row["questions"]]
    if not models:
        return [*text, "No contestant has scored these questions yet: run spotbot_nuc."]
    best = best_first(models, (row["recall@1"]["estimate"] for row in models))[0]
    tests = [row for row in data["against_models"] if row["measure"] == "recall@1" and row["corpus"] == corpus]
    sure = list(filter(clear, tests))
    better = [row["contestant"] for row in sure if row["difference"] > 0]
    worse = [row["contestant"] for row in sure if row["difference"] < 0]
    text.append(
        filled(
            "The best model on these questions is {best[contestant]} with {best[recall@1][estimate]:percent_1} "
            "({best[recall@1][ci]:interval_1}). People find the real turn more often than {better}{worse}, of "
            "{tests:model}.",
            best=best,
            better=listed(better) or "no model",
            worse=f", and less often than {listed(worse)}" if worse else "",
            tests=len(tests),
        )
    )
    short = [f"{name}: {count}" for name, count in data["unscored"].items()]
    left = f" Questions without a model's scores of these candidates are left out: {', '.join(short)}." if short else ""
    return [*text, " ".join(data["cautions"]) + left]


FINDING = declared(__file__, FORM, compute, summarise)
