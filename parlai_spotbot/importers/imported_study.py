"""Imported data become a study, whole or not at all; the same import again changes nothing.

Everything is read and checked before the first byte is written, and study.yaml, which makes a folder a study, comes
last: an import that was stopped is simply run again. Further conversations may be added until units are packed.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import parlai_spotbot
from parlai_spotbot import checksums, files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Judgement, Unit, indexed
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan, check_segments
from parlai_spotbot.surveys.own_surveys import FILE, to_data
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.wording import counted

STEP = "import"
JUDGEMENTS = "import_judgements"
SEGMENTS = (2, 3, 5)
SAME = ("format", "source", "sha256", "options", "joined")
"""What two runs of one import share; the version of this package may differ."""


@dataclass(frozen=True)
class ImportedStudy:
    """Record of what an importer made: a plan and the records of one survey; `about` goes to provenance.json, with
    `unusable`, what the importer could not use through a fault (reason -> how often).

    `training` are the rounds of the training that annotators took, `others` the judgements of further surveys, `lines`
    those of surveys with millions, as pieces of their files, of which `table` is the `judgement_table`. `summary` says
    what was read where that is not conversations; `own` is the survey where it is none of the package.
    """

    plan: Plan
    conversations: Sequence[Conversation]
    survey: str
    units: Sequence[Unit]
    judgements: Sequence[Judgement]
    about: dict
    training: Sequence[dict] = ()
    others: Mapping[str, Sequence[Judgement]] = field(default_factory=dict)
    lines: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    table: Any = None
    summary: str = ""
    own: Survey | None = None


def contestant(name: str, description: str) -> Contestant:
    """A contestant of which only what it said is here: it can be analysed, not played."""
    return Contestant(name, model="imported", description=description)


def unused_name(stem: str, taken: Container[str]) -> str:
    """Return `stem`, or the first of stem-2, stem-3, … that is not `taken`."""
    name = stem
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    return name


def numbered(kept_conversations: Iterable[Conversation]) -> list[Conversation]:
    """In canonical order, numbered within each pair; bots with people come after bots, and people last."""
    number = Counter()
    result = []
    for conversation in kept_conversations:
        result.append(replace(conversation, number=number[conversation.pair]))
        number[conversation.pair] += 1
    return sorted(result, key=lambda c: (sum(c.is_human), c.pair, c.number))


def plan_of(kept_conversations: Sequence[Conversation], domain: str, segments: Sequence[int] | None) -> Plan:
    """Return the plan of a study that holds these conversations; none of bots is a `UserError`."""
    bots = sorted({name for c in kept_conversations for name in c.entities} - {HUMAN})
    if not kept_conversations:
        raise UserError("No conversation was found in the data.", "Look at the file, or name another --format.")
    if not bots:
        raise UserError(
            "All conversations are between people.", "Bring in the bots' with them: several files may be named."
        )
    exchanges = max(c.exchanges for c in kept_conversations)
    if not exchanges:
        raise UserError(
            "No conversation has an exchange, a turn of each side, after its opening.",
            "Import longer ones, or fewer --seed-exchanges.",
        )
    where = "--segments"
    if segments is None:
        where = "import"
        segments = [k for k in SEGMENTS if k <= exchanges] or [exchanges]
    per_pair = Counter(c.pair for c in kept_conversations if HUMAN not in c.pair)
    with_people = Counter(c.pair for c in kept_conversations if c.kind == "human_model")
    pairs = tuple(sorted(per_pair))
    if not pairs and len(bots) == 1:
        pairs = ((bots[0], bots[0]),)
    elif set(pairs) == set(combinations(bots, 2)):
        pairs = ()
    return Plan(
        domain=domain,
        contestants={bot: contestant(bot, "imported conversations") for bot in bots},
        conversations_per_pair=max((per_pair or with_people).values()),
        exchanges=exchanges,
        segments=check_segments(tuple(segments), where),
        human_conversations=sum(c.kind == "people" for c in kept_conversations),
        pairs=pairs,
    ).check(where)


def growing(path: Path | str, domain: str) -> Study | None:
    """Return an imported study to which conversations can be added: nothing is packed or answered yet."""
    if not Study.exists(path) or list(Path(path).glob("surveys/*/*.jsonl")):
        return None
    study = Study.open(path)
    if study.plan.domain != domain or STEP not in study.provenance():
        return None
    return study


def _check_growing(plan_path: Path, imported: ImportedStudy) -> None:
    """Raise `UserError` unless the study with this plan grows, and what is imported has all its conversations."""
    study = growing(plan_path.parent, imported.plan.domain)
    if study is None or not indexed(study.conversations()).keys() <= indexed(imported.conversations).keys():
        problem = f"{plan_path}: there is a study already, which this import did not make."
        remedy = "Choose another --study. Imported conversations grow, of one --domain, until units are packed."
        raise UserError(problem, remedy)


def _identity(about: Mapping[str, Any]) -> list:
    return [about.get(key) for key in SAME]


def write_study(path: Path | str, imported: ImportedStudy) -> bool:
    """Write a new study, or a `growing` one with further conversations; return False where this import made it.

    Raises
    ------
    UserError
        The folder holds another study; it is left as it is.
    """
    for conversation in imported.conversations:
        conversation.check_speakers(f"conversation {conversation.conversation_id}")
    about = {"package": f"parlai_spotbot {parlai_spotbot.__version__}", **imported.about}
    study = Study(Path(path), imported.plan, imported.plan)
    there = Study.exists(path)
    with study.lock("spotbot_import"):
        if there:
            imports = Study.open(path).provenance().get(STEP, {})
            imports = imports.get("imports", [imports])
            if _identity(about) in map(_identity, imports):
                return False
            if _identity(about)[:-1] in [_identity(one)[:-1] for one in imports]:
                problem = (
                    f"{path}: was imported from this file when one that --columns joins to it held something else."
                )
                raise UserError(problem, "Import into another --study: here old and new rows would stand side by side.")
            _check_growing(study.plan_path, imported)
            imports = [*imports, about]
            about = {**about, "source": [name for one in imports for name in one["source"]], "imports": imports}
            study.write_plan()
        _write_records(study, imported)
        study.record(STEP, about)
        if not there:
            Study.create(path, imported.plan)
    return True


def _write_records(study: Study, imported: ImportedStudy) -> None:
    """Write the records of an import, and its survey where that is its own."""
    survey = imported.survey
    records: dict = {
        study.conversations_path: imported.conversations,
        study.units_path(survey): imported.units,
        study.judgements_path(survey): imported.judgements,
    }
    for other, judgements in imported.others.items():
        records[study.judgements_path(other)] = judgements
    records[study.survey_path(survey) / "training.jsonl"] = imported.training
    for file, rows in records.items():
        if rows:
            checksums.write_jsonl(file, rows)
    if imported.own is not None:
        checksums.write_json(study.survey_path(survey) / FILE, to_data(imported.own))
    for name, pieces in imported.lines.items():
        checksums.write_bytes(study.judgements_path(name), b"".join(pieces))


def judged_study(request: ImportRequest) -> Study:
    """Open the study to which judgements are added; a `UserError` tells how to make it where there is none."""
    if Study.exists(request.study):
        return Study.open(request.study)
    kinds = {"messages": "Import the conversations that were judged first,", "ratings": "Or ratings without these,"}
    commands = [hints.command("import", request.study, format=name, data=request.data) for name in kinds]
    lines = [f"{text} from this file or another:\n    " for text in kinds.values()]
    remedy = hints.Remedy(lines[0], commands[0], f"\n  {lines[1]}", commands[1])
    raise UserError(f"{request.study}: no study here to which judgements could be added.", remedy)


def add_judgements(request: ImportRequest, study: Study, new: Sequence[Judgement], about: dict) -> str:
    """Append the judgements that the study lacks; return what a summary says of them and of rows that are left out.

    An answer that differs from the study's answer of the same annotation is appended, too: analyses take the last one
    (`last_answers`). `about` goes to provenance.json; what a format leaves out by a rule is its `left_out`.

    Raises
    ------
    UserError
        Names the judgement whose id is another answer's, or more than half of the file's rows are left out.
    """
    left_out = request.left_out
    survey = request.survey
    data = Path(request.data)
    left_out.check(data)
    about = {"source": data.name, "sha256": files.sha256(data), **about, "judgements": len(new)}
    if left_out.counts:
        about["unusable"] = dict(left_out.counts)
    path = study.judgements_path(survey)
    with study.lock("spotbot_import"):
        rows = _unknown(study.load(survey).judgements, new)
        if rows:
            with checksums.RecordedJournal(path) as journal:
                journal.append(*rows)
        if survey not in study.plan.surveys:
            study.extend(surveys=[survey])
        study.record(JUDGEMENTS, {**study.provenance().get(JUDGEMENTS, {}), data.name: about})
    workers = len({judgement.worker_id for judgement in new})
    lines = [f"{counted(len(new), 'judgement')} by {counted(workers, 'annotator')} read, {len(rows)} of them new"]
    lines += left_out.lines()
    lines += [f"note: {counted(count, what)} left out" for what, count in about.get("left_out", {}).items()]
    lines += [f"note: {note}" for note in about.get("notes", [])]
    lines += [f"written: {path}", "next: "]
    return hints.Remedy("\n".join(lines), hints.command("analyze", request.study, survey))


def _unknown(judgements: Sequence[Judgement], new: Sequence[Judgement]) -> list[Judgement]:
    """Return those of `new` that differ from the last answer before; one that changes an answer gets its own id."""
    ids = {}
    last = {}
    timed = set()
    for row in judgements:
        key = _answered(row)
        ids[row.judgement_id] = key
        last[key] = row.answer
        if row.submitted_at:
            timed.add((key, str(row.answer), row.submitted_at))
    fresh = []
    for row in new:
        key = _answered(row)
        if ids.get(row.judgement_id, key) != key:
            raise UserError(
                f"judgement '{row.judgement_id}' is in the study with other contents: another annotator, conversation "
                "or question.",
                "Give each annotation an annotation_id of its own.",
            )
        if last.get(key, ...) != row.answer and (key, str(row.answer), row.submitted_at) not in timed:
            name = unused_name(row.judgement_id, ids)
            ids[name] = key
            last[key] = row.answer
            fresh.append(replace(row, judgement_id=name))
    return fresh


def _answered(row: Judgement) -> tuple:
    about = (row.conversation_ids, row.exchanges, row.question, row.target, row.control)
    return (row.source, row.worker_id, row.annotation_id, *about)
