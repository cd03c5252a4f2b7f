"""Which turns of a conversation are a question's context, and how many they are.

The context's length is drawn from a distribution, a setting; the default follows Lowe et al. (2015), up to six turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from parlai_spotbot.errors import UserError, nearest

Lengths = Callable[[np.random.Generator], int]

NAMED = ("lowe2015", "uniform", "longest")


def lengths(setting: str, most: int, least: int) -> Lengths:
    """The distribution of the number of turns of a context, from `least` to `most`.

    ``lowe2015``: Lowe, Pow, Serban & Pineau (2015, SIGDIAL, section 3.1; https://arxiv.org/abs/1506.08909) let a window
    of n = ⌊10 C / η⌋ + 2 turns, of which the last is the next turn, be drawn with η uniform over the whole numbers from
    C / 2 to 10 C; a conversation of t turns gives a context of c = min(t, n) - 1. So contexts of two turns are the
    most frequent (about every other one) and long ones rare. Here C is `most`; as c reaches 21 by that formula whatever
    C is, what is drawn beyond C becomes C, which is how the maximum of 6 turns of Lowe et al. (2016, section 4.2) is
    understood.

    ``uniform``: every length as often, as in the second version of the Ubuntu corpus. ``longest``: `most`. A number:
    always that many. ``2:0.5,6:0.5``: lengths with their probabilities. Else a `UserError`.
    """
    if not 1 <= least <= most:
        raise UserError(f"contexts from {least} to {most} turns: expected whole numbers from 1 up.", "Correct them.")
    if setting == "lowe2015":
        first = max(1, -(-most // 2))
        return lambda rng: max(least, min(10 * most // int(rng.integers(first, 10 * most + 1)) + 1, most))
    if setting == "uniform":
        return lambda rng: int(rng.integers(least, most + 1))
    if setting == "longest":
        return lambda rng: most
    return _weighted(setting, most, least)


def _weighted(setting: str, most: int, least: int) -> Lengths:
    try:
        pairs = [part.split(":") for part in setting.split(",")] if ":" in setting else [(setting, "1")]
        found = {int(length): float(weight) for length, weight in pairs}
    except ValueError:
        raise UserError(
            f"lengths of contexts '{setting}': unknown.",
            nearest(setting, NAMED) + " Or write a number of turns, or lengths with shares: 2:0.5,6:0.5.",
        ) from None
    weights = np.array(list(found.values()))
    likely = (weights > 0).all() and np.isfinite(weights).all()
    if not likely or not all(least <= length <= most for length in found):
        raise UserError(
            f"lengths of contexts '{setting}': expected lengths from {least} to {most} turns and shares above 0.",
            "Correct it, or allow longer contexts.",
        )
    values, shares = list(found), weights / weights.sum()
    return lambda rng: values[int(rng.choice(len(values), p=shares))]


def windows(turns: int, draw: Lengths, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Contexts of a conversation of `turns` turns, as (first turn, number of the next turn), none overlapping another.

    As Lowe et al. (2015) made their test set: one length is drawn for the conversation, which is cut from its beginning
    into windows of the context and the next turn; a shorter conversation is one window.
    """
    size = min(draw(rng) + 1, turns)
    for start in range(0, turns - size + 1, size):
        yield start, start + size - 1


def every_turn(turns: int, most: int, least: int) -> Iterator[tuple[int, int]]:
    """Every turn that `least` others come before as a next turn, after up to `most` of these: for training."""
    for turn in range(least, turns):
        yield max(0, turn - most), turn
