"""Conversation hygiene: how often turns show the machine behind them, by contestant, with people beside.

It is about conversations, whoever judged them, so there is one result, not one a source.
"""

from collections.abc import Iterable, Mapping, Sequence

import parlai_spotbot
from parlai_spotbot.analysis.values import best_first, plain
from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.made_by import stored
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.render import Caution
from parlai_spotbot.findings.result import Result
from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.study import Study
from parlai_spotbot.texts.hygiene import KINDS, Fault, faults, measure, turns_of
from parlai_spotbot.texts.repetition import ALIKE, LEAST_WORDS, near_copies
from parlai_spotbot.wording import filled, small_percent

TITLES = {
    "special_tokens": "Special tokens",
    "empty": "Empty",
    "endless": "Endless",
    "loop": "Loop",
    "repeated": "Repeats itself",
    "self_identified": "“I’m a machine”",
    "addresses_judge": "Addresses judges",
    "copied": "Partner’s words",
    "training": "Training text",
}

NAMED = 4
"""A sentence names so many kinds, the most frequent first."""


def hygiene(
    conversations: Sequence[Conversation],
    bots: Sequence[str] = (),
    training: Iterable[Sequence[str]] | None = None,
    copies: Mapping[str, str] | None = None,
) -> dict:
    """Measure the hygiene of `conversations`.

    Parameters
    ----------
    bots : sequence of str
        The contestants in the order of the plan; others follow, people come last.
    training : iterable of sequences of str, optional
        The data that the bots know, conversation by conversation.
    copies : mapping, optional
        The near-copies among `conversations`, where they are known (`texts.repetition.near_copies`).

    Returns
    -------
    dict
        `contestants` {name: {`turns`, `sentence`, `kinds` {kind: see `Fault.to_dict`}}}; `kinds` {kind: what it means};
        `copies`: how many `conversations` are near-copies of others,
        in how many `clusters`, and a `sentence`, "" where there are none; `made_by`.
    """
    turns = turns_of(conversations)
    results = faults(turns, training)
    measured: dict[str, dict[str, Fault]] = {}
    for fault in measure(turns, results):
        measured.setdefault(fault.name, {})[fault.kind] = fault
    order = planned_first(measured, [*bots, *sorted(measured.keys() - {HUMAN})])
    result = {
        "copies": copies_of(near_copies(conversations) if copies is None else copies),
        "contestants": {
            name: {
                "turns": int((turns["name"] == name).sum()),
                "sentence": sentence(name, measured[name], measured.get(HUMAN, {})),
                "kinds": {kind: fault.to_dict() for kind, fault in measured[name].items()},
            }
            for name in order
        },
        "kinds": {kind: KINDS[kind] for kind in results.columns},
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
        found["sentence"] = filled(
            "{conversations:,} conversations have the same text as another, or nearly, and count as "
            "{clusters:cluster}: all their words are the same, or (from {least} words on) {alike:.0%} of the sequences "
            "of three words that occur in either.",
            least=LEAST_WORDS,
            alike=ALIKE,
            **found,
        )
    return found


def sentence(name: str, own: dict[str, Fault], people: dict[str, Fault]) -> str:
    """Return what a contestant does more often than people, beyond what chance explains; "" of nothing."""
    clear = [
        fault
        for kind, fault in own.items()
        if name != HUMAN and fault.count and (kind not in people or fault.ci[0] > people[kind].ci[1])
    ]
    parts = []
    for fault in best_first(clear, (fault.rate for fault in clear))[:NAMED]:
        beside = f", people {small_percent(people[fault.kind].rate)}" if fault.kind in people else ""
        ends = f"{small_percent(fault.ci[0])} to {small_percent(fault.ci[1])}{beside}"
        parts.append(f"{TITLES[fault.kind].lower()} in {small_percent(fault.rate)} ({ends})")
    return f"Turns of {name} with faults: {'; '.join(parts)}." if parts else ""


CAREFUL = 2
"""So many sentences on contestants are on the page's second screen."""


def read(study: Study, surveys: Sequence[str]) -> dict[str, dict]:
    """Return what the analysis of the first survey found of the conversations."""
    found = stored(study.analysis_path(surveys[0]) / "hygiene.json", study, surveys[0])
    return {"": found} if found else {}


def summarise(result: Result) -> list[str]:
    """Return the most frequent faults."""
    copies = result.data.get("copies", {}).get("sentence")  # a probe of the verdict tells of them, too
    careful = [text if text == copies else Caution(text) for text in careful_of(result.data)]
    nothing = "No contestant's turns show faults clearly more often than people's."
    return careful or ([nothing] if result.data["contestants"] else [])


def careful_of(data: Mapping) -> list[str]:
    """Return how many conversations are near-copies, then which contestants show faults more often than people."""
    rates = {
        own["sentence"]: max((fault["rate"] or 0.0 for fault in own["kinds"].values()), default=0.0)
        for own in data.get("contestants", {}).values()
        if own["sentence"]
    }
    copies = data.get("copies", {}).get("sentence")
    return [*([copies] if copies else []), *best_first(list(rates), rates.values())[:CAREFUL]]


FINDING = declared(__file__, None, read, summarise)
