"""Numbers as files write them: with a decimal point or comma, groups of thousands, digits of any script, per cent.

What a mark means is told by the number itself ("12,5", "1.234,56"), else by the others of its column ("1,234" beside
"0.5"), else by ``--decimal``.
"""

import math
import re
from collections.abc import Iterable
from typing import Any

from parlai_spotbot.errors import UserError

MARKS = {"comma": ",", "point": "."}
"""What --decimal may say, and the mark in front of decimals."""
OTHER = {",": ".", ".": ","}
SIGNS = str.maketrans("−–﹣－＋，．’＇٬％٪\u00a0\u202f\u2009\u3000", "----+,.'''%%    ")
"""Signs that are written in several ways; the Arabic sign of thousands is never one of decimals."""
ARABIC = "٫"
"""The Arabic sign of decimals."""
FORM = (
    r"[-+]?(?P<whole>\d*|[1-9]\d{0,2}(?:(?P<group>[%s' ])\d{3})(?:(?P=group)\d{3})*|[1-9]\d?(?:%s\d\d)+%s\d{3})"
    r"(?:%s(?P<decimals>\d*))?(?P<power>[eE][-+]?\d{1,3})? ?(?P<per>%%?)"
)
"""A number; the last of the three whole numbers has India's groups."""
FORMS = {mark: re.compile(FORM % tuple(map(re.escape, (other, other, other, mark)))) for mark, other in OTHER.items()}


class AmbiguousNumber(UserError):
    """A number whose mark may be of decimals or of thousands."""


def readings(value: Any) -> dict[str, float]:
    """Return what a value is as a number, by the mark of decimals; none for what is no finite number.

    A number of JSON is one whatever the mark, and so is a text without marks.
    """
    if isinstance(value, (int, float)):
        value = repr(float(value)).replace(".", ARABIC)
    text = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in str(value).strip().translate(SIGNS))
    values = {}
    for mark, form in FORMS.items():
        found = form.fullmatch(text.replace(ARABIC, mark))
        if found and (found["whole"] or found["decimals"]):
            number = float(re.sub("[^0-9eE.+-]", "", found[0].translate({ord(OTHER[mark]): None, ord(mark): "."})))
            if math.isfinite(number):
                values[mark] = number / 100 if found["per"] else number
    return values


def decimal_mark(values: Iterable[Any]) -> str:
    """Return the mark of decimals that the numbers of a column show; "" where none shows it, or both."""
    shown = {mark for fits in map(readings, values) if len(fits) == 1 for mark in fits}
    if len(shown) == 1:
        return shown.pop()
    return ""


def number(value: Any, mark: str = "") -> float:
    """Return the number that a value is, with a `mark` of decimals, "" for what the number itself shows.

    Raises
    ------
    ValueError
        It is none.
    AmbiguousNumber
        It may be two.
    """
    fits = {sign: held for sign, held in readings(value).items() if mark in ("", sign)}
    if not fits:
        raise ValueError(value)
    if len({*fits.values()}) > 1:
        two = " or ".join(f"{one:g}" for one in fits.values())
        raise AmbiguousNumber(
            f"{value!r} may be {two}, and no other number of its column tells.",
            "Say which: --decimal comma, or --decimal point.",
        )
    return fits.popitem()[1]
