"""Win rates and labels by the length of the segment."""

from __future__ import annotations

import math
from collections.abc import Mapping

from parlai_spotbot.analysis import segments
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.ranking import ranked
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import INTERVAL, known, percent, points


def compute(answers: Annotations) -> dict:
    """By length win rates and labels; `change`, how labels change from the shortest to the longest."""
    by_length = segments.by_length(matches_frame(answers.rows), answers.entities, answers.bots, answers.resample)
    return {"segments": by_length, "change": changes(by_length, answers.once("ranking", ranked))}


def changes(lengths: Mapping, ranking: Mapping) -> dict:
    """Compute how often bots, and people, are taken for human at the longest length less at the shortest.

    Intervals of the lengths are those of independent answers, widened as much as the ranking widens those of the same
    shares over all lengths (Kish's design effect): if anything too wide, since conversations and annotators are the
    same at all lengths.
    """
    ks = sorted(lengths, key=int)
    if len(ks) < 2:
        return {}
    names = {"bots": [bot for bot in lengths[ks[0]]["systems"] if bot != HUMAN], "people": [HUMAN]}
    change_by_whose = {whose: _change(bots, lengths, ranking) for whose, bots in names.items()}
    return {"from": ks[0], "to": ks[-1], **{whose: entry for whose, entry in change_by_whose.items() if entry}}


def _ends_of(name: str, lengths: Mapping) -> list[dict]:
    """Return what is known of a name at the shortest and the longest length; [] where it wasn't shown at both."""
    ks = sorted(lengths, key=int)
    ends = [lengths[k]["systems"].get(name, {}) for k in (ks[0], ks[-1])]
    return ends if all(end.get("n") and end.get("human_share") is not None for end in ends) else []


def _variance(end: Mapping) -> float:
    """Return the variance of a share of independent answers; half an answer is added, as 0 or 1 may vary, too."""
    share = (end["human_share"] * end["n"] + 0.5) / (end["n"] + 1)
    return share * (1 - share) / end["n"]


def _change(names: list[str], lengths: Mapping, ranking: Mapping) -> dict:
    """The mean change over some names, with its interval where the ranking has those to take design effects from."""
    ends_by_name = {name: ends for name in names if (ends := _ends_of(name, lengths))}
    if not ends_by_name:
        return {}
    short, long = (sum(ends[i]["human_share"] for ends in ends_by_name.values()) / len(ends_by_name) for i in (0, 1))
    entry = {"short": short, "long": long, "change": long - short, "ci": [None, None]}
    effects = [_design_effect(name, lengths, ranking) for name in ends_by_name]
    if None in effects:
        return entry
    variances = [
        effect * sum(map(_variance, ends)) for effect, ends in zip(effects, ends_by_name.values(), strict=True)
    ]
    half = 1.96 * math.sqrt(sum(variances)) / len(ends_by_name)
    return entry | {"ci": [max(long - short - half, -1.0), min(long - short + half, 1.0)]}


def _design_effect(name: str, lengths: Mapping, ranking: Mapping) -> float | None:
    """By how much the ranking's interval of a share is wider than one of as many independent answers."""
    if name == HUMAN:
        share, ci = (ranking.get("human_reference", {}).get(key) for key in ("human_share", "ci"))
    else:
        share, ci = (ranking.get(key, {}).get(name) for key in ("human_share", "human_share_ci"))
    if share is None or not known(ci) or not 0 < share < 1:
        return None
    n = sum(lengths[k]["systems"].get(name, {}).get("n", 0) for k in lengths)
    return max(1.0, ((ci[1] - ci[0]) / 3.92) ** 2 / (share * (1 - share) / n))


def summarise(result: Result) -> list[str]:
    """Return whether bots are called human less often where more is shown; "" with one length."""
    change = result.data.get("change") or {}
    return [_changed(name, change) for name in ("bots", "people") if change.get(name)]


def _changed(name: str, change: Mapping) -> str:
    """Return how the share called human changes from the shortest to the longest segment."""
    entry, lengths = change[name], f"with {change['to']} exchanges than with {change['from']}"
    shares = f"{percent(entry['long'])} against {percent(entry['short'])}"
    low, high = entry["ci"]
    who = name.capitalize()
    if low is None:
        return (
            f"{who} are called human in {shares} after {change['to']} and {change['from']} exchanges, without interval."
        )
    bounds = f"{points(entry['change'])} points, {INTERVAL}{points(low)} to {points(high)}"
    if low <= 0 <= high:
        return f"{who} are not clearly called human more or less often {lengths} ({shares}; {bounds})."
    return f"{who} are called human {'less' if high < 0 else 'more'} often {lengths} ({shares}; {bounds})."


TABLE = Table(
    "segments/{exchanges}/systems/{bot}",
    {
        "exchanges": Column("count", "Exchanges"),
        "bot": Column("name", "Bot"),
        "win_rate": Column("share", "Win rate", ci="win_rate_ci"),
        "human_share": Column("share", "Taken for human", ci="human_share_ci"),
        "unsure_share": Column("share"),
        "n": Column("count", "Labels"),
    },
    "By length of the segment",
    "Win rates are of decided matches; intervals take answers about one conversation or by one annotator as dependent. "
    "The interval of a change is that of independent answers, widened by the ranking's design effect.",
    ("deriu2020",),
)
CAPTION = "Share taken for human by the exchanges shown, with 95 % intervals."

FINDING = Finding(
    "segments",
    FORM,
    compute,
    tables={"segments": TABLE},
    summarise=summarise,
    heading="Segments",
    chart=Chart("curve", "segments", x="exchanges", y="human_share", group="bot", caption=CAPTION),
    place=40,
    surveys=("spot_the_bot",),
)
