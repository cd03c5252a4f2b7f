"""Can people find the real next turn? Recall of people and models on the same questions, and tests between them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.nuc import chance, ranks_of, share
from parlai_spotbot.analysis.nuc.people import against
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.values import with_ends
from parlai_spotbot.findings.candidates import EVERYBODY, FORM, KS, CandidateAnswers, of_corpus
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, best_rows, ends, frame_of
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.nuc.background import NucBackground
from parlai_spotbot.wording import filled, listed


def compute(answers: CandidateAnswers) -> Found:
    """Recall@1 and @2 of people by corpus and group, of the models on the same items, and tests."""
    facts = answers.nuc
    values = {name: _model_values(facts, answers.rows, scores) for name, scores in facts.models.items()}
    recall = [row for corpus in answers.corpora for row in _of_corpus(answers, corpus, values) if row.get("n", 1)]
    unscored = [{"contestant": name, "questions": count} for name, count in facts.unscored.items() if count]
    return {
        "recall": frame_of(recall),
        "unscored": unscored,
        "whole": {"cautions": list(facts.cautions)},
        "against_models": _against(answers.rows, answers.corpora, values),
    }


def _of_corpus(answers: CandidateAnswers, corpus: str, models: Mapping[str, pd.DataFrame]) -> Iterator[dict]:
    """Yield the recall of each group of people, of each model and of guessing, which is its `kind`."""
    facts = answers.nuc
    rows = of_corpus(answers.rows, corpus)
    for by, who, mask in answers.splits:
        corpus_rows = of_corpus(answers.rows[mask], corpus)
        workers = None
        if answers.crossed:
            workers = list(corpus_rows["worker_id"])
        recalls = _recalls(
            corpus_rows.rename(columns={f"right{k}": k for k in KS}), corpus_rows["conversation_id"], workers
        )
        counts = {"annotators": corpus_rows["worker_id"].nunique(), "n": corpus_rows["item_id"].nunique()}
        yield {"kind": "people", "corpus": corpus, "by": by, "who": who, **counts, **recalls}
    for name, values in models.items():
        corpus_rows = values.reindex(rows["item_id"].unique()).dropna()
        recalls = _recalls(corpus_rows, [facts.questions[item].conversation_id for item in corpus_rows.index])
        by = facts.ways.get(name, "")
        yield {"kind": "model", "corpus": corpus, "by": by, "who": name, "n": len(corpus_rows), **recalls}
    yield {"kind": "guessing", "corpus": corpus, "who": "guessing"} | {f"recall{k}": chance(rows["n"], k) for k in KS}


def _recalls(values: pd.DataFrame, conversations: Iterable, workers: Sequence | None = None) -> dict:
    """Return Recall@k of answers, of which `values` has a column a k, with their intervals, and how many they are."""
    row: dict = {"answers": len(values)}
    for k in KS:
        recall = share(values[k], list(conversations), workers)
        row |= with_ends({f"recall{k}": recall["estimate"], "ci": recall["ci"]}, f"recall{k}")
        row[f"recall{k}_wilson"] = recall["wilson"]
    return row


def _model_values(facts: NucBackground, rows: pd.DataFrame, scores: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Recall@k of one model, a row an item and a column a k."""
    items = [item for item in rows["item_id"].unique() if item in scores]
    if not items:
        return pd.DataFrame(columns=list(KS), dtype=float)
    ranks = ranks_of([scores[item] for item in items], [facts.questions[item].true for item in items])
    return pd.DataFrame({k: ranks.recall(k) for k in KS}, index=items)


def _against(rows: pd.DataFrame, corpora: Sequence[str], models: Mapping[str, pd.DataFrame]) -> list[dict]:
    """All people against each model, paired by question; Holm's correction over the tests of a measure."""
    tests = []
    for k in KS:
        for corpus in corpora:
            corpus_rows = of_corpus(rows, corpus).query(f"n > {k}")
            if corpus_rows.empty:
                continue
            for name, values in models.items():
                test = {"measure": f"recall@{k}", "who": EVERYBODY, "corpus": corpus, "contestant": name}
                other = corpus_rows["item_id"].map(values[k])
                tests.append(
                    test
                    | against(corpus_rows[f"right{k}"], other, corpus_rows["conversation_id"], corpus_rows["worker_id"])
                )
    for _, corpus_rows in groupby(tests, key=itemgetter("measure")):
        of_measure = list(corpus_rows)
        adjusted = adjust_known(np.array([test["p"] for test in of_measure], dtype=float))
        for test, p in zip(of_measure, adjusted, strict=True):
            test["p_adjusted"] = p
    return tests


def summarise(result: Result) -> list[str]:
    """Return people's recall, the best model's, which models differ from people, and cautions."""
    rows = result.rows("recall")
    corpus = rows[-1]["corpus"]
    within = [row for row in rows if row["corpus"] == corpus]
    people = within[0]
    text = [
        filled(
            "People chose the real next turn first in {recall1:percent_1} of {answers} answers to {n} questions "
            "({0:interval_1}; {annotators} people); guessing finds it in {1[recall1]:percent_1}.",
            ends(people, "recall1"),
            within[-1],
            **people,
        )
    ]
    models = [row for row in within if row["kind"] == "model"]
    if not models:
        return [*text, "No contestant has scored these questions yet: run spotbot_nuc."]
    best = best_rows(models, "recall1")[0]
    tests = [row for row in result.rows("against_models") if (row["measure"], row["corpus"]) == ("recall@1", corpus)]
    sure = list(filter(clear, tests))
    better = listed(row["contestant"] for row in sure if row["difference"] > 0)
    worse = listed(row["contestant"] for row in sure if row["difference"] < 0)
    if worse:
        worse = f", and less often than {worse}"
    text.append(
        filled(
            "The best model on these questions is {who} with {recall1:percent_1} ({0:interval_1}). People find the "
            "real turn more often than {1}{2}, of {3:model}.",
            ends(best, "recall1"),
            better or "no model",
            worse,
            len(tests),
            **best,
        )
    )
    cautions = list(result.one("whole")["cautions"])
    if short := ["{contestant}: {questions}".format(**row) for row in result.rows("unscored")]:
        cautions.append(f"Questions without a model's scores of these candidates are left out: {', '.join(short)}.")
    return [*text, " ".join(cautions)]


FINDING = declared(__file__, FORM, compute, summarise)
