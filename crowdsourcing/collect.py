"""From the ledger to a study's judgements: finished units become rows of judgements.jsonl, at any time, none twice.

Every row's id follows from the hand-out, so collecting again finds what is there already. What Mephisto's review tools
or the platform rejected is left out, and taken out again where it was collected before; so is the work of people who
are unknown to the platform. Pseudonyms replace worker ids; annotators.csv in the crowdsourcing folder maps them
back.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from parlai_spotbot import checksums, files, hints
from parlai_spotbot.crowdsourcing.annotator_summary import summarise
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.chat.conversations import ChatResult, chat_ids, collect_chats
from parlai_spotbot.crowdsourcing.collection import planned
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, begun
from parlai_spotbot.crowdsourcing.desk import questionnaire
from parlai_spotbot.crowdsourcing.ledger.backups import backups_of
from parlai_spotbot.crowdsourcing.ledger.entries import WITHDRAWN, Annotator, Handout, Submission, TrainingRound
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger, reading
from parlai_spotbot.crowdsourcing.platforms.participant_lists import left_out, update_lists
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Judgement, indexed
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.surveys import launched_survey, study_survey
from parlai_spotbot.surveys.ids import opaque

REJECTED = ("rejected", "soft_rejected")
"""What Mephisto calls work that its tools rejected, or passed over (paid, but not to be used)."""


@dataclass
class CollectResult:
    """Results of collecting: `rows` are all judgements of finished units that were not rejected.

    `unfinished` counts packed units that nobody has handed in. `added` and `removed` count rows of judgements.jsonl
    that are new or gone, `rejected`, `withdrawn` and `unknown` the units left out, `strangers` the annotators who are
    unknown to the platform. `chats` is the result of a survey in which people chat, `look` the summary of annotators.
    `names` leads from worker id to the name in the rows.
    """

    units: int
    unfinished: int
    rejected: int
    withdrawn: int
    unknown: int
    strangers: int
    added: int
    removed: int
    comments: int
    rows: list[Judgement]
    look: pd.DataFrame
    names: dict[str, str]
    chats: ChatResult | None = None

    def figures(self) -> dict:
        """Return the counts alone, without anybody's id."""
        counts = {name: value for name, value in vars(self).items() if isinstance(value, int)}
        return {"judgements": len(self.rows), **counts}


@dataclass
class LedgerContents:
    """Contents of all ledgers of a survey.

    `done` are finished hand-outs by handle, `names` the annotators' pseudonyms by worker id, `people` all who agreed to
    take part by worker id, those who withdrew by a name of nobody's, `sittings` the rounds of a
    training with their task. `out` are the handles whose work was rejected, or is by people unknown to the platform
    (`unknown`).
    """

    done: dict[str, Handout] = field(default_factory=dict)
    submissions: list[Submission] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    people: dict[str, Annotator] = field(default_factory=dict)
    sittings: list[tuple[str, TrainingRound]] = field(default_factory=list)
    out: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def open_ledger(paths: CollectionPaths) -> Ledger:
    """Open the ledger of a collection; a `UserError` where nothing was launched."""
    path = paths.ledger
    if not path.exists() and not backups_of(path):  # with backups, opening it raises the error that it is gone
        raise UserError(
            f"{path}: no such file: nobody has annotated '{paths.survey}' in this study.",
            hints.run("crowdsource", paths.study.path, paths.survey),
        )
    if study_survey(paths.study.load(paths.survey)).chat:
        return ChatLedger(path)
    return Ledger(path)


def collect(study: Study, survey: str) -> CollectResult:
    """Bring judgements.jsonl up to date with the ledgers; the caller holds the study's lock. The operator may run.

    The rows of judges, and of people whose answers came another way, stay as they are. Stopped anywhere, the same call
    goes on. Comments go to surveys/NAME/comments.jsonl, worker ids to crowdsourcing/annotators.csv, outcomes of a
    training to training.jsonl. All tasks and groups that were launched are collected.
    """
    data = study.load(survey)
    contents = _read_ledgers(data)
    withdrawn = {one.handle for one in contents.submissions if one.record.get("withdrawn")}
    unknown = contents.unknown - withdrawn
    kept = [one for one in contents.submissions if one.handle not in contents.out | withdrawn]
    rows = _judgements(data, contents, kept)
    comments = [row for one in kept for row in _comments(one, survey, contents)]
    _write_rows(data.path / "comments.jsonl", comments)
    _write_rows(data.path / "training.jsonl", training_rows(contents))
    _write_annotators(CollectionPaths(study, survey).annotators, contents.names)
    if data.settled_path.exists():
        from parlai_spotbot.crowdsourcing.desk.drawn_units import note_plan  # with statistics, which take a while

        note_plan(data)
    data.record("participants", participants(contents.people.values()))
    chats = collect_chats(data, contents.names, contents.out)
    added, removed = _bring_up_to_date(data.judgements_path, rows, contents.done)
    launched = launched_survey(data)
    return CollectResult(
        units=len(kept),
        unfinished=_unfinished(data, contents, launched.limits.control_mistakes),
        rejected=len(contents.out - contents.unknown - withdrawn),
        withdrawn=len(withdrawn),
        unknown=len(unknown),
        strangers=len({contents.done[handle].worker for handle in unknown}),
        added=added,
        removed=removed,
        comments=len(comments),
        rows=rows,
        look=summarise(rows, indexed(study.load(survey).conversations), launched),
        names=contents.names,
        chats=chats,
    )


def participants(people: Collection[Annotator]) -> dict[str, int]:
    """Return how many people took part, were stopped, by the reason, and withdrew."""
    here = [one for one in people if not one.worker.startswith(WITHDRAWN)]
    reasons = Counter(one.why for one in here if one.standing == "stopped")
    return {
        "came": len(people),
        "practice": reasons["onboarding"],
        "training": reasons["training"],
        "controls": reasons["controls"],
        "withdrew": len(people) - len(here),
    }


def _unfinished(data: SurveyFiles, contents: LedgerContents, mistakes: int) -> int:
    """Return how many units nobody has handed in; see `collection.planned` for `mistakes`."""
    _, units = planned(data, "", mistakes)
    handed_in = {contents.done[one.handle].unit_id for one in contents.submissions}
    return len({unit.unit_id for unit in units} - handed_in)


def _read_ledgers(data: SurveyFiles) -> LedgerContents:
    """Read the ledgers of all parts of the survey; a `UserError` where nothing was launched."""
    collections = begun(data)
    whole = CollectionPaths(data.study, data.survey)
    for paths in collections or [whole]:
        open_ledger(paths).close()
    update_lists(collections)
    secret = read_secret(whole.secret)
    contents = LedgerContents()
    for paths in collections:
        rejected_by_mephisto = rejected_agents(paths.mephisto)
        with open_ledger(paths) as ledger:
            done = {handout.handle: handout for handout in ledger.handouts("status = 'done'")}
            contents.submissions += [one for one in ledger.submissions() if one.handle in done]
            everybody = ledger.annotators()
            contents.people |= {one.worker: one for one in everybody}
            workers = [one.worker for one in everybody if not one.worker.startswith(WITHDRAWN)]
            contents.names |= {worker: pseudonym(secret, worker) for worker in workers}
            contents.sittings += [(paths.part, one) for one in ledger.sittings()]
        unknown, rejected = left_out(paths, done)
        rejected |= {handle for handle, handout in done.items() if handout.agent_id in rejected_by_mephisto}
        contents.done |= done
        contents.unknown |= unknown
        contents.out |= unknown | rejected
    return contents


# -- from a submission to rows ---------------------------------------------------------------------------------------
def annotation_id(handle: str, number: int | str) -> str:
    """Return the id of one annotator's answers to item `number` of a hand-out, or to the questionnaire."""
    return opaque("annotation", handle, number)


def _judgements(data: SurveyFiles, contents: LedgerContents, kept: Iterable[Submission]) -> list[Judgement]:
    """Return the judgements of the submissions, without those about chats of people who withdrew."""
    gone = chat_ids(data.study, "status = 'withdrawn'")
    rows = [row for one in kept for row in rows_of(one, data.survey, contents)]
    return [row for row in rows if gone.isdisjoint(row.conversation_ids)]


def rows_of(submission: Submission, survey: str, contents: LedgerContents) -> list[Judgement]:
    """Return the judgements of a finished unit, one an answer, in the order in which they were put.

    Where a unit ends before it begins, it is not known when that was. `exchanges` are those of the item; where the
    annotator opened them, those that were open when the answer was given. What the annotator said of themselves comes
    last; it is about no item and no conversation.
    """
    handout = contents.done[submission.handle]
    began = submission.record.get("started_at", handout.handed_at)
    started_at = ""
    if began <= submission.received_at:
        started_at = moment(began)
    about = {
        "survey": survey,
        "unit_id": submission.record["unit_id"],
        "worker_id": contents.names[handout.worker],
        "source": HUMAN,
        "started_at": started_at,
        "submitted_at": moment(submission.received_at),
    }
    rows = []
    of_person = {"item": questionnaire.KEY, "item_id": questionnaire.KEY, "conversation_ids": (), "exchanges": 0}
    of_person["answers"] = list(submission.record.get(questionnaire.KEY, ()))
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
                    answer=answer["answer"],
                    answer_seconds=answer.get("seconds"),
                    **{name: answered[name] for name in ("control", "presentation", "seconds") if name in answered},
                    **about,
                )
            )
    return rows


def _comments(submission: Submission, survey: str, contents: LedgerContents) -> Iterator[dict]:
    """Yield the comments of an annotator on the whole unit (no item) and on its items."""
    handout = contents.done[submission.handle]
    about = [(None, None, submission.record.get("comment"))]
    for one in submission.record["items"]:
        about.append((one["item_id"], annotation_id(handout.handle, one["item"]), one.get("comment")))
    for item_id, annotation, comment in about:
        if comment and comment.strip():
            yield {
                "survey": survey,
                "unit_id": handout.unit_id,
                "item_id": item_id,
                "annotation_id": annotation,
                "worker_id": contents.names[handout.worker],
                "submitted_at": moment(submission.received_at),
                "comment": comment,
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
def _bring_up_to_date(path: Path, judgements: Iterable[Judgement], done: Mapping[str, Handout]) -> tuple[int, int]:
    """Make `path` hold the judgements, once each; return how many rows came and went.

    Rows of the finished hand-outs `done` that are not among them go.
    """
    of_crowd = {
        annotation_id(handle, number)
        for handle, handout in done.items()
        for number in (*range(len(handout.items)), questionnaire.KEY)
    }
    collected = {row.judgement_id: row.to_json() for row in judgements}
    recorded = []
    if path.exists():
        recorded = checksums.read_jsonl(path, _checked, torn_tail=True)
    kept = {
        row["judgement_id"]: row
        for row in recorded
        if row["judgement_id"] in collected or row["annotation_id"] not in of_crowd
    }
    rows = {**kept, **collected}
    if list(rows.values()) != recorded:
        checksums.write_jsonl(path, rows.values())
    return len(rows) - len(kept), len(recorded) - len(kept)


def _checked(row: dict, where: str) -> dict:
    Judgement.from_json(row, where)
    return row


def _write_annotators(path: Path, names: Mapping[str, str]) -> None:
    """Write the list that leads from pseudonyms back to worker ids."""
    rows = zip(names.values(), names, strict=True)
    _write_if_new(path, files.csv_text(("annotator", "worker_id"), rows), files.write_text)
    path.chmod(0o600)


def _write_rows(path: Path, rows: Iterable[dict]) -> None:
    """Write rows as JSON Lines, unless they are there already or there are none."""
    _write_if_new(path, files.jsonl(rows))


def _write_if_new(path: Path, text: str, write: Callable[[Path, str], None] = checksums.write_text) -> None:
    """Write `text`, unless it is there already or there is nothing to write."""
    previous = files.bytes_of(path) or b""
    if text.encode("utf-8") != previous:
        write(path, text)


def moment(seconds: float) -> str:
    """Return a time of the ledger as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def training_rows(contents: LedgerContents) -> list[dict]:
    """Return the rounds, each with its task, in the order in which they came in."""
    rows = []
    for task, one in sorted(contents.sittings, key=lambda pair: pair[1].at):
        result = one.result
        if one.body:
            rows.append(
                {
                    "task": task,
                    "annotator": contents.names[one.worker],
                    "attempt": result["attempt"],
                    "round": result["round"],
                    "role": result["role"],
                    "dialogue": one.dialogue,
                    "wrong_turns": result["wrong_turns"],
                    "of": result["of"],
                    "mistakes_by_label": result["mistakes"],
                    "passed": one.passed,
                    "at": moment(one.at),
                    "seconds": result["seconds"],
                    "group": one.team,
                }
            )
    return rows
