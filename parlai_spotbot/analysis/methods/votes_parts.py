"""The parts of the analysis of votes: everything comes from counts by pair and outcome, and from rows as codes.

A vote that finds both bad says that both failed, not who is better. Davidson's model has the same odds of one over the
other with or without such votes, while its ties are evidence that two are near to each other, which a common failure is
not: so the ranking leaves them out, and what it would be with them as ties stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import expit

from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, codes_of
from parlai_spotbot.analysis.uncertainty.shares import share_test, share_tests

CRITERION = "share of points (a tie is half) by Davidson's model, had all contestants met equally often"
TEST = (
    "contrast of Davidson's log strengths over all votes, so that two contestants are compared by those they both met, "
    "too; Holm-adjusted over all pairs"
)
SEEN = ("won", "tie", "both_bad", "lost")
"""What a vote is to one of its two contestants."""
ALPHA = 0.05


@dataclass(frozen=True)
class Ballots:
    """The votes of one source: `a`, `b` (n,) places in `names`, `outcome` (n,) +1 for a, -1 for b, 0 for neither, of
    which `bad` (n,) are for both bad; `prompt` and `worker` (n,) codes, -1 where unknown.

    `language` and `day` are categories. `crossed`: whether who votes is a sample, as people are.
    """

    names: tuple[str, ...]
    a: np.ndarray
    b: np.ndarray
    outcome: np.ndarray
    bad: np.ndarray
    prompt: np.ndarray
    worker: np.ndarray
    language: pd.Categorical
    day: pd.Categorical
    crossed: bool
    resample: str

    @cached_property
    def conversation(self) -> np.ndarray:
        """Codes (n,) of what was shown: the answers of two contestants to one prompt, whichever stood first."""
        size = len(self.names)
        pair = np.minimum(self.a, self.b).astype(np.int64) * size + np.maximum(self.a, self.b)
        return _alone(np.where(self.prompt < 0, -1, codes_of(self.prompt * size**2 + pair)))

    @cached_property
    def clusters(self) -> Clusters:
        """Which votes hang together: those on the same two answers, and those of one annotator."""
        talks = _recurring(self.conversation) if "conversations" in self.resample else None
        workers = _recurring(_alone(self.worker)) if self.crossed and "workers" in self.resample else None
        return Clusters(len(self.a), None if talks is None else talks[:, None], workers)

    def compared(self, ties_too: bool = False, prompts: bool = False) -> Contrasts:
        """The contrasts of the votes that say who is better, or that it is a tie.

        `ties_too`: both bad as ties; `prompts`: as if another study had other prompts.
        """
        kept = np.ones(len(self.a), dtype=bool) if ties_too else ~self.bad
        names = pd.Index(self.names)
        matches = pd.DataFrame({
            "a": pd.Categorical.from_codes(self.a[kept], names), "b": pd.Categorical.from_codes(self.b[kept], names),
            "outcome": self.outcome[kept],
            "conversation_id": (_alone(self.prompt) if prompts else self.conversation)[kept],
            "worker_id": _alone(self.worker)[kept],
        })  # fmt: skip
        return contrasts(matches, self.names, crossed=self.crossed, resample=self.resample)

    @property
    def seen(self) -> np.ndarray:
        """What each vote is to a: places (n,) in `SEEN`."""
        return np.where(self.bad, 2, np.array([1, 0, 3])[self.outcome])

    def counts(self) -> np.ndarray:
        """How often a vote was `SEEN` so by i against j: (K, K, 4)."""
        size = len(self.names)
        flat = (self.a.astype(np.int64) * size + self.b) * 4 + self.seen
        forth = np.bincount(flat, minlength=size * size * 4).reshape(size, size, 4)
        return forth + forth.transpose(1, 0, 2)[:, :, [3, 1, 2, 0]]


def _alone(codes: np.ndarray) -> np.ndarray:
    """Codes in which what is unknown is a number of its own."""
    unknown = codes < 0
    return np.where(unknown, codes.max(initial=-1) + np.cumsum(unknown), codes)


def _recurring(codes: np.ndarray) -> np.ndarray | None:
    """The codes where some come more than once, and not all are one's; else None: votes stand alone in this."""
    sizes = np.bincount(codes)
    return codes if sizes.max(initial=0) > 1 and (sizes > 0).sum() > 1 else None


def ranked(own: Ballots) -> dict:
    """Order, places, scores, every pair with its contrast, and what became of each contestant's votes."""
    counts, found = own.counts(), own.compared()
    place, order = {name: i for i, name in enumerate(own.names)}, found.ranked
    result = {
        "order": order,
        "clusters": {name: found.places[place[name]].tolist() for name in order},
        "criterion": CRITERION,
        "score": {name: found.score[place[name]] for name in order},
        "score_ci": {name: found.score_ci[place[name]].tolist() for name in order},
        "strength": {
            name: {"strength": found.strength[place[name]], "ci": found.ci[place[name]].tolist()} for name in order
        },
        "pairs": _pairs(found, counts),
        "test": TEST,
        "shares": _shares(own, order),
        "n": len(own.a),
        "ties": float(counts[:, :, 1].sum() / max(counts.sum(), 1)),
        "both_bad": float(counts[:, :, 2].sum() / max(counts.sum(), 1)),
        "otherwise": _otherwise(own, order),
    }
    return result | ({"why": found.why} if found.why else {})


def _otherwise(own: Ballots, order: list[str]) -> dict[str, dict]:
    """What the ranking would be by other rules: `clear` pairs, and how many would stand in the other order."""
    other = {}
    if own.bad.any():
        other["both_bad_as_ties"] = own.compared(ties_too=True)
    prompts = len(np.unique(own.prompt[own.prompt >= 0]))
    if "conversations" in own.resample and prompts and prompts < len(np.unique(own.conversation[own.prompt >= 0])):
        other["other_prompts"] = own.compared(prompts=True)
    result = {}
    for rule, found in other.items():
        strength = dict(zip(found.names, found.strength, strict=True))
        result[rule] = {
            "clear": int((found.pairs["p_adjusted"] < ALPHA).sum()),
            "reversed": sum(strength[x] < strength[y] for x, y in combinations(order, 2)),
        }
    return result


def _pairs(found: Contrasts, counts: np.ndarray) -> list[dict]:
    """Every two contestants: what was voted between them, and the contrast of their strengths as a share of wins."""
    frame, place = found.pairs, {name: i for i, name in enumerate(found.names)}
    first, second = (frame[side].map(place).to_numpy(dtype=int) for side in ("a", "b"))
    seen = counts[first, second]
    columns = {
        "a": frame["a"].astype(str), "b": frame["b"].astype(str), "n": seen.sum(axis=1), "wins_a": seen[:, 0],
        "wins_b": seen[:, 3], "ties": seen[:, 1], "both_bad": seen[:, 2], "difference": frame["difference"],
        "estimate": expit(frame["difference"]), "low": expit(frame["low"]), "high": expit(frame["high"]),
        "p": frame["p"], "p_adjusted": frame["p_adjusted"],
    }  # fmt: skip
    rows = zip(*(np.asarray(values).tolist() for values in columns.values()), strict=True)
    found_rows = [dict(zip(columns, values, strict=True)) for values in rows]
    return [{**row, "ci": [row.pop("low"), row.pop("high")]} for row in found_rows]


def _shares(own: Ballots, order: list[str]) -> dict[str, dict]:
    """Of all votes that a contestant was in: the shares won, tied, both bad and lost, each with its interval."""
    twice = own.clusters.take(np.tile(np.arange(len(own.a)), 2))  # each vote is one of both contestants
    names = np.concatenate([own.a, own.b])
    seen = np.concatenate([own.seen, np.array([3, 1, 2, 0])[own.seen]])
    tests = {what: share_tests(seen == number, names, len(own.names), twice) for number, what in enumerate(SEEN)}
    place = {name: i for i, name in enumerate(own.names)}
    return {
        name: {"n": int(tests["won"]["n"][place[name]])} | {
            what: {"share": test["estimate"][place[name]], "ci": test["ci"][place[name]].tolist()}
            for what, test in tests.items()
        } for name in order
    }  # fmt: skip


def votes_part(own: Ballots) -> dict:
    """votes.json: who voted on what, whether votes hang together, on which side winners stood, languages, days."""
    decided = own.outcome != 0
    clusters = own.clusters
    people, prompts = _sizes(own.worker), _sizes(own.prompt)
    return {
        "n": len(own.a),
        "outcomes": {
            "a": int((own.outcome > 0).sum()), "b": int((own.outcome < 0).sum()),
            "tie": int((~decided & ~own.bad).sum()), "both_bad": int(own.bad.sum()),
        },
        "annotators": people,
        "prompts": prompts,
        "conversations": len(np.unique(own.conversation)),
        "independent": clusters.workers is None and clusters.conversations is None,
        "sentence": _hanging(own, people, prompts),
        "first": share_test(own.outcome[decided] > 0, clusters.take(decided)) if decided.any() else {},
        "languages": _languages(own),
        "days": [day for day in (min(own.day, default=""), max(own.day, default="")) if day],
    }  # fmt: skip


def _sizes(codes: np.ndarray) -> dict:
    """How many there are, of how many votes they are known, and the most and median votes of one."""
    sizes = np.bincount(codes[codes >= 0])
    sizes = sizes[sizes > 0]
    return {"count": len(sizes), "known": int(sizes.sum()), "most": int(sizes.max(initial=0)),
            "median": float(np.median(sizes)) if len(sizes) else None}  # fmt: skip


def _hanging(own: Ballots, people: dict, prompts: dict) -> str:
    """Which votes hang together, in words."""
    clusters, said = own.clusters, []
    if not people["count"]:
        said.append("who voted isn't known, so each vote counts as one person's, and intervals are too narrow if some "
                    "voted often")  # fmt: skip
    elif own.crossed and clusters.workers is not None:
        said.append(f"{people['count']:,} annotators voted up to {people['most']:,} times each, which tests and "
                    "intervals allow for")  # fmt: skip
        if people["known"] < len(own.a):
            said.append(f"who gave {len(own.a) - people['known']:,} votes isn't known, each counts as one person's")
    if clusters.conversations is not None:
        most = int(np.bincount(own.conversation).max())
        said.append(f"the same two contestants' answers to one prompt were voted on up to {most:,} times, which tests "
                    "and intervals allow for")  # fmt: skip
    elif not prompts["count"]:
        said.append("which votes were on one prompt isn't known, so each counts as on a prompt of its own")
    text = "; ".join(said) or "no annotator and no prompt comes twice: votes are independent"
    return text[:1].upper() + text[1:] + "."


def _languages(own: Ballots) -> list[dict]:
    """Votes by language, the most frequent first; nothing where no language is known."""
    names, codes = list(own.language.categories), own.language.codes
    tied = (own.outcome == 0) & ~own.bad
    rows = [
        {"language": name, "n": int(mine.sum()), "ties": float(tied[mine].mean()),
         "both_bad": float(own.bad[mine].mean())}
        for code, name in enumerate(names) if name and (mine := codes == code).any()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: -row["n"])
