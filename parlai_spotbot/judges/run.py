"""Lets a judge answer the units of a study: rows of judgements.jsonl, a unit at a time, resumable at any byte.

Beside the answers stands ``surveys/NAME/judges/JUDGE.json``: what the judge is, what it was trained on, how often it
was right on held-out data, where that can be known, and how many of the `units` are `answered`. It is written before
the first answer too, so that a killed judge is known to have done a part only.
"""

import contextlib
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import CAUTION, Judge
from parlai_spotbot.judges.evaluation import held_out
from parlai_spotbot.judges.row_check import check_rows
from parlai_spotbot.judges.summary import allow, estimate_text, summary_text
from parlai_spotbot.records import Conversation, Judgement, Unit
from parlai_spotbot.sequential.judging import course_of, judge_until_settled, most_units, standing
from parlai_spotbot.sequential.registration import proposed, read_pool, register, registered
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import SurveyFiles, read_judge
from parlai_spotbot.surveys import Survey, known_survey, survey_of
from parlai_spotbot.terminal import Bar, Say
from parlai_spotbot.wording import source_said


def summary_path(survey_path: Path, judge_name: str) -> Path:
    return survey_path / "judges" / f"{judge_name}.json"


def judge_study(data: SurveyFiles, judge: Judge, progress: bool = True, settled: SettledRequest | None = None) -> dict:
    """Let the judge answer what it has not answered yet; return what JUDGE.json holds.

    With `settled`, units are drawn by its answers until every two contestants are settled. The caller holds the
    study's lock. Answers that exist were made with the same options, or it is a `UserError`. The same seed gives the
    same bytes, whatever the interruptions, as far as the judge is deterministic.
    """
    path = summary_path(data.path, judge.name)
    study = data.study
    plan = None
    if settled:
        plan = register(data, judge.source, settled, seed=judge.seed)
    data = data.reread()
    with _opened(data, judge, settled) as (units, recorded, todo):
        course = None
        if plan:
            course = course_of(study.conversations(), plan, read_pool(data), units, recorded, todo)
        before = _complete_summary(path, len(units))
        if before and not todo and (course is None or (course.ended and not course.waiting)):
            return before
        judge.prepare(data, progress)
        data.record("judge", {**data.recorded("judge"), judge.name: judge.options()})
        checksums.write_json(path, _summary(judge, units, recorded, study.conversations()))
        have = {row.judgement_id for row in recorded}
        try:
            if course:
                judge_until_settled(data, course, judge, have, progress)
            else:
                _answer(data.judgements_path, judge, todo, have, survey_of(data), progress)
        finally:
            summary = _summary_now(data.reread(), judge)
            if course:
                summary["settled"] = standing(course)
            checksums.write_json(path, summary)
        return summary


def _summary_now(data: SurveyFiles, judge: Judge) -> dict:
    """Return what JUDGE.json holds of the answers there are."""
    return _summary(judge, data.units, _answers(judge, data.judgements), data.study.conversations())


def _complete_summary(path: Path, units: int) -> dict:
    """Return the summary that is there if all units are answered by it, else {}."""
    if not path.exists():
        return {}
    summary = read_judge(path)
    if summary.get("stopped") or not summary.get("answered") == summary.get("units") == units:
        return {}
    return summary


def let_judge(
    data: SurveyFiles,
    judges: Sequence[Judge],
    yes: bool,
    say: Say = print,
    progress: bool = True,
    settled: SettledRequest | None = None,
) -> dict[str, dict]:
    """Let the judges answer, one after the other, after their estimates; return each one's summary by its name.

    With `settled` it is one judge, until all is settled. The caller holds the study. Unless `yes`, many requests or a
    high cost are a `UserError`.
    """
    summaries = {}
    for judge in judges:
        estimated = estimate(data.reread(), judge, settled)
        if estimated["units"] or not settled:
            say(estimate_text(estimated))
        allow(estimated, yes)
        summaries[judge.name] = judge_study(data, judge, progress=progress, settled=settled)
        say(summary_text(summaries[judge.name]))
        say(f"\nanswers:  {data.judgements_path}\nabout it: {summary_path(data.path, judge.name)}")
    return summaries


def estimate(data: SurveyFiles, judge: Judge, settled: SettledRequest | None = None) -> dict:
    """Estimate what answering would take: ``{"judge", "units", …}`` and the judge's estimate. Writes nothing.

    With `settled` it is the most that it can take, if nothing is settled before the budget is used up.
    """
    with _opened(data, judge, settled) as (units, recorded, todo):
        if settled:
            plan, pool, _ = proposed(data, judge.source, settled, seed=judge.seed)
            todo += most_units(course_of(data.study.conversations(), plan, pool, units, recorded, todo))
        counts = {"units": len(todo), "units_in_all": len(units), "at_most": settled is not None}
        return {"judge": judge.name, **counts, **judge.estimate(todo)}


def check_survey(survey: Survey) -> None:
    """Raise `UserError` for a survey that no judge can answer."""
    if survey.chat:
        raise UserError(
            f"--survey {survey.name}: people chat in it, and a judge has nobody to chat with.",
            "Let it judge the chats: spotbot_collect, then --survey dialogue_likert or another.",
        )
    if survey.layout == "candidates":
        raise UserError(
            f"--survey {survey.name}: judges don't choose among next turns.",
            "Models are scored on the same questions by spotbot_nuc; people's answers come by spotbot_collect.",
        )


@contextlib.contextmanager
def _opened(
    data: SurveyFiles, judge: Judge, settled: SettledRequest | None
) -> Iterator[tuple[list[Unit], list[Judgement], list[Unit]]]:
    """Open the judge; yield all units, its answers, and the units that lack some. It is closed in any case."""
    check_survey(known_survey(data))
    if settled:
        units = data.units
    elif plan := registered(data):
        raise UserError(
            f"{data.settled_path}: this survey is served until settled, by {source_said(plan.source)}.",
            "Go on with --until 'settled' and the options of the first time, or judge another --study.",
        )
    else:
        units = data.study.units(data.survey)
        if not any(item.control is None for unit in units for item in unit.items):
            raise UserError(f"{data.units_path}: no item to judge.", data.remedy("pack"))
    judge.open(data)
    try:
        answers = _answers(judge, data.judgements)
        todo = _unanswered(judge, units, answers)
        if answers:
            recorded = data.recorded("judge").get(judge.name)
            _check_options(judge, recorded, todo, data.judgements_path)
        yield units, answers, todo
    finally:
        judge.close()


def _answers(judge: Judge, rows: Sequence[Judgement]) -> list[Judgement]:
    return [row for row in rows if row.source == judge.source]


def _unanswered(judge: Judge, units: list[Unit], answers: list[Judgement]) -> list[Unit]:
    """The units without all their answers: a crash may have left the first rows of one."""
    rows = defaultdict(list)
    for row in answers:
        rows[row.unit_id].append(row)
    return [unit for unit in units if not judge.is_answered(unit, rows[unit.unit_id])]


def _answer(path: Path, judge: Judge, todo: list[Unit], have: set[str], survey: Survey, progress: bool) -> None:
    """Append the rows of unit after unit to `path`, in their order, but for those that it has."""
    rest = deque(todo)
    ready = set()
    with (
        checksums.RecordedJournal(path) as journal,
        Bar(f"judge {judge.name}", len(todo), "unit", shown=progress) as bar,
    ):

        def write(unit: Unit) -> None:
            rows = [row for row in judge.answer(unit) if row.judgement_id not in have]
            check_rows(survey, judge.name, unit, rows)
            if rows:
                journal.append(*rows)
            bar.advance()

        def done(unit: Unit) -> None:
            ready.add(unit.unit_id)
            while rest and rest[0].unit_id in ready:
                write(rest.popleft())

        judge.ask(todo, done)
        for unit in rest:  # a judge that stopped has answered some of them
            write(unit)


def _check_options(judge: Judge, recorded: dict | None, todo: list[Unit], path: Path) -> None:
    """Raise `UserError` if the answers at `path` were made with other options; by another version if some are missing.

    `recorded` are the options with which they were made, None where that isn't known.
    """
    options = judge.options()
    if recorded == options or (recorded and not todo and {**recorded, "version": judge.version} == options):
        return
    keys = ["seed", "version"]
    listed = "options that are not recorded"
    if recorded:
        keys += [key for key in options if key not in keys and recorded.get(key) != options[key]]
        listed = _listed(recorded, keys)
    raise UserError(
        f"{path}: the answers of judge {judge.name} were made with {listed}; asked for are {_listed(options, keys)}.",
        "Use the same --seed and options; or add --judge-name with a new name, under which all units are answered "
        "(spotbot_report --without-judge leaves the old answers out).",
    )


def _listed(options: dict, keys: Sequence[str]) -> str:
    return ", ".join(f"{key} {options.get(key)}" for key in keys)


def _summary(judge: Judge, units: list[Unit], answers: list[Judgement], conversations: Sequence[Conversation]) -> dict:
    measured = held_out(answers, conversations)
    about = judge.describe()
    lacking = [worker for worker in judge.workers if worker not in about["variants"]]
    if lacking:
        raise UserError(
            f"judge {judge.name}: its account ('describe') has no entry for worker '{lacking[0]}' in 'variants'.",
            "Add one for each of its 'workers'.",
        )
    variants = {
        worker: {**about["variants"][worker], "answers": _tallies(answers, worker), **measured.get(worker, {})}
        for worker in judge.workers
    }
    answered = len(units) - len(_unanswered(judge, units, answers))
    tally = {"units": len(units), "answered": answered, "note": CAUTION}
    return {"judge": judge.name, **judge.options(), **about, "variants": variants, **tally}


def _tallies(rows: list[Judgement], worker: str) -> dict[str, dict[str, int]]:
    """Counts of a variant's answers by question, without controls, and with free texts as "other"."""
    counts = {}
    for row in rows:
        if row.worker_id == worker and row.control is None:
            answer = row.answer
            if not isinstance(answer, str) or len(answer) >= 40:
                answer = "other"
            counts.setdefault(row.question, Counter())[answer] += 1
    return {question: dict(sorted(tally.items())) for question, tally in counts.items()}
