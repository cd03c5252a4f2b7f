"""hygiene.json: how often each contestant's turns show what is no matter of wit; for every survey alike.

Conversations alone count here, whoever judged them: there is one result, not one a source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

import parlai_spotbot
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.texts.hygiene import KINDS, OF_TRAINING, QUANTILE, Fault, faults, longest_usual, measure, turns_of
from parlai_spotbot.texts.repetition import ALIKE, LEAST_WORDS, near_copies
from parlai_spotbot.wording import counted, small_percent

SAID = {
    "special_tokens": "shows special tokens",
    "empty": "says nothing",
    "endless": "uses more words than 99 of 100 turns of people",
    "loop": "goes round in circles",
    "repeated": "repeats an earlier turn of its own",
    "self_identified": "says to be a machine",
    "copied": "repeats its partner word for word",
    "copied_nearly": "repeats its partner, nearly",
    "training": "repeats a turn of the data that the bots know",
    "training_nearly": "repeats a turn of the data that the bots know, nearly",
}
WORD_FOR_WORD = {"copied_nearly": "copied", "training_nearly": "training"}
"""What is nearly the same is said only where the same word for word is not."""

NAMED = 4
"""A sentence names so many kinds, the most frequent first."""


def hygiene(
    conversations: Sequence[Conversation],
    bots: Sequence[str] = (),
    training: Iterable[Sequence[str]] | None = None,
    why: str = "",
    training_overlap: dict | None = None,
) -> dict:
    """Measure the hygiene of `conversations`.

    Parameters
    ----------
    bots : sequence of str
        The contestants in the order of the plan; others follow, people come last.
    training : iterable of sequences of str, optional
        The data that the bots know, conversation by conversation; `why` says why they are not there.
    training_overlap : dict, optional
        What self-play found of it, to stand beside.

    Returns
    -------
    dict
        `contestants` {name: {`turns`, `sentence`, `kinds` {kind: see `Fault.to_dict`}}}; `kinds` {kind: what it means};
        `not_told` {kind: why}; `longest_usual`, in words; `copies`: how many `conversations` are near-copies of others,
        in how many `clusters`, and a `sentence`, "" where there are none; `training_overlap`; `made_by`.
    """
    turns = turns_of(conversations)
    found = faults(turns, training)
    measured: dict[str, dict[str, Fault]] = {}
    for fault in measure(turns, found):
        measured.setdefault(fault.name, {})[fault.kind] = fault
    order = [bot for bot in bots if bot in measured] + sorted(set(measured) - set(bots) - {HUMAN})
    order += [HUMAN] if HUMAN in measured else []
    result = {
        "copies": copies_of(near_copies(conversations)),
        "contestants": {
            name: {
                "turns": int((turns["name"] == name).sum()),
                "sentence": sentence(name, measured[name], measured.get(HUMAN, {})),
                "kinds": {kind: fault.to_dict() for kind, fault in measured[name].items()},
            }
            for name in order
        },
        "kinds": {kind: KINDS[kind] for kind in found.columns},
        "not_told": _not_told(found, why),
        "longest_usual": longest_usual(turns),
        "training_overlap": training_overlap or {},
        "made_by": {
            "package": f"parlai_spotbot {parlai_spotbot.__version__}",
            "conversations": len(conversations),
            "turns": len(turns),
        },
    }
    return plain(result)


def copies_of(clusters: Mapping[str, str]) -> dict:
    """Return how many conversations are near-copies (`texts.repetition.near_copies`), in numbers and words."""
    found = {"conversations": len(clusters), "clusters": len(set(clusters.values())), "sentence": ""}
    if clusters:
        found["sentence"] = (
            f"{len(clusters):,} conversations have the same text as another, or nearly, and count as "
            f"{counted(found['clusters'], 'cluster')}: all their words are the same, or (from {LEAST_WORDS} words on) "
            f"{ALIKE:.0%} of the sequences of three words that occur in either."
        )
    return found


def _not_told(found: pd.DataFrame, why: str) -> dict[str, str]:
    few = f"there are too few turns of people to know how long {QUANTILE:.0%} of them are at most"
    lacking = [kind for kind in KINDS if kind not in found.columns]
    return {
        kind: (why or "the data that the bots know are not there") if kind in OF_TRAINING else few for kind in lacking
    }


def sentence(name: str, own: dict[str, Fault], people: dict[str, Fault]) -> str:
    """What this contestant does more often than people, beyond what chance explains; with people's share beside."""
    if name == HUMAN:
        return ""
    clear = []
    for kind, fault in own.items():
        if fault.count and (kind not in people or fault.ci[0] > people[kind].ci[1]):
            clear.append(fault)
    told = {fault.kind for fault in clear}
    clear = [fault for fault in clear if WORD_FOR_WORD.get(fault.kind) not in told]
    if not clear:
        return f"{name} shows none of it clearly more often than people." if people else f"{name} shows none of it."
    parts = []
    for fault in sorted(clear, key=lambda fault: -fault.rate)[:NAMED]:
        beside = f", people {small_percent(people[fault.kind].rate)}" if fault.kind in people else ""
        parts.append(
            f"{SAID[fault.kind]} in {small_percent(fault.rate)} of its turns "
            f"({small_percent(fault.ci[0])} to {small_percent(fault.ci[1])}{beside})"
        )
    return f"{name} {'; '.join(parts)}."


def table(result: dict) -> pd.DataFrame:
    """One row a contestant and kind."""
    rows = []
    for name, own in result["contestants"].items():
        for kind, fault in own["kinds"].items():
            kept = {key: value for key, value in fault.items() if key not in ("wilson", "ci", "examples")}
            ends = dict(
                zip(("wilson_low", "wilson_high", "low", "high"), (*fault["wilson"], *fault["ci"]), strict=True)
            )
            first = fault["examples"][0] if fault["examples"] else {}
            rows.append(
                {
                    "name": name,
                    "kind": kind,
                    **kept,
                    **ends,
                    "example": first.get("conversation_id"),
                    "example_turn": first.get("turn"),
                }
            )
    frame = pd.DataFrame(rows)
    return frame.astype({"example_turn": "Int64"}) if len(frame) else frame
