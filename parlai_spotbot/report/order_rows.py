"""What verdicts may rest on beside the bots: place, order, presentation, repeated texts (``order.json``)."""

from __future__ import annotations

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import table_words
from parlai_spotbot.report.table_methods import about
from parlai_spotbot.wording import in_points, number, p_value, percent

GROUPS = {"conversations": "conversations of", "k": "exchanges shown:", "pair": "pair", "name": "bot"}
LEVEL = 0.05


def sentence(own: dict) -> str:
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


def repeated(own: dict) -> str:
    """Which bot says the same in several conversations most often, and how many conversations are identical."""
    found = [row for row in own.get("repeated_turns") or [] if row.get("repeated") is not None]
    text = ""
    if found:
        most = max(found, key=lambda row: row["repeated"])
        who = "People" if most["name"] == HUMAN else most["name"]
        text = f"{who} repeat{'' if most['name'] == HUMAN else 's'} most: {percent(most['repeated'])} of "
        text += f"{most['turns']} turns stand in another conversation too."
    same = own.get("identical_conversations") or []
    if same:
        extra = sum(group["n"] for group in same)
        text += f" {extra} conversations are, in {len(same)} groups, word for word the same: they count as several."
    return text.strip()


def position(own: dict) -> Table | None:
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
    said = sentence(own)
    return Table(
        "The place in the conversation", how, head, rows, folded=len(rows) > 6, sentence=said, **about("position")
    )


def balance(own: dict) -> Table | None:
    found = own.get("balance")
    if not found:
        return None
    rows = [
        (Name(e["a"]), Name(e["b"]), str(e["first_a"]), str(e["first_b"]), percent(e["share_a"]), p_value(e.get("p")))
        for e in found
    ]
    how = "How often each bot of a pair spoke first; p of one half (binomial), not adjusted. Unbalanced pairs first."
    head = ("First", "Second", "First opened", "Second opened", "Share of the first", "p")
    said = table_words.balance(found)
    return Table("Who opened", how, head, rows, folded=True, sentence=said, **about("balance"))


def presentation(own: dict) -> list[Table]:
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


def texts(own: dict) -> Table | None:
    found = own.get("repeated_turns")
    if not found:
        return None
    rows = [
        (Name(e["name"]), str(e["turns"]), str(e["distinct"]), percent(e["repeated"]), percent(e["within"]),
         e.get("most_common") or "–", str(e["times"]))
        for e in found
    ]  # fmt: skip
    how = (
        "Turns, how many different ones, the share that stands in another conversation of the same contestant too, and "
        "the share that came earlier in the same conversation. Counts, no estimates."
    )
    head = ("", "Turns", "Different", "In another too", "In the same before", "Most frequent", "Times")
    return Table("Repeated turns", how, head, rows, folded=True, sentence=repeated(own), **about("texts"))
