"""Items that people should label next, so that a certificate is settled soonest: drawn with known chances.

An item is drawn the likelier the more the judges' verdicts on it differ, or leave it open; every item keeps a chance.
One over the chance is its weight, by which a certificate counts its labels (the column `weight`).
"""

import numpy as np
import pandas as pd

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.certificate.of_study import JudgedItems
from parlai_spotbot.records import HUMAN

FLOOR = 0.25
"""Of the chance of an item that all judges doubt, what one that none doubts has."""

OPEN = ("unsure", "no_difference", "neither")


def next_labels(items: JudgedItems, count: int, seed: int = 0) -> pd.DataFrame:
    """Draw `count` of the items that nobody has labelled; all where there are fewer.

    Returns
    -------
    frame
        item, conversation, chance and weight, sorted by item.
    """
    if count < 1:
        raise UserError(f"--certify {count}: expected a number of items from 1 up.", "Leave it out for 60.")
    if items.unlabelled.empty:
        raise UserError(f"judge {items.judge}: all items that it answered have labels.", "Let it answer more.")
    names = items.unlabelled["item"].str.partition("\t")[0]
    open_ = items.unlabelled.assign(item=names).groupby("item").agg(conversation=("conversation", "first"))
    chance = inclusion(FLOOR + (1 - FLOOR) * _doubt(items).reindex(open_.index).fillna(0).to_numpy(), count)
    rng = np.random.default_rng([seed, len(items.labelled)])
    drawn = systematic(chance, rng)
    frame = open_.reset_index().assign(chance=chance.round(6), weight=(1 / chance).round(6))
    return frame[drawn]


def _doubt(items: JudgedItems) -> pd.Series:
    """Return how much each item is in doubt, from 0 to 1, by its id: verdicts that differ, or leave it open."""
    rows = [
        (row.item_id, row.target, str(row.answer))
        for row in items.data.judgements
        if row.source != HUMAN and row.question == items.question.name and row.control is None
    ]
    frame = pd.DataFrame(rows, columns=["item", "target", "answer"])
    targets = frame.groupby(["item", "target"])["answer"]
    differ = 1 - targets.agg(lambda answers: answers.value_counts(normalize=True).iloc[0])
    leave_open = targets.agg(lambda answers: answers.isin(OPEN).mean())
    return np.minimum(1, 2 * differ + leave_open).groupby("item").mean()


def inclusion(size: np.ndarray, count: int) -> np.ndarray:
    """Return chances in proportion to sizes (n,), at most 1, whose sum is `count`, or n if that is less."""
    chance = np.zeros(len(size))
    sure = np.zeros(len(size), dtype=bool)
    while True:
        left = max(count - sure.sum(), 0)
        chance = np.where(sure, 1.0, size * left / max(size[~sure].sum(), 1e-300))
        over = (chance > 1) & ~sure
        if not over.any():
            return np.minimum(chance, 1)
        sure |= over


def systematic(chance: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw items with these chances (n,): a mask, of as many as they add up to (Madow 1949, Ann. Math. Stat. 20)."""
    order = rng.permutation(len(chance))
    ends = np.cumsum(chance[order])
    steps = np.floor(ends + rng.random() - 1e-9)
    drawn = np.zeros(len(chance), dtype=bool)
    drawn[order] = np.diff(steps, prepend=0) > 0
    return drawn
