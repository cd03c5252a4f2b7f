"""Lets a judge answer the units of a study: rows of judgements.jsonl, a unit at a time, resumable at any byte.

Beside the answers stands ``surveys/NAME/judges/JUDGE.json``: what the judge is, what it was trained on, how often it
was right on held-out data, where that can be known, and how many of the `units` are `answered`. It is written before
the first answer too, so that whoever is killed is known to have done a part only.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot import checksums, files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import CAUTION, Judge, get_judge
from parlai_spotbot.judges.evaluation import DEFINITIONS, held_out
from parlai_spotbot.records import Judgement, Unit
from parlai_spotbot.study import Study, expect_study
from parlai_spotbot.surveys import get_survey, is_survey
from parlai_spotbot.terminal import Bar

WRITTEN_EVERY = 10
"""Seconds after which JUDGE.json says anew how many units are answered."""


def summary_path(study: Study, survey: str, judge_name: str) -> Path:
    return study.survey_path(survey) / "judges" / f"{judge_name}.json"


def judge_study(
    study: Study, survey: str, judge: str | Judge = "spotter", seed: int = 0, progress: bool = True
) -> dict:
    """Let the judge (one made, or the name of one) answer what it has not answered yet; returns what JUDGE.json holds.

    The caller holds the study's lock. Answers that exist were made with the same options, or it is a `UserError`. The
    same seed gives the same bytes, whatever the interruptions, as far as the judge's answers are its own to repeat.
    """
    expect_study(study)
    judge = get_judge(judge)(seed) if isinstance(judge, str) else judge
    work = _Work(study, survey, judge)
    units = work.units()
    judge.open(study, survey)
    try:
        known = work.answers()
        work.check_options(bool(known))
        todo = work.unanswered(units, known)
        path = summary_path(study, survey, judge.name)
        before = checksums.read_json(path) if path.exists() else {}
        whole = before.get("answered") == before.get("units") and not before.get("stopped")
        if not todo and before and whole:
            return before
        if todo:
            judge.prepare(study, survey, progress)
            work.record_options()
            tally = {"units": len(units), "answered": len(units) - len(todo)}
            begun = {**_summary(judge, known, held_out(known, study.conversations())), **tally}

            def tell(done: int) -> None:
                files.write_json(path, {**begun, "answered": tally["answered"] + done})

            checksums.forget(path)
            tell(0)
            work.answer(todo, {row.judgement_id for row in known}, progress, tell)
        elif not before:  # a crash came between the last answer and the summary
            judge.prepare(study, survey, progress)
        answers = work.answers()
        measured = held_out(answers, study.conversations())
        left = len(work.unanswered(units, answers))
        tally = {"units": len(units), "answered": len(units) - left}
        summary = {**_summary(judge, answers, measured), **tally}
        checksums.write_json(path, summary)
        return summary
    finally:
        judge.close()


def estimate(study: Study, survey: str, judge: Judge) -> dict:
    """What letting the judge answer would take: ``{"judge", "units", …}``, and what else it knows. Writes nothing."""
    work = _Work(study, survey, judge)
    units = work.units()
    judge.open(study, survey)
    try:
        known = work.answers()
        work.check_options(bool(known))
        todo = work.unanswered(units, known)
        return {"judge": judge.name, "units": len(todo), "units_in_all": len(units), **judge.estimate(todo)}
    finally:
        judge.close()


def check_survey(name: str) -> None:
    """Raise `UserError` for a survey that no judge can answer."""
    survey = get_survey(name) if is_survey(name) else None
    if survey is not None and survey.chat:
        raise UserError(
            f"--survey {name}: people chat in it, and a judge has nobody to chat with.",
            "Let it judge the chats: spotbot_collect, then --survey dialogue_likert or another.",
        )
    if survey is not None and survey.layout == "candidates":
        raise UserError(
            f"--survey {name}: judges don't choose among next turns.",
            "Models are scored on the same questions by spotbot_nuc; people's answers come by spotbot_collect.",
        )


@dataclass(frozen=True)
class _Work:
    """A judge, and the survey of a study that it answers."""

    study: Study
    survey: str
    judge: Judge

    @property
    def path(self) -> Path:
        return self.study.judgements_path(self.survey)

    def units(self) -> list[Unit]:
        """All there are; a `UserError` where there is nothing for a judge."""
        check_survey(self.survey)
        units = self.study.units(self.survey)
        if not any(item.control is None for unit in units for item in unit.items):
            raise UserError(
                f"{self.study.units_path(self.survey)}: no item to judge.",
                hints.run("pack", self.study.path, self.survey),
            )
        return units

    def answer(self, todo: list[Unit], have: set[str], progress: bool, tell: Callable[[int], None]) -> None:
        """Answer unit after unit, but for the rows that are there; `tell` hears now and then how many are done."""
        done, told = 0, time.monotonic()
        with checksums.Journal(self.path) as journal:
            try:
                for unit in Bar.over(todo, f"judge {self.judge.name}", unit="unit", shown=progress):
                    rows = [row for row in self.judge.answer(unit) if row.judgement_id not in have]
                    if rows:
                        journal.append(*(row.to_json() for row in rows))
                    if self.judge.stopped:
                        return
                    done += 1
                    if time.monotonic() - told > WRITTEN_EVERY:
                        tell(done)
                        told = time.monotonic()
            finally:
                tell(done)

    def answers(self) -> list[Judgement]:
        """What the judge has answered."""
        if not self.path.exists():
            return []
        return [row for row in self.study.judgements(self.survey) if row.source == self.judge.source]

    def unanswered(self, units: list[Unit], known: list[Judgement]) -> list[Unit]:
        """The units without all their answers: a crash may have left the first rows of one."""
        rows: dict[str, list[Judgement]] = defaultdict(list)
        for row in known:
            rows[row.unit_id].append(row)
        return [unit for unit in units if not self.judge.is_answered(unit, rows[unit.unit_id])]

    def check_options(self, answered: bool) -> None:
        """Raise `UserError` where answers that exist were made with other options."""
        recorded = self.study.provenance().get("judge", {}).get(self.survey, {}).get(self.judge.name)
        wanted = self.judge.options()
        if answered and recorded != wanted:
            made, asked = "options that are not recorded", _said(wanted, ("seed", "version"))
            if recorded:
                always = ("seed", "version")
                keys = [key for key in {**recorded, **wanted} if key in always or recorded.get(key) != wanted.get(key)]
                made, asked = _said(recorded, keys), _said(wanted, keys)
            raise UserError(
                f"{self.path}: the answers of judge {self.judge.name} were made with {made}; asked for are {asked}.",
                "Use the same --seed and options, or drop its answers first: "
                + hints.command("judge", self.study.path, self.survey, drop=self.judge.name),
            )

    def record_options(self) -> None:
        known = self.study.provenance().get("judge", {})
        self.study.record(
            "judge", {**known, self.survey: {**known.get(self.survey, {}), self.judge.name: self.judge.options()}}
        )


def _said(options: dict, keys: Sequence[str]) -> str:
    return ", ".join(f"{key} {options.get(key)}" for key in keys)


def _summary(judge: Judge, answers: list[Judgement], measured: dict[str, dict]) -> dict:
    about = judge.describe()
    given = {worker: _given([row for row in answers if row.worker_id == worker]) for worker in judge.workers}
    variants = {
        worker: {**about["variants"][worker], "answers": given[worker], **measured.get(worker, {})}
        for worker in judge.workers
    }
    own = {"judge": judge.name, **judge.options(), **about}
    return {**own, "variants": variants, "definitions": DEFINITIONS, "note": CAUTION}


def _given(rows: list[Judgement]) -> dict[str, dict[str, int]]:
    """How often each answer was given, by question; controls, and what is no single option, left out."""
    counts: dict[str, Counter] = {}
    for row in rows:
        if row.control is None:
            tally = counts.setdefault(row.question, Counter())
            tally[row.answer if isinstance(row.answer, str) and len(row.answer) < 40 else "other"] += 1
    return {question: dict(sorted(tally.items())) for question, tally in counts.items()}
