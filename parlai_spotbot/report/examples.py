"""Two short segments that show why a ranking is as it is: a win between the two closest bots, and an upset; of chats
that people led, one with each of the two.

Of the shortest segments that were judged, the one that most annotations decided alike; of equal ones the first by id.
Both are of different conversations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.verdict.probe import BETTER, WORSE
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.wording import listed, plainly

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
    verdicts = contents.of(SETTLED, source).rows("pairs") or ranking.pairs
    pair = _closest(ranking, verdicts)
    if pair is None:
        return None
    better, worse, told_apart = pair
    rule = f"{better} and {worse}, the closest two"
    if told_apart:
        rule += " told apart"
    if len(contents.bots) == 2:
        rule = f"{better} and {worse}"
    if contents.asked.chat is not None:
        return _chats(contents, ranking, source, (better, worse), rule)
    talks = indexed(c for c in contents.conversations if {*c.entities} == {better, worse})
    labels = _labels(contents, source, talks)
    shown = []
    titles = ("A win of", "A win of")
    if told_apart:
        titles = ("A typical win of", "An upset by")
    for winner, title in zip((better, worse), titles, strict=True):
        segment = _clearest(labels, talks, winner)
        if segment is not None:
            exchanges, identity = segment
            shown.append(_example(talks[identity], f"{title} {winner}", exchanges, labels.loc[[segment]]))
            labels = labels.drop(identity, level="conversation")
    if not shown:
        return None
    return Examples(f"{rule}: their shortest, most clearly decided segments.", shown)


def _closest(ranking: Ranking, verdicts: Sequence[Mapping]) -> tuple[str, str, bool] | None:
    """Return the better and the worse of the two closest bots, of those that `verdicts` tell apart if any are."""
    order = {bot: place for place, bot in enumerate(ranking.order) if bot != HUMAN}
    met = [row for row in ranking.pairs if {row["a"], row["b"]} <= set(order) and row.get("estimate") is not None]
    decided = [{row["a"], row["b"]} for row in verdicts if row.get("verdict") in (BETTER, WORSE)]
    told_apart = [row for row in met if {row["a"], row["b"]} in decided]
    if not met:
        return None
    equal = 0.5 if ranking.of_matches else 0
    row = min(told_apart or met, key=lambda row: (abs(row["estimate"] - equal), row["a"], row["b"]))
    better, worse = sorted((row["a"], row["b"]), key=order.__getitem__)
    return better, worse, bool(told_apart)


def _chats(contents: SurveyData, ranking: Ranking, source: str, bots: Sequence[str], rule: str) -> Examples:
    """Return of each of these bots the chat that was rated most like its mean."""
    talks = indexed(contents.conversations)
    question = ranking.whole["question"]
    shown = []
    rows = [row for row in contents.kept if (row.source, row.question, row.control) == (source, question, None)]
    for bot in bots:
        mean = ranking.contestants[bot]["score"]
        of_bot = [row for row in rows if bot in talks[row.conversation_ids[0]].entities]
        row = min(of_bot, key=lambda row, mean=mean: abs(float(row.answer) - mean))
        talk = talks[row.conversation_ids[0]]
        said = [(bot, f"{plainly(question)} {row.answer}")]
        turns = _shown(talk, talk.turns[:TURNS])
        shown.append(Example(f"A typical chat with {bot}", talk.conversation_id, turns, said))
    return Examples(f"{rule}: of each the chat whose rating is nearest its mean.", shown)


def _labels(contents: SurveyData, source: str, talks: Mapping[str, Conversation]) -> pd.DataFrame:
    """Return what each annotation calls the two speakers of a segment of these conversations: a row for each, by
    exchanges and conversation, and a column for each of `ENTITIES`."""
    rows = [
        (row.exchanges, row.conversation_ids[0], row.annotation_id, row.target, row.answer)
        for row in contents.kept
        if row.source == source and row.control is None and _calls_one(row) and {*row.conversation_ids} <= talks.keys()
    ]
    columns = ["exchanges", "conversation", "annotation", "target", "label"]
    frame = pd.DataFrame(rows, columns=columns).drop_duplicates(columns[:-1], keep="last")
    labels = frame.set_index(columns[:-1])["label"].unstack().reindex(columns=list(ENTITIES))
    return labels.dropna().droplevel("annotation")


def _calls_one(row: Judgement) -> bool:
    """Return True if an answer calls a speaker human, bot or unsure."""
    return row.target in ENTITIES and row.answer in list(LEVEL)


def _clearest(labels: pd.DataFrame, talks: Mapping[str, Conversation], winner: str) -> tuple[int, str] | None:
    """Return the segment that a contestant wins most clearly, of the shortest that it wins; None where it wins none."""
    levels = labels.map(LEVEL.__getitem__).astype(int)
    seats = [talks[name].entities.index(winner) for name in labels.index.get_level_values("conversation")]
    wins = np.sign(levels[ENTITIES[0]] - levels[ENTITIES[1]]) * np.where(seats, -1, 1)
    segments = wins.groupby(level=["exchanges", "conversation"]).agg(["mean", "sum"])
    won = segments[segments["sum"] > 0]
    if won.empty:
        return None
    best = won.sort_values(["exchanges", "mean", "sum", "conversation"], ascending=[True, False, False, True])
    return best.index[0]


def _example(talk: Conversation, title: str, exchanges: int, labels: pd.DataFrame) -> Example:
    called = []
    for name, entity in zip(talk.entities, ENTITIES, strict=True):
        counts = Counter(labels[entity])
        called.append((name, listed(f"{label} {_times(counts[label])}" for label in reversed(LEVEL) if counts[label])))
    return Example(title, talk.conversation_id, _shown(talk, talk.segment(exchanges)[:TURNS]), called)


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
