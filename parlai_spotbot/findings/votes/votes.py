"""Whose votes these are: who voted on what, whether votes hang together, on which side winners stood, languages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.uncertainty.shares import share_test
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Section, Table
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


def tell(result: Result) -> list[Section]:
    """Whose votes these are."""
    own = result.data
    text = [own["sentence"]]
    if own["first"]:
        test = own["first"]
        clear = "more than chance explains" if test["p"] < 0.05 else "as chance would have it"
        text.append(
            f"Of {test['n']:,} decided votes {percent(test['estimate'], 1)} ({interval(test['ci'], 1)}) were "
            f"for the contestant that the file names first, {clear} ({p_said(test['p'])})."
        )
    if own["days"]:
        text.append(f"They were given from {own['days'][0]} to {own['days'][-1]}.")
    tables = []
    if len(own["languages"]) > 1:
        rows = [
            (row["language"], f"{row['n']:,}", percent(row["ties"], 1), percent(row["both_bad"], 1))
            for row in own["languages"]
        ]
        tables = [
            Table(
                "Languages",
                "Shares of the votes in a language.",
                ("language", "votes", "ties", "both bad"),
                rows,
                folded=len(rows) > LONG,
            )
        ]
    return [Section("votes", "Whose votes?", text, [], tables)]


def rows(data: Mapping) -> Rows:
    """Rows of the table languages."""
    for row in data["languages"]:
        yield "languages", row


FINDING = Finding("votes", FORM, compute, tell, rows, place=20)
