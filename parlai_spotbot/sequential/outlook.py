"""Progress, cost and expected end of a collection: the terminal's line and the operator's page.

Where it is served until settled, `counts` hold the figures of `Serving` too. Importing this loads no statistics.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import filled, percent, upper_first

LINES = own_data(__file__)
"""Templates of the line and of sentences."""

FAR = timedelta(days=365)
"""Beyond this no time is named."""

MANY = 0.2
"""Such a share of stopped annotators is worth a look at the controls."""

FEW = 5
"""Fewer annotators count as so many for that."""


def outlook(counts: Mapping[str, Any], cost: float, currency: str) -> dict[str, Any]:
    """Return the counts with the money, at `cost` a unit, and sentences: `forecast`, when it will end, and `end`.

    `out` says how many units are out, and since when the earliest is.

    The pace is that of the latest units: `latest` of them came since the time `since`.
    """
    done = counts["done"]
    left = likely = counts["units"] - done
    names = ["rest"]
    if "pairs" in counts:
        likely = min(left, counts["open"] + counts["expected"])
        names = ["sooner", "most"] if likely < left else ["most"]
    since = counts.get("out_since") and datetime.fromtimestamp(counts["out_since"])
    values = {**counts, "likely": likely, "left": left, "currency": currency}
    values |= {"by_likely": _by(counts, likely), "by_most": _by(counts, left)}
    values |= {"spent": cost * done, "expected_cost": cost * (done + likely), "most_cost": cost * counts["units"]}
    values["out"] = filled(LINES["out_since" if since else "out"], since=since, open=counts["open"])
    values["out_since"] = since
    values["end"] = LINES["ended"].get(counts.get("ended", ""), "")
    texts = []
    if left:
        texts = [filled(LINES[name], **values) for name in names]
    if left and counts.get("until"):
        texts.append(filled(LINES["deadline"], until=datetime.fromisoformat(counts["until"])))
    return values | {"forecast": "; ".join(texts)}


def _by(counts: Mapping[str, Any], units: int) -> str:
    """Return by when so many units will be done at the pace of the latest; "" where that isn't known."""
    if counts["latest"] <= 1:
        return ""
    now = datetime.now()
    more = (now - datetime.fromtimestamp(counts["since"])) / counts["latest"] * units
    if more > FAR:
        return ""
    then = now + more
    return f", by {then:%H:%M}" if then.date() == now.date() else f", by {then:%Y-%m-%d %H:%M}"


def note(counts: Mapping[str, Any]) -> str:
    """Return how far it is in a few words, beside a bar."""
    values = outlook(counts, 0, "")
    return values["end"] or filled(LINES["note_settled" if "pairs" in counts else "note"], **values)


def line(counts: Mapping[str, Any], cost: float, currency: str) -> str:
    """Return how far it is, for the terminal."""
    values = outlook(counts, cost, currency)
    names = {"people": True, "settled": "pairs" in counts, "money": cost}
    texts = [filled(LINES[name], **values) for name, shown in names.items() if shown]
    return "; ".join(filter(None, [*texts, values["forecast"], values["end"]]))


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters |= {"percent": percent, "upper_first": upper_first}
    return environment.from_string(Path(__file__).with_name("operator_page.html").read_text(encoding="utf-8"))


def page(
    title: str,
    counts: Mapping[str, Any],
    pairs: Sequence[Mapping],
    people: Sequence[Mapping],
    invited: Collection[str] | None,
    cost: float,
    currency: str,
    nonce: str,
) -> str:
    """Return the operator's page.

    `pairs` are those of `Serving`, `people` the desk's, `invited` all who can come, or None; by `nonce` the page knows
    its script.
    """
    values = outlook(counts, cost, currency)
    about = {"title": title, "pairs_table": pairs, "people": people, "nonce": nonce, "cost": cost}
    about["lacking"] = invited is not None and "pairs" not in counts and lacking(counts, people, invited)
    why = Counter(one["why"] for one in people if one["standing"] == "stopped")
    about["why"] = LINES["why"]
    about["invited"] = len(invited or ())
    about["reasons"] = [f"{count:,} {LINES['why'].get(name, name)}" for name, count in why.most_common()]
    about["many_stopped"] = counts["stopped"] > MANY * max(counts["annotators"], FEW)
    return _template().render(**about, **values, now=datetime.now())


def lacking(counts: Mapping[str, Any], people: Sequence[Mapping], invited: Collection[str]) -> str:
    """Return a sentence where all who can come can't do the units that are free; else ""."""
    free = counts["free"]
    each = min(counts["allowance"], free)
    new = len({*invited} - {one["worker"] for one in people})
    able = min(free, sum(one["can"] for one in people) + new * each)
    if able >= free:
        return ""
    more = math.ceil((free - able) / each)
    return filled(LINES["lacking"], able=able, free=free, more=more, annotators=len(invited) + more)
