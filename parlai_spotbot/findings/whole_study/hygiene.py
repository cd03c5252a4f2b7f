"""Conversation hygiene: what turns show of the machine behind them, by contestant, with people beside.

It is about conversations, so there is one result, whoever judged them.
"""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot import checksums, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.sections import ALL, Chart, Name, Section, Table
from parlai_spotbot.findings.whole_study import Told, Whole
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.wording import INTERVAL, between, ends, listed, small_percent, who

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

NOTHING = "none of it"

CLEAN = f"shows {NOTHING}"

LONGEST = 300
"""Of an example's turn so many characters are shown."""

CAPTION = (
    "Share of turns, with 95 % intervals that take turns of one conversation as dependent; each panel has a scale of "
    "its own, beyond which the bars of those who show none may go. Dashed: people, who do some of it, too. Kinds that "
    "nobody shows have no panel."
)

METHOD = {
    "method": "The exact interval (Clopper and Pearson's) of as many independent turns as would be as uncertain as "
    "these, clustered by conversation.",
    "cite": ("clopper1934", "korn1998"),
}
CAREFUL = 2
"""So many of the contestants' sentences stand on the page's second screen."""

KEYS = ("contestants", "kinds", "not_told", "training_overlap")


def read(study: Study, surveys: list[str]) -> dict:
    """What the analysis of the first survey found of the conversations."""
    path = study.analysis_path(surveys[0]) / "hygiene.json"
    if not path.exists():
        return {}
    remedy = hints.run("analyze", study.path, surveys[0])
    value = checksums.read_json(path, "analysis file", remedy)
    lacking = [key for key in KEYS if not isinstance(value, dict) or not isinstance(value.get(key), dict)]
    if lacking:
        raise UserError(f"{path}: field '{lacking[0]}': expected what was found of the conversations.", remedy)
    chats = any((study.analysis_path(survey) / "chats.json").exists() for survey in surveys[:1])
    return value | {"chats_told": chats}


def tell(own: Mapping) -> Told:
    """One section, about all conversations."""
    text = [own.get("counted_sentence"), *sentences(own), own["training_overlap"].get("sentence")]
    if not own.get("chats_told"):  # which says the same of self-chats
        text += in_self_chats(own)
    tables = [table for table in (rates(own), by_conversations(own), examples(own)) if table is not None]
    yield (
        "",
        Section(
            "hygiene",
            "All conversations",
            [t for t in text if t],
            _charts(own),
            tables,
            careful=tuple(careful_of(own)),
            open_tables=ALL,
        ),
    )


def careful_of(own: Mapping) -> list[str]:
    """Return how many conversations are near-copies, then which contestants show faults more often than people, or
    degenerate with themselves; [] of no analysis."""
    copies = own.get("copies", {}).get("sentence", "")
    worst = sorted(own.get("contestants", {}).values(), key=lambda row: -_highest(row))
    shown = [row["sentence"] for row in worst if CLEAN not in row["sentence"]]
    return [copies] * bool(copies) + [sentence for sentence in (*shown, *_going_round(own)) if sentence][:CAREFUL]


def _highest(contestant: Mapping) -> float:
    """The share of turns with the contestant's most frequent fault."""
    return max((fault["rate"] or 0.0 for fault in contestant["kinds"].values()), default=0.0)


def _going_round(own: Mapping) -> list[str]:
    """Who degenerates in self-chat, by more than chance."""
    tests = own.get("degeneration", {}).get("tests", {})
    return [test["sentence"] for test in tests.values() if test.get("degenerates")]


def _charts(own: Mapping) -> list[Chart]:
    """A panel a kind: how often each contestant's turns show it."""
    panels, rows = [], []
    people = own["contestants"].get(HUMAN, {}).get("kinds", {})
    for kind in kinds_shown(own):
        lines = []
        for name, entry in own["contestants"].items():
            fault = entry["kinds"][kind]
            (low, high), share = fault["ci"], fault["rate"]
            lines.append({"label": Name(name), "estimate": share, "low": low, "high": high})
            row = {"contestant": who(name), "kind": kind, "share": share, "low": low, "high": high}
            rows.append(row | {"turns_with_it": fault["count"], "turns": fault["n"]})
        reference = people[kind]["rate"] if kind in people else None
        panels.append({"title": TITLES[kind], "rows": lines, "reference": reference})
    if not panels:
        return []
    label = "How often each contestant's turns show each kind of fault"
    data = {"panels": panels, "columns": 2, "axis": "scale"}
    return [Chart("hygiene", "panels", "", CAPTION, data, label=label, rows=rows)]


def sentences(own: Mapping) -> list[str]:
    """What each contestant shows, a sentence each; those who show nothing are named together."""
    told, clean = [], {}
    for name, entry in own["contestants"].items():
        if CLEAN in entry["sentence"]:
            clean.setdefault(entry["sentence"].removeprefix(f"{name} {CLEAN}"), []).append(name)
        elif entry["sentence"]:
            told.append(entry["sentence"])
    return told + [f"{listed(n)} show{'' if len(n) > 1 else 's'} {NOTHING}{end}" for end, n in clean.items()]


def in_self_chats(own: Mapping) -> list[str]:
    """Who goes round in circles when it talks to itself; nothing where nobody does."""
    tests = own.get("degeneration", {}).get("tests", {})
    told = [test["sentence"] for test in tests.values() if test["share"] > 0]
    return told or (["No contestant goes round in circles in any of its self-chats."] if tests else [])


def kinds_shown(own: Mapping) -> list[str]:
    """The kinds that anybody shows."""
    kinds = (kind for kind in TITLES if kind in own["kinds"])
    return [kind for kind in kinds if any(e["kinds"][kind]["count"] for e in own["contestants"].values())]


def rates(own: Mapping) -> Table | None:
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
        f"Share of turns after the seed. {meant}. 95 % intervals are exact ones of as many turns as would be as "
        "uncertain if they were independent; where none was found every conversation counts as one turn. Turns of "
        "less than 3 words count as no repetition and no copy, those of less than 6 as no near one."
    )
    if own["longest_usual"] is not None:
        how += f" 99 of 100 turns of people have at most {own['longest_usual']:.0f} words."
    for why in dict.fromkeys(own["not_told"].values()):
        lacking = ", ".join(TITLES[kind] for kind, w in own["not_told"].items() if w == why)
        how += f" Not told: {lacking}, as {why}."
    head = ("", "Turns", *(TITLES[kind] for kind in kinds))
    return Table("Hygiene", how, head, rows, sentence=rates_sentence(own), **METHOD)


def by_conversations(own: Mapping) -> Table | None:
    """The faults that anybody shows, by the kind of conversation; none where bots are seen in one kind alone."""
    kinds = kinds_shown(own)
    rows = [
        (
            Name(row["name"]),
            own["counted"][row["conversations_of"]]["who"],
            str(row["turns"]),
            *(_with_ends(row["kinds"][kind]) for kind in kinds),
        )
        for row in own.get("by_conversations", [])
        if row["turns"]
    ]
    if not rows or not kinds:
        return None
    how = "The same shares, by who talks with whom. A bot that does much more of it with itself degenerates there."
    head = ("", "Conversations of", "Turns", *(TITLES[kind] for kind in kinds))
    return Table("Hygiene by kind of conversation", how, head, rows, folded=True, **METHOD)


def _with_ends(fault: dict) -> str:
    if not fault["n"]:
        return "–"
    return small_percent(fault["rate"]) + between(fault["ci"], small_percent)


def rates_sentence(own: Mapping) -> str:
    """Which fault stands out most, beside people."""
    found = [
        (fault["rate"], name, kind, fault)
        for name, entry in own["contestants"].items()
        if name != HUMAN
        for kind, fault in entry["kinds"].items()
        if fault["count"]
    ]
    if not found:
        return "No contestant shows any of these faults."
    rate, name, kind, fault = max(found, key=lambda own: own[0])
    text = f"The most frequent is “{TITLES[kind]}” in {small_percent(rate)} of {name}’s turns"
    text += "" if None in fault["ci"] else f" ({INTERVAL}{ends(fault['ci'], small_percent)})"
    people = own["contestants"].get(HUMAN, {}).get("kinds", {}).get(kind)
    if not people:
        return f"{text}; people are not known."
    return f"{text}; people show it in {small_percent(people['rate'])} of {people['n']}."


def examples(own: Mapping) -> Table | None:
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


WHOLE = Whole("hygiene", "Hygiene", read, tell, place=40)
