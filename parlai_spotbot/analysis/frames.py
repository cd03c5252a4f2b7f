"""From judgements to frames: one row an annotation, one row an annotated entity, one row a match.

An annotation is one annotator's answers to one segment (section 3.1 of the paper): the nature of each entity, then
which of the two is favoured in fluency, sensibleness and specificity. Controls and incomplete annotations are left out
here, once for all statistics, and counted by reason.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.answers import count
from parlai_spotbot.analysis.values import ArrayPair
from parlai_spotbot.records import HUMAN, NATURES, Conversation

FEATURES = ("fluency", "sensibleness", "specificity")
FAVOURED = {"entity:0": 1, "no_difference": 0, "entity:1": -1}

NO_MATCH = {
    "self": "annotation of a bot that talks to itself",
    "human_model": "annotation of a bot that talks to a person",
    "pairs": "annotation of two bots",
    "people": "annotation of two people",
}
"""How annotations of a kind of conversation are counted where they are left out."""

OF_TOURNAMENT = ("pairs", "people")
"""Kinds of conversations in a tournament: in the others nobody can beat anybody."""

BOTH = (0, 1)
"""The entities that are judged, unless one alone is."""

ABOUT = (
    "annotation_id",
    "source",
    "worker_id",
    "unit_id",
    "item_id",
    "conversation_id",
    "a",
    "b",
    "k",
    "nature0",
    "nature1",
    "seconds",
)
"""The columns of a frame of annotations that are no features; these stand before the last one."""

COLUMNS = (*ABOUT[:-1], *FEATURES, ABOUT[-1])
"""All of them, where all three features were asked."""

CLUSTER = "cluster_id"
"""The column, where there are near-copies, of the cluster of each row's conversation."""

OF_MATCH = ("a", "b", "k", "conversation_id", "worker_id", CLUSTER, "prompt_id")


def joined(
    answers: pd.DataFrame,
    conversations: Mapping[str, Conversation],
    kinds: Sequence[str] = OF_TOURNAMENT,
    features: Sequence[str] = FEATURES,
    judged: Sequence[int] = BOTH,
) -> tuple[pd.DataFrame, dict[str, dict[str, int]]]:
    """Join the tidy frame of answers by annotation, of conversations of these `kinds`, about the entities `judged`.

    Returns
    -------
    frame
        One row an annotation, columns `ABOUT` and the `features` that were asked: `a` and `b` are the names of entity 0
        and entity 1, `k` the exchanges shown; a feature is +1 where entity 0 is favoured, -1 where entity 1 is, 0 where
        neither. Where one entity alone is judged, `a` and `b` are its name and the other's nature is None.
    dict
        Source -> reason -> how many annotations were left out: of self-chats and of bots with people, in which nobody
        beats anybody.

    Raises
    ------
    ValueError
        Names the judgement (numbered from 1) whose conversation, question, target or answer is unknown.
    """
    if answers.empty:
        return pd.DataFrame(columns=[*ABOUT[:-1], *features, ABOUT[-1]]).astype({"seconds": float}), {}
    allowed = dict.fromkeys((f"nature{e}" for e in judged), NATURES) | dict.fromkeys(features, tuple(FAVOURED))
    column, value = _checked(answers, allowed)
    key = answers["source"] + "\t" + answers["annotation_id"]
    code, _ = pd.factorize(key)
    first = answers.loc[~key.duplicated()]
    given = np.full((len(first), len(allowed)), None, dtype=object)
    given[code, column] = value
    frame = first[["annotation_id", "source", "worker_id", "unit_id", "item_id", "conversation_id"]].copy()
    talks = [conversations[identity] for identity in first["conversation_id"]]
    frame["a"], frame["b"] = ([talk.entities[e] for talk in talks] for e in (judged[0], judged[-1]))
    frame["k"] = first["exchanges"]
    columns = dict(zip(allowed, given.T, strict=True))
    for name in ("nature0", "nature1", *features):
        frame[name] = columns.get(name)
    frame["seconds"] = first["seconds"]
    if CLUSTER in first:
        frame[CLUSTER] = first[CLUSTER]
    why = ["" if talk.kind in kinds else NO_MATCH[talk.kind] for talk in talks]
    lacking = (given == None).any(axis=1)  # noqa: E711
    why = np.where(lacking, [reason or "incomplete annotation" for reason in why], why)
    left_out: dict[str, dict[str, int]] = {}
    for _, source, reason in sorted(zip(first["number"], first["source"], why, strict=True)):
        if reason:
            count(left_out, source, str(reason))
    frame = frame[why == ""].reset_index(drop=True)
    return frame.astype(dict.fromkeys(features, int)), left_out


def _checked(answers: pd.DataFrame, allowed: Mapping[str, Sequence[str]]) -> ArrayPair:
    """Return which of the columns in `allowed` each answer belongs to (n,), and its value there (n,)."""
    asked_pairs = list(zip(answers["question"], answers["target"], strict=True))
    features = [name for name, values in allowed.items() if values is not NATURES]
    questions = {("nature", f"entity:{name[-1]}"): name for name in allowed if name not in features}
    questions |= {(name, "pair"): name for name in features}
    names = [questions.get(pair, "") for pair in asked_pairs]
    columns = ("number", "judgement_id", "conversation_ids", "exchanges", "answer")
    rows = zip(*(answers[column] for column in columns), asked_pairs, names, strict=True)
    for number, identity, ids, exchanges, answer, (question, target), name in rows:
        where = f"judgement {number} ({identity})"
        if len(ids) != 1:
            raise ValueError(f"{where}: conversation_ids {list(ids)}, expected exactly one")
        if exchanges < 1:
            raise ValueError(f"{where}: exchanges {exchanges}, expected a whole number from 1 up")
        if not name:
            expected = ", ".join(f"'{q}' about '{t}'" for q, t in questions)
            raise ValueError(f"{where}: question '{question}' about target '{target}', expected one of {expected}")
        if answer not in allowed[name]:
            raise ValueError(f"{where}: answer {answer!r}, expected one of {', '.join(allowed[name])}")
    place = {name: i for i, name in enumerate(allowed)}
    values = [
        FAVOURED[answer] if name in features else answer for name, answer in zip(names, answers["answer"], strict=True)
    ]
    column = np.array([place[name] for name in names], dtype=int)
    filled = np.empty(len(values), dtype=object)
    filled[:] = values
    return column, filled


def cluster_of(frame: pd.DataFrame) -> pd.Series:
    """Return the cluster of each row's conversation: that of its near-copies, else the conversation itself."""
    return frame[CLUSTER if CLUSTER in frame else "conversation_id"]


def check_ids(frame: pd.DataFrame, name: str) -> None:
    """Raise `ValueError` naming the first row of a frame whose conversation or annotator is missing."""
    for column in ("conversation_id", "worker_id"):
        if (missing := frame[column].isna()).any():
            row = frame.index[missing.to_numpy().argmax()]
            raise ValueError(f"{name}: row {row}: {column} is missing, expected an id in each row")


def entities_frame(annotations: pd.DataFrame, features: Sequence[str] = FEATURES) -> pd.DataFrame:
    """Return one row per annotation and entity: annotation i has the rows 2i (entity 0) and 2i + 1 (entity 1), or one
    where one entity alone is judged.

    A feature is +1 where this entity is favoured, -1 where the other is, 0 where neither. When it was spotted is what
    `parlai_spotbot.analysis.survival.events` makes of these rows. Raises `ValueError` naming the row where a
    conversation or annotator is missing.
    """
    check_ids(annotations, "annotations")
    halves = [
        annotations[["annotation_id", "source", "worker_id", "item_id", "conversation_id", "k"]].assign(
            entity=entity,
            name=annotations[name],
            opponent=annotations[opponent],
            nature=annotations[f"nature{entity}"],
            **{feature: sign * annotations[feature] for feature in features},
            **{column: annotations[column] for column in (CLUSTER,) if column in annotations},
        )
        for entity, (name, opponent, sign) in enumerate((("a", "b", 1), ("b", "a", -1)))
    ]
    frame = pd.concat(halves).sort_index(kind="stable")
    return frame[frame["nature"].notna()].reset_index(drop=True)


def matches_frame(annotations: pd.DataFrame, criterion: str = "nature") -> pd.DataFrame:
    """Return one row per match, with `outcome` +1 where `a` wins, -1 where `b` wins, 0 for a tie (section 3.2).

    Conversations between people, and of a bot with itself, are no matches. The index is that of `annotations`.

    Parameters
    ----------
    criterion : str
        "nature" (human > unsure > bot), a feature that was asked, or "sensibleness_and_specificity" (favoured in both).

    Raises
    ------
    ValueError
        For another criterion; names the row where a conversation or annotator is missing.
    """
    check_ids(annotations, "annotations")
    contest = annotations[(annotations["a"] != HUMAN) & (annotations["a"] != annotations["b"])]
    if criterion == "nature":
        level = {nature: -place for place, nature in enumerate(NATURES)}
        outcome = np.sign(contest["nature0"].map(level) - contest["nature1"].map(level))
    elif criterion == "sensibleness_and_specificity":
        same = contest["sensibleness"] == contest["specificity"]
        outcome = contest["sensibleness"].where(same, 0)
    elif criterion in contest and criterion not in ABOUT:
        outcome = contest[criterion]
    else:
        criteria = ("nature", *(name for name in FEATURES if name in contest), "sensibleness_and_specificity")
        raise ValueError(f"criterion is {criterion!r}, expected one of {', '.join(criteria)}")
    matches = contest[[name for name in OF_MATCH if name in contest]].copy()
    matches["outcome"] = outcome.astype(int)
    return matches
