"""Tests of what verdicts of serving until settled take for granted and the answers can show, as probes.

All are score tests of contributions by person, by the residuals of answers from one scale of all contestants
(Bradley & Terry 1952), so that answers of one person may hang together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED, Probe

DOUBT, CLEAR = 0.1, 0.005
"""A probe is amber from this p-value down, and red from that one down."""

FLIPS = 2000
"""Flips of people's signs, the answers as they are among them."""

UNEVEN = 0.3
"""How much more often one of each two is shown first, as a share of their answers, from which on it may seem better."""

MANY = 0.1
"""From this share of units that never came back on, they are named beside the verdict."""


@dataclass(frozen=True)
class Answers:
    """Record of answers that compare two.

    `person` (n,) counts from 0 in the order of drawing; `a` is the contestant that is shown first, and `score` its
    points; `strengths` (K,) are on one scale.
    """

    person: np.ndarray
    a: np.ndarray
    b: np.ndarray
    score: np.ndarray
    strengths: np.ndarray

    @property
    def expected(self) -> np.ndarray:
        """Return what is expected of each score by the strengths."""
        return expit(self.strengths[self.a] - self.strengths[self.b])

    @property
    def sides(self) -> np.ndarray:
        """Return 1 for a and -1 for b in each answer's row, (n, K)."""
        one = np.eye(len(self.strengths))
        return one[self.a] - one[self.b]


def probes(answers: Answers, lost: int, units: int, ordered: bool, rated: bool) -> list[Probe]:
    """Return the probes; `ordered` where the item says who is shown first, `rated` of ratings one by one."""
    found = [_of_p("drift", drift(answers))]
    if not rated and len(answers.strengths) > 2:
        found.append(_of_p("circle", circle(answers)))
    if ordered:
        found.append(_order(answers))
    share = lost / max(units, 1)
    return [*found, Probe("lost", AMBER if share >= MANY else GREEN, {"lost": lost, "units": units})]


def _of_p(name: str, p: float) -> Probe:
    level = GREEN
    if p < DOUBT:
        level = AMBER
    if p < CLEAR:
        level = RED
    return Probe(name, level, {"p": p})


def drift(answers: Answers) -> float:
    """Return the p-value of the same strengths in the first and the second half of the people."""
    late = answers.person > np.median(answers.person)
    return _score_test(answers, answers.sides * late[:, None])


def circle(answers: Answers) -> float:
    """Return the p-value of one scale: that each two stand to each other as their matches with others say."""
    size = len(answers.strengths)
    low, high = np.minimum(answers.a, answers.b), np.maximum(answers.a, answers.b)
    pairs = np.eye(size * size)[low * size + high] * np.sign(answers.b - answers.a)[:, None]
    return _score_test(answers, pairs)


def _score_test(answers: Answers, added: np.ndarray) -> float:
    """Return the p-value of the effects `added` (n, d) to the strengths, all of them together.

    Signs of whole people's scores are flipped (Hemerik, Goeman & Finos 2020, JRSSB 82).
    """
    residual = (answers.score - answers.expected)[:, None]
    weight = (answers.expected * (1 - answers.expected))[:, None]
    fitted = weight * answers.sides
    adjusted = added - answers.sides @ np.linalg.pinv(answers.sides.T @ fitted) @ (fitted.T @ added)
    sums = np.zeros((answers.person.max(initial=0) + 1, added.shape[1]))
    np.add.at(sums, answers.person, residual * adjusted)
    inverse = np.linalg.pinv(sums.T @ sums, rcond=1e-6, hermitian=True)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (FLIPS, len(sums)))
    signs[0] = 1
    totals = signs @ sums
    statistic = ((totals @ inverse) * totals).sum(1)
    return float((statistic >= statistic[0] - 1e-9).mean())


def _order(answers: Answers) -> Probe:
    """Return whether either of each two was shown first about as often; where not, who is first may seem better."""
    size = len(answers.strengths)
    first = np.zeros((size, size))
    np.add.at(first, (answers.a, answers.b), 1)
    both, gap = first + first.T, np.abs(first - first.T)
    met = np.triu(both) > 0
    uneven = chi2.sf((gap[met] ** 2 / both[met]).sum(), met.sum())
    share = float(gap[met].sum() / max(both[met].sum(), 1))
    return Probe("order", RED if uneven < CLEAR and share > UNEVEN else GREEN, {"share": (1 + share) / 2})
