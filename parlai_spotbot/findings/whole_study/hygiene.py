"""Conversation hygiene: how often turns show the machine behind them, by contestant, with people beside.

It is about conversations, so there is one result, whoever judged them.
"""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot import checksums, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.sections import ALL, Name, Section, Table
from parlai_spotbot.findings.whole_study import Told, Whole
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.wording import INTERVAL, between, ends, listed, small_percent

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
CAREFUL = 2
"""So many sentences stand on the page's second screen."""

KEYS = ("contestants", "kinds", "not_told", "training_overlap")


def read(study: Study, surveys: list[str]) -> dict:
    """Return what the analysis of the first survey found of the conversations."""
    path = study.analysis_path(surveys[0]) / "hygiene.json"
    if not path.exists():
        return {}
    remedy = hints.run("analyze", study.path, surveys[0])
    value = checksums.read_json(path, "analysis file", remedy)
    lacking = [key for key in KEYS if not isinstance(value, dict) or not isinstance(value.get(key), dict)]
    if lacking:
        raise UserError(f"{path}: field '{lacking[0]}': expected what was found of the conversations.", remedy)
    return value


def tell(own: Mapping) -> Told:
    """Yield one section, about all conversations."""
    text = [*sentences(own), own["training_overlap"].get("sentence")]
    tables = [rates(own)] if own["contestants"] else []
    careful = tuple(careful_of(own))
    yield (
        "",
        Section("hygiene", "All conversations", [t for t in text if t], [], tables, careful=careful, open_tables=ALL),
    )


def careful_of(own: Mapping) -> list[str]:
    """Return how many conversations are near-copies, then which contestants show faults more often than people; [] of
    no analysis."""
    copies = own.get("copies", {}).get("sentence", "")
    worst = sorted(own.get("contestants", {}).values(), key=lambda row: -_highest(row))
    shown = [row["sentence"] for row in worst if CLEAN not in row["sentence"]]
    return [sentence for sentence in (copies, *shown) if sentence][: CAREFUL + bool(copies)]


def _highest(contestant: Mapping) -> float:
    """Return the share of turns with the contestant's most frequent fault."""
    return max((fault["rate"] or 0.0 for fault in contestant["kinds"].values()), default=0.0)


def sentences(own: Mapping) -> list[str]:
    """Return what each contestant shows, a sentence each; those who show nothing are named together."""
    shown, clean = [], {}
    for name, entry in own["contestants"].items():
        if CLEAN in entry["sentence"]:
            clean.setdefault(entry["sentence"].removeprefix(f"{name} {CLEAN}"), []).append(name)
        elif entry["sentence"]:
            shown.append(entry["sentence"])
    return shown + [f"{listed(n)} show{'' if len(n) > 1 else 's'} {NOTHING}{end}" for end, n in clean.items()]


def rates(own: Mapping) -> Table:
    """Return the table of all kinds of faults by contestant."""
    kinds = list(own["kinds"])
    rows = [
        (Name(name), str(entry["turns"]), *(_cell(entry["kinds"][kind]) for kind in kinds))
        for name, entry in own["contestants"].items()
    ]
    meant = "; ".join(f"{TITLES[kind]}: {meaning}" for kind, meaning in own["kinds"].items())
    how = f"Share of turns after the seed, with 95 % intervals. {meant}. Turns of less than 3 words count as no "
    how += "repetition and no copy, those of less than 6 as no near one."
    if own["longest_usual"] is not None:
        how += f" 99 of 100 turns of people have at most {own['longest_usual']:.0f} words."
    for why in dict.fromkeys(own["not_told"].values()):
        lacking = ", ".join(TITLES[kind] for kind, w in own["not_told"].items() if w == why)
        how += f" Not told: {lacking}, as {why}."
    return Table(
        "Hygiene",
        how,
        ("", "Turns", *(TITLES[kind] for kind in kinds)),
        rows,
        sentence=rates_sentence(own),
        method="The exact interval (Clopper and Pearson's) of as many independent turns as would be as uncertain as "
        "these, clustered by conversation; where none was found every conversation counts as one turn.",
        cite=("clopper1934", "korn1998"),
    )


def _cell(fault: Mapping) -> str:
    return small_percent(fault["rate"]) + between(fault["ci"], small_percent) if fault["n"] else "–"


def rates_sentence(own: Mapping) -> str:
    """Return which fault stands out most, beside people."""
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


WHOLE = Whole("hygiene", "Hygiene", read, tell, place=40)
