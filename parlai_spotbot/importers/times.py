"""Times as files have them: ISO 8601, numbers, and what JavaScript, BigQuery, spreadsheets and mail programs write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

EXCEL = (30_000, 60_000)
"""Days since 1899-12-30 that are times of 1982 to 2064."""
DAY = 86_400
EARLIEST = 1e8
"""Seconds since 1970: in 1973."""
LATEST = 1e11
"""In 5138; a larger number is of milli-, micro- or nanoseconds."""
DAYS = [
    "%m/%d/%Y",
    "%m/%d/%y",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%b %d %Y",
    "%B %d %Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
]
"""Of 5/1/2024 the month is first, of 1.5.2024 the day."""
FORMATS = [
    "%a %b %d %Y %H:%M:%S GMT%z",
    "%a %d %b %Y %H:%M:%S%z",
    "%a %b %d %H:%M:%S%z %Y",
    "%a %b %d %H:%M:%S %Y",
    *(day + time for day in DAYS for time in ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")),
]
"""Beside ISO 8601; the last one that fitted comes first."""


def utc_time(value: Any) -> str:
    """Return a time as ISO 8601 in UTC, for which a time without a zone is taken; `ValueError` where it is none.

    Of an object (MongoDB's ``{"$date": …}``) the first value is the time.
    """
    value = _innermost(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if EXCEL[0] <= number <= EXCEL[1]:
        number = round((number - 25_569) * DAY, 3)
    for unit in (1, 1e3, 1e6, 1e9):
        if EARLIEST <= number < LATEST * unit:
            return f"{datetime.fromtimestamp(number / unit, UTC).isoformat()[:-6]}Z"
    text = " ".join(str(value).split())
    if text.isdigit() and len(text) != len("20240501"):
        raise ValueError(text)
    written = text
    text = re.sub(r" ?\([^()]*\)$|,", "", text)
    text = re.sub(r" ?\b(?<!GMT)(UTC|GMT|Z)$", "+00:00", re.sub(r" (?=[+-]\d\d)", "", text))
    for iso in (written, text):
        with suppress(ValueError):
            return _in_utc(datetime.fromisoformat(iso))
    for form in FORMATS:
        with suppress(ValueError):
            when = datetime.strptime(text, form)
            FORMATS.remove(form)
            FORMATS.insert(0, form)
            return _in_utc(when)
    raise ValueError(f"{text[:40]!r} is no time as 2024-05-01T12:00:00Z")


def microseconds(values: Sequence[Any]) -> np.ndarray:
    """Return many numbers of seconds since 1970, or of smaller units, in microseconds; none where some aren't such."""
    import numpy as np

    none = np.empty(0, np.int64)
    try:
        numbers = np.array([*map(float, values)])
    except (TypeError, ValueError, OverflowError):
        return none
    for unit in (1, 1e3, 1e6, 1e9):
        if ((numbers >= max(EARLIEST, LATEST * unit / 1e3)) & (numbers < LATEST * unit)).all():
            part, whole = np.modf(numbers / unit)
            return whole.astype(np.int64) * 1_000_000 + np.rint(part * 1e6).astype(np.int64)
    return none


def iso_times(since_1970: np.ndarray) -> list[str]:
    """Return times in microseconds as `utc_time` does."""
    import numpy as np

    times = np.datetime_as_string(since_1970.astype("datetime64[us]"), timezone="UTC").tolist()
    return [time.replace(".000000Z", "Z") for time in times]


def _in_utc(when: datetime) -> str:
    if when.tzinfo not in (None, UTC):
        when = when.astimezone(UTC)
    return f"{when.isoformat().removesuffix('+00:00')}Z"


def _innermost(value: Any) -> Any:
    while isinstance(value, dict) and value:
        value = next(iter(value.values()))
    return value
