"""What more exchanges change: win rates and labels by the length of the segment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from parlai_spotbot.analysis import segments
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.finding import Finding, Result, Rows, two_ends
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.ranking import ranked
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import INTERVAL, known, number, percent, signed, who


def compute(own: Annotations) -> dict:
    """By length win rates and labels; `change`, how labels change from the shortest to the longest."""
    found = segments.by_length(matches_frame(own.rows), own.entities, own.bots, own.resample)
    return {"segments": found, "change": changes(found, own.once("ranking", ranked))}


def changes(lengths: Mapping, ranking: Mapping) -> dict:
    """How often bots, and people, are taken for human at the longest length less at the shortest.

    Intervals of the lengths are those of independent answers, widened as much as the ranking widens those of the same
    shares over all lengths (Kish's design effect): if anything too wide, since conversations and annotators are the
    same at all lengths. By name the change alone, with an interval as of independent answers.
    """
    ks = sorted(lengths, key=int)
    if len(ks) < 2:
        return {}
    names = {"bots": [bot for bot in lengths[ks[0]]["systems"] if bot != HUMAN], "people": [HUMAN]}
    found = {whose: _change(own, lengths, ranking) for whose, own in names.items()}
    every = [name for own in names.values() for name in own]
    alone = {name: _alone(_ends_of(name, lengths)) for name in every if _ends_of(name, lengths)}
    return {"from": ks[0], "to": ks[-1], **{whose: own for whose, own in found.items() if own}, "by_name": alone}


def _ends_of(name: str, lengths: Mapping) -> list[dict]:
    """What is known of a name at the shortest and the longest length; [] where it wasn't shown at both."""
    ks = sorted(lengths, key=int)
    ends = [lengths[k]["systems"].get(name, {}) for k in (ks[0], ks[-1])]
    return ends if all(end.get("n") and end.get("human_share") is not None for end in ends) else []


def _alone(ends: list[dict]) -> dict:
    change, half = ends[1]["human_share"] - ends[0]["human_share"], 1.96 * math.sqrt(sum(map(_variance, ends)))
    return {"change": change, "half": half}


def _variance(end: Mapping) -> float:
    """Of a share of independent answers; one of 0 or 1 is no proof that it never varies: half an answer is added."""
    share = (end["human_share"] * end["n"] + 0.5) / (end["n"] + 1)
    return share * (1 - share) / end["n"]


def _change(names: list[str], lengths: Mapping, ranking: Mapping) -> dict:
    """The mean change over some names, with its interval where the ranking has those to take design effects from."""
    found = {name: ends for name in names if (ends := _ends_of(name, lengths))}
    if not found:
        return {}
    short, long = (sum(ends[i]["human_share"] for ends in found.values()) / len(found) for i in (0, 1))
    own = {"short": short, "long": long, "change": long - short, "ci": [None, None]}
    effects = [_design_effect(name, lengths, ranking) for name in found]
    if None in effects:
        return own
    variances = [effect * sum(map(_variance, ends)) for effect, ends in zip(effects, found.values(), strict=True)]
    half = 1.96 * math.sqrt(sum(variances)) / len(found)
    return own | {"ci": [max(long - short - half, -1.0), min(long - short + half, 1.0)]}


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


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Win rates and labels by the exchanges shown."""
    own = result.data
    if not own.get("segments"):
        return []
    if "change" not in own:  # by an older version
        own = own | {"change": changes(own["segments"], result.others.get("ranking", {}))}
    return [Section("segments", "Segments", [], [_chart(own, result.order)], [_table(own, result.order)])]


def _chart(own: Mapping, bots: list[str]) -> Chart:
    lengths = own["segments"]
    ks = sorted(lengths, key=int)
    panels, rows = [], []
    for value, title in (("win_rate", "Win rate"), ("human_share", "Taken for human")):
        series = []
        for bot in (*bots, *([HUMAN] if value == "human_share" else [])):
            found = [lengths[k]["systems"].get(bot, {}) for k in ks]
            cis = [e.get(f"{value}_ci") or (None, None) for e in found]
            ends = {"low": [ci[0] for ci in cis], "high": [ci[1] for ci in cis]}
            series.append({"label": Name(bot), "y": [e.get(value) for e in found], **ends})
        panels.append({"title": title, "series": series})
    for bot in (*bots, HUMAN):
        for k in ks:
            if e := lengths[k]["systems"].get(bot):
                row = {"bot": who(bot), "exchanges": k, "win_rate": e.get("win_rate")}
                row |= two_ends("win_rate", e.get("win_rate_ci")) | {"human_share": e.get("human_share")}
                rows.append(row | two_ends("human_share", e.get("human_share_ci")) | {"n": e.get("n")})
    caption = (
        "Win rate and share taken for human by the exchanges shown, with 95 % intervals that take answers of "
        "one conversation or annotator as dependent, set apart sideways to be seen; dashed: people. The interval in "
        "the sentence is one of independent answers, widened as much as those of the shares over all lengths are."
    )
    data = {"panels": panels, "lengths": ks, "x": "exchanges shown"}
    label = "Win rate and share taken for human by length of the segment"
    return Chart("segments", "lengths", "", caption, data, sentence(own), label=label, rows=rows)


def sentence(own: Mapping) -> str:
    """Whether bots pass less often where more is shown, and what becomes of ties."""
    lengths, change = own["segments"], own.get("change") or {}
    if not change.get("bots"):
        return ""
    few, many = change["from"], change["to"]
    text = f"With {many} exchanges instead of {few} {_passing('bots', change['bots'])}"
    text += f"; {_passing('people', change['people'])}" if change.get("people") else ""
    ties = lengths[few].get("ties"), lengths[many].get("ties")
    if None not in ties:
        text += f". Ties are {percent(ties[1])} of the matches instead of {percent(ties[0])}"
    return text + "."


def _passing(whose: str, change: Mapping) -> str:
    """By how much fewer, or more, of some names' appearances are taken for human at the longest length."""
    shares = f"{percent(change['long'])} instead of {percent(change['short'])}"
    if None in change["ci"]:
        return f"{whose} are taken for human in {shares} (no interval)"
    size, low, high = (100 * x for x in (change["change"], *change["ci"]))
    if high < 0:
        points = f"{-size:.0f} points fewer ({INTERVAL}{-high:.0f} to {-low:.0f})"
        return f"{whose} are taken for human less often: {shares}, {points}"
    if low > 0:
        points = f"{size:.0f} points more ({INTERVAL}{low:.0f} to {high:.0f})"
        return f"{whose} are taken for human more often: {shares}, {points}"
    return (
        f"{whose} are taken for human in {shares}, which may be chance: {signed(size)} points "
        f"({INTERVAL}{signed(low)} to {signed(high)})"
    )


def _table(own: Mapping, bots: Iterable[str]) -> Table:
    lengths = own["segments"]
    ks = sorted(lengths, key=int)
    rows = []
    for bot in (*bots, HUMAN):
        systems = [lengths[k]["systems"].get(bot, {}) for k in ks]
        if not any(systems):
            continue
        cells = [Name(bot)]
        for own_k in systems:
            cells += [
                percent(own_k.get("win_rate")),
                percent(own_k.get("human_share")),
                percent(own_k.get("unsure_share")),
                str(own_k.get("n", "–")),
            ]
        rows.append(tuple(cells))
    ties = ", ".join(f"{percent(lengths[k]['ties'])} of {lengths[k]['n']} at {k}" for k in ks)
    sentence = _most_changed(own)
    how = (
        "What more exchanges change: win rate of the decided matches, share taken for human, share of unsure, and how "
        f"often each was labelled. Ties: {ties} exchanges. Few labels a cell: read differences below 10 points as "
        "noise; the sentence above says what all bots together show."
    )
    columns = [f"{k}: {what}" for k in ks for what in ("wins", "human", "unsure", "n")]
    return Table(
        "By length of the segment", how, ("", *columns), rows, folded=True, sentence=sentence, **about("segments")
    )


def _most_changed(own: Mapping) -> str:
    """Who changes most from the shortest to the longest segment, and how much of that chance would give."""
    change, lengths = own.get("change") or {}, own["segments"]
    if not change.get("by_name"):
        return ""
    name, most = max(change["by_name"].items(), key=lambda item: abs(item[1]["change"]))
    few, many = (lengths[change[end]]["systems"][name] for end in ("from", "to"))
    if not most["change"]:
        return (
            f"Nobody is taken for human more or less often after {change['to']} exchanges than after {change['from']}."
        )
    text = (
        f"Most changes {who(name)}: taken for human in {percent(few['human_share'])} of {few['n']} after "
        f"{change['from']} exchanges, in {percent(many['human_share'])} of {many['n']} after {change['to']}"
    )
    size, half = 100 * most["change"], 100 * most["half"]
    if abs(size) <= half:
        return f"{text}; that may be chance (± {half:.0f} points, if answers were independent)."
    count = len(change["by_name"])
    return f"{text}: {number(size, 0)} points (± {half:.0f}, if answers were independent; the most of {count})."


def rows(data: Mapping) -> Rows:
    """Rows of the table segments."""
    for k, entry in data["segments"].items():
        for name, shares in entry["systems"].items():
            ends = {key: shares.get(key) or (None, None) for key in ("win_rate_ci", "human_share_ci")}
            flat = {f"{key[:-3]}_{end}": ci[i] for key, ci in ends.items() for i, end in enumerate(("low", "high"))}
            known = {key: value for key, value in shares.items() if key not in ends}
            yield "segments", {"exchanges": k, "ties": entry["ties"], "name": name, **known, **flat}


FINDING = Finding("segments", FORM, compute, tell, rows, place=40, surveys=("spot_the_bot",))
