"""The statistics of Spot The Bot as a game, in which annotators open the dialogue themselves (paper, appendix B).

An entity called a bot with k exchanges open was spotted in (k - 1, k], one called human or unsure is right-censored at
k. All else is as in `spot_the_bot`, by the whole item where that shows segments; what the annotators' own choice of
when to stop does to survival, who plays how, and who is paid the bonus stand in survival.json and game.json.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from parlai_spotbot.analysis.frames import Annotations, annotations_frame, entities_frame
from parlai_spotbot.analysis.methods import spot_the_bot
from parlai_spotbot.analysis.methods.spot_the_bot import Method, Source
from parlai_spotbot.analysis.methods.spot_the_bot_game_players import LEADERBOARD, WITHOUT, habits_of, marked, players
from parlai_spotbot.analysis.methods.spot_the_bot_game_stopping import stopping, survival_bounds
from parlai_spotbot.analysis.methods.spot_the_bot_order import order_part
from parlai_spotbot.analysis.methods.spot_the_bot_people import agreement_part, annotators_part, time_part
from parlai_spotbot.records import HUMAN, Conversation, Judgement
from parlai_spotbot.surveys.controls import SEGMENTS, truth

NO_GAME = "a judge is shown everything at once: it plays no game"


def analyze(
    judgements: Sequence[Judgement],
    conversations: Sequence[Conversation],
    *,
    lengths: Mapping[str, int] | None = None,
    progress: Callable[[str, str], None] | None = None,
    **options,
) -> dict[str, dict]:
    """As `spot_the_bot.analyze`, with ``game`` and without ``segments``.

    `lengths` says how many exchanges of each item could be opened, by item_id; by default all of its conversation.
    A judge answers with everything open, so its rows are those of `spot_the_bot`.
    """
    whole = {c.conversation_id: c.exchanges for c in conversations}
    decided = decisions(judgements, conversations)

    def annotations(judgements: Sequence[Judgement], conversations: Sequence[Conversation]) -> Annotations:
        found = annotations_frame(judgements, conversations)
        return replace(found, frame=_opened(found.frame, decided, lengths or {}, whole))

    def prepare(source: Source) -> Source:
        source = replace(source, play=decided[decided["source"] == source.name].reset_index(drop=True))
        if source.name != HUMAN:
            return source
        habits = habits_of(source)
        return replace(source, followed=True, habits=habits, marked=marked(habits))

    method = Method(PARTS, annotations, entities, prepare)
    return spot_the_bot.analyze(judgements, conversations, method=method, progress=progress, **options)


def decisions(judgements: Sequence[Judgement], conversations: Sequence[Conversation]) -> pd.DataFrame:
    """One row a decision on an entity, controls among them.

    Columns: source, worker_id, unit_id, annotation_id, conversation_id, entity, opened, answer, control, truth ("human"
    or "bot"). Of two decisions on an entity the first counts.
    """
    kinds = {c.conversation_id: tuple("human" if own else "bot" for own in c.is_human) for c in conversations}
    rows = []
    for row in judgements:
        if row.question != "nature" or row.target not in ("entity:0", "entity:1"):
            continue
        known = truth(row.control) if row.control in SEGMENTS.marks else kinds.get(row.conversation_ids[0])
        if known is None:  # a control that nothing is known of
            continue
        entity = int(row.target[-1])
        rows.append((row.source, row.worker_id, row.unit_id, row.annotation_id, row.conversation_ids[0], entity,
                     row.exchanges, row.answer, row.control or "", known[entity]))  # fmt: skip
    columns = ["source", "worker_id", "unit_id", "annotation_id", "conversation_id", "entity", "opened", "answer",
               "control", "truth"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).drop_duplicates(["source", "annotation_id", "entity"])


def _opened(
    frame: pd.DataFrame, decided: pd.DataFrame, lengths: Mapping[str, int], whole: Mapping[str, int]
) -> pd.DataFrame:
    """The annotations with `opened0` and `opened1`, exchanges open at each decision, `k`, the larger, and `whole`."""
    key = ["source", "annotation_id"]
    place = decided[decided["control"] == ""].set_index([*key, "entity"])["opened"]
    opened = {}
    for entity in (0, 1):
        index = pd.MultiIndex.from_frame(frame[key].assign(entity=entity))
        opened[f"opened{entity}"] = place.reindex(index).to_numpy(dtype=int)
    frame = frame.assign(**opened)
    frame["k"] = frame[["opened0", "opened1"]].max(axis=1)
    most = [lengths.get(item, whole[c]) for item, c in zip(frame["item_id"], frame["conversation_id"], strict=True)]
    # What was opened can be opened, whatever the units say by now.
    return frame.assign(whole=pd.Series(most, index=frame.index, dtype=int).clip(lower=frame["k"]))


def entities(annotations: pd.DataFrame) -> pd.DataFrame:
    """`entities_frame` with `k` of each entity's own decision, `since` (k - 1 for people, 0 for judges), `whole`."""
    frame = entities_frame(annotations)
    frame["k"] = annotations[["opened0", "opened1"]].to_numpy().ravel()
    frame["since"] = (frame["k"] - 1).where(frame["source"] == HUMAN, 0)
    return frame.assign(whole=annotations["whole"].repeat(2).to_numpy())


def _by_item(source: Source) -> Source:
    """With the exchanges of the whole item in the place of those that the annotator opened."""
    rows, entities = source.annotations, source.entities
    return replace(source, annotations=rows.assign(k=rows["whole"]), entities=entities.assign(k=entities["whole"]))


def _survival(source: Source) -> dict:
    own = spot_the_bot.survival_part(source)
    return survival_bounds(source, own) if source.followed else own


def _annotators(source: Source) -> dict:
    """Effects of annotators are fitted by item: what they opened is theirs, not the item's."""
    return annotators_part(replace(source, entities=_by_item(source).entities))


def _game(source: Source) -> dict:
    if not source.followed:
        return {"why": NO_GAME}
    return {**stopping(source), **players(source)}


PARTS = {
    "ranking": spot_the_bot.ranking_part,
    "survival": _survival,
    "features": spot_the_bot.features_part,
    "agreement": lambda source: agreement_part(_by_item(source)),
    "annotators": _annotators,
    "time": time_part,
    "order": lambda source: order_part(_by_item(source)),
    "game": _game,
}


def tables(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """The results as flat tables: those of `spot_the_bot`, and ``game_leaderboard``, ``game_habits``, …"""
    found = spot_the_bot.tables(result)
    rows: dict[str, list[dict]] = {}
    for source, own in result["game"]["by_source"].items():
        for table, row in _rows(own):
            rows.setdefault(table, []).append({"source": source, **row})
    bounds = [
        {"source": source, "name": name, "exchanges": k, "low": low, "high": high, "ci_low": ends[0],
         "ci_high": ends[1]}
        for source, own in result["survival"]["by_source"].items()
        for name, curve in own["curves"].items() if "bounds" in curve
        for k, low, high, ends in zip(
            curve["exchanges"], curve["bounds"]["low"], curve["bounds"]["high"], curve["bounds"]["ci"], strict=True
        )
    ]  # fmt: skip
    rows |= {"game_survival_bounds": bounds} if bounds else {}
    return found | {table: pd.DataFrame(own) for table, own in rows.items()}


def _rows(own: dict):
    for row in own.get("leaderboard", []):
        yield "game_leaderboard", {key: row[key] for key in LEADERBOARD}
    for row in own.get("opened", []):
        yield "game_opened", row
    for row in own.get("accuracy_by_opened", []):
        yield "game_accuracy", row
    for habit, found in own.get("habits", {}).items():
        for worker, row in found["annotators"].items():
            yield "game_habits", {"habit": habit, "worker_id": worker, **row}
    for name, entry in own.get("without", {}).items():
        for row in entry["bots"]:
            yield "game_without", {"without": name, **{key: entry[key] for key in WITHOUT}, **row}
