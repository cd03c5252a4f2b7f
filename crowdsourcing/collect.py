"""From the ledger to a study's judgements: finished units become rows of judgements.jsonl, at any time, none twice.

Every row's id follows from the hand-out, so collecting again finds what is there already. What Mephisto's review tools
or the platform rejected is left out, and taken out again where it was collected before; so is what came from people
whom the platform doesn't know. Pseudonyms replace worker ids; annotators.csv in the crowdsourcing folder maps them
back.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from parlai_spotbot import checksums, files, hints
from parlai_spotbot.crowdsourcing.annotator_summary import summarise
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.chat.conversations import ChatResult, collect_chats
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, begun
from parlai_spotbot.crowdsourcing.desk import questionnaire
from parlai_spotbot.crowdsourcing.ledger.backups import backups_of
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, LedgerContents, Submission
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger, reading
from parlai_spotbot.crowdsourcing.platforms.participant_lists import left_out, update_lists
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.crowdsourcing.training_results import moment, training_rows
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, launched_survey
from parlai_spotbot.surveys.ids import opaque

REJECTED = ("rejected", "soft_rejected")
"""What Mephisto calls work that its tools rejected, or passed over (paid, but not to be used)."""


@dataclass
class CollectResult:
    """Results of collecting: `rows` are all judgements of finished units that were not rejected.

    `unfinished` counts packed units that nobody has handed in. `added` and `removed` count rows of judgements.jsonl
    that are new or gone, `rejected`, `withdrawn` and `unknown` the units left out, `strangers` the annotators whom the
    platform doesn't know. `chats` is the result of a survey in which people chat, `look` the summary of annotators.
    `names` leads from worker id to the name in the rows.
    """

    units: int = 0
    unfinished: int = 0
    chats: ChatResult | None = None
    rejected: int = 0
    withdrawn: int = 0
    unknown: int = 0
    strangers: int = 0
    added: int = 0
    removed: int = 0
    comments: int = 0
    rows: list[Judgement] = field(default_factory=list)
    look: pd.DataFrame = field(default_factory=pd.DataFrame)
    names: dict[str, str] = field(default_factory=dict)

    def figures(self) -> dict:
        """Return the counts alone, without anybody's id."""
        counts = ("units", "unfinished", "added", "removed", "rejected", "withdrawn", "unknown", "strangers")
        return {"judgements": len(self.rows), **{name: getattr(self, name) for name in (*counts, "comments")}}


def open_ledger(study: Study, survey: str, part: str = "") -> Ledger:
    """Open the ledger of a survey's collection, or of a part; a `UserError` where nothing was launched."""
    path = CollectionPaths.of(study, survey, part).ledger
    if not path.exists() and not backups_of(path):  # with backups, opening it says that it is gone
        raise UserError(
            f"{path}: no such file: nobody has annotated '{survey}' in this study.",
            hints.run("crowdsource", study.path, survey),
        )
    return (ChatLedger if get_survey(survey).chat else Ledger)(path)


def collect(study: Study, survey: str) -> CollectResult:
    """Bring judgements.jsonl up to date with the ledgers; the caller holds the study's lock. The operator may run.

    The rows of judges, and of people whose answers came another way, stay as they are. Stopped anywhere, the same call
    goes on. Comments go to surveys/NAME/comments.jsonl, worker ids to crowdsourcing/annotators.csv, outcomes of a
    training to training.jsonl. All tasks and groups that were launched are collected.
    """
    parts, paths = begun(study, survey), CollectionPaths.of(study, survey)
    for part in parts or [""]:
        open_ledger(study, survey, part).close()
    secret = read_secret(paths.secret, make=False)
    update_lists(study, survey, parts)
    contents = {part: _contents(study, survey, part, secret) for part in parts}
    names = {one.worker: pseudonym(secret, one.worker) for own in contents.values() for one in own.annotators}
    comments = [row for own in contents.values() for row in _comments(own, survey, names)]
    trained = [row for part, own in contents.items() for row in training_rows(part, own, names)]
    for name, rows in (("comments.jsonl", comments), ("training.jsonl", trained)):
        _write_if_new(study.survey_path(survey) / name, "".join(files.dumps(row) + "\n" for row in rows))
    _write_private(paths.annotators, ("annotator", "worker_id"), [(name, worker) for worker, name in names.items()])
    handed_in = {own.done[one.handle].unit_id for own in contents.values() for one in own.submissions}
    result = CollectResult(comments=len(comments), names=names)
    result.unfinished = len({unit.unit_id for unit in study.units(survey)} - handed_in)
    result.strangers = len({own.done[handle].worker for own in contents.values() for handle in own.unknown})
    result.chats = collect_chats(study, survey, secret, {h for own in contents.values() for h in own.out})
    for own in contents.values():
        _add(result, study, survey, own)
    talks = {talk.conversation_id: talk for talk in study.load(survey).conversations}
    result.look = summarise(result.rows, talks, launched_survey(study, survey))
    return result


def _contents(study: Study, survey: str, part: str, secret: bytes) -> LedgerContents:
    paths = CollectionPaths.of(study, survey, part)
    rejected_by_mephisto = rejected_agents(paths.mephisto)
    with open_ledger(study, survey, part) as ledger:
        done = {handout.handle: handout for handout in ledger.handouts("status = 'done'")}
        submissions = [one for one in ledger.submissions() if one.handle in done]
        annotators, sittings = ledger.annotators(), ledger.sittings()
    unknown, rejected = left_out(paths, done)
    out = {h for h, handout in done.items() if handout.agent_id in rejected_by_mephisto} | unknown | rejected
    kept = [one for one in submissions if not one.record.get("withdrawn") and one.handle not in out]
    units = [rows_of(one, done[one.handle], survey, pseudonym(secret, done[one.handle].worker)) for one in kept]
    return LedgerContents(done, submissions, annotators, sittings, out, unknown, kept, units)


def _add(result: CollectResult, study: Study, survey: str, own: LedgerContents) -> None:
    """Write the judgements of a collection, and count them in."""
    annotation_ids = {
        annotation_id(handle, number)
        for handle, handout in own.done.items()
        for number in (*range(len(handout.items)), questionnaire.KEY)
    }
    added, removed = _bring_up_to_date(study.judgements_path(survey), own.units, annotation_ids)
    result.units += sum(own.done[one.handle].status == "done" for one in own.kept)
    gone = own.out - own.unknown
    result.rejected += sum(one.handle in gone and not one.record.get("withdrawn") for one in own.submissions)
    result.unknown += len(own.unknown)
    result.withdrawn += own.withdrawn
    result.added += added
    result.removed += removed
    result.rows += [row for unit in own.units for row in unit]


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
    """Return the agents whose work Mephisto's tools rejected or passed over; the operator may run."""
    path = data_root / "database.db"
    if not path.exists():
        return set()
    try:
        with reading(path) as db:
            query = "SELECT agent_id FROM agents WHERE status IN (?, ?)"
            return {str(agent_id) for (agent_id,) in db.execute(query, REJECTED)}
    except sqlite3.Error as err:
        raise UserError(
            f"{path}: Mephisto's database can't be read ({err}), so it is not known whose work was rejected.",
            "Put a copy of it back; or remove it, and all units that were handed in count.",
        ) from None


# -- writing ---------------------------------------------------------------------------------------------------------
def _bring_up_to_date(path: Path, units: list[list[Judgement]], annotation_ids: set[str]) -> tuple[int, int]:
    """Make `path` hold the rows of `units`, once each; return how many rows came and went.

    `annotation_ids` are the annotations of all finished units: their rows go where `units` hasn't them.
    """
    collected = {row.judgement_id: row.to_json() for unit in units for row in unit}
    recorded = checksums.read_jsonl(path, _checked, torn_tail=True) if path.exists() else []
    kept = {
        row["judgement_id"]: row
        for row in recorded
        if row["judgement_id"] in collected or row["annotation_id"] not in annotation_ids
    }
    rows = {**kept, **collected}
    if list(rows.values()) != recorded:
        checksums.write_jsonl(path, rows.values())
    return len(rows) - len(kept), len(recorded) - len(kept)


def _checked(row: dict, where: str) -> dict:
    Judgement.from_json(row, where)
    return row


def _write_if_new(path: Path, text: str, write: Callable[[Path, str], None] = checksums.write_text) -> None:
    """Write `text`, unless it stands there already or there is nothing to write."""
    previous = path.read_bytes() if path.exists() else b""
    if text.encode("utf-8") != previous:
        write(path, text)


def _write_private(path: Path, header: Sequence[str], rows: Sequence[tuple]) -> None:
    """Write a CSV file without checksums, readable by the owner only."""
    _write_if_new(path, files.csv_text(header, rows), files.write_text)
    os.chmod(path, 0o600)
