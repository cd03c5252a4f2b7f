"""Results of scores of candidates: Recall@k and MRR of every contestant and way, tests between contestants, the curve.

Everything is computed from the stored scores, so it can be made again at any time; the same scores give the same bytes.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from parlai_spotbot.analysis.nuc import Ranks, chance, compare, curve, ranks_of, share
from parlai_spotbot.analysis.nuc.estimates import paired
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
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
ALPHA = 0.05
"""Who is ahead of the trivial reply is so by a test at this level, Holm-adjusted."""
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
    used = {row.way for row in scores}
    ranks_by_name = {}
    for way in WAYS:
        if way not in used:
            continue
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
    questions: Sequence[NucQuestion],
    scores: Mapping[str, Sequence[CandidateScores]],
    ks: Sequence[int] = (1, 2, 5),
    reference: Sequence[CandidateScores] | None = None,
) -> dict[str, dict]:
    """Return the results by name of file, "ranking" and "curve", from each contestant's scores of all questions.

    Contestants that are ranked by the likeness of a reply are compared with the `reference`, a trivial reply's scores.
    """
    conversations = [f"{question.corpus}\t{question.conversation_id}" for question in questions]
    sizes = [len(question.candidates) for question in questions]
    ranks = {name: ranks_by_way(questions, contestant_scores) for name, contestant_scores in scores.items()}
    main = _main(ranks, ks[0])
    ways = _ways(ranks, list(main))
    rows = [_row(which, way_ranks, scores[which["contestant"]], conversations, ks) for which, way_ranks in ways]
    used = {row["way"] for row in rows}
    ranking = {
        "questions": {"n": len(questions), "conversations": len(set(conversations)), "candidates": sorted(set(sizes))},
        "k": list(ks),
        "chance": {f"recall@{k}": chance(sizes, k) for k in ks} | {"mrr": mrr_of_chance(sizes)},
        "order": list(main),
        "contestants": rows,
        "comparisons": _comparisons(main, conversations, ks, min(sizes)),
        "cautions": {way: CAUTIONS[way] for way in WAYS if way in CAUTIONS and way in used},
    }
    if reference:
        ranking["reference"] = _beside(reference, questions, main, scores, conversations, ks)
    if corpora := _by_corpus(ways, questions, conversations, ks):
        ranking["corpora"] = corpora
    curves = [{**which, "points": curve(way_ranks, conversations)} for which, way_ranks in ways]
    return {"ranking": plain(ranking), "curve": plain({"k": 1, "curves": curves})}


def _beside(
    reference: Sequence[CandidateScores],
    questions: Sequence[NucQuestion],
    main: Mapping[str, Ranks],
    scores: Mapping[str, Sequence[CandidateScores]],
    conversations: Sequence[str],
    ks: Sequence[int],
) -> dict:
    """Return the measures of the trivial reply, and how each contestant that is ranked by a reply compares with it."""
    trivial = ranks_by_way(questions, reference)[SIMILARITY]
    replying = [name for name in main if scores[name][0].way == SIMILARITY]
    pairs = [paired(main[name].recall(ks[0]), trivial.recall(ks[0]), conversations) for name in replying]
    adjusted = adjust_known(np.array([pair["p"] for pair in pairs]))
    ahead = [
        name for name, pair, p in zip(replying, pairs, adjusted, strict=True) if pair["difference"] > 0 and p < ALPHA
    ]
    about = {"contestant": reference[0].contestant, "way": SIMILARITY, "n": len(questions)}
    return {**about, **_measures(trivial, conversations, ks), "replying": replying, "ahead": ahead}


def _row(
    which: Mapping, ranks: Ranks, scores: Sequence[CandidateScores], conversations: Sequence[str], ks: Sequence[int]
) -> dict:
    """Return the figures of a contestant's way."""
    failed = {row.question_id for row in scores if row.failed}
    return {**which, "n": len(ranks), "failed": len(failed), **_measures(ranks, conversations, ks)}


def _standing(ways: Collection[str]) -> str:
    """Return the way that represents a contestant where it has one figure."""
    if STANDING in ways:
        return STANDING
    return next(iter(ways))


def _main(ranks: Mapping[str, Mapping[str, Ranks]], k: int) -> dict[str, Ranks]:
    """Return one way's ranks of each contestant: by Recall@k, then by mean reciprocal rank, then by name."""
    main = {name: ranks[name][_standing(ranks[name])] for name in sorted(ranks)}
    order = best_first(list(main), [row.reciprocal().mean() for row in main.values()])
    order = best_first(order, [main[name].recall(k).mean() for name in order])
    return {name: main[name] for name in order}


def _ways(ranks: Mapping[str, Mapping[str, Ranks]], order: Sequence[str]) -> list[tuple[dict, Ranks]]:
    """Return the ranks of each contestant and way, with a row's first entries."""
    ways = []
    for name in order:
        standing = _standing(ranks[name])
        ways += [({"contestant": name, "way": way, "main": way == standing}, row) for way, row in ranks[name].items()]
    return ways


def _comparisons(ranks: Mapping[str, Ranks], conversations: Sequence[str], ks: Sequence[int], least: int) -> list[dict]:
    """Return the tests between contestants by each measure that can differ: of k below the `least` candidates."""
    differing = [k for k in ks if k < least]
    values = {name: _values(row, differing) for name, row in ranks.items()}
    rows = []
    for measure in next(iter(values.values())):
        compared = compare({name: by_measure[measure] for name, by_measure in values.items()}, conversations)
        rows += [{"measure": measure, **row} for row in compared]
    return rows


def _by_corpus(
    ways: Sequence[tuple[dict, Ranks]],
    questions: Sequence[NucQuestion],
    conversations: Sequence[str],
    ks: Sequence[int],
) -> list[dict]:
    """Return a row for each of several corpora and each of the `ways` of contestants, with its ranks; [] for one."""
    array = np.array([question.corpus for question in questions], dtype=object)
    names = sorted(set(array))
    if len(names) < 2:
        return []
    rows = []
    for corpus in names:
        places = np.flatnonzero(array == corpus)
        homes = [conversations[place] for place in places]
        for which, ranks in ways:
            rows.append({**which, "corpus": corpus, "n": len(places), **_measures(ranks.take(places), homes, ks)})
    return rows


def _measures(ranks: Ranks, conversations: Sequence[str], ks: Sequence[int]) -> dict[str, dict]:
    """Recall@k for each k, and the mean reciprocal rank, with intervals."""
    return {measure: share(values, conversations) for measure, values in _values(ranks, ks).items()}


def _values(ranks: Ranks, ks: Sequence[int]) -> dict[str, np.ndarray]:
    """Return what each question contributes to Recall@k for each k, and to the mean reciprocal rank."""
    return {**{f"recall@{k}": ranks.recall(k) for k in ks}, "mrr": ranks.reciprocal()}


def way_said(row: Mapping) -> str:
    """Return what a table calls a row's way; the likelihood that stands for a contestant is marked."""
    title = WAY_TITLES[row["way"]]
    if row["main"] and row["way"] not in (RANKER, SIMILARITY):
        title = f"{title} ←"
    return title


def notes(ranking: Mapping) -> list[str]:
    """Return what stands below every table of contestants."""
    notes_list = [ranking["cautions"][way] for way in WAYS if way in ranking["cautions"]]
    if any(row["way"] in LIKELIHOODS for row in ranking["contestants"]):
        notes_list.append("← is the likelihood that represents a generator in the order, the tests and the agreement.")
    failed = {row["contestant"]: row["failed"] for row in ranking["contestants"] if row["failed"]}
    if failed:
        counts = ", ".join(f"{name} in {count}" for name, count in failed.items())
        notes_list.append(f"No usable answer came, so all candidates count as tied: {counts} questions.")
    return notes_list
