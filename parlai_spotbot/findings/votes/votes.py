"""Whose votes these are: who voted on what, whether votes hang together, on which side winners stood, languages."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.analysis.uncertainty.shares import share_test
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.findings.votes import FORM, Ballots
from parlai_spotbot.wording import interval, p_said, percent


def compute(own: Ballots) -> dict:
    """Who voted on what, whether votes hang together, on which side winners stood, languages, days."""
    decided = own.outcome != 0
    clusters = own.clusters
    people, prompts = _sizes(own.worker), _sizes(own.prompt)
    return {
        "n": len(own.a),
        "outcomes": {
            "a": int((own.outcome > 0).sum()),
            "b": int((own.outcome < 0).sum()),
            "tie": int((~decided & ~own.bad).sum()),
            "both_bad": int(own.bad.sum()),
        },
        "annotators": people,
        "prompts": prompts,
        "independent": clusters.workers is None and clusters.conversations is None,
        "sentence": _hanging(own, people, prompts),
        "first": share_test(own.outcome[decided] > 0, clusters.take(decided)) if decided.any() else {},
        "languages": _languages(own),
        "days": [day for day in (min(own.day, default=""), max(own.day, default="")) if day],
    }


def _sizes(codes: np.ndarray) -> dict:
    """How many there are, of how many votes they are known, and the most and median votes of one."""
    sizes = np.bincount(codes[codes >= 0])
    sizes = sizes[sizes > 0]
    return {
        "count": len(sizes),
        "known": int(sizes.sum()),
        "most": int(sizes.max(initial=0)),
        "median": float(np.median(sizes)) if len(sizes) else None,
    }


def _hanging(own: Ballots, people: dict, prompts: dict) -> str:
    """Which votes hang together, in words."""
    clusters, said = own.clusters, []
    if not people["count"]:
        said.append(
            "who voted isn't known, so each vote counts as one person's, and intervals are too narrow if some "
            "voted often"
        )
    elif own.crossed and clusters.workers is not None:
        said.append(
            f"{people['count']:,} annotators voted up to {people['most']:,} times each, which tests and "
            "intervals allow for"
        )
        if people["known"] < len(own.a):
            said.append(f"who gave {len(own.a) - people['known']:,} votes isn't known, each counts as one person's")
    if clusters.conversations is not None:
        said.append(
            f"{prompts['count']:,} prompts were voted on up to {prompts['most']:,} times each, which tests and "
            "intervals allow for"
        )
    elif not prompts["count"]:
        said.append("which votes were on one prompt isn't known, so each counts as on a prompt of its own")
    text = "; ".join(said) or "no annotator and no prompt comes twice: votes are independent"
    return text[:1].upper() + text[1:] + "."


def _languages(own: Ballots) -> list[dict]:
    """Votes by language, the most frequent first; nothing where no language is known."""
    names, codes = list(own.language.categories), own.language.codes
    tied = (own.outcome == 0) & ~own.bad
    rows = [
        {
            "language": name,
            "n": int(mine.sum()),
            "ties": float(tied[mine].mean()),
            "both_bad": float(own.bad[mine].mean()),
        }
        for code, name in enumerate(names)
        if name and (mine := codes == code).any()
    ]
    return sorted(rows, key=lambda row: -row["n"])


def summarise(result: Result) -> list[str]:
    """Return which votes are dependent, and how often the contestant that the file names first wins."""
    own, test = result.data, result.data["first"]
    first = ""
    if test:
        clear = "more than chance explains" if test["p"] < 0.05 else "as chance would have it"
        first = (
            f"Of {test['n']:,} decided votes {percent(test['estimate'], 1)} ({interval(test['ci'], 1)}) were for the "
            f"contestant that the file names first, {clear} ({p_said(test['p'])})."
        )
    days = f"They were given from {own['days'][0]} to {own['days'][-1]}." if own["days"] else ""
    return [own["sentence"], first, days]


LANGUAGES = Table(
    "languages",
    {
        "language": Column("text", "Language"),
        "n": Column("count", "Votes"),
        "ties": Column("share", "Ties", digits=1),
        "both_bad": Column("share", "Both bad", digits=1),
    },
    "Languages",
    csv="languages",
)

FINDING = Finding(
    "votes", FORM, compute, tables={"languages": LANGUAGES}, summarise=summarise, heading="Whose votes?", place=20
)
