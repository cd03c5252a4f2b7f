"""Looks at people's answers before all of them were there, in a survey whose number of answers is fixed."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.findings.answers import Facts
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.records import HUMAN, Judgement


def looks_of(data: SurveyData) -> list[dict]:
    """Return the looks at a survey that were noted, oldest first."""
    return checksums.read_journal(_path(data), lambda row, where: row)


def this_look(facts: Facts, judgements: Sequence[Judgement]) -> list[dict]:
    """Return this look in a list, if it is one: people answer here, units are left, and others are answered than at the
    last look."""
    if not facts.collection or facts.settled:
        return []
    answered = len({row.unit_id for row in judgements if row.source == HUMAN}.intersection(facts.units))
    if not 0 < answered < len(facts.units) or [row["units"] for row in facts.looks[-1:]] == [answered]:
        return []
    return [{"date": datetime.now(UTC).date().isoformat(), "units": answered, "of": len(facts.units)}]


def note(data: SurveyData, looks: Sequence[dict]) -> None:
    """Append looks to ``looks.jsonl`` of the survey."""
    if looks:
        with checksums.RecordedJournal(_path(data)) as journal:
            journal.append(*looks)


def _path(data: SurveyData) -> Path:
    return data.path / "looks.jsonl"
