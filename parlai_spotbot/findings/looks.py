"""Looks at people's answers before all of them were there, in a survey whose number of answers is fixed."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.findings.answers import Facts
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.study import Study


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


def _path(study: Study, survey: str) -> Path:
    return study.survey_path(survey) / "looks.jsonl"


def _read(study: Study, survey: str) -> list[dict]:
    return checksums.read_journal(_path(study, survey), lambda row, where: row)
