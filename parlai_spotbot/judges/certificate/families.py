"""Families of models, by their names: does a judge favour its own?"""

import re
from collections.abc import Iterable, Mapping

import pandas as pd

from parlai_spotbot.reading import own_data

FAMILIES: Mapping[str, list[str]] = own_data(__file__)
"""Words by which models of a family are known."""


def family_of(names: Iterable[str]) -> str:
    """Return the family that the first name tells, "" where none does."""
    for name in names:
        for family, words in FAMILIES.items():
            if re.search(rf"(?<![a-z])(?:{'|'.join(words)})", name.casefold()):
                return family
    return ""


def with_family(frame: pd.DataFrame, judge: Iterable[str], models: Mapping[str, str]) -> pd.DataFrame:
    """Return labelled rows with the column family: whether the bot is of the judge's, by the names of the judge, of the
    bots, and of their `models` where these are known. A frame that has it, or whose bots are all alike in it, stays.
    """
    family = family_of(judge)
    if not family or "bot" not in frame or "family" in frame:
        return frame
    own = frame["bot"].map({bot: family_of([models.get(bot, ""), bot]) == family for bot in frame["bot"].unique()})
    if own.all() or not own.any():
        return frame
    return frame.assign(family=own)
