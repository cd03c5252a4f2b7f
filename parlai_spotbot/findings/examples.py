"""Three conversations that show what a ranking rests on, chosen from the answers by rules, never at random.

win
    The clearest win of the bot that ranks first: by most annotations more than it lost; of several, with fewest losses,
    then of most exchanges.
give_away
    Where a bot was taken for a bot by most annotations of one length and lost most matches by that; of several, by the
    greatest share, after fewest exchanges, the bot that ranks highest. Where nobody was asked who is human, the
    clearest loss.
close
    The meeting with as many wins as losses, or nearly, of most decided matches; of several, with most annotations, of
    the bots that are nearest in the ranking.

What is still equal goes by the conversations' ids. Each kind is of other conversations. Only bots that met are looked
at, never people. A page shows them; in words nothing is told here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.findings.answers import Form
from parlai_spotbot.findings.contents import Analysis
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.sections import Section

MEETINGS = ("ids", "exchanges", "a", "b", "outcome", "entity_a", "entity_b", "called_a", "called_b")
"""One row an annotation of two bots: `ids` of its one conversation, or of a's and b's; `outcome` +1 where a won, -1
where b did; which entity of its conversation each is; what each was called ("" where nobody was asked)."""

NATURES = ("human", "unsure", "bot")
CALLED = {nature: f"called_{nature}" for nature in NATURES}
COUNTS = ("wins", "losses", "ties", "n", *CALLED.values())


def finding(form: Form, compute) -> Finding:
    """The finding of a form of answers."""
    return Finding("examples", form, compute, lambda result: [], of_bot=of_bot, place=99)


def chosen(contents: Analysis, source: str) -> list[Mapping]:
    """The three examples of a source, as `examples` made them; [] where there are none."""
    return contents.of("examples", source).get("examples", [])


def of_bot(result: Result, bot: str) -> list[Section]:
    """Its best conversation and its worst."""
    links = []
    for title, entry in (result.data.get("by_bot", {}).get(bot) or {}).items():
        outcome = f"{entry['wins']}–{entry['losses']}–{entry['ties']}"
        told = f"{title.capitalize()} conversation: with {entry['other']}, {outcome}"
        links.append((told, entry["conversation_ids"][0]))
    return [Section("examples", "", links=links)] if links else []


def examples(meetings: pd.DataFrame, order: Sequence[str]) -> dict | None:
    """The entries of ``examples.json``: `kind`, `bot`, `other`, `entity`, `conversation_ids`, `exchanges`, `wins`,
    `losses`, `ties`, `n`, and what `bot` was `called`; and `by_bot` its best and worst. None where no two bots met.

    A give-away's counts are of its length, those of the others of the whole meeting.
    """
    if meetings.empty:
        return None
    sides = _sides(meetings, {bot: place for place, bot in enumerate(order)})
    whole, lengths = _counted(sides, []), _counted(sides, ["exchanges"])
    found: list[dict] = []
    used: set[str] = set()
    for kind, rows in (("win", _wins(whole)), ("give_away", _given_away(whole, lengths)), ("close", _close(whole))):
        chosen = next((row for row in rows.to_dict("records") if used.isdisjoint(row["ids"])), None)
        if chosen is not None:
            used.update(chosen["ids"])
            found.append(_entry(kind, chosen, lengths[lengths["meeting"] == chosen["meeting"]]))
    return {"examples": found, "by_bot": {bot: _extremes(own) for bot, own in whole.groupby("bot", sort=True)}}


def _extremes(own: pd.DataFrame) -> dict[str, dict]:
    """The conversation that a bot won most clearly, and the one that it lost most clearly, where there are such."""
    lead, found = own["wins"] - own["losses"], {}
    for title, sign in (("best", 1), ("worst", -1)):
        rows = own[sign * lead > 0]
        if len(rows):
            row = _sorted(rows, -sign * lead[rows.index], -rows["n"]).iloc[0]
            kept = {name: row[name] for name in ("other", "wins", "losses", "ties", "n")}
            found[title] = {**kept, "conversation_ids": list(row["ids"])}
    return found


def _sides(meetings: pd.DataFrame, place: dict[str, int]) -> pd.DataFrame:
    """Each annotation seen from both bots."""
    parts = []
    for own, other, sign in (("a", "b", 1), ("b", "a", -1)):
        outcome = sign * meetings["outcome"].to_numpy()
        called = meetings[f"called_{own}"].to_numpy(dtype=object)
        side = {
            "meeting": [" ".join(ids) for ids in meetings["ids"]],
            "ids": [ids[::sign] for ids in meetings["ids"]],
            "exchanges": meetings["exchanges"].to_numpy(),
            "bot": meetings[own].to_numpy(dtype=object),
            "other": meetings[other].to_numpy(dtype=object),
            "entity": meetings[f"entity_{own}"].to_numpy(dtype=int),
            "wins": (outcome > 0).astype(int),
            "losses": (outcome < 0).astype(int),
            "ties": (outcome == 0).astype(int),
            "n": np.ones(len(outcome), dtype=int),
        }
        parts.append(pd.DataFrame(side | {column: (called == nature).astype(int) for nature, column in CALLED.items()}))
    sides = pd.concat(parts, ignore_index=True)
    last = len(place)
    return sides.assign(rank=sides["bot"].map(place).fillna(last), against=sides["other"].map(place).fillna(last))


def _counted(sides: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """One row a meeting and bot, by length if asked for."""
    keys = ["meeting", "bot", "other", "entity", "rank", "against", *by]
    found = sides.groupby(keys, sort=True)
    longest = {} if by else {"exchanges": ("exchanges", "max")}
    return found.agg(ids=("ids", "first"), **longest, **{name: (name, "sum") for name in COUNTS}).reset_index()


def _sorted(rows: pd.DataFrame, *keys: pd.Series) -> pd.DataFrame:
    """By keys, the least first; then by the conversation."""
    table = pd.DataFrame(dict(enumerate(keys))).assign(meeting=rows["meeting"])
    return rows.loc[table.sort_values([*range(len(keys)), "meeting"], kind="stable").index]


def _wins(whole: pd.DataFrame) -> pd.DataFrame:
    rows = whole[(whole["rank"] == whole["rank"].min()) & (whole["wins"] > whole["losses"])]
    return _sorted(rows, rows["losses"] - rows["wins"], rows["losses"], -rows["exchanges"])


def _given_away(whole: pd.DataFrame, lengths: pd.DataFrame) -> pd.DataFrame:
    if not lengths[list(CALLED.values())].to_numpy().any():
        rows = whole[whole["losses"] > whole["wins"]]
        return _sorted(rows, rows["wins"] - rows["losses"], rows["wins"], rows["rank"])
    rows = lengths[2 * lengths["called_bot"] > lengths["n"]]
    return _sorted(rows, -rows["losses"], -rows["called_bot"] / rows["n"], rows["exchanges"], rows["rank"])


def _close(whole: pd.DataFrame) -> pd.DataFrame:
    rows = whole[(whole["rank"] < whole["against"]) & (whole["wins"] + whole["losses"] > 0)]
    decided = rows["wins"] + rows["losses"]
    return _sorted(rows, (rows["wins"] - rows["losses"]).abs(), -decided, -rows["n"], rows["against"] - rows["rank"])


def _entry(kind: str, row: dict, lengths: pd.DataFrame) -> dict:
    exchanges = row["exchanges"]
    if kind == "win":  # where it is seen best
        won = lengths[(lengths["bot"] == row["bot"]) & (lengths["wins"] > lengths["losses"])]
        exchanges = won["exchanges"].max() if len(won) else exchanges
    called = {nature: row[column] for nature, column in CALLED.items()}
    kept = {name: row[name] for name in ("bot", "other", "entity", "wins", "losses", "ties", "n")}
    return {
        "kind": kind,
        **kept,
        "conversation_ids": list(row["ids"]),
        "exchanges": int(exchanges),
        "called": called if any(called.values()) else None,
    }
