"""Two short segments that show why a ranking is as it is: a win between the two closest bots, and an upset.

Of the shortest segments that were judged, the one that most annotations decided alike; of equal ones the first by id.
Both are of different conversations.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.analysis.verdict.probe import BETTER, WORSE
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.wording import listed

if TYPE_CHECKING:
    from parlai_spotbot.findings.frames import Frames
    from parlai_spotbot.findings.rankings import Ranking
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.records import Conversation, Judgement, Turn

LEVEL = {"bot": 0, "unsure": 1, "human": 2}
"""Of one conversation the entity wins that is taken for more human."""

ENTITIES = ("entity:0", "entity:1")

TURNS = 4
"""So many turns of a segment are shown."""

TURNS_OF_USERS = 6
"""So many turns of a conversation of a user are shown."""

LETTERS = 110
"""So many characters of a turn are shown."""


@dataclass(frozen=True)
class Example:
    """A segment: `turns` are (place of the speaker, name, text), `labels` what each speaker was called."""

    title: str
    conversation: str
    turns: list[tuple[int, str, str]]
    labels: list[tuple[str, str]]


@dataclass(frozen=True)
class Examples:
    """Segments that show why, and the rule by which they were chosen."""

    rule: str
    shown: list[Example]


def examples_of(contents: SurveyData, ranking: Ranking, source: str) -> Examples | None:
    """Return a win between the two closest bots and an upset; None where no conversation of theirs was decided."""
    pair = _closest(ranking)
    if pair is None:
        return None
    better, worse, told_apart = pair
    segments = _segments(contents, source, {better, worse})
    names = {c.conversation_id: c.entities for c in contents.conversations}
    shown = []
    titles = ("A win of", "A win of")
    rule = f"{better} and {worse}, the closest two"
    if told_apart:
        titles = ("A typical win of", "An upset by")
        rule += " told apart"
    for winner, title in zip((better, worse), titles, strict=True):
        key = _clearest(segments, names, winner)
        if key is not None:
            shown.append(_example(contents, f"{title} {winner}", key, segments[key]))
            segments = {other: given for other, given in segments.items() if other[1] != key[1]}
    if not shown:
        return None
    return Examples(f"{rule}: their shortest, most clearly decided segments.", shown)


def _closest(ranking: Ranking) -> tuple[str, str, bool] | None:
    """Return the better and the worse of the two closest bots, of those that are told apart if any are."""
    order = {bot: place for place, bot in enumerate(ranking.order) if bot != HUMAN}
    met = [row for row in ranking.pairs if {row["a"], row["b"]} <= set(order) and row.get("estimate") is not None]
    told_apart = [row for row in met if row.get("verdict") in (BETTER, WORSE)]
    if not met:
        return None
    row = min(told_apart or met, key=lambda row: (abs(row["estimate"] - 0.5), row["a"], row["b"]))
    better, worse = sorted((row["a"], row["b"]), key=order.__getitem__)
    return better, worse, bool(told_apart)


def _segments(contents: SurveyData, source: str, pair: set[str]) -> dict[tuple[int, str], list[Mapping[str, str]]]:
    """Return what each annotation calls the speakers of each segment of two bots, by length and conversation."""
    ids = {c.conversation_id for c in contents.conversations if set(c.entities) == pair}
    labels: dict[tuple[int, str], dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for row in contents.kept:
        if row.source == source and row.control is None and _calls_one(row, ids):
            labels[row.exchanges, row.conversation_ids[0]][row.annotation_id][row.target] = row.answer
    return {key: [own for own in given.values() if len(own) == 2] for key, given in labels.items()}


def _calls_one(row: Judgement, ids: set[str]) -> bool:
    """Return True if an answer calls a speaker of one of these conversations human, bot or unsure."""
    return row.target in ENTITIES and row.answer in list(LEVEL) and set(row.conversation_ids) <= ids


def _clearest(
    segments: Mapping[tuple[int, str], Sequence[Mapping[str, str]]], names: Mapping[str, Sequence[str]], winner: str
) -> tuple[int, str] | None:
    """Return the segment that a contestant wins most clearly, of the shortest that it wins; None where it wins none."""
    found = []
    for key, given in segments.items():
        own, other = sorted(ENTITIES, key=lambda entity: names[key[1]][int(entity[-1])] != winner)
        gaps = [LEVEL[labels[own]] - LEVEL[labels[other]] for labels in given]
        lead = sum(gap > 0 for gap in gaps) - sum(gap < 0 for gap in gaps)
        if lead > 0:
            found.append((key[0], -lead / len(gaps), -lead, key))
    if not found:
        return None
    return min(found)[-1]


def _example(contents: SurveyData, title: str, key: tuple[int, str], given: Sequence[Mapping[str, str]]) -> Example:
    exchanges, identity = key
    [conversation] = [c for c in contents.conversations if c.conversation_id == identity]
    turns = _shown(conversation, conversation.segment(exchanges)[:TURNS])
    labels = []
    for place, name in enumerate(conversation.entities):
        counts = Counter(own[f"entity:{place}"] for own in given)
        called = [f"{label} {_times(counts[label])}" for label in reversed(LEVEL) if counts[label]]
        labels.append((name, listed(called)))
    return Example(title, identity, turns, labels)


def _shown(conversation: Conversation, turns: Sequence[Turn]) -> list[tuple[int, str, str]]:
    """Return turns as they are shown, each with the place and the name of its speaker."""
    shown = []
    for turn in turns:
        text = turn.text
        if len(text) > LETTERS:
            text = f"{text[:LETTERS].rstrip()} …"
        shown.append((conversation.entities.index(turn.speaker), turn.speaker, text))
    return shown


def examples_of_users(contents: SurveyData, frames: Frames) -> Examples | None:
    """Return a conversation of a simulated user beside a person's, as `findings.whole_study.simulators` chose them."""
    by_id = indexed(contents.conversations)
    shown = []
    tasks = set()
    for row in frames.rows("examples"):
        talk = by_id.get(row["conversation_id"])
        if talk is None:
            return None
        tasks.add(talk.seed_id)
        begun = 2 * talk.seed_exchanges
        turns = _shown(talk, talk.turns[begun : begun + TURNS_OF_USERS])
        title = "A person" if HUMAN in talk.entities else "A simulated user"
        shown.append(Example(title, talk.conversation_id, turns, []))
    if not shown:
        return None
    rule = f"Two conversations that show what differs most: {row['what']}."
    if len(tasks) == 1 and tasks != {""}:
        rule = f"Task {tasks.pop()}, on which the two are farthest apart in what differs most: {row['what']}."
    return Examples(rule, shown)


def _times(count: int) -> str:
    if count == 1:
        return "once"
    return f"{count} times"
