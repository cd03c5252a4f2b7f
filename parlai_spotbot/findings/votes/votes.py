"""Whose votes these are: who voted on what, whether votes are correlated, on which side winners stood."""

import numpy as np

from parlai_spotbot.analysis.uncertainty.shares import share_test
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, one_row
from parlai_spotbot.findings.votes import FORM, Ballots
from parlai_spotbot.wording import filled


def compute(ballots: Ballots) -> Found:
    """Return who voted on what, whether votes are correlated, on which side winners stood."""
    decided = ballots.outcome != 0
    clusters = ballots.clusters
    people, prompts = _sizes(ballots.worker), _sizes(ballots.prompt)
    whole = one_row(
        n=len(ballots.a),
        a=(ballots.outcome > 0).sum(),
        b=(ballots.outcome < 0).sum(),
        tie=(~decided & ~ballots.bad).sum(),
        both_bad=ballots.bad.sum(),
        independent=clusters.workers is None and clusters.conversations is None,
        sentence=_hanging(ballots, people, prompts),
    )
    frames = {"whole": whole, "annotators": one_row(**people), "prompts": one_row(**prompts)}
    if decided.any():
        frames["first"] = one_row(**share_test(ballots.outcome[decided] > 0, clusters.take(decided)))
    return frames


def _sizes(codes: np.ndarray) -> dict:
    """Return how many there are, of how many votes they are known, and the most and median votes of one."""
    sizes = np.bincount(codes[codes >= 0])
    sizes = sizes[sizes > 0]
    return {
        "count": len(sizes),
        "known": int(sizes.sum()),
        "most": int(sizes.max(initial=0)),
        "median": float(np.median(sizes)) if len(sizes) else None,
    }


def _hanging(ballots: Ballots, people: dict, prompts: dict) -> str:
    """Return which votes are correlated, in words."""
    clusters, sentences = ballots.clusters, []
    if not people["count"]:
        sentences.append("Who voted isn't known: intervals are too narrow if some voted often")
    elif ballots.crossed and clusters.workers is not None:
        sentences.append(f"{people['count']:,} annotators voted up to {people['most']:,} times each")
    if clusters.conversations is not None:
        sentences.append(f"{prompts['count']:,} prompts were voted on up to {prompts['most']:,} times each")
    elif not prompts["count"]:
        sentences.append("which votes were on one prompt isn't known")
    return f"{'; '.join(sentences) or 'No annotator and no prompt comes twice: votes are independent'}."


def summarise(result: Result) -> list[str]:
    """Return which votes are dependent, and how often the contestant that the file names first wins."""
    first = ""
    test = result.one("first")
    if test:
        clear = "more than chance explains" if test["p"] < 0.05 else "as chance would have it"
        first = filled(
            "Of {n:,} decided votes {estimate:percent_1} ({ci:interval_1}) were for the contestant that the file names "
            "first, {clear} ({p:p_said}).",
            **test,
            clear=clear,
        )
    return [result.one("whole")["sentence"], first]


FINDING = declared(__file__, FORM, compute, summarise)
