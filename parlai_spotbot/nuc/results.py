"""Results of scores of candidates: Recall@k and MRR of every contestant and way, tests between contestants, the curve.

Everything is computed from the stored scores, so it can be made again at any time; the same scores give the same bytes.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from parlai_spotbot.analysis.nuc import Ranks, chance, compare, curve, ranks_of, share
from parlai_spotbot.analysis.values import best_first, plain
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

LIKELIHOODS = (SUM, PER_BYTE, PMI)
STANDING = PMI
"""The likelihood that represents a generator where each contestant has one figure."""


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


def analyse(
    questions: Sequence[NucQuestion], scores: Mapping[str, Sequence[CandidateScores]], ks: Sequence[int] = (1, 2, 5)
) -> dict[str, dict]:
    """Return the results by name of file, "ranking" and "curve", from each contestant's scores of all questions."""
    conversations = [f"{question.corpus}\t{question.conversation_id}" for question in questions]
    sizes = [len(question.candidates) for question in questions]
    rows, curves, main, parts = [], [], {}, []
    for name, contestant_scores in scores.items():
        ranks = ranks_by_way(questions, contestant_scores)
        standing = STANDING if STANDING in ranks else next(iter(ranks))
        main[name] = ranks[standing]
        failed = len({row.question_id for row in contestant_scores if row.failed})
        for way, way_ranks in ranks.items():
            which = {"contestant": name, "way": way, "main": way == standing}
            rows.append({**which, "n": len(way_ranks), "failed": failed, **_measures(way_ranks, conversations, ks)})
            parts += [
                {**which, "corpus": corpus, "n": len(places), **_measures(way_ranks.take(places), homes, ks)}
                for corpus, places, homes in _parts(questions, conversations)
            ]
            curves.append({**which, "points": curve(way_ranks, conversations)})
    order = sorted(main)
    for measure in (Ranks.reciprocal, lambda ranks: ranks.recall(ks[0])):
        order = best_first(order, [measure(main[name]).mean() for name in order])

    def place(row: Mapping) -> tuple:
        return row.get("corpus", ""), order.index(row["contestant"]), WAYS.index(row["way"])

    tests = {f"recall@{k}": {name: row.recall(k) for name, row in main.items()} for k in ks if k < min(sizes)}
    tests["mrr"] = {name: row.reciprocal() for name, row in main.items()}
    ranking = {
        "questions": {"n": len(questions), "conversations": len(set(conversations)), "candidates": sorted(set(sizes))},
        "k": list(ks),
        "chance": {**{f"recall@{k}": chance(sizes, k) for k in ks}, "mrr": mrr_of_chance(sizes)},
        "order": order,
        "contestants": sorted(rows, key=place),
        "comparisons": [
            {"measure": measure, **row}
            for measure, values in tests.items()
            for row in compare({name: values[name] for name in order}, conversations)
        ],
        "cautions": {way: CAUTIONS[way] for way in WAYS if way in CAUTIONS and any(row["way"] == way for row in rows)},
    } | ({"corpora": sorted(parts, key=place)} if parts else {})
    return {"ranking": plain(ranking), "curve": plain({"k": 1, "curves": sorted(curves, key=place)})}


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
    measures = {f"recall@{k}": share(ranks.recall(k), conversations) for k in ks}
    return {**measures, "mrr": share(ranks.reciprocal(), conversations)}


def way_said(row: Mapping) -> str:
    """Return what a table calls a row's way; the likelihood that stands for a contestant is marked."""
    return WAY_TITLES[row["way"]] + (" ←" if row["main"] and row["way"] not in (RANKER, SIMILARITY) else "")


def notes(ranking: Mapping) -> list[str]:
    """Return what stands below every table of contestants."""
    notes_list = [ranking["cautions"][way] for way in WAYS if way in ranking["cautions"]]
    if any(row["way"] in LIKELIHOODS for row in ranking["contestants"]):
        notes_list.append("← is the likelihood that represents a generator in the order, the tests and the agreement.")
    failed = {row["contestant"]: row["failed"] for row in ranking["contestants"] if row["failed"]}
    if failed:
        notes_list.append(
            "No reply came, so all candidates count as tied: "
            + ", ".join(f"{name} in {count}" for name, count in failed.items())
            + " questions."
        )
    return notes_list
