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
from parlai_spotbot.records import FEATURES, HUMAN, NATURES, Conversation

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
    first, given = _by_annotation(answers, allowed)
    frame = first[["annotation_id", "source", "worker_id", "unit_id", "item_id", "conversation_id"]].copy()
    talks = [conversations[identity] for identity in first["conversation_id"]]
    frame["a"] = [talk.entities[judged[0]] for talk in talks]
    frame["b"] = [talk.entities[judged[-1]] for talk in talks]
    frame["k"] = first["exchanges"]
    columns = dict(zip(allowed, given.T, strict=True))
    for name in ("nature0", "nature1", *features):
        frame[name] = columns.get(name)
    frame["seconds"] = first["seconds"]
    if CLUSTER in first:
        frame[CLUSTER] = first[CLUSTER]
    reasons = _reasons(talks, kinds, given)
    frame = frame[reasons == ""].reset_index(drop=True)
    return frame.astype(dict.fromkeys(features, int)), _left_out(first, reasons)


def _by_annotation(answers: pd.DataFrame, allowed: Mapping[str, Sequence[str]]) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the first row of each annotation, and its answers (n, columns in `allowed`), None where one is missing."""
    column, value = _checked(answers, allowed)
    key = answers["source"] + "\t" + answers["annotation_id"]
    code, _ = pd.factorize(key)
    first = answers.loc[~key.duplicated()]
    given = np.full((len(first), len(allowed)), None, dtype=object)
    given[code, column] = value
    return first, given


def _reasons(talks: Sequence[Conversation], kinds: Sequence[str], given: np.ndarray) -> np.ndarray:
    """Return why each annotation is left out, "" for those that are kept."""
    reasons = ["" if talk.kind in kinds else NO_MATCH[talk.kind] for talk in talks]
    lacking = (given == None).any(axis=1)  # noqa: E711
    return np.where(lacking, [reason or "incomplete annotation" for reason in reasons], reasons)


def _left_out(first: pd.DataFrame, reasons: np.ndarray) -> dict[str, dict[str, int]]:
    """Return how many annotations of each source were left out, by reason."""
    left_out: dict[str, dict[str, int]] = {}
    for _, source, reason in sorted(zip(first["number"], first["source"], reasons, strict=True)):
        if reason:
            count(left_out, source, str(reason))
    return left_out


def _checked(answers: pd.DataFrame, allowed: Mapping[str, Sequence[str]]) -> ArrayPair:
    """Return which of the columns in `allowed` each answer belongs to (n,), and its value there (n,)."""
    questions: dict[tuple[str, str], str] = {}
    for name, expected in allowed.items():
        key = ("nature", f"entity:{name[-1]}") if expected is NATURES else (name, "pair")
        questions[key] = name
    names = [questions.get(pair, "") for pair in zip(answers["question"], answers["target"], strict=True)]
    checked = zip(*(answers[name] for name in ("conversation_ids", "exchanges", "answer")), names, strict=True)
    for row, (ids, exchanges, answer, name) in enumerate(checked):
        if len(ids) != 1 or exchanges < 1 or answer not in allowed.get(name, ()):
            raise ValueError(_problem(answers.iloc[row], name, questions, allowed))
    place = {name: i for i, name in enumerate(allowed)}
    values = [FAVOURED.get(answer, answer) for answer in answers["answer"]]
    return np.array([place[name] for name in names], dtype=int), np.array(values, dtype=object)


def _problem(row: pd.Series, name: str, questions: Mapping[tuple, str], allowed: Mapping[str, Sequence[str]]) -> str:
    """Return what is wrong with an answer to the question `name`."""
    if len(row["conversation_ids"]) != 1:
        problem = f"conversation_ids {list(row['conversation_ids'])}, expected exactly one"
    elif row["exchanges"] < 1:
        problem = f"exchanges {row['exchanges']}, expected a whole number from 1 up"
    elif not name:
        expected = ", ".join(f"'{question}' about '{target}'" for question, target in questions)
        problem = f"question '{row['question']}' about target '{row['target']}', expected one of {expected}"
    else:
        problem = f"answer {row['answer']!r}, expected one of {', '.join(allowed[name])}"
    return f"judgement {row['number']} ({row['judgement_id']}): {problem}"


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
    kept = ["annotation_id", "source", "worker_id", "item_id", "conversation_id", "k"]
    halves = []
    for entity, (name, opponent, sign) in enumerate((("a", "b", 1), ("b", "a", -1))):
        half = annotations[kept].assign(
            entity=entity,
            name=annotations[name],
            opponent=annotations[opponent],
            nature=annotations[f"nature{entity}"],
            **{feature: sign * annotations[feature] for feature in features},
        )
        if CLUSTER in annotations:
            half[CLUSTER] = annotations[CLUSTER]
        halves.append(half)
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
