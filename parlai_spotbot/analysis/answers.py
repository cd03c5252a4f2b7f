"""Answers of any survey as a long frame, one row per answer.

Repeated answers, controls, answers to further questions of a launch and incomplete annotations are left out here, once
for all statistics, and counted by reason.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

import pandas as pd

from parlai_spotbot.records import ADDITIONAL, Conversation, Item, Judgement, judged_name

FIRST = ("source", "worker_id", "annotation_id", "unit_id", "item_id")
SECOND = ("question", "target", "answer", "exchanges", "seconds")
COLUMNS = (*FIRST, "conversation_id", "conversation_ids", *SECOND, "number", "judgement_id")
WHOSE = attrgetter(*FIRST)
ANSWERED = attrgetter(*SECOND)

CONTROL = "control"
"""Why an answer to a control is left out: as it was meant to be."""

REPEATED = "annotation repeated by the same annotator (the last one counts)"


@dataclass(frozen=True)
class TidyAnswers:
    """Frame of answers (columns `COLUMNS`) and, by source, the numbers of those left out by reason.

    `conversation_id` is the first of `conversation_ids`; `number` is the judgement's place, from 1. Where
    conversations are near-copies of each other, `cluster_id` and `cluster_ids` hold the cluster of each conversation.
    """

    frame: pd.DataFrame
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)


Lacking = Callable[[str, Mapping[tuple[str, str], object]], bool]
"""Return True if an annotation of an item (its id) with these answers, by (question, target), is incomplete."""


def answers_frame(
    judgements: Sequence[Judgement],
    conversations: Iterable[Conversation],
    lacking: Lacking | None = None,
    item_of: Callable[[Judgement], Hashable] | None = None,
    clusters: Mapping[str, str] | None = None,
) -> TidyAnswers:
    """Return one row an answer, without repeated answers (`last_answers`), controls, answers to further questions and
    incomplete annotations, which are counted.

    Parameters
    ----------
    item_of : callable, optional
        The item that a judgement is about; by default the conversations and the exchanges shown (`shown_item`).
    clusters : mapping, optional
        Conversation id -> cluster, of conversations that are near-copies of others; each other one is its own cluster.

    Raises
    ------
    ValueError
        Names the judgement (numbered from 1) whose conversations or annotator are unknown or missing.
    """
    conversation_ids = {conversation.conversation_id for conversation in conversations}
    numbered, repeated = last_answers(judgements, item_of or shown_item())
    left_out = {source: {REPEATED: number} for source, number in repeated.items()}
    rows: dict[tuple[str, str], dict[tuple[str, str], tuple]] = {}
    controls: set[tuple[str, str]] = set()
    for number, row in numbered:
        key = (row.source, row.annotation_id)
        if row.control is not None:
            if key not in controls:
                count(left_out, row.source, CONTROL)
            controls.add(key)
        elif row.question.startswith(ADDITIONAL):
            count(left_out, row.source, "answer to a further question of the launch")
        else:
            rows.setdefault(key, {})[row.question, row.target] = _row(row, number, conversation_ids)
    complete = []
    item = COLUMNS.index("item_id")
    answer = COLUMNS.index("answer")
    for (source, _), given in rows.items():
        first = next(iter(given.values()))
        if lacking is not None and lacking(first[item], {pair: row[answer] for pair, row in given.items()}):
            count(left_out, source, "incomplete annotation")
        else:
            complete += given.values()
    frame = pd.DataFrame(complete, columns=list(COLUMNS))
    frame["seconds"] = frame["seconds"].astype(float)
    if clusters:
        frame["cluster_ids"] = [tuple(clusters.get(name, name) for name in ids) for ids in frame["conversation_ids"]]
        frame["cluster_id"] = [ids[0] for ids in frame["cluster_ids"]]
    frame = frame.sort_values(["source", "annotation_id", "number"], kind="stable").reset_index(drop=True)
    return TidyAnswers(frame, left_out)


def shown_item(
    items: Mapping[str, Item] | None = None,
    conversations: Mapping[str, Conversation] | None = None,
    whole: bool = False,
) -> Callable[[Judgement], Hashable]:
    """Return a function from a judgement to the item that it is about, equal in all exports of the same answers.

    Ids of items differ between exports, so an item is its conversations, in any order, and the exchanges shown; of a
    `whole` conversation, which the annotator opens exchange by exchange, the conversation alone. `items` (by id) tell
    further who is judged, where `conversations` leave that open, and which candidates are offered. A control is an
    item of its own whenever it is shown, since annotators may meet one several times.
    """
    items = items or {}
    conversations = conversations or {}

    def item_of(row: Judgement) -> Hashable:
        item = items.get(row.item_id)
        about: tuple = ()
        if item is not None and (item.judged or item.candidates):
            judged = zip(item.conversation_ids, item.judged, strict=False)
            open_ = sorted(
                pair for pair in judged if pair[0] in conversations and judged_name(conversations[pair[0]]) is None
            )
            about = (*open_, *item.candidates)
        shown = 0 if whole else row.exchanges
        control = (row.control, row.annotation_id) if row.control is not None else ()
        return (*sorted(row.conversation_ids or (row.item_id,)), shown, about, control)

    return item_of


def last_answers(
    judgements: Sequence[Judgement], item_of: Callable[[Judgement], Hashable]
) -> tuple[list[tuple[int, Judgement]], dict[str, int]]:
    """Keep one answer of each annotator to each question about each target of an item, the last one.

    The last annotation is that with the latest `submitted_at`, and of equal or unknown times the one that stands last.
    Answers of an earlier annotation that the last one doesn't repeat join it, so that an annotator who answers a part
    again has one annotation.

    Returns
    -------
    list
        The judgements that count, in their order, each with its place from 1.
    dict
        Source -> how many annotations are repeats of a later one.
    """
    annotators = [(row.source, row.worker_id) for row in judgements]
    keys = [(who, item_of(row), row.question, row.target) for who, row in zip(annotators, judgements, strict=True)]
    times = Counter(keys)
    if len(times) == len(keys):
        return list(enumerate(judgements, start=1)), {}
    annotations = [(row.source, row.annotation_id) for row in judgements]
    latest: dict[tuple[str, str], tuple[str, int]] = {}
    for place, (annotation, row) in enumerate(zip(annotations, judgements, strict=True)):
        latest[annotation] = max(latest.get(annotation, ("", 0)), (row.submitted_at, place))
    places = range(len(keys))
    by_time = sorted(places, key=lambda place: (latest[annotations[place]], judgements[place].submitted_at, place))
    last = {keys[place]: place for place in by_time}
    winners = [last[key] for key in keys]
    rank = dict(zip(by_time, places, strict=True))
    joins: dict[tuple[str, str], int] = {}
    for place in sorted(places, key=lambda place: rank[winners[place]]):
        if annotations[winners[place]] != annotations[place]:
            joins[annotations[place]] = winners[place]
    repeats: dict[tuple, int] = {}
    for key, winner in zip(keys, winners, strict=True):
        about = (*key[:2], judgements[winner].annotation_id)
        repeats[about] = max(repeats.get(about, 0), times[key] - 1)
    counted: Counter[str] = Counter()
    for ((source, _), *_), number in repeats.items():
        counted[source] += number
    kept = [(place + 1, _joined(judgements[place], joins, judgements)) for place in places if winners[place] == place]
    return kept, dict(+counted)


def _joined(row: Judgement, joins: Mapping[tuple[str, str], int], judgements: Sequence[Judgement]) -> Judgement:
    """Return the row as an answer of the annotation that repeats its own, if that shows the conversations alike."""
    other = row
    while (annotation := (other.source, other.annotation_id)) in joins:
        other = judgements[joins[annotation]]
    if other is row or other.conversation_ids != row.conversation_ids:
        return row
    about = ("annotation_id", "unit_id", "item_id", "presentation", "started_at", "submitted_at", "seconds")
    return replace(row, **{name: getattr(other, name) for name in about})


def count(left_out: dict[str, dict[str, int]], source: str, reason: str) -> None:
    """Count one more that is left out for this reason."""
    reasons = left_out.setdefault(source, {})
    reasons[reason] = reasons.get(reason, 0) + 1


def with_columns(answers: pd.DataFrame, rows: Sequence[tuple], columns: Sequence[str]) -> pd.DataFrame:
    """Return the answers at the places with which `rows` begin, and what stands there for further `columns`."""
    further = pd.DataFrame(rows, columns=["place", *columns])
    kept = answers.iloc[further.pop("place")].reset_index(drop=True)
    return pd.concat([kept, further], axis=1)


def _row(row: Judgement, number: int, conversation_ids: Collection[str]) -> tuple:
    where = f"judgement {number} ({row.judgement_id})"
    if not row.conversation_ids:
        raise ValueError(f"{where}: conversation_ids is empty, expected one or two")
    for identity in row.conversation_ids:
        if identity not in conversation_ids:
            raise ValueError(f"{where}: conversation_ids names '{identity}', which is not among the conversations")
    check_worker(row, where)
    ids = (row.conversation_ids[0], tuple(row.conversation_ids))
    return (*WHOSE(row), *ids, *ANSWERED(row), number, row.judgement_id)


def check_worker(judgement: Judgement, where: str) -> None:
    """Raise `ValueError` if the annotator's id is missing."""
    if not isinstance(judgement.worker_id, str):
        raise ValueError(f"{where}: worker_id is {judgement.worker_id!r}, expected the annotator's id")
