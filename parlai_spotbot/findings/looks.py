"""Looks at people's answers before all of them were there, in a survey whose number of answers is fixed."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot import checksums
from parlai_spotbot.analysis.uncertainty.shares import LEVEL
from parlai_spotbot.findings.answers import Answers, Facts, Form
from parlai_spotbot.findings.finding import Finding, declared
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.sequential.looked import by_lot, verdicts
from parlai_spotbot.sequential.registration import MOST, evidence_marks, pair_of
from parlai_spotbot.study import Study
from parlai_spotbot.wording import counted, some

HOLDING = "Looked at {} before the answers were complete. Verdicts that hold however often one looks: {} of {}{}."


def looks_of(study: Study, survey: str, facts: Facts, judgements: Sequence[Judgement]) -> list[dict]:
    """Return the looks at a survey before its answers were complete, this one among them if it is one.

    Only where people answer here, units are left, and others are answered than at the last look.
    """
    looks = _read(study, survey)
    if facts.collection and not facts.settled:
        answered = len({row.unit_id for row in judgements if row.source == HUMAN}.intersection(facts.units))
        if 0 < answered < len(facts.units) and [row["units"] for row in looks[-1:]] != [answered]:
            date = datetime.now(UTC).date().isoformat()
            looks.append({"date": date, "units": answered, "of": len(facts.units)})
    return looks


def note(study: Study, survey: str, looks: Sequence[dict]) -> None:
    """Append the last of the looks to ``looks.jsonl`` of the survey, if it isn't there."""
    if len(looks) > len(_read(study, survey)):
        with closing(checksums.Journal(_path(study, survey))) as journal:
            journal.append(looks[-1])


def anytime(answers: Answers, question: str, matches: pd.DataFrame) -> dict[str, Any] | None:
    """Return which verdicts hold however often one looks, by matches as `contrasts` takes them; None without looks."""
    facts = answers.facts
    if not facts.looks or not answers.crossed or matches.empty or len(answers.bots) > MOST:
        return None
    marks = {}
    for item in facts.items.values():
        pair = pair_of(item, facts.conversations, question)
        if pair:
            shown_once = evidence_marks(item, facts.conversations, pair)
            marks[item.item_id] = {facts.copies.get(mark, mark) for mark in shown_once}
    counted_ones = by_lot(facts.units, marks)
    by_time = sorted(answers.judgements, key=lambda row: row.submitted_at)
    places = {row.annotation_id: n for n, row in enumerate(by_time) if (row.unit_id, row.item_id) in counted_ones}
    order = answers.rows.loc[matches.index, "annotation_id"].map(places).dropna().sort_values(kind="stable")
    complete = {row.unit_id for row in answers.judgements}.issuperset(facts.units)
    pairs = verdicts(matches.loc[order.index], answers.bots, 1 - LEVEL, len(counted_ones), complete)
    return {"looks": len(facts.looks), "pairs": pairs}


def summarise(result: Result) -> list[str]:
    """Return how many verdicts hold however often one looks, and which of the ranking's don't."""
    pairs = result.data["pairs"]
    holding = [{row["a"], row["b"]} for row in pairs if row["verdict"] == "better"]
    apart = filter(clear, result.others.get("ranking", {}).get("pairs", ()))
    lacking = [f"{row['a']} – {row['b']}" for row in apart if {row["a"], row["b"]} not in holding]
    rest = f"; not among them: {some(lacking, 'that are told apart here')}" if lacking else ""
    times, count = counted(result.data["looks"], "time"), counted(len(pairs), "pair")
    return [HOLDING.format(times, len(holding), count, rest)]


def finding(form: Form, compute: Callable[..., Mapping | None]) -> Finding:
    """Return the finding of a form of answers, which stands beside the fixed verdict."""
    return declared(__file__, form, compute, summarise)


def _path(study: Study, survey: str) -> Path:
    return study.survey_path(survey) / "looks.jsonl"


def _read(study: Study, survey: str) -> list[dict]:
    return checksums.read_journal(_path(study, survey), lambda row, where: row)
