"""Conversation hygiene: how often turns show the machine behind them, by contestant, with people beside.

It is about conversations, whoever judged them, so there is one result, not one a source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.frames import Found, Frames, best_rows
from parlai_spotbot.findings.made_by import made_by
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.result import Result
from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts.hygiene import KINDS, faults, measure, turns_of
from parlai_spotbot.texts.repetition import ALIKE, LEAST_WORDS
from parlai_spotbot.wording import filled, listed, small_percent

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Facts
    from parlai_spotbot.findings.survey_data import SurveyData

RARE = 0.01
"""A fault in fewer turns is no caution."""

DOES = {
    "special_tokens": "shows special tokens of a model",
    "empty": "says nothing",
    "endless": "says more words than 99 of 100 turns of people have",
    "loop": "says the same words again and again",
    "repeated": "repeats itself",
    "self_identified": "says that it is a machine",
    "addresses_judge": "addresses judges",
    "copied": "copies turns of its partner",
    "training": "repeats training text",
}
"""How a sentence says of a contestant that its turns show a kind of fault."""

NAMED = 4
"""Most kinds that a sentence names, the most frequent first."""


def hygiene(facts: Facts, training: Iterable[Sequence[str]] | None = None) -> dict:
    """Measure the hygiene of conversations: contestants are in the order of the plan, others follow, people come last.

    Parameters
    ----------
    training : iterable of sequences of str, optional
        The data that the bots know, conversation by conversation.

    Returns
    -------
    dict
        `by_source`, "" alone, with frames: `hygiene` as `measure` makes it, with the `meaning` of each kind;
        `contestants` (name, turns, the highest rate, sentence); `copies`, where there are any (see `copies_of`); and
        `made_by`.
    """
    turns = turns_of(list(facts.conversations.values()))
    frames: Found = {"copies": copies_of(facts.copies)}
    if len(turns):
        measured = measure(turns, faults(turns, training)).set_index("name")
        order = planned_first(set(measured.index), [*facts.bots, *sorted(set(measured.index) - {HUMAN})])
        frames["hygiene"] = measured.loc[order].reset_index().assign(meaning=lambda rows: rows["kind"].map(KINDS))
        frames["contestants"] = _contestants(measured, order)
    counted = made_by(conversations=len(facts.conversations), turns=len(turns))
    return {"by_source": {"": Frames.from_tables(frames)}, "made_by": counted}


def _contestants(measured: pd.DataFrame, order: Sequence[str]) -> list[dict]:
    """Return a row for each name: turns, the highest rate, sentence."""
    people = measured[measured.index == HUMAN].set_index("kind").to_dict("index")
    rows = []
    for name in order:
        bot_measures = measured.loc[name]
        words = sentence(name, bot_measures.to_dict("records"), people)
        rows.append(
            {"name": name, "turns": bot_measures["n"].max(), "rate": bot_measures["rate"].max(), "sentence": words}
        )
    return rows


def copies_of(clusters: Mapping[str, str]) -> dict:
    """Return how many conversations are near-copies (`texts.repetition.near_copies`), in how many `clusters`, and a
    sentence; {} where there are none."""
    if not clusters:
        return {}
    copies = {"conversations": len(clusters), "clusters": len(set(clusters.values()))}
    text = filled(
        "{conversations:,} conversations have the same text as another, or nearly, and count as {clusters:cluster}: "
        "all their words are the same, or (from {least} words on) {alike:.0%} of the sequences of three words that "
        "occur in either.",
        least=LEAST_WORDS,
        alike=ALIKE,
        **copies,
    )
    return copies | {"sentence": text}


def sentence(name: str, bot_rows: Sequence[Mapping], people: Mapping[str, Mapping]) -> str:
    """Return what a contestant does more often than people, beyond what chance explains; "" of nothing."""
    if name == HUMAN:
        return ""
    never = {"rate_high": -1.0}
    often = [row for row in bot_rows if row["count"] and row["rate"] >= RARE]
    clear = [row for row in often if row["rate_low"] > people.get(row["kind"], never)["rate_high"]]
    parts = []
    for row in best_rows(clear, "rate")[:NAMED]:
        rate, low, high = (small_percent(row[key]) for key in ("rate", "rate_low", "rate_high"))
        turns = ""
        interval = f"{low} to {high}"
        if not parts:
            turns = " of its turns"
            interval = f"95% interval {interval}"
        if row["kind"] in people:
            interval += f"; people: {small_percent(people[row['kind']]['rate'])}"
        parts.append(f"{DOES[row['kind']]} in {rate}{turns} ({interval})")
    if not parts:
        return ""
    return f"Contestant {name} {listed(parts)}."


CAREFUL = 2
"""Most sentences on contestants on the page's second screen."""


def read(surveys: Sequence[SurveyData]) -> dict[str, Frames]:
    """Return what the analysis of the first survey found of the conversations."""
    return surveys[0].stored_frames(surveys[0].folder / "hygiene.json")


def summarise(result: Result) -> list[str]:
    """Return the most frequent faults."""
    copies = result.one("copies").get("sentence")  # a probe of the verdict tells of them, too
    careful = [text if text == copies else Caution(text) for text in careful_of(result.frames)]
    return careful or ["No contestant's turns show faults clearly more often than people's."]


def careful_of(frames: Frames) -> list[str]:
    """Return how many conversations are near-copies, then which contestants show faults more often than people."""
    faulty = [row for row in frames.rows("contestants") if row["sentence"]]
    rows = [*frames.rows("copies"), *best_rows(faulty, "rate")[:CAREFUL]]
    return [row["sentence"] for row in rows]


FINDING = declared(__file__, None, read, summarise)

TITLES = FINDING.tables["hygiene"].columns["kind"].words
