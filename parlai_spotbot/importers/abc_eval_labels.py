"""The released labels of ABC-Eval as a study: nine behaviours of every turn, by two people, a language model and
classifiers of the time.

Finch, Finch & Choi (2022) collected them; Finch, Paek & Choi (2023) published those of 108 conversations that two
people annotated, with what gpt-3.5-turbo and, of six labels, a specialised classifier said. Labels are given, not
answers on a page: each is kept as what it is (`labels.GIVEN`), and labels that are not in the file stay unknown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.files import field as get
from parlai_spotbot.files import read_json
from parlai_spotbot.importers.conversations import numbered, plan_of
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.records import HUMAN, NAME, Conversation, Judgement, Turn
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
"""Who answered beside people; of some labels there is no specialised classifier."""

IDENTITY = re.compile(r"^(?P<place>\(\d+,\d+\))_(?P<bot>.+)$")
"""A dialogue's id: the number of the sitting and of the interactor, then the bot. Two dialogues share the former."""

REMEDY = "Name the file as its authors released it; the README of projects/abc_eval says where it is."


@dataclass(frozen=True)
class ImportedAnnotation:
    """One annotator's or judge's answers to one item; `about` are further fields of the judgements."""

    survey: str
    annotation_id: str
    conversation: Conversation
    item_id: str
    worker_id: str
    source: str = HUMAN
    about: Mapping[str, Any] = field(default_factory=dict)

    def judgement(self, target: str, question: str, answer: str) -> Judgement:
        """One answer about the conversation, or, with `conversation_ids` among `about`, about two."""
        ids = {"conversation_ids": (self.conversation.conversation_id,), "unit_id": "imported"}
        return Judgement(
            judgement_id=f"{self.annotation_id}-{question}-{target}",
            annotation_id=self.annotation_id,
            survey=self.survey,
            item_id=self.item_id,
            exchanges=self.conversation.exchanges,
            target=target,
            question=question,
            answer=answer,
            worker_id=self.worker_id,
            source=self.source,
            **{**ids, **self.about},
        )


def bot_of(identity: str, where: str) -> str:
    """The bot of a dialogue, by the paper's name, from the dialogue's id."""
    match = IDENTITY.match(identity)
    bot = match["bot"] if match else ""
    if not NAME.match(bot):
        raise UserError(f"{where}: {identity!r} is no id of a dialogue, such as '(63,1)_emora'.", REMEDY)
    return BOTS.get(bot, bot)


def label_named(name: Any, where: str) -> str:
    """Our name of their label; one that is not known is a `UserError`."""
    if name not in LABELS:
        raise UserError(f"{where}: behaviour {name!r} is not known.", nearest(str(name), LABELS))
    return LABELS[name]


def conversation(identity: str, bot: str, exchanges: list[tuple[str, str]], provenance: dict) -> Conversation:
    """A dialogue in which a person speaks first."""
    turns = [turn for said in exchanges for turn in (Turn(HUMAN, said[0]), Turn(bot, said[1]))]
    pair = (min(bot, HUMAN), max(bot, HUMAN))
    return Conversation(identity, DOMAIN, pair, 0, (HUMAN, bot), tuple(turns), 0, provenance=provenance)


def released_labels(path: Path | str) -> ImportedStudy:
    """Read the file of nine labels: ``{dialogue: [{"user", "system", "behaviors": {label: {"human", "gpt", …}}}]}``.

    Who annotated is not in the file: the annotators of a dialogue bear its number, so that nothing is taken to be by
    one person that may not be. Raises `UserError` that names dialogue, turn, behaviour and field.
    """
    path = Path(path)
    data = read_json(path, "file of labels", REMEDY)
    if not isinstance(data, dict) or not data:
        raise UserError(f"{path}: expected dialogues by their ids.", REMEDY)
    conversations, judgements = [], []
    for number, (identity, turns) in enumerate(data.items()):
        where = f"{path}: dialogue '{identity}'"
        if not isinstance(turns, list) or not turns:
            raise UserError(f"{where}: expected a list of turns.", REMEDY)
        talk = conversation(identity, bot_of(identity, where), list(_said(turns, where)), {})
        conversations.append(talk)
        judgements += _judgements(talk, turns, number, where)
    known = sorted({GIVEN[row.question] for row in judgements}, key=EVERY_LABEL.index)
    about = {
        "format": "abc_eval",
        "source": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "options": {},
        "conversations": len(conversations),
        "annotations": len({j.annotation_id for j in judgements}),
        "notes": [
            f"labels in the file: {', '.join(known)}; the others of the survey are not known",
            "the file gives labels, not what was answered on a page: they are kept as given",
            "who annotated is not in the file: each dialogue has two annotators of its own",
        ],
    }
    found = numbered(conversations)
    return ImportedStudy(plan_of(found, DOMAIN, None), found, SURVEY, (), judgements, about)


def _said(turns: list, where: str) -> Iterator[tuple[str, str]]:
    for number, turn in enumerate(turns):
        place = f"{where}, turn {number}"
        if not isinstance(turn, dict):
            raise UserError(f"{place}: expected keys and values, found {turn!r}.", REMEDY)
        yield get(turn, "user", str, place), get(turn, "system", str, place)


def _judgements(talk: Conversation, turns: list, number: int, where: str) -> Iterator[Judgement]:
    """The answers of both people and of the judges; an annotation is a dialogue in one task."""
    people = None
    for place, turn in enumerate(turns):
        here = f"{where}, turn {place}"
        for name, given in get(turn, "behaviors", dict, here).items():
            label, spot = label_named(name, here), f"{here}, behaviour '{name}'"
            if not isinstance(given, dict):
                raise UserError(f"{spot}: expected keys and values, found {given!r}.", REMEDY)
            answers = [_bit(value, f"{spot}, field 'human'") for value in get(given, "human", list, spot)]
            people = len(answers) if people is None else people
            if len(answers) != people or not people:
                raise UserError(f"{spot}, field 'human': {len(answers)} answers, expected {people or 'some'}.", REMEDY)
            rows = [(HUMAN, f"{number:03d}-{i}", value) for i, value in enumerate(answers)]
            rows += [(f"judge:{j}", j, _bit(given[j], f"{spot}, field '{j}'")) for j in JUDGES if j in given]
            for source, worker, value in rows:
                task = task_of_label(label)
                annotation = f"{talk.conversation_id}-{task}-{worker}"
                answer = ("no", "yes")[value]
                item = f"{talk.conversation_id}-{task}"
                own = ImportedAnnotation(SURVEY, annotation, talk, item, worker, source)
                yield own.judgement(f"turn:{2 * place + 1}", QUESTION[label], answer)


def _bit(value: Any, where: str) -> int:
    if type(value) is not int or value not in (0, 1):
        raise UserError(f"{where}: {value!r}, expected 0 or 1.", REMEDY)
    return value
