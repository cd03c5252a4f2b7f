"""What the spotter's models have learnt, feature by feature: how telling each is, and in which direction.

Figures are means over the models of a variant (one for each pair of bots that is judged), in logits after calibration:
positive speaks for a person, negative for a bot.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlai_spotbot.judges.spotter.variants import CoherenceVariant, WordsVariant

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Curves are told at these quantiles of the training examples."""

WORDS = 12
"""So many words and word pairs are named for each side."""

ONE_WAY = 0.6
"""A curve goes one way where its ends differ by more than this share of its range."""


def effects(variant: CoherenceVariant | WordsVariant, models: Sequence) -> dict:
    """What `models` of `variant` make of its features: {"features": [..]}, and {"words": {"human", "bot"}} of words."""
    found = {"features": _curves(variant, models)}
    return found | {"words": _words(models)} if isinstance(variant, WordsVariant) else found


def _curves(variant: CoherenceVariant, models: Sequence) -> list[dict]:
    rows = np.unique(np.concatenate([model.rows[model.real] for model in models]))
    points = np.array([_quantiles(column) for column in variant.measures.matrix[rows].T])
    heights = np.stack([_heights(model, points.T) for model in models])
    strength = np.mean([_strength(model) for model in models], axis=0)
    found = [
        {
            "name": feature.name,
            "group": feature.group,
            "title": feature.title,
            "meaning": feature.meaning,
            "direction": direction(heights[:, :, place].mean(axis=0)),
            "strength": round(float(strength[place]), 4),
            "curve": [
                {
                    "share": share,
                    "value": round(float(points[place, i]), 4),
                    "push": round(float(heights[:, i, place].mean()), 4),
                    "low": round(float(heights[:, i, place].min()), 4),
                    "high": round(float(heights[:, i, place].max()), 4),
                }
                for i, share in enumerate(SHARES)
            ],
        }
        for place, feature in enumerate(variant.measures.named)
    ]
    return sorted(found, key=lambda entry: -entry["strength"])


def _quantiles(column: np.ndarray) -> np.ndarray:
    known = column[~np.isnan(column)]
    return np.quantile(known, SHARES) if len(known) else np.zeros(len(SHARES))


def _heights(model, X: np.ndarray) -> np.ndarray:
    curves, weights = model.variant.curves(model.model)
    return model.slope * curves.heights(X, weights)


def _strength(model) -> np.ndarray:
    """Per feature how far it usually moves the logit: the standard deviation over people and real bots alike."""
    human = model.human[model.real]
    heights = _heights(model, model.variant.measures.matrix[model.rows[model.real]])
    weight = np.where(human, 0.5 / human.sum(), 0.5 / (~human).sum())[:, None]
    middle = (weight * heights).sum(axis=0)
    return np.sqrt((weight * (heights - middle) ** 2).sum(axis=0))


def direction(curve: np.ndarray) -> str:
    """What more of a feature speaks for, where its curve (at `SHARES`) goes one way; else where its top is."""
    rise, span = curve[-1] - curve[0], curve.max() - curve.min()
    if span < 1e-9:
        return "neither"
    if abs(rise) > ONE_WAY * span:
        return "human" if rise > 0 else "bot"
    top = curve[1:-1].max() > max(curve[0], curve[-1])
    return "human in the middle, bot at the ends" if top else "human at the ends, bot in the middle"


def _words(models: Sequence) -> dict[str, list[dict]]:
    """The n-grams that part people from bots most: the difference of what they add on average to the two."""
    apart: dict[str, list[float]] = {}
    shares: dict[str, list[tuple[float, float]]] = {}
    for model in models:
        variant, fitted = model.variant, model.model
        columns, human = fitted[0].frequent_.columns_, model.human[model.real]
        values = fitted[0].words(variant.matrix[model.rows[model.real]]).tocsr()
        words = np.flatnonzero(variant.is_word[columns])
        pushes = model.slope * fitted[-1].coef_[0][words]
        means = [np.asarray(values[side].mean(axis=0))[0, words] for side in (human, ~human)]
        there = [
            np.bincount(values[side].indices, minlength=len(columns))[words] / side.sum() for side in (human, ~human)
        ]
        for place, column in enumerate(columns[words]):
            name = str(variant.names[column])
            apart.setdefault(name, []).append(float(pushes[place] * (means[0][place] - means[1][place])))
            shares.setdefault(name, []).append((float(there[0][place]), float(there[1][place])))
    mean = {name: sum(values) / len(models) for name, values in apart.items()}
    sides: dict[str, list[dict]] = {"human": [], "bot": []}
    for name in sorted(mean, key=lambda name: (-mean[name], name)):
        people, bots = (sum(pair[side] for pair in shares[name]) / len(models) for side in (0, 1))
        side = sides["human" if people > bots else "bot"]
        if len(side) < WORDS:
            side.append(
                {
                    "word": name,
                    "apart": round(mean[name], 4),
                    "people": round(people, 4),
                    "bots": round(bots, 4),
                    "models": len(apart[name]),
                }
            )
    return sides
