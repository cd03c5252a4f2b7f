"""ParlAI's `pairings.jsonl` (acute_eval): pairs of conversations to be compared, read into a study and written of one.

A line is a pair: `speakers_to_eval` names who is judged in each of the two `dialogue_dicts` (`speakers`, `dialogue` of
turns with `id` and `text`, perhaps `id`), `dialogue_ids` are ids of the dialogues, and `is_onboarding` marks a pair
whose better speaker, `correct_answer`, is known: a control. What is asked we write under `question` (and `tags`); other
programs pass over it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.conversations import numbered, plan_of
from parlai_spotbot.importers.format import ImportRequest, study_format
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.records import HUMAN, NAME, Conversation, Item, Turn
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, own_questions, survey_of
from parlai_spotbot.surveys.controls import KNOWN_CHOICE, controls_path, read_controls
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, whole_item
from parlai_spotbot.surveys.packing.whole_units import deal, pack_blocks

SURVEY = "acute_eval"
OTHER = "other_speaker"
"""What ParlAI calls the second seat of a self-chat; so do we in writing."""

PEOPLE = {"human_evaluator": HUMAN}
"""ParlAI's name for the person who talked to a model."""


# -- reading ---------------------------------------------------------------------------------------------------------
def pairings(
    path: Path | str,
    domain: str,
    *,
    names: Mapping[str, str] | None = None,
    question: str = "engagingness",
    segments: Sequence[int] | None = None,
) -> ImportedStudy:
    """A study of the conversations of a pairings file, with its pairs as units and its onboarding pairs as controls.

    Parameters
    ----------
    names : mapping
        The file's speakers -> contestants' names ("human" for people); "human_evaluator" is a person, and
        "other_speaker" the judged bot in its other seat, unless it says otherwise.
    question : str
        What pairs are asked that name no question under `question` or `tags`.

    Raises
    ------
    UserError
        Names file, line and field.
    """
    path, survey = Path(path), get_survey(SURVEY)
    main = [q.name for q in survey.main]
    if question not in main:
        raise UserError(f"--ask {question}: survey {SURVEY} has no such question.", nearest(question, main))
    free = tuple(q.name for q in survey.questions if q.kind == "free_text")
    options = WholeOptions(
        SURVEY,
        (question,),
        ("self",),
        companions=free,
        spread="items",
        surface="keep",
        unit_size=survey.unit_size,
        annotators_per_item=survey.annotators_per_item,
    )
    reader = _PairingReader(domain, {**PEOPLE, **(names or {})}, main, question, options)
    files.read_jsonl(path, reader.add, "pairings file", "Name a JSON Lines file, a pair a line.")
    if not reader.items:
        raise UserError(f"{path}: holds no pair to be compared.", "Name a file with a pair a line.")
    unused = sorted(set(names or {}) - reader.speakers)
    if unused:
        raise UserError(f"--names {unused[0]}: nobody bears that name.", nearest(unused[0], reader.speakers))
    shown = {i for item in reader.items for i in item.conversation_ids}
    found = numbered([c for c in reader.conversations.values() if c.conversation_id in shown])
    units = pack_blocks([[group] for group in deal(reader.items, options.unit_size, {})], options)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    asked = {
        "domain": domain,
        "names": dict(names or {}),
        "question": question,
        "unit_size": options.unit_size,
        "seed": options.seed,
        "segments": segments and list(segments),
    }
    about = {
        "format": "pairings",
        "source": path.name,
        "sha256": sha256,
        "conversations": len(found),
        "pairs": len(reader.items),
        "controls": len(reader.controls),
        "options": asked,
    }
    plan = replace(plan_of(found, domain, segments), surveys=(SURVEY,))
    return ImportedStudy(plan, found, SURVEY, units, (), about, reader.controls, reader.own)


@dataclass
class _PairingReader:
    """Reads line after line: items, controls, and every conversation once."""

    domain: str
    names: Mapping[str, str]
    main: Sequence[str]
    question: str
    options: WholeOptions
    items: list[Item] = field(default_factory=list)
    controls: list[Item] = field(default_factory=list)
    conversations: dict[str, Conversation] = field(default_factory=dict)
    speakers: set[str] = field(default_factory=set)
    places: dict[tuple[frozenset[str], str], str] = field(default_factory=dict)
    own: dict[str, dict] = field(default_factory=dict)

    def add(self, row: dict, where: str) -> None:
        judged = _two(row, "speakers_to_eval", str, where)
        dialogues = _two(row, "dialogue_dicts", dict, where)
        ids = _two(row, "dialogue_ids", (str, int), where) if "dialogue_ids" in row else [None, None]
        known = files.field(row, "is_onboarding", bool, where, False)
        read = [
            self._dialogue(d, who, i, f"{where}: field 'dialogue_dicts', dialogue {place}", known)
            for place, (d, who, i) in enumerate(zip(dialogues, judged, ids, strict=True))
        ]
        talks, seats = [c for c, _ in read], [seat for _, seat in read]
        questions = self.options.put([self._question(row, where)])
        item = whole_item(talks, seats, questions, self.options)
        if known:
            right = files.field(row, "correct_answer", str, where)
            if judged.count(right) != 1:
                raise UserError(
                    f"{where}: field 'correct_answer' is {right!r}, expected one of 'speakers_to_eval'.",
                    nearest(right, judged),
                )
            name = opaque("control", item.item_id, where.rpartition("line ")[2])
            self.controls.append(
                Item(
                    name,
                    item.conversation_ids,
                    item.exchanges,
                    item.transcripts,
                    KNOWN_CHOICE[judged.index(right)],
                    item.judged,
                    item.questions,
                )
            )
            return
        pair = frozenset(item.conversation_ids)
        if len(pair) < 2:
            raise UserError(f"{where}: field 'dialogue_dicts' holds one conversation twice.", "Remove the line.")
        shown = pair, item.questions[0]
        if shown in self.places:
            raise UserError(
                f"{where}: shows the same two conversations as {self.places[shown]}.",
                "Remove one: a pair is shown once on each question.",
            )
        self.places[shown] = where
        self.items.append(item)

    def _question(self, row: dict, where: str) -> str:
        tags = files.field(row, "tags", list, where, [])
        if "question" not in row:
            return next((tag for tag in tags if tag in self.main), self.question)
        about = dict(files.field(row, "question", dict, where))
        name = about.pop("name", None)
        if name in self.main:
            return name
        name = own_questions.checked_name(name, f"{where}: field 'question'")
        about = own_questions.checked(about, f"{where}: field 'question'")
        if self.own.setdefault(name, about) != about:
            raise UserError(
                f"{where}: field 'question' words '{name}' otherwise than an earlier line.",
                "Give the other wording another name.",
            )
        return name

    def _dialogue(
        self, row: dict, judged: str, given: str | int | None, where: str, known: bool
    ) -> tuple[Conversation, int]:
        turns = [
            (files.field(act, "id", str, where), files.field(act, "text", str, where))
            for act in files.field(row, "dialogue", list, where)
            if _is_act(act, where)
        ]
        speakers = [speaker for speaker, _ in turns[:2]]
        if len(turns) < 2 or len(set(speakers)) < 2:
            raise UserError(f"{where}: {len(turns)} turns, expected two speakers in turn.", "Correct it.")
        wrong = next((i for i, (speaker, _) in enumerate(turns) if speaker != speakers[i % 2]), None)
        if wrong is not None:
            raise UserError(
                f"{where}, turn {wrong}: is by '{turns[wrong][0]}', expected '{speakers[wrong % 2]}'.",
                "Two speakers take turns.",
            )
        if judged not in speakers:
            raise UserError(
                f"{where}: nobody is called '{judged}' (field 'speakers_to_eval').", nearest(judged, speakers)
            )
        self.speakers.update(speakers)
        entities = tuple(self._name(speaker, judged, where) for speaker in speakers)
        said = tuple(Turn(entities[i % 2], text) for i, (_, text) in enumerate(turns))
        conversation = Conversation(
            conversation_id=_identity(row, given, said, known),
            domain=self.domain,
            pair=(min(entities), max(entities)),
            number=0,
            entities=(entities[0], entities[1]),
            turns=said,
            seed_exchanges=0,
        )
        first = self.conversations.setdefault(conversation.conversation_id, conversation)
        if first != conversation:
            raise UserError(
                f"{where}: id '{conversation.conversation_id}' stands for another conversation on an earlier line.",
                "Give each conversation an id of its own.",
            )
        return conversation, speakers.index(judged)

    def _name(self, speaker: str, judged: str, where: str) -> str:
        if speaker == OTHER and speaker not in self.names:
            speaker = judged
        name = self.names.get(speaker, speaker)
        if not NAME.match(name):
            raise UserError(f"{where}: {name!r} can't be a contestant's name.", "Give it one with --names ID=NAME.")
        return name


def _two(row: dict, name: str, kind: type | tuple[type, ...], where: str) -> list:
    value = files.field(row, name, list, where)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if len(value) != 2 or any(type(part) not in kinds for part in value):
        what = " or ".join("object" if k is dict else k.__name__ for k in kinds)
        raise UserError(f"{where}: field '{name}' is not a list of two ({what}).", "Correct it.")
    return value


def _is_act(act: object, where: str) -> bool:
    if not isinstance(act, dict):
        raise UserError(
            f"{where}: field 'dialogue' holds {act!r}, expected objects with 'id' and 'text'.", "Correct it."
        )
    return act.get("id") != "context"


def _identity(row: dict, given: str | int | None, said: Sequence[Turn], known: bool) -> str:
    """The dialogue's own id, its id on the line, or one made of what was said."""
    own = row.get("id")
    if isinstance(own, str) and own:
        return own
    if given is not None:
        return str(given) if isinstance(given, str) else f"dialogue-{given}"
    text = files.dumps([[turn.speaker, turn.text] for turn in said])
    return ("control-" if known else "") + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# -- writing ---------------------------------------------------------------------------------------------------------
def check_pairings_path(survey: str, path: Path) -> Path:
    """`path`, checked before any work; a `UserError` where a survey has no pairs, or there is no such folder."""
    if not packing_of(get_survey(survey)).compares:
        raise UserError(f"--write-pairings: survey {survey} compares no conversations.", "Use --survey acute_eval.")
    if not path.parent.is_dir():
        raise UserError(f"--write-pairings {path}: there is no folder {path.parent}.", "Make it, or name another.")
    return path


def write_pairings(study: Study, survey: str, path: Path | str) -> int:
    """Write the pairs of a packed survey that compares conversations, as they are shown; returns how many lines.

    Controls that were set aside come first. ParlAI shows all pairs of a file the same question, so it needs one file a
    question.
    """
    entities = {c.conversation_id: c.entities for c in study.conversations()}
    about, own = survey_of(study, survey), own_questions.questions_of_study(study, survey)
    asked = (
        {
            q.name: {"name": q.name, "wording": q.wording, "option": q.options[0].label, **own.get(q.name, {})}
            for q in about.main
        }
        if about.spread == "items"
        else {}
    )
    units = study.units(survey)
    items = {item.item_id: item for unit in units for item in unit.items if unit.replicate == 0}
    controls = read_controls(study, survey) if controls_path(study, survey).exists() else []
    rows = []
    for item in (*controls, *items.values()):
        question = asked.get(item.questions[0]) if item.questions else None
        rows.append(_line(item, entities) | ({"question": question} if question else {}))
    files.write_jsonl(Path(path), rows)
    return len(rows)


def _line(item: Item, entities: Mapping[str, tuple[str, str]]) -> dict:
    judged, dialogues = [], []
    for place, (name, seat, turns) in enumerate(zip(item.conversation_ids, item.judged, item.transcripts, strict=True)):
        if item.control is None:
            who, other = entities[name][seat], entities[name][1 - seat]
        else:  # its conversation need not be in the study, and one of the two is a script
            right = item.control == KNOWN_CHOICE[place]
            who, other = ("human_as_model" if right else "weak_bot"), HUMAN
        other = {who: OTHER, HUMAN: "human_evaluator"}.get(other, other)
        ids = (who, other) if seat == 0 else (other, who)
        judged.append(who)
        dialogues.append(
            {
                "speakers": list(ids),
                "id": name,
                "dialogue": [{"id": ids[turn.entity], "text": turn.text} for turn in turns],
            }
        )
    row = {
        "is_onboarding": item.control is not None,
        "speakers_to_eval": judged,
        "tags": list(item.questions[:1]),
        "dialogue_ids": list(item.conversation_ids),
        "dialogue_dicts": dialogues,
    }
    if item.control is not None:
        row["correct_answer"] = judged[KNOWN_CHOICE.index(item.control)]
    return row


def _read(request: ImportRequest) -> ImportedStudy:
    return pairings(
        request["data"],
        request["domain"] or "imported",
        names=request.pairs("names"),
        question=request["ask"],
        segments=request.segments,
    )


FORMAT = study_format(_read)
