"""Section on one judge: its rule and what it said of people and of bots, from ``judges/JUDGE.json``."""

from __future__ import annotations

import math
from collections.abc import Mapping

from parlai_spotbot.findings import judge_tables
from parlai_spotbot.findings.sections import ALL, Name, Section, Table
from parlai_spotbot.findings.spotting import NATURES
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import percent

ANCHOR, HEADING = "judges", "Judges"


def tell(judge: Mapping) -> Section:
    """A judge's account of itself."""
    tables, text = [], []
    trained = isinstance(judge.get("trained_on"), dict)  # a language model says in words what is not known of it
    for name, variant in judge["variants"].items():
        if variant.get("description"):
            text.append(f"Variant {name}: {variant['description']}.")
        tables.append(confusion(variant, f"Variant {name}", trained))
    tables.append(judge_tables.flips({"flips": judge.get("position")}))
    text += [judge.get("rule"), "" if trained else judge.get("trained_on"), missing(judge)]
    found = [table for table in tables if table is not None]
    return Section(ANCHOR, HEADING, [sentence for sentence in text if sentence], [], found, open_tables=ALL)


def missing(judge: Mapping) -> str:
    """How many of its answers are missing, where it says so."""
    found = judge.get("missing") or {}
    if not found.get("n"):
        return ""
    reasons = ", ".join(f"{kind} {n}" for kind, n in found["reasons"].items())
    return f"{found['n']} of its answers are missing ({reasons}); judges/{judge['judge']}/raw.jsonl has what was said."


def confusion(variant: Mapping, title: str, trained: bool = True) -> Table | None:
    """What a judge's variant said of people and bots; one that wasn't `trained` here may have seen anything before."""
    found = variant.get("confusion")
    if not found:
        return None
    rows = []
    for truth, answers in found.items():
        rows.append((f"{'people' if truth == HUMAN else 'bots'} ({sum(answers.values())})", *_answers(answers)))
    for bot, tally in variant.get("per_contestant", {}).items():
        rows.append((Name(bot), *_answers(tally)))
    unseen = "which it had not seen in training" if trained else "which its makers may have trained it on"
    how = (
        f"What it said of those who really were people or bots, {unseen}. Balanced accuracy "
        f"{percent(variant.get('balanced_accuracy'))} (guessing: 50 %), accuracy {percent(variant.get('accuracy'))}, "
        f"{variant.get('n')} entities; unsure counts one half. A segment's answers are not independent."
    )
    head = ("In truth", *(f"said {answer}" for answer in NATURES))
    more = about("confusion") if trained else {}
    return Table(title, how, head, rows, sentence=_guessing(variant), **more)


def _answers(tally: dict) -> list[str]:
    n = sum(tally.get(nature, 0) for nature in NATURES)
    return [f"{tally.get(nature, 0)} ({percent(tally.get(nature, 0) / n if n else None)})" for nature in NATURES]


def _guessing(variant: Mapping) -> str:
    """Whether it tells bots from people better than guessing."""
    value, tallies = variant.get("balanced_accuracy"), variant.get("confusion") or {}
    sizes = [sum(tally.values()) for tally in tallies.values()]
    if value is None or len(sizes) < 2 or 0 in sizes:
        return ""
    half = 0.98 * math.sqrt(sum(1 / n for n in sizes)) / 2
    better = value > 0.5 + half
    said = "better than" if better else "worse than" if value < 0.5 - half else "no better than"
    return (
        f"It tells bots from people {said} guessing: balanced accuracy {percent(value)}, where guessing on as many "
        f"comes between {percent(0.5 - half)} and {percent(0.5 + half)} in 95 of 100 cases (if answers were "
        "independent)."
    )
