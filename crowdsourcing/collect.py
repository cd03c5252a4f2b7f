"""From the ledger to a study's judgements: finished units become rows of judgements.jsonl, at any time, none twice.

Every row's id follows from the hand-out, so collecting again finds what is there already. What Mephisto's review tools
rejected is left out, and taken out again where it was collected before; so is what came from people whom the platform
doesn't know. Worker ids are replaced by pseudonyms; what leads back from these stays in the crowdsourcing folder.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from parlai_spotbot import checksums, files, hints
from parlai_spotbot.crowdsourcing.annotator_summary import AnnotatorSummary, summarise
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.chat.collecting import CREDIT, ChatResult, collecting_chats, credit_rows
from parlai_spotbot.crowdsourcing.chat.conversations import excused_units
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, begun, task_names
from parlai_spotbot.crowdsourcing.desk import questionnaire
from parlai_spotbot.crowdsourcing.game_points import GamePoints, game_points
from parlai_spotbot.crowdsourcing.groups import group_names
from parlai_spotbot.crowdsourcing.ledger.backups import backups_of
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, LedgerContents, Submission
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.participant_check import platform_check, platform_state
from parlai_spotbot.crowdsourcing.platforms.participant_lists import PLATFORM, UNKNOWN, PlatformEntry
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.crowdsourcing.training_results import moment, training_path, training_rows
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Item, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, launched_survey
from parlai_spotbot.surveys.controls import controls_path
from parlai_spotbot.surveys.ids import opaque

REJECTED = ("rejected", "soft_rejected")
"""What Mephisto calls work that its tools rejected, or passed over (paid, but not to be used)."""


@dataclass
class CollectResult:
    """Results of collecting: `rows` are all judgements of finished units that were not rejected.

    `unfinished` counts packed units that nobody has handed in. `added` and `removed` count rows of judgements.jsonl
    that are new or gone, `rejected`, `withdrawn` and `unknown` the units left out. `provider` is the platform, `listed`
    how many its list has (None: none yet), `verified` whether it vouches for who came, `strangers` how many annotators
    it doesn't know. `chats` says what came of a survey in which people chat, `look` whom
    to look at, `game_points` who has how many points in a game. `names` leads from worker id to the name in the rows.
    """

    units: int = 0
    unfinished: int = 0
    chats: ChatResult | None = None
    rejected: int = 0
    withdrawn: int = 0
    unknown: int = 0
    strangers: int = 0
    provider: str = ""
    listed: int | None = None
    verified: bool = True
    added: int = 0
    removed: int = 0
    comments: int = 0
    rows: list[Judgement] = field(default_factory=list)
    look: list[AnnotatorSummary] = field(default_factory=list)
    game_points: list[GamePoints] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def figures(self) -> dict:
        """The counts alone, without anybody's id."""
        counts = ("units", "unfinished", "added", "removed", "rejected", "withdrawn", "unknown", "strangers")
        return {"judgements": len(self.rows), **{name: getattr(self, name) for name in (*counts, "comments")}}


def open_ledger(study: Study, survey: str, part: str = "") -> Ledger:
    """The ledger of a survey's collection, or of a task's or group's; a `UserError` where nothing was launched."""
    path = CollectionPaths.of(study, survey, part).ledger
    if not path.exists() and not backups_of(path):  # with backups, opening it says that it is gone
        option = (
            f" --task {part or 'NAME'}" if task_names(survey) else " --group NAME" if group_names(study, survey) else ""
        )
        raise UserError(
            f"{path}: no such file: nobody has annotated '{survey}' in this study.",
            hints.run("crowdsource", study.path, survey) + option,
        )
    return (ChatLedger if get_survey(survey).chat else Ledger)(path)


def collect(
    study: Study, survey: str, keep_worker_ids: bool = False, task: str = "", submissions: Sequence[PlatformEntry] = ()
) -> CollectResult:
    """Bring judgements.jsonl up to date with the ledger; the caller holds the study's lock. The operator may run.

    The rows of judges, and of people whose answers came another way, stay as they are. Each unit's rows are written at
    once; stopped anywhere, the same call goes on. Comments go to surveys/NAME/comments.jsonl, the way back from the
    pseudonyms to crowdsourcing/annotators.csv. Of a survey with tasks, the judgements of all or of `task`; comments and
    the outcomes of the training (training.jsonl) of all. Of a survey for several groups of people, those of all.
    `submissions` are put on the platform's list first.
    """
    tasks = begun(study, survey)
    if not tasks or (task and task not in tasks):
        open_ledger(study, survey, task)
    paths = CollectionPaths.of(study, survey)
    for one in tasks:
        if not CollectionPaths.of(study, survey, one).ledger.exists():
            open_ledger(study, survey, one)
    secret = read_secret(paths.secret, make=False)
    result = CollectResult(**platform_state(study, survey, tasks, submissions))
    parts = {one: _part(study, survey, one, secret, keep_worker_ids) for one in tasks}
    names = {a.worker: _name(a.worker, secret, keep_worker_ids) for part in parts.values() for a in part.annotators}
    comments = [row for part in parts.values() for row in _comments(part, survey, names)]
    _write_if_new(study.survey_path(survey) / "comments.jsonl", "".join(files.dumps(row) + "\n" for row in comments))
    if task_names(survey):
        trained = [row for one, part in parts.items() for row in training_rows(one, part, names)]
        _write_if_new(training_path(study, survey), "".join(files.dumps(row) + "\n" for row in trained))
    strangers = {part.done[handle].worker for part in parts.values() for handle in part.unknown}
    _write_private(paths.annotators, _who_is_who(names, secret, result, strangers))
    handed_in = {part.done[one.handle].unit_id for part in parts.values() for one in part.submissions}
    packed = {unit.unit_id for unit in ([] if task else study.units(survey))}
    result.unfinished = len(packed - handed_in)
    result.comments, result.names, result.strangers = len(comments), names, len(strangers)
    with collecting_chats(study, survey, secret, {h for part in parts.values() for h in part.out}) as result.chats:
        for one, part in parts.items():
            if task in ("", one):
                _add(result, study, survey, one, part)
    if result.chats:
        _write_private(paths.credit, files.csv_text(CREDIT, credit_rows(result.chats)))
    if result.provider:
        _record_platform(study, survey, result)
    return result


def _who_is_who(names: Iterable[str], secret: bytes, collect_result: CollectResult, strangers: set[str]) -> str:
    """The way back from pseudonyms; where there is a platform's list, also whether the annotator is on it."""
    rows = [(pseudonym(secret, worker), worker) for worker in names]
    if collect_result.listed is None:
        return files.csv_text(("annotator", "worker_id"), rows)
    marked = [(name, worker, "unknown" if worker in strangers else "known") for name, worker in rows]
    return files.csv_text(("annotator", "worker_id", "platform"), marked)


def _record_platform(study: Study, survey: str, collect_result: CollectResult) -> None:
    """Write into provenance.json whom the platform knows."""
    crowdsourcing = study.provenance().get("crowdsourcing", {})
    platform = {
        "listed": collect_result.listed,
        "unknown_annotators": collect_result.strangers,
        "unknown_units": collect_result.unknown,
    }
    if crowdsourcing.get(survey, {}).get(PLATFORM) != platform:
        study.record("crowdsourcing", {**crowdsourcing, survey: {**crowdsourcing.get(survey, {}), PLATFORM: platform}})


def _part(study: Study, survey: str, task: str, secret: bytes, keep_worker_ids: bool) -> LedgerContents:
    paths = CollectionPaths.of(study, survey, task)
    rejected = rejected_agents(paths.mephisto)
    with open_ledger(study, survey, task) as ledger:
        done = {handout.handle: handout for handout in ledger.handouts("status = 'done'")}
        submissions = [one for one in ledger.submissions() if one.handle in done]
        annotators, grades, sittings = ledger.annotators(), ledger.grades(), ledger.sittings()
        if isinstance(ledger, ChatLedger):
            for handout, submission in excused_units(ledger).values():
                done[handout.handle] = handout
                submissions.append(submission)
    seen = platform_check(paths, done)
    out = {h for h, handout in done.items() if handout.agent_id in rejected} | seen.unknown | seen.rejected
    kept = [one for one in submissions if not one.record.get("withdrawn") and one.handle not in out]
    units = [
        rows_of(one, done[one.handle], survey, _name(done[one.handle].worker, secret, keep_worker_ids)) for one in kept
    ]
    return LedgerContents(done, submissions, annotators, grades, sittings, out, seen.unknown, kept, units)


def _name(worker: str, secret: bytes, keep_worker_ids: bool) -> str:
    return worker if keep_worker_ids else pseudonym(secret, worker)


def _add(collect_result: CollectResult, study: Study, survey: str, task: str, part: LedgerContents) -> None:
    """Write the judgements of a collection, and count them in."""
    annotation_ids = {
        annotation_id(handle, number)
        for handle, handout in part.done.items()
        for number in (*range(len(handout.items)), questionnaire.KEY)
    }
    added, removed = _bring_up_to_date(study.judgements_path(survey), part.units, annotation_ids)
    collect_result.units += sum(part.done[one.handle].status == "done" for one in part.kept)
    gone = part.out - part.unknown
    collect_result.rejected += sum(one.handle in gone and not one.record.get("withdrawn") for one in part.submissions)
    collect_result.unknown += len(part.unknown)
    collect_result.withdrawn += part.withdrawn
    collect_result.added += added
    collect_result.removed += removed
    rows = [row for unit in part.units for row in unit]
    collect_result.rows += rows
    talks = {talk.conversation_id: talk for talk in study.load(survey).conversations}
    strangers = {collect_result.names[part.done[handle].worker] for handle in part.unknown}
    look = summarise(rows, part.annotators, part.grades, collect_result.names, launched_survey(study, survey), talks)
    look = [replace(row, flags=(UNKNOWN, *row.flags)) if row.name in strangers else row for row in look]
    collect_result.look += [replace(row, name=f"{row.name} ({task})") if task else row for row in look]
    points = _points(study, survey, part)
    _write_bonus(CollectionPaths.of(study, survey, task), points)
    collect_result.game_points += points


# -- from a submission to rows ---------------------------------------------------------------------------------------
def annotation_id(handle: str, number: int | str) -> str:
    """The id of one annotator's answers to item `number` of a hand-out, or to the questionnaire."""
    return opaque("annotation", handle, number)


def rows_of(submission: Submission, handout: Handout, survey: str, worker: str) -> list[Judgement]:
    """The judgements of a finished unit, one an answer, in the order in which they were put.

    Where a unit ends before it begins, it is not known when that was. `exchanges` are those of the item; where the
    annotator opened them, those that were open when the answer was given. What the annotator said of themselves comes
    last; it is about no item and no conversation.
    """
    began = submission.record.get("started_at", handout.handed_at)
    about = {
        "survey": survey,
        "unit_id": submission.record["unit_id"],
        "worker_id": worker,
        "source": HUMAN,
        "started_at": moment(began) if began <= submission.received_at else "",
        "submitted_at": moment(submission.received_at),
    }
    rows = []
    of_person = {"item": questionnaire.KEY, "item_id": questionnaire.KEY, "conversation_ids": (), "exchanges": 0}
    of_person["answers"] = questionnaire.answers_of(submission.record)
    for answered in [*submission.record["items"], of_person]:
        annotation = annotation_id(submission.handle, answered["item"])
        for answer in answered["answers"]:
            rows.append(
                Judgement(
                    judgement_id=opaque("judgement", annotation, answer["target"], answer["question"]),
                    annotation_id=annotation,
                    item_id=answered["item_id"],
                    conversation_ids=tuple(answered["conversation_ids"]),
                    exchanges=answer.get("opened") or answered["exchanges"],
                    target=answer["target"],
                    question=answer["question"],
                    answer=_clean(answer["answer"]),
                    answer_seconds=answer.get("seconds"),
                    **{name: answered[name] for name in ("control", "presentation", "seconds") if name in answered},
                    **about,
                )
            )
    return rows


def _clean(answer: object) -> object:
    """Text that a UTF-8 file can hold: half a surrogate pair becomes a replacement mark."""
    if isinstance(answer, str):
        return answer.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return [_clean(part) for part in answer] if isinstance(answer, list) else answer


def _comments(part: LedgerContents, survey: str, names: Mapping[str, str]) -> Iterator[dict]:
    """Return what annotators wrote in the comment fields, of the whole unit (no item) or of an item."""
    for submission in part.submissions:
        if submission.handle in part.out:
            continue
        handout = part.done[submission.handle]
        about = [(None, None, submission.record.get("comment"))]
        about += [(i["item_id"], i["item"], i.get("comment")) for i in submission.record["items"]]
        for item_id, number, comment in about:
            if comment and comment.strip():
                yield {
                    "survey": survey,
                    "unit_id": handout.unit_id,
                    "item_id": item_id,
                    "annotation_id": None if number is None else annotation_id(handout.handle, number),
                    "worker_id": names[handout.worker],
                    "submitted_at": moment(submission.received_at),
                    "comment": _clean(comment),
                }


# -- what Mephisto knows ---------------------------------------------------------------------------------------------
def rejected_agents(data_root: Path) -> set[str]:
    """Return the agents whose work Mephisto's tools rejected or passed over; the operator may run.

    Raises `UserError` where its database can't be read.
    """
    path = Path(data_root) / "database.db"
    if not path.exists():
        return set()
    try:
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            query = "SELECT agent_id FROM agents WHERE status IN (?, ?)"
            return {str(agent_id) for (agent_id,) in db.execute(query, REJECTED)}
    except sqlite3.Error as err:
        raise UserError(
            f"{path}: Mephisto's database can't be read ({err}), so it is not known whose work was rejected.",
            "Put a copy of it back; or remove it, and all units that were handed in count.",
        ) from None


# -- writing ---------------------------------------------------------------------------------------------------------
def _bring_up_to_date(path: Path, units: list[list[Judgement]], annotation_ids: set[str]) -> tuple[int, int]:
    """Make `path` hold the rows of `units`, once each; returns how many rows came and went.

    `annotation_ids` are the annotations of all finished units: their rows go where `units` hasn't them. Rows are only
    added, a unit at a time, unless some must be removed or changed; then the whole file is replaced.
    """
    collected = {row.judgement_id: row.to_json() for unit in units for row in unit}
    recorded = checksums.read_jsonl(path, _known, torn_tail=True) if path.exists() else []
    have = {row["judgement_id"] for row in recorded}
    rows = [row for row in recorded if row["annotation_id"] in annotation_ids]
    stale = any(collected.get(row["judgement_id"]) != row for row in rows) or len(have) < len(recorded)
    missing = [[collected[row.judgement_id] for row in unit if row.judgement_id not in have] for unit in units]
    added = sum(map(len, missing))
    if stale:
        kept: dict[str, dict] = {}
        for row in recorded:
            row = collected.get(row["judgement_id"]) if row["annotation_id"] in annotation_ids else row
            if row is not None:
                kept.setdefault(row["judgement_id"], row)
        checksums.write_jsonl(path, [*kept.values(), *(row for unit in missing for row in unit)])
        return added, len(recorded) - len(kept)
    if added:
        with checksums.Journal(path) as journal:
            for unit in missing:
                if unit:
                    journal.append(*unit)
    return added, 0


def _known(row: dict, where: str) -> dict:
    Judgement.from_json(row, where)
    return row


def _points(study: Study, survey: str, part: LedgerContents) -> list[GamePoints]:
    """Return who has how many points, where the survey is a game."""
    if get_survey(survey).game is None:
        return []
    items = [item for unit in study.units(survey) for item in unit.items]
    if controls_path(study, survey).exists():
        items += files.read_jsonl(controls_path(study, survey), Item.from_json, "controls file")
    kept = [(part.done[one.handle].worker, one.record) for one in part.submissions if one.handle not in part.out]
    return game_points(get_survey(survey), kept, items, study.conversations())


def _write_bonus(paths: CollectionPaths, points: list[GamePoints]) -> None:
    """The game's points, and the bonus of who has most: the pay for one unit at the last launch."""
    if points:
        settings = paths.launched.get("settings", {})
        pay, currency = f"{settings.get('pay', 0.0):.2f}", settings.get("currency", "")
        rows = [(p.worker, f"{p.points:g}", p.units, pay if p.wins else "0.00", currency) for p in points]
        _write_private(paths.bonus, files.csv_text(("worker_id", "points", "units", "bonus", "currency"), rows))


def _write_if_new(path: Path, text: str, write: Callable[[Path, str], None] = checksums.write_text) -> None:
    """Write `text`, unless it stands there already or there is nothing to write."""
    previous = path.read_bytes() if path.exists() else b""
    if text.encode("utf-8") != previous:
        write(path, text)


def _write_private(path: Path, text: str) -> None:
    """The same without checksums, readable by the owner only."""
    _write_if_new(path, text, files.write_text)
    if path.exists():
        os.chmod(path, 0o600)
