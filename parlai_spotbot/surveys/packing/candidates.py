"""Questions with candidates for the next turn: a unit is all the questions of one person, in one of several versions.

Lowe et al. (2016, section 4.2): four versions, so that people see different questions; the shares of the corpora differ
from group to group. The groups share as many questions as their shares allow, so that they can be compared on the same
ones. The key is in surveys/nuc/questions.jsonl alone, never in a unit.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Unit, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import nuc
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.nuc_groups import Group, Groups, read_groups
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions, write_questions
from parlai_spotbot.surveys.packing.packing import WHOLE, Packing, PackRequest
from parlai_spotbot.surveys.packing.units_file import Packed, check_options, existing_units, packed_with
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.normal_forms import bare_text

VERSIONS = 4
FEWEST_QUESTIONS, MOST_QUESTIONS = 30, 40
"""Questions a person, by the paper; other numbers are told of, not refused."""


def made_by(study: Study) -> str:
    """Return the remedy for missing questions."""
    return f"Make them: {hints.command('nuc', study.path)}\n  or name a file of them: --nuc-questions FILE"


# -- the key ---------------------------------------------------------------------------------------------------------
def questions_path(study: Study) -> Path:
    """Return the path of the units' questions, with the key, which never go to a browser."""
    return study.survey_path(nuc.SURVEY.name) / "questions.jsonl"


def nuc_item(question: NucQuestion, seed: int) -> Item:
    """Return a question as an annotator gets it: context and candidates; `judged` speaks next."""
    turns = tuple(Utterance(s, t) for s, t in zip(question.speakers[:-1], question.context, strict=True))
    return Item(
        item_id=opaque("nuc", seed, question.question_id, *question.context, *question.candidates),
        conversation_ids=(question.conversation_id,),
        exchanges=(len(turns) + 1) // 2,
        transcripts=(turns,),
        judged=(question.speakers[-1],),
        candidates=question.candidates,
    )


def key_of(study: Study) -> dict[str, NucQuestion]:
    """Return the question of each item by the item's id; its `true` is the place of the right candidate.

    Raises `UserError` where nothing is packed, or the questions are not those of the units.
    """
    packed = packed_with(study, nuc.SURVEY.name)
    if packed is None:
        raise UserError(f"{study.path}: no questions are packed.", hints.run("pack", study.path, nuc.SURVEY.name))
    path = questions_path(study)
    key = {nuc_item(question, packed["seed"]).item_id: question for question in read_questions(path)}
    lost = {item.item_id for unit in study.units(nuc.SURVEY.name) for item in unit.items} - set(key)
    if lost:
        raise UserError(f"{path}: {len(lost)} items of the units are of no question of it.", "Put the old file back.")
    return key


# -- packing ---------------------------------------------------------------------------------------------------------
class CandidatesPacking(Packing):
    """Questions with candidates for the next turn."""

    name = "questions"
    of_conversations = False
    grouped = True
    refuses = ((("segments", "leave_out", *WHOLE), "shows questions that are made beforehand"),)

    def as_packed(self, study: Study, survey: Survey) -> Survey:
        """With as many candidates as the study's questions have, and the subject that its groups name."""
        recorded = packed_with(study, survey.name)
        if recorded is None:
            return survey
        return nuc.with_candidates(survey, recorded["candidates"], recorded["subject"] or nuc.SUBJECT)

    def packed(self, study: Study, survey: Survey, request: PackRequest) -> Packed:
        """See `Packing.packed`.

        Every group has `people` units (where its file doesn't say, `annotators_per_segment` of each version); unit i of
        a group is of version i modulo their number. More people, and further groups, get further units. Raises
        `UserError` where questions are missing, too few, or can't be shown.
        """
        name = survey.name
        recorded = packed_with(study, name) or {}
        questions, corpora = _questions(study, request)
        groups = _groups(request, recorded, corpora)
        versions = recorded.get("versions", VERSIONS)
        size, each = request.unit_size, request.annotators_per_segment
        size = recorded.get("unit_size", survey.unit_size) if size is None else size
        each = recorded.get("annotators", survey.annotators_per_item) if each is None else each
        check_options({"--unit-size": size, "--annotators-per-item": each}, "keep")
        seed = recorded.get("seed", study.plan.seed) if request.seed is None else request.seed
        options = {
            "survey": name,
            "seed": seed,
            "versions": versions,
            "unit_size": size,
            "annotators": each,
            "candidates": max(len(question.candidates) for question in questions),
            "subject": groups.subject,
            "groups": [group.to_json() for group in groups.groups],
            "segments": [1],
            "surface": "keep",
        }
        items = {nuc_item(question, seed).item_id: question for question in questions}
        existing = existing_units(study, name, options, lambda units: _of(units, items), _goes_on)
        _same_questions(study, existing, questions)
        lists = {corpus: _versions([q for q in questions if q.corpus == corpus], versions) for corpus in corpora}
        made = _units(name, groups, lists, options)
        added = [unit for unit in made if unit.unit_id not in {one.unit_id for one in existing}]
        if not existing:
            write_questions(questions_path(study), questions)
        few = f"{size} questions a person: the paper has {FEWEST_QUESTIONS} to {MOST_QUESTIONS}, in 40 minutes"
        warnings = [] if FEWEST_QUESTIONS <= size <= MOST_QUESTIONS else [few]
        return Packed(options, existing, added, _tables([*existing, *added], items), warnings=warnings)


def _questions(study: Study, request: PackRequest) -> tuple[list[NucQuestion], list[str]]:
    """Return the questions, all of which people can be shown, and their corpora in order."""
    copy, default = questions_path(study), study.path / "nuc" / "questions.jsonl"
    path = Path(request.nuc_questions).expanduser() if request.nuc_questions else copy if copy.exists() else default
    if not path.exists():
        raise UserError(f"{path}: no such file of questions.", made_by(study))
    questions = read_questions(path)
    if not questions:
        raise UserError(f"{path}: holds no question.", made_by(study))
    for question in questions:
        count, speakers = len(question.candidates), max(question.speakers) + 1
        if not 2 <= count <= nuc.MOST_CANDIDATES or speakers > 2:
            raise UserError(
                f"{path}: question {question.question_id} has {count} candidates and {speakers} speakers; people are "
                f"shown two speakers and 2 to {nuc.MOST_CANDIDATES} candidates.",
                "Make other questions for people: parlai spotbot_nuc, or take another file (--nuc-questions FILE).",
            )
    return questions, list(dict.fromkeys(question.corpus for question in questions))


def _groups(request: PackRequest, mapping: Mapping, corpora: Sequence[str]) -> Groups:
    if request.groups:
        return read_groups(request.groups, corpora)
    if mapping:
        return Groups(tuple(Group(**row) for row in mapping["groups"]), mapping["subject"])
    return Groups()


def _of(units: Sequence[Unit], items: Mapping[str, NucQuestion]) -> bool:
    return all(item.item_id in items for unit in units for item in unit.items)


def _goes_on(mapping: Mapping, requested: Mapping) -> bool:
    """Return True if only people and groups were added, which leaves what is packed as it is."""
    groups = {row["name"]: row for row in requested["groups"]}

    def fixed(row: Mapping) -> dict:
        return {key: value for key, value in row.items() if key not in ("groups", "annotators", "people")}

    return (
        fixed(mapping) == fixed(requested)
        and mapping["annotators"] <= requested["annotators"]
        and all(fixed(row) == fixed(groups.get(row["name"], {})) for row in mapping["groups"])
        and all(_people(row, mapping) <= _people(groups[row["name"]], requested) for row in mapping["groups"])
    )


def _people(row: Mapping, options: Mapping) -> int:
    return row["people"] or options["annotators"] * options["versions"]


def _same_questions(study: Study, existing: Sequence[Unit], questions: Sequence[NucQuestion]) -> None:
    """Units that stay were drawn from all the questions: with others the versions would be others."""
    path = questions_path(study)
    if existing and path.exists() and read_questions(path) != list(questions):
        raise UserError(
            f"{path}: the units that are packed were made of these questions, not of the file named.",
            "Leave --nuc-questions out, or use another --study.",
        )


def _versions(questions: Sequence[NucQuestion], count: int) -> list[list[NucQuestion]]:
    """Deal the questions of one corpus to versions, in order.

    A version has one question of a conversation, and no text that is said in one question and offered in another.
    """
    dealt: list[list[NucQuestion]] = [[] for _ in range(count)]
    shown: list[tuple[set[str], set[str], set[str]]] = [(set(), set(), set()) for _ in range(count)]
    for question in questions:
        spoken = {bare_text(text) for text in (*question.context, question.answer)}
        offered = {bare_text(text) for text in question.candidates}
        texts_shown = ({question.conversation_id}, spoken, offered)
        beside = ({question.conversation_id}, offered, spoken)
        fitting = [n for n in range(count) if all(map(set.isdisjoint, shown[n], beside))]
        if fitting:
            number = min(fitting, key=lambda n: (len(dealt[n]), n))
            dealt[number].append(question)
            for texts, more in zip(shown[number], texts_shown, strict=True):
                texts |= more
    return dealt


def _units(name: str, groups: Groups, lists: Mapping[str, list[list[NucQuestion]]], options: Mapping) -> list[Unit]:
    """Return the units of all groups; nobody may have two of them, so they are one block."""
    corpora, size, seed = list(lists), options["unit_size"], options["seed"]
    block = opaque("nuc block", seed)
    units = []
    for place, group in enumerate(groups.groups):
        counts = group.counts(corpora, size)
        _check_enough(group.name, counts, lists, options)
        for number in range(_people(group.to_json(), options)):
            version = number % options["versions"]
            questions = [q for corpus in corpora for q in lists[corpus][version][: counts[corpus]]]
            unit_id = opaque("nuc unit", seed, group.name, number)
            random.Random(f"nuc order {unit_id}").shuffle(questions)
            units.append(
                Unit(
                    unit_id=unit_id,
                    survey=name,
                    block_id=block,
                    rotation=place * options["versions"] + version,
                    replicate=number // options["versions"],
                    items=tuple(nuc_item(question, seed) for question in questions),
                    group=group.name,
                )
            )
    return units


def _check_enough(
    group: str, counts: Mapping[str, int], lists: Mapping[str, list[list[NucQuestion]]], options: Mapping
) -> None:
    for corpus, count in counts.items():
        least = min(map(len, lists[corpus]))
        if least < count:
            there = sum(map(len, lists[corpus]))
            of_group = f" of group '{group}'" if group else ""
            raise UserError(
                f"corpus '{corpus}': {there} questions can be dealt to {options['versions']} versions, {least} to the "
                f"smallest, but a version{of_group} takes {count} of the {options['unit_size']} from it; in a version "
                "no two are of one conversation, and none gives away another's answer.",
                f"Make more questions (about {2 * count * options['versions']} of it), or ask for fewer "
                "questions a person (--unit-size).",
            )


def _tables(units: Sequence[Unit], items: Mapping[str, NucQuestion]) -> dict:
    """Count the people of each group with the questions of one of them by corpus, and the used questions."""
    groups: dict[str, dict[str, int]] = {}
    for unit in units:
        row = groups.setdefault(unit.group or "everybody", {"people": 0})
        row["people"] += 1
        if row["people"] == 1:
            row |= Counter(items[item.item_id].corpus for item in unit.items)
    there = Counter(question.corpus for question in items.values())
    used = Counter(items[i].corpus for i in {item.item_id for unit in units for item in unit.items})
    corpora = {name: {"questions": there[name], "used": used[name]} for name in there}
    return {"questions of each group": groups, "corpus": corpora}
