"""Results of scores of candidates: Recall@k and MRR of every contestant and way, tests between contestants, the curve.

Everything is computed from the stored scores, so it can be made again at any time; the same scores give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from parlai_spotbot.analysis.nuc import Curve, Ranks, chance, compare, ranks_of, share
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.scoring.scores import (
    CAUTIONS,
    PER_BYTE,
    PMI,
    RANKER,
    SIMILARITY,
    SUM,
    WAY_TITLES,
    WAYS,
    CandidateScores,
)
from parlai_spotbot.surveys.nuc_questions import NucQuestion

STANDS = {"sum": SUM, "per_byte": PER_BYTE, "pmi": PMI}
"""Which likelihood stands for a generator where each contestant has one figure, by the name of the option."""


def check_k(ks: Sequence[int], candidates: int) -> tuple[int, ...]:
    """The distinct k in ascending order; `UserError` where one is no number of first places."""
    for k in ks:
        if not 1 <= k <= candidates:
            raise UserError(
                f"--k {k}: a question has {candidates} candidates, so k goes from 1 to {candidates}.",
                "Ask for a smaller k, or for more --candidates.",
            )
    return tuple(sorted(set(ks)))


def mrr_of_chance(n: Sequence[int]) -> float:
    """The mean reciprocal rank of guessing among `n` (q,) candidates: the mean of (1 + 1/2 + … + 1/n) / n."""
    return float(np.mean([np.sum(1 / np.arange(1, size + 1)) / size for size in n]))


def ranks_by_way(questions: Sequence[NucQuestion], scores: Sequence[CandidateScores]) -> dict[str, Ranks]:
    """A contestant's ranks by way, in the questions' order; `UserError` where a question or a score is missing."""
    by = {(row.way, row.question_id): row for row in scores}
    ranks_by_name = {}
    for way in (way for way in WAYS if any(row.way == way for row in scores)):
        scores_in_order = [by.get((way, question.question_id)) for question in questions]
        for row, question in zip(scores_in_order, questions, strict=True):
            if row is None or len(row.values) != len(question.candidates):
                name = scores[0].contestant
                raise UserError(
                    f"contestant '{name}': question {question.question_id} lacks scores of its "
                    f"{len(question.candidates)} candidates ({way}).",
                    "Remove the folder 'scores', and run the same command again.",
                )
        ranks_by_name[way] = ranks_of(
            [row.values for row in scores_in_order], [question.true for question in questions]
        )
    return ranks_by_name


def corpus_ranks_of(questions: Sequence[NucQuestion], scores: Sequence[CandidateScores], way: str) -> Ranks | None:
    """A contestant's ranks among all turns of the corpus; None where not all were scored."""
    by = {row.question_id: row.corpus for row in scores if row.way == way}
    rows = [by.get(question.question_id) for question in questions]
    if not rows or any(row is None for row in rows):
        return None
    return Ranks(*np.array(rows, dtype=np.int64).T)


def analyse(
    questions: Sequence[NucQuestion],
    scores: Mapping[str, Sequence[CandidateScores]],
    ks: Sequence[int] = (1, 2, 5),
    stands: str = "pmi",
) -> dict[str, dict]:
    """The results by name of file: "ranking" and "curve".

    Parameters
    ----------
    scores : mapping of contestant to its scores of all questions
    stands : str
        One of `STANDS`, fixed beforehand: whichever way came out best would flatter generators.
    """
    conversations = [f"{question.corpus}\t{question.conversation_id}" for question in questions]
    sizes = [len(question.candidates) for question in questions]
    rows, curves, main, parts = [], [], {}, []
    for name, contestant_scores in scores.items():
        ranks = ranks_by_way(questions, contestant_scores)
        standing = STANDS[stands] if STANDS[stands] in ranks else next(iter(ranks))
        main[name] = ranks[standing]
        failed = len({row.question_id for row in contestant_scores if row.failed})
        for way, way_ranks in ranks.items():
            which = {"contestant": name, "way": way, "main": way == standing}
            rows.append({**which, "n": len(way_ranks), "failed": failed, **_measures(way_ranks, conversations, ks)})
            parts += [
                {**which, "corpus": corpus, "n": len(places), **_measures(way_ranks.take(places), homes, ks)}
                for corpus, places, homes in _parts(questions, conversations)
            ]
            corpus = corpus_ranks_of(questions, contestant_scores, way)
            points = Curve.of(way_ranks if corpus is None else corpus, conversations).to_dict()["points"]
            curves.append({**which, "points": points})
    order = sorted(main, key=lambda name: (-main[name].recall(ks[0]).mean(), -main[name].reciprocal().mean(), name))
    tests = {
        f"recall@{k}": {name: main_ranks.recall(k) for name, main_ranks in main.items()} for k in ks if k < min(sizes)
    }
    tests["mrr"] = {name: main_ranks.reciprocal() for name, main_ranks in main.items()}
    ranking = {
        "questions": {"n": len(questions), "conversations": len(set(conversations)), "candidates": sorted(set(sizes))},
        "k": list(ks),
        "chance": {**{f"recall@{k}": chance(sizes, k) for k in ks}, "mrr": mrr_of_chance(sizes)},
        "likelihood": stands,
        "order": order,
        "contestants": sorted(rows, key=lambda row: (order.index(row["contestant"]), WAYS.index(row["way"]))),
        "comparisons": [
            {"measure": measure, **row.to_dict()}
            for measure, values in tests.items()
            for row in compare({name: values[name] for name in order}, conversations)
        ],
        "cautions": {way: CAUTIONS[way] for way in WAYS if way in CAUTIONS and any(row["way"] == way for row in rows)},
    }
    if parts:
        parts.sort(key=lambda row: (row["corpus"], order.index(row["contestant"]), WAYS.index(row["way"])))
        ranking["corpora"] = parts
    curves.sort(key=lambda row: (order.index(row["contestant"]), WAYS.index(row["way"])))
    return {"ranking": plain(ranking), "curve": plain({"k": 1, "curves": curves})}


def _parts(questions: Sequence[NucQuestion], conversations: Sequence[str]) -> list[tuple[str, np.ndarray, list[str]]]:
    """Return name, places of questions and their conversations of each of several corpora; [] for one."""
    array = np.array([question.corpus for question in questions], dtype=object)
    names = sorted(set(array))
    if len(names) < 2:
        return []
    places = {name: np.flatnonzero(array == name) for name in names}
    return [(name, members, [conversations[place] for place in members]) for name, members in places.items()]


def _measures(ranks: Ranks, conversations: Sequence[str], ks: Sequence[int]) -> dict[str, dict]:
    """Recall@k for each k, and the mean reciprocal rank, with intervals."""
    measures = {f"recall@{k}": share(ranks.recall(k), conversations).to_dict() for k in ks}
    return {**measures, "mrr": share(ranks.reciprocal(), conversations).to_dict()}


# -- tables ------------------------------------------------------------------------------------------------------------
def table_rows(ranking: Mapping) -> list[dict]:
    """``ranking.csv``: one row a contestant and way."""
    return [
        _row(row, ("contestant", "way", "main", "n", "failed"), ranking["chance"]) for row in ranking["contestants"]
    ]


def corpus_rows(ranking: Mapping) -> list[dict]:
    """``corpora.csv``: one row a corpus, contestant and way, where there are several corpora."""
    names = ("corpus", "contestant", "way", "main", "n")
    return [_row(row, names, dict.fromkeys(ranking["chance"])) for row in ranking.get("corpora", [])]


def _row(own: Mapping, names: Sequence[str], chances: Mapping[str, float | None]) -> dict:
    row = {name: own[name] for name in names}
    for measure, share_of_chance in chances.items():
        low, high = own[measure]["ci"]
        row |= {measure: own[measure]["estimate"], f"{measure}_low": low, f"{measure}_high": high}
        row |= {} if share_of_chance is None else {f"{measure}_chance": share_of_chance}
    return row


def curve_rows(curve: Mapping) -> list[dict]:
    """``curve.csv``: one row a contestant, way and number of candidates."""
    return [
        {name: curve_row[name] for name in ("contestant", "way")}
        | {"candidates": point["candidates"], "recall@1": point["estimate"]}
        | dict(zip(("low", "high"), point["ci"], strict=True))
        | {"chance": point["chance"]}
        for curve_row in curve["curves"]
        for point in curve_row["points"]
    ]


def way_said(row: Mapping) -> str:
    """Return what a table calls a row's way; the likelihood that stands for a contestant is marked."""
    return WAY_TITLES[row["way"]] + (" ←" if row["main"] and row["way"] not in (RANKER, SIMILARITY) else "")


def notes(ranking: Mapping) -> list[str]:
    """Return what stands below every table of contestants."""
    notes_list = [ranking["cautions"][way] for way in WAYS if way in ranking["cautions"]]
    if any(row["way"] in STANDS.values() for row in ranking["contestants"]):
        notes_list.append(
            "← is the likelihood that stands for a generator in the order, the tests and the agreement; it was "
            "chosen beforehand (--likelihood)."
        )
    failed = {row["contestant"]: row["failed"] for row in ranking["contestants"] if row["failed"]}
    if failed:
        notes_list.append(
            "No reply came, so all candidates count as tied: "
            + ", ".join(f"{name} in {count}" for name, count in failed.items())
            + " questions."
        )
    return notes_list
