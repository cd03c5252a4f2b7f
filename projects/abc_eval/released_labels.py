"""The released labels of ABC-Eval as a study: nine behaviours of every turn, by two people and two automatic judges.

Finch, Finch & Choi (2022) collected them; Finch, Paek & Choi (2023) published those of 108 conversations that two
people annotated, with what gpt-3.5-turbo and, of six labels, a specialised classifier said. Labels are given, not
answers on a page: each is kept as what it is (`labels.GIVEN`), and labels that are not in the file stay unknown.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import read_json, sha256
from parlai_spotbot.importers.imported_study import ImportedStudy, numbered, plan_of
from parlai_spotbot.records import HUMAN, Conversation, Judgement, Turn
from parlai_spotbot.surveys.abc_eval.labels import EVERY_LABEL, GIVEN, task_of_label

SURVEY = "abc_eval"
DOMAIN = "chitchat"

BOTS = {
    "blender2_3B": "Blender2",
    "bart_fid_rag_bcb": "BART-FiD-RAG",
    "rerank_blender": "Blender-Decode",
    "emora": "Emora",
    "cem": "CEM",
    "dukenet": "DukeNet",
}
"""Their names of bots and the paper's."""

LABELS = {label.replace("_", " "): label for label in EVERY_LABEL} | {
    "correct fact": "fact_usage",
    "incorrect fact": "fact_contradiction",
}
"""Their names of labels and ours, which are the paper's."""

QUESTION = {label: question for question, label in GIVEN.items()}
"""The question by which each label is kept."""

JUDGES = ("gpt", "specialized")
"""Automatic judges; of some labels there is no specialised classifier."""

YES_NO = {0: "no", 1: "yes"}

IDENTITY = re.compile(r"^\(\d+,\d+\)_(?P<bot>.+)$")
"""A dialogue's id: the number of the sitting and of the interactor, then the bot. Two dialogues share the former."""

REMEDY = "Name the file as its authors released it; the README of projects/abc_eval says where it is."


@contextmanager
def as_released(path: Path, place: list[str]) -> Iterator[Any]:
    """Yield the values of a JSON file; unexpected values become a `UserError` that names the `place`."""
    try:
        yield read_json(path, "released file", REMEDY, nan=True)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as err:
        where = f"{path}{''.join(f', {part}' for part in place)}"
        raise UserError(f"{where}: not as released: {type(err).__name__}: {err}.", REMEDY) from None


def conversation(identity: str, bot: str, exchanges: Iterable[tuple[str, str]], provenance: dict) -> Conversation:
    """Return a dialogue in which a person speaks first; `bot` is their name of the bot."""
    bot = BOTS.get(bot, bot)
    turns = [turn for exchange in exchanges for turn in (Turn(HUMAN, exchange[0]), Turn(bot, exchange[1]))]
    pair = (min(bot, HUMAN), max(bot, HUMAN))
    return Conversation(identity, DOMAIN, pair, 0, (HUMAN, bot), tuple(turns), 0, provenance=provenance)


def judgement(
    talk: Conversation, survey: str, annotation: str, target: str, question: str, answer: str, **about: Any
) -> Judgement:
    """Return an answer about a conversation, or, with `conversation_ids` among `about`, about two."""
    about = {"conversation_ids": (talk.conversation_id,), "unit_id": "imported", "source": HUMAN} | about
    return Judgement(
        judgement_id=f"{annotation}-{question}-{target}",
        annotation_id=annotation,
        survey=survey,
        exchanges=talk.exchanges,
        target=target,
        question=question,
        answer=answer,
        **about,
    )


def released_labels(path: Path | str) -> ImportedStudy:
    """Read the file of nine labels: ``{dialogue: [{"user", "system", "behaviors": {label: {"human", "gpt", …}}}]}``.

    The file does not name annotators: those of a dialogue bear its number, so that no two dialogues are taken to be by
    one person. Raises `UserError` that names the dialogue.
    """
    path = Path(path)
    place = [""]
    conversations = []
    judgements = []
    with as_released(path, place) as dialogues:
        for number, (identity, turns) in enumerate(dialogues.items()):
            place[0] = f"dialogue '{identity}'"
            named = IDENTITY.match(identity)
            if named is None:
                raise ValueError("its name doesn't say which bot it is with")
            bot = named["bot"]
            talk = conversation(identity, bot, [(str(turn["user"]), str(turn["system"])) for turn in turns], {})
            conversations.append(talk)
            judgements += _judgements(talk, turns, number)
        every = [given for turns in dialogues.values() for turn in turns for given in turn["behaviors"].values()]
        if len({len(given["human"]) for given in every}) != 1:
            raise ValueError("labels by different numbers of people")
    labels = sorted({GIVEN[row.question] for row in judgements}, key=EVERY_LABEL.index)
    about = {
        **about_file(path, conversations, judgements),
        "notes": [
            f"labels in the file: {', '.join(labels)}; the others of the survey are not known",
            "the file gives labels, not what was answered on a page: they are kept as given",
            "who annotated is not in the file: each dialogue has two annotators of its own",
        ],
    }
    numbered_conversations = numbered(conversations)
    return ImportedStudy(
        plan_of(numbered_conversations, DOMAIN, None), numbered_conversations, SURVEY, (), judgements, about
    )


def about_file(path: Path, conversations: Sequence[Conversation], judgements: Iterable[Judgement]) -> dict[str, Any]:
    """Return what a study says of a released file, and of how much came out of it."""
    return {
        "format": "abc_eval",
        "source": path.name,
        "sha256": sha256(path),
        "options": {},
        "conversations": len(conversations),
        "annotations": len({judgement.annotation_id for judgement in judgements}),
    }


def _judgements(talk: Conversation, turns: list[Mapping], number: int) -> Iterator[Judgement]:
    """Yield the answers of both people and of the judges; an annotation is a dialogue in one task."""
    for place, turn in enumerate(turns):
        for name, given in turn["behaviors"].items():
            label = LABELS[name]
            rows = [(HUMAN, f"{number:03d}-{i}", value) for i, value in enumerate(given["human"])]
            rows += [(f"judge:{j}", j, given[j]) for j in JUDGES if given.get(j) is not None]
            item = f"{talk.conversation_id}-{task_of_label(label)}"
            for source, worker, value in rows:
                who = {"item_id": item, "worker_id": worker, "source": source}
                target = f"turn:{2 * place + 1}"
                yield judgement(talk, SURVEY, f"{item}-{worker}", target, QUESTION[label], YES_NO[value], **who)
