"""What else verdicts may rest on: place, order, presentation, and texts that come again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.order_effects import BY, order_balance, position_effects, presentation_effects
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import ALL, Name, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts import repetition
from parlai_spotbot.wording import in_points, number, p_said, p_value, percent

GROUPS = {"conversations": "conversations of", "k": "exchanges shown:", "pair": "pair", "name": "bot"}
LEVEL = 0.05


def compute(own: Annotations) -> dict:
    """`position` by kind of conversation, length, pair and bot; `balance` of the order of two bots;
    `presentation` {what: [one entry a way of showing]}; `repeated_turns`, `identical_conversations`.
    """
    own = own.by_item
    rows, crossed = own.rows, own.crossed
    return {
        "position": {by: _said(position_effects(rows, by, crossed), position_sentence) for by in BY},
        "balance": _said(order_balance(rows), balance_sentence),
        "presentation": _presentation(own),
        "repeated_turns": repetition.repeated_turns(own.turns).to_dict(orient="records"),
        "identical_conversations": repetition.identical_conversations(own.turns).to_dict(orient="records"),
    }


def _presentation(own: Annotations) -> dict[str, list[dict]]:
    """Only what was shown in two ways or more; annotations that don't say how are passed over."""
    result = {}
    for what in sorted({key for one in own.shown for key in one}):
        told = [one.get(what) for one in own.shown]
        known = [value is not None for value in told]
        if len({value for value in told if value is not None}) > 1:
            rows, ways = own.rows[known], [value for value in told if value is not None]
            table = presentation_effects(rows, ways, crossed=own.crossed)
            result[what] = _said(table, presentation_sentence)
    return result


def _said(table: pd.DataFrame, sentence: Callable[[Mapping], str]) -> list[dict]:
    """The rows, each with its sentence."""
    return [row | {"sentence": sentence(row)} for row in table.to_dict(orient="records")]


def position_sentence(row: Mapping) -> str:
    """Whether a group's entity 0 is called human more, or less, often than its entity 1."""
    said = f"{row['group']}: entity 0 is called human in {row['human_0']:.1%}, entity 1 in {row['human_1']:.1%}"
    if not np.isfinite(row["p"]):
        return said + "; there are too few conversations or annotators to say more."
    clear = row["p_adjusted"] < LEVEL
    more = "more" if row["difference"] > 0 else "less"
    verdict = f"the first place is called human {more} often" if clear else "the places can't be told apart"
    return (
        f"{said}: {verdict} ({100 * row['difference']:+.1f} points, 95 % interval {100 * row['low']:+.1f} to "
        f"{100 * row['high']:+.1f}, {p_said(row['p_adjusted'])})."
    )


def balance_sentence(row: Mapping) -> str:
    """How often each bot of a pair opened, and whether drawing lots would make it so."""
    total = row["first_a"] + row["first_b"]
    text = f"{row['a']} opened {row['first_a']} and {row['b']} {row['first_b']} of their {total} conversations"
    return text + ("." if row["p"] >= LEVEL else f": more uneven than drawing lots would make it ({p_said(row['p'])}).")


def presentation_sentence(row: Mapping) -> str:
    """How often entities that were shown this way are called human, and whether ways differ."""
    verdict = f"{'differs' if row['p'] < LEVEL else 'no clear difference'}, {p_said(row['p'])}"
    return f"Shown as {row['shown']}: called human in {row['share']:.1%} of {row['n']} annotations ({verdict})."


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Place, order, presentation, texts."""
    own = result.data
    made = [_position_table(own), _balance_table(own), *_presentation_tables(own), _texts_table(own)]
    tables = [table for table in made if table is not None]
    overlap = (own.get("training_overlap") or {}).get("sentence", "")
    return [Section("order", "Place and texts", [overlap] if overlap else [], [], tables, open_tables=ALL)]


def place_sentence(own: Mapping) -> str:
    """Whether the entity that speaks first is called human more, or less, often than the second."""
    rows = {row["group"]: row for row in (own.get("position") or {}).get("conversations", [])}
    parts = []
    for group in ("bots", "people"):
        row = rows.get(group)
        if row is None or row.get("difference") is None or row.get("low") is None:
            continue
        points = [100 * row[key] for key in ("difference", "low", "high")]
        shares = f"{percent(row['human_0'])} against {percent(row['human_1'])}"
        p = row.get("p_adjusted")
        if p is not None and p < LEVEL:
            more = "more" if points[0] > 0 else "less"
            text = (
                f"in conversations of {group} who speaks first is called human {more} often than the other ({shares}: "
            )
            ends = sorted(abs(end) for end in points[1:])
            text += f"{abs(points[0]):.0f} points, {ends[0]:.0f} to {ends[1]:.0f})"
        else:
            text = f"in those of {group} place makes no clear difference ({shares}: {number(points[0], 1)} points, "
            text += f"{number(points[1], 1)} to {number(points[2], 1)})"
        parts.append(text)
    if not parts:
        return ""
    text = "; ".join(parts)
    text = text.replace("in those of", "in conversations of", 1) if text.startswith("in those") else text
    return text[0].upper() + text[1:] + "."


def _repeated(own: Mapping) -> str:
    """Which bot says the same in several conversations most often, and how many conversations are identical."""
    found = [row for row in own.get("repeated_turns") or [] if row.get("repeated") is not None]
    text = ""
    if found:
        most = max(found, key=lambda row: row["repeated"])
        who = "People" if most["name"] == HUMAN else most["name"]
        text = f"{who} repeat{'' if most['name'] == HUMAN else 's'} most: {percent(most['repeated'])} of "
        text += f"{most['turns']} turns stand in another conversation too."
        if not most["repeated"]:
            text = "Nobody says the same turn in two conversations."
    same = own.get("identical_conversations") or []
    if same:
        extra = sum(group["n"] for group in same)
        text += f" {extra} conversations are, in {len(same)} groups, word for word the same: one cluster each."
    return text.strip()


def _position_table(own: Mapping) -> Table | None:
    found = own.get("position")
    if not found:
        return None
    rows = []
    for by, entries in found.items():
        for e in entries:
            said = in_points(e, "difference")
            shares = (percent(e["human_0"]), percent(e["human_1"]))
            rows.append(
                (f"{GROUPS.get(by, by)} {e['group']}", str(e["n"]), *shares, said, p_value(e.get("p_adjusted")))
            )
    how = (
        "How often the entity that speaks first, and the second, is called human; the points between them with 95 % "
        "intervals that take answers of one conversation or annotator as dependent; p adjusted within each kind of row "
        "(Holm). Above 0: the first place is called human more often."
    )
    head = ("", "Annotations", "First called human", "Second", "Difference, points", "p, adjusted")
    said = place_sentence(own)
    return Table(
        "The place in the conversation", how, head, rows, folded=len(rows) > 6, sentence=said, **about("position")
    )


def _balance_table(own: Mapping) -> Table | None:
    found = own.get("balance")
    if not found:
        return None
    rows = [
        (Name(e["a"]), Name(e["b"]), str(e["first_a"]), str(e["first_b"]), percent(e["share_a"]), p_value(e.get("p")))
        for e in found
    ]
    how = "How often each bot of a pair spoke first; p of one half (binomial), not adjusted. Unbalanced pairs first."
    head = ("First", "Second", "First opened", "Second opened", "Share of the first", "p")
    said = _least_balanced(found)
    return Table("Who opened", how, head, rows, folded=True, sentence=said, **about("balance"))


def _presentation_tables(own: Mapping) -> list[Table]:
    """One table for everything that was shown in two ways or more."""
    tables = []
    for what, entries in (own.get("presentation") or {}).items():
        keys = [key for key in entries[0] if key != "sentence"]
        rows = [tuple(_cell(entry[key]) for key in keys) for entry in entries]
        how = "The share called human by how it was shown, with its 95 % interval; p: are all of these shares equal?"
        said = str(entries[0].get("sentence") or "")
        tables.append(Table(f"Presentation: {what}", how, tuple(keys), rows, folded=True, sentence=said))
    return tables


def _cell(value: object) -> str:
    return number(value, 3) if isinstance(value, float) else "–" if value is None else str(value)


def _texts_table(own: Mapping) -> Table | None:
    found = own.get("repeated_turns")
    if not found:
        return None
    rows = [
        (
            Name(e["name"]),
            str(e["turns"]),
            str(e["distinct"]),
            percent(e["repeated"]),
            percent(e["within"]),
            e.get("most_common") or "–",
            str(e["times"]),
        )
        for e in found
    ]
    how = (
        "Turns, how many different ones, the share that stands in another conversation of the same contestant too, and "
        "the share that came earlier in the same conversation. Counts, no estimates."
    )
    head = ("", "Turns", "Different", "In another too", "In the same before", "Most frequent", "Times")
    return Table("Repeated turns", how, head, rows, folded=True, sentence=_repeated(own), **about("texts"))


def _least_balanced(found: list[dict]) -> str:
    told = [e for e in found if e.get("share_a") is not None]
    if not told:
        return ""
    most = max(told, key=lambda e: (abs(e["share_a"] - 0.5), e["first_a"] + e["first_b"]))
    total = most["first_a"] + most["first_b"]
    p = most.get("p")
    chance = "" if p is None else f"; by chance {p_said(p)}, of {len(told)} pairs"
    return f"Least balanced: {most['a']} opened {most['first_a']} of {total} conversations with {most['b']}{chance}."


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables order_position, order_balance, order_presentation, order_repeated_turns, order_identical."""
    for by, entries in data["position"].items():
        for row in entries:
            yield "order_position", {"by": by, **row}
    for row in data["balance"]:
        yield "order_balance", row
    for what, entries in data["presentation"].items():
        for row in entries:
            yield "order_presentation", {"what": what, **row}
    for row in data["repeated_turns"]:
        yield "order_repeated_turns", row
    for row in data["identical_conversations"]:
        yield "order_identical", {**row, "conversation_ids": " ".join(row["conversation_ids"])}


FINDING = Finding("order", FORM, compute, tell, rows, place=84)
