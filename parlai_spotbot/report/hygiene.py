"""The section on conversation hygiene: what turns show of the machine behind them, by contestant, with people beside.

From ``analysis/hygiene.json``; it is about conversations, so it has one part, whoever judged them.
"""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from matplotlib.ticker import FuncFormatter

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, MUTED, WIDTH, Look, drawn, svg
from parlai_spotbot.report.figures import ends, names_down, whiskers
from parlai_spotbot.report.parts import Page, Part
from parlai_spotbot.report.table_methods import about
from parlai_spotbot.wording import INTERVAL, between, listed, small_percent

TITLES = {
    "special_tokens": "Special tokens",
    "empty": "Empty",
    "endless": "Endless",
    "loop": "Loop",
    "repeated": "Repeats itself",
    "self_identified": "“I’m a machine”",
    "copied": "Partner’s words",
    "copied_nearly": "Partner’s words, nearly",
    "training": "Training text",
    "training_nearly": "Training text, nearly",
}
LEAST_SCALE = 0.05
NOTHING = "none of it"
CLEAN = f"shows {NOTHING}"
LONGEST = 300
"""Of an example's turn so many characters are shown."""

CAPTION = (
    "Share of turns, with 95 % intervals that take turns of one conversation as dependent; each panel has a scale of "
    "its own, beyond which the bars of those who show none may go. Dashed: people, who do some of it, too. Kinds that "
    "nobody shows have no panel."
)


def section(page: Page) -> list[Part]:
    """One part, about all conversations; none where they were not looked through."""
    own = page.contents.hygiene
    if not own:
        return []
    drawing = figure(own, page.looks, "hygiene")
    text = [own.get("counted_sentence"), *sentences(own), own["training_overlap"].get("sentence")]
    if "chats" not in page.contents.analysis:  # which says the same of self-chats
        text += in_self_chats(own)
    tables = [t for t in (rates(own), by_conversations(own), examples(own)) if t is not None]
    drawings = [(drawing, CAPTION, "")] if drawing is not None else []
    return [Part("conversations", "All conversations", "", drawings, tables, [t for t in text if t])]


def sentences(own: dict) -> list[str]:
    """What each contestant shows, a sentence each; those who show nothing are named together."""
    told, clean = [], {}
    for name, entry in own["contestants"].items():
        if CLEAN in entry["sentence"]:
            clean.setdefault(entry["sentence"].removeprefix(f"{name} {CLEAN}"), []).append(name)
        elif entry["sentence"]:
            told.append(entry["sentence"])
    return told + [f"{listed(n)} show{'' if len(n) > 1 else 's'} {NOTHING}{end}" for end, n in clean.items()]


def in_self_chats(own: dict) -> list[str]:
    """Who goes round in circles when it talks to itself; nothing where nobody does."""
    tests = own.get("degeneration", {}).get("tests", {})
    told = [test["sentence"] for test in tests.values() if test["share"] > 0]
    return told or (["No contestant goes round in circles in any of its self-chats."] if tests else [])


def shown(own: dict) -> list[str]:
    """The kinds that anybody shows."""
    kinds = (kind for kind in TITLES if kind in own["kinds"])
    return [kind for kind in kinds if any(e["kinds"][kind]["count"] for e in own["contestants"].values())]


def figure(own: dict, looks: dict[str, Look], name: str) -> Markup | None:
    """A panel a kind: how often each contestant's turns show it."""
    kinds, names = shown(own), list(own["contestants"])
    if not kinds:
        return None
    rows = (len(kinds) + 1) // 2
    with drawn(WIDTH, rows * (0.75 + 0.2 * len(names))) as drawing:
        grid = list(drawing.subplots(rows, 2, sharey=True, squeeze=False).flat)
        for axes, kind in zip(grid, kinds, strict=False):
            _panel(axes, kind, own["contestants"], looks)
        for axes in grid[len(kinds) :]:
            axes.set_visible(False)
        grid[0].set_yticks(range(len(names)), ["people" if n == HUMAN else n for n in names])
        data = ({"contestant": "people" if n == HUMAN else n, "kind": kind, "share": e["rate"], **ends(e.get("ci")),
                 "turns_with_it": e["count"], "turns": e["n"]}
                for kind in kinds for n in names for e in [own["contestants"][n]["kinds"][kind]])  # fmt: skip
        return svg(drawing, name, "How often each contestant's turns show each kind of fault", data=data)


def _panel(axes, kind: str, contestants: dict, looks: dict[str, Look]) -> None:
    names = list(contestants)
    found = [contestants[n]["kinds"][kind] for n in names]
    most = max([LEAST_SCALE, *(f["ci"][1] for f in found if f["count"])])
    axes.grid(axis="x")
    people = contestants.get(HUMAN, {}).get("kinds", {}).get(kind)
    if people:
        axes.axvline(people["rate"], color=INK, ls=(0, (4, 2)), lw=1.0)
    for place, (contestant, fault) in enumerate(zip(names, found, strict=True)):
        ci = [min(end, most) for end in fault["ci"]]
        look = looks.get(contestant, Look(MUTED, "o", "-", ""))
        whiskers(axes, place, fault["rate"], ci, look)
    names_down(axes, names)
    axes.set_xlim(-0.03 * most, 1.05 * most)
    step = next(s for s in (0.02, 0.05, 0.1, 0.2, 0.5) if most / s <= 3.2)
    axes.set_xticks(np.arange(0, 1.05 * most, step))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
    axes.set_title(TITLES[kind])


def rates(own: dict) -> Table | None:
    kinds = list(own["kinds"])
    rows = []
    for name, entry in own["contestants"].items():
        cells = []
        for kind in kinds:
            cells.append(_with_ends(entry["kinds"][kind]))
        rows.append((Name(name), str(entry["turns"]), *cells))
    if not rows:
        return None
    meant = "; ".join(f"{TITLES[kind]}: {meaning}" for kind, meaning in own["kinds"].items())
    how = (
        f"Share of turns after the seed. {meant}. 95 % intervals after Wilson, with as many turns as would be as "
        "uncertain if they were independent; where none was found every conversation counts as one turn. Turns of "
        "less than 3 words count as no repetition and no copy, those of less than 6 as no near one."
    )
    if own["longest_usual"] is not None:
        how += f" 99 of 100 turns of people have at most {own['longest_usual']:.0f} words."
    for why in dict.fromkeys(own["not_told"].values()):
        lacking = ", ".join(TITLES[kind] for kind, w in own["not_told"].items() if w == why)
        how += f" Not told: {lacking}, as {why}."
    head = ("", "Turns", *(TITLES[kind] for kind in kinds))
    return Table("Hygiene", how, head, rows, sentence=rates_sentence(own), **about("hygiene"))


def by_conversations(own: dict) -> Table | None:
    """The faults that anybody shows, by the kind of conversation; none where bots are seen in one kind alone."""
    kinds = shown(own)
    rows = [
        (Name(row["name"]), own["counted"][row["conversations_of"]]["who"], str(row["turns"]),
         *(_with_ends(row["kinds"][kind]) for kind in kinds))
        for row in own.get("by_conversations", []) if row["turns"]
    ]  # fmt: skip
    if not rows or not kinds:
        return None
    how = "The same shares, by who talks with whom. A bot that does much more of it with itself degenerates there."
    head = ("", "Conversations of", "Turns", *(TITLES[kind] for kind in kinds))
    return Table("Hygiene by kind of conversation", how, head, rows, folded=True, **about("hygiene"))


def _with_ends(fault: dict) -> str:
    if not fault["n"]:
        return "–"
    return small_percent(fault["rate"]) + between(fault["ci"], small_percent)


def rates_sentence(own: dict) -> str:
    """Which fault stands out most, beside people."""
    found = [
        (fault["rate"], name, kind, fault)
        for name, entry in own["contestants"].items() if name != HUMAN
        for kind, fault in entry["kinds"].items() if fault["count"]
    ]  # fmt: skip
    if not found:
        return "No contestant shows any of these faults."
    rate, name, kind, fault = max(found, key=lambda own: own[0])
    text = f"The most frequent is “{TITLES[kind]}” in {small_percent(rate)} of {name}’s turns"
    text += "" if None in fault["ci"] else f" ({INTERVAL}{ends(fault['ci'], small_percent)})"
    people = own["contestants"].get(HUMAN, {}).get("kinds", {}).get(kind)
    if not people:
        return f"{text}; people are not known."
    return f"{text}; people show it in {small_percent(people['rate'])} of {people['n']}."


def examples(own: dict) -> Table | None:
    """Where it stands: one example or more of whatever was found."""
    rows = []
    for name, entry in own["contestants"].items():
        for kind, fault in entry["kinds"].items():
            for case in fault["examples"]:
                text = case["text"] if len(case["text"]) <= LONGEST else case["text"][:LONGEST] + " …"
                what = TITLES[kind]
                rows.append((Name(name), what, case["conversation_id"], str(case["turn"] + 1), text or "(nothing)"))
    if not rows:
        return None
    how = (
        "The first of each kind, from different conversations, as it was said; turns are counted after the seed. "
        "Nothing of it was left out of the conversations, unless packing was asked to (--leave-out)."
    )
    return Table("Examples", how, ("", "What", "Conversation", "Turn", "Text"), rows, folded=True)
