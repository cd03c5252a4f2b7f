"""Shared parts of charts: looks of contestants, marks with intervals, names beside curves, axes of shares."""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axis import Axis
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MaxNLocator

from parlai_spotbot.findings.sections import Name
from parlai_spotbot.report.drawing import DASHES, INK, LOSS, MUTED, WIN, Look, inches_of, tell
from parlai_spotbot.wording import who

Looks = Mapping[str, Look]

PERCENT = FuncFormatter(lambda share, _: f"{round(100 * share, 4) + 0:g}%")
"""Writes a share with the decimals that it has."""

NARROW = 14
"""Characters of a name, of which three are beside each other."""

LONGEST = 28
"""Characters of a label before it is broken."""

LETTERS = 20
"""Characters of a name before it is shortened."""


class ShareLocator(MaxNLocator):
    """Round values of an axis of shares: none below 0 or above 1."""

    def tick_values(self, vmin: float, vmax: float) -> np.ndarray:
        ticks = super().tick_values(vmin, vmax).round(12)
        return ticks[(ticks >= 0) & (ticks <= 1)]


def mark_values(axis: Axis, most: int, shares: bool) -> None:
    """Mark at most so many parts of an axis by round values."""
    locator = MaxNLocator
    if shares:
        locator = ShareLocator
        axis.set_major_formatter(PERCENT)
    axis.set_major_locator(locator(most, steps=[1, 2, 2.5, 5, 10]))


def look_of(label: str, looks: Looks, place: int = 0) -> Look:
    """Return a contestant's own look; others are told apart by their lines, in the colour of text first."""
    if isinstance(label, Name) and label in looks:
        return looks[label]
    lap, dash = divmod(place, len(DASHES))
    return Look((INK, MUTED, WIN, LOSS)[lap % 4], "o", DASHES[dash], "")


def label_text(label: str, looks: Looks) -> str:
    """Return a contestant's name shortened in its middle, or to where it differs from others; any other label is broken
    into lines."""
    if not isinstance(label, Name):
        return wrapped(label)
    letters = letters_of(LETTERS, label)
    short = _without_middle(who(label), letters)
    alike = [name for name in looks if _without_middle(name, letters) == short]
    if len(alike) > 1:
        return _where_it_differs(label, alike, letters)
    return short


def wrapped(label: str, letters: int = LONGEST) -> str:
    """Return a label broken into lines of so many letters."""
    return textwrap.fill(who(str(label)), letters_of(letters, label)) or " "


def letters_of(count: int, text: str) -> int:
    """Return how many letters of a text take the place of `count` small Latin ones, by how wide its longest word is."""
    longest = max(text.split(), key=len, default="n")
    return int(count / max(inches_of([longest]) / inches_of(["n" * len(longest)]), 1))


def _without_middle(name: str, letters: int) -> str:
    """Return a name without its middle if it is longer than so many letters."""
    if len(name) <= letters:
        return name
    head = letters // 2
    return f"{name[:head]}…{name[head + 1 - letters :]}"


def _where_it_differs(name: str, names: Sequence[str], letters: int) -> str:
    """Return so many letters of a name, or fewer so that no word is torn, about where it differs from all others."""
    differs = max(
        next(place for place in range(len(name) + 1) if name[place : place + 1] != other[place : place + 1])
        for other in names
        if other != name
    )
    begin = differs - letters // 3
    word = _last_sign(name, 0, begin) + 1
    if begin - word <= letters // 4:
        begin = word
    end = begin + letters - 2
    if end >= len(name):
        return f"…{name[begin:]}"
    stop = _last_sign(name, differs + 1, end)
    return f"…{name[begin : stop if stop > differs else end]}…"


def _last_sign(name: str, begin: int, end: int) -> int:
    """Return the last place between two words of a part of a name; −1 where it is one word."""
    return max(name.rfind(sign, begin, end) for sign in "-/_ :")


def tell_names(texts: Sequence[Text], labels: Sequence[str]) -> None:
    """Let labels that are shortened say the whole name to whoever points at them."""
    for text, label in zip(texts, labels, strict=True):
        if isinstance(label, Name) and text.get_text() != who(label):
            tell(text, who(label))
