"""Questions with candidates for the next turn: a unit is all the questions of one person, in one of several versions.

Lowe et al. (2016, section 4.2): four versions, so that people see different questions; the shares of the corpora differ
from group to group. The groups share as many questions as their shares allow, so that they can be compared on the same
ones. The key is in surveys/nuc/questions.jsonl alone, never in a unit.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Unit, Utterance
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import nuc
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.nuc_groups import Group, Groups, read_groups
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions, write_questions
from parlai_spotbot.surveys.packing.packing import Packing, PackRequest, given_or
from parlai_spotbot.surveys.packing.units_file import Packed, check_options, existing_units, items_of, packed_with
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.normal_forms import bare_text

VERSIONS = 4
FEWEST_QUESTIONS = 30
MOST_QUESTIONS = 40
"""Questions a person, by the paper; other numbers get a warning."""

OF_PAPER = f"the paper has {FEWEST_QUESTIONS} to {MOST_QUESTIONS}, in 40 minutes"


# -- the key ---------------------------------------------------------------------------------------------------------
def questions_path(data: SurveyFiles) -> Path:
    """Return the path of the units' questions, with the key, which never go to a browser."""
    return data.path / "questions.jsonl"


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


def key_of(data: SurveyFiles) -> dict[str, NucQuestion]:
    """Return the question of each item by the item's id; its `true` is the place of the right candidate.

    Raises `UserError` where nothing is packed, or the questions are not those of the units.
    """
    packed = packed_with(data)
    if packed is None:
        folder = data.study.path
        raise UserError(f"{folder}: no questions are packed.", hints.run("pack", folder, data.survey))
    path = questions_path(data)
    key = {nuc_item(question, packed["seed"]).item_id: question for question in read_questions(path)}
    lost = set(data.items) - set(key)
    if lost:
        raise UserError(f"{path}: {len(lost)} items of the units are of no question of it.", "Put the old file back.")
    return key


# -- packing ---------------------------------------------------------------------------------------------------------
class CandidatesPacking(Packing):
    """Questions with candidates for the next turn."""

    name = "questions"
    of_conversations = False
    grouped = True
    takes = ("unit_size", "annotators_per_segment", "nuc_questions", "versions", "groups")

    def as_packed(self, survey: Survey, recorded: Mapping) -> Survey:
        """With as many candidates as the study's questions have, and the subject that its groups name."""
        if not recorded:
            return survey
        return nuc.with_candidates(survey, recorded["candidates"], recorded["subject"] or nuc.SUBJECT)

    def packed(self, data: SurveyFiles, survey: Survey, request: PackRequest) -> Packed:
        """See `Packing.packed`.

        Every group has `people` units (where its file doesn't say, `annotators_per_segment` of each version); unit i of
        a group is of version i modulo their number. More people, and further groups, get further units. Raises
        `UserError` where questions are missing, too few, or can't be shown.
        """
        recorded = packed_with(data) or {}
        path = questions_path(data)
        questions = _questions(request, path, data.study.path)
        by_corpus: dict[str, list[NucQuestion]] = {}
        for question in questions:
            by_corpus.setdefault(question.corpus, []).append(question)
        groups = _groups(request, recorded, list(by_corpus))
        options = {
            **_options(survey, request, recorded, data.plan.seed),
            "candidates": max(len(question.candidates) for question in questions),
            "subject": groups.subject,
            "groups": [group.to_json() for group in groups.groups],
            "segments": [1],
            "surface": "keep",
        }
        versions = {corpus: _versions(part, options["versions"]) for corpus, part in by_corpus.items()}
        unit_by_id = {unit.unit_id: unit for unit in _units(survey.name, groups, versions, options)}
        existing = existing_units(
            data,
            options,
            lambda units: all(
                unit.unit_id in unit_by_id and unit_by_id[unit.unit_id].items == unit.items for unit in units
            ),
            None,
        )
        if not existing:
            write_questions(path, questions)
        there = {unit.unit_id for unit in existing}
        added = [unit for name, unit in unit_by_id.items() if name not in there]
        warnings = []
        if not FEWEST_QUESTIONS <= options["unit_size"] <= MOST_QUESTIONS:
            warnings.append(f"{options['unit_size']} questions a person: {OF_PAPER}")
        corpus_by_item = {nuc_item(question, options["seed"]).item_id: question.corpus for question in questions}
        return Packed(options, existing, added, _tables([*existing, *added], corpus_by_item), warnings=warnings)


def _options(survey: Survey, request: PackRequest, recorded: Mapping, seed: int) -> dict[str, Any]:
    """Return the numbers of packing: as requested, else as packed before, else the survey's, and this seed."""
    size = given_or(request.unit_size, recorded.get("unit_size", survey.unit_size))
    each = given_or(request.annotators_per_segment, recorded.get("annotators", survey.annotators_per_item))
    versions = given_or(request.versions, recorded.get("versions", VERSIONS))
    check_options({"--unit-size": size, "--annotators-per-item": each, "--versions": versions})
    return {
        "survey": survey.name,
        "seed": given_or(request.seed, recorded.get("seed", seed)),
        "versions": versions,
        "unit_size": size,
        "annotators": each,
    }


def _questions(request: PackRequest, packed: Path, folder: Path) -> list[NucQuestion]:
    """Return questions that people can be shown: those requested, else those `packed`, else those of the study."""
    path = packed
    if request.nuc_questions:
        path = Path(request.nuc_questions).expanduser()
    elif not packed.exists():
        path = folder / "nuc" / "questions.jsonl"
    if not path.exists():
        make = hints.command("nuc", folder)
        remedy = hints.Remedy("Make them: ", make, "\n  or name a file: --nuc-questions FILE")
        raise UserError(f"{path}: no such file of questions.", remedy)
    questions = read_questions(path)
    for question in questions:
        count = len(question.candidates)
        speakers = max(question.speakers) + 1
        if not 2 <= count <= nuc.MOST_CANDIDATES or speakers > 2:
            raise UserError(
                f"{path}: question {question.question_id} has {count} candidates and {speakers} speakers; people are "
                f"shown two speakers and 2 to {nuc.MOST_CANDIDATES} candidates.",
                "Make other questions for people: parlai spotbot_nuc, or take another file (--nuc-questions FILE).",
            )
    return questions


def _groups(request: PackRequest, mapping: Mapping, corpora: Sequence[str]) -> Groups:
    if request.groups:
        return read_groups(request.groups, corpora)
    if mapping:
        return Groups(tuple(Group(**row) for row in mapping["groups"]), mapping["subject"])
    return Groups()


def _people(row: Mapping, options: Mapping) -> int:
    return row["people"] or options["annotators"] * options["versions"]


def _versions(questions: Sequence[NucQuestion], count: int) -> list[list[NucQuestion]]:
    """Deal the questions of one corpus to versions, in order.

    A version has one question of a conversation, and no text that is a turn of one question and a candidate of another.
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
    seed = options["seed"]
    block = opaque("nuc block", seed)
    units = []
    for place, group in enumerate(groups.groups):
        counts = group.counts(list(lists), options["unit_size"])
        _check_enough(group.name, counts, lists, options)
        for number in range(_people(group.to_json(), options)):
            version = number % options["versions"]
            questions = [q for corpus, dealt in lists.items() for q in dealt[version][: counts[corpus]]]
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
            needed = "are needed"
            if group:
                needed = f"are needed for group {group!r}"
            raise UserError(
                f"corpus '{corpus}': the smallest of {options['versions']} versions has {least} questions, but "
                f"{count} {needed}; in a version no two are of one conversation, and none gives away another's answer.",
                f"Make more questions (about {2 * count * options['versions']} of it), or ask for fewer "
                "questions a person (--unit-size).",
            )


def _tables(units: Sequence[Unit], corpus_by_item: Mapping[str, str]) -> dict:
    """Count the people of each group with the questions of one of them by corpus, and the used questions."""
    groups: dict[str, dict[str, int]] = {}
    for unit in units:
        corpora = Counter(corpus_by_item[item.item_id] for item in unit.items)
        groups.setdefault(unit.group or "everybody", {"people": 0, **corpora})["people"] += 1
    there = Counter(corpus_by_item.values())
    used = Counter(corpus_by_item[item.item_id] for item in items_of(units))
    corpora = {name: {"questions": there[name], "used": used[name]} for name in there}
    return {"questions of each group": groups, "corpus": corpora}


PACKING = CandidatesPacking()
