"""Looks at people's answers before all of them were there, in a survey whose number of answers is fixed."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.findings.answers import Facts
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.wording import counted

LOOKED = (
    "These answers were looked at {} before they were complete; as their number was fixed beforehand, each look raises "
    "the chance of a false winner above 5 %. Serving until settled (--until settled) may be looked at any time."
)


def note(study: Study, survey: str, facts: Facts, judgements: Sequence[Judgement]) -> None:
    """Append a look to ``looks.jsonl`` of the survey: its date, and how many units people have answered of how many.

    Only where people answer here, units are left, and others are answered than at the last look.
    """
    if not facts.collection or facts.settled:
        return
    answered = len({row.unit_id for row in judgements if row.source == HUMAN}.intersection(facts.units))
    last = [row["units"] for row in _read(study, survey)][-1:]
    if 0 < answered < len(facts.units) and last != [answered]:
        with closing(checksums.Journal(_path(study, survey))) as journal:
            date = datetime.now(UTC).date().isoformat()
            journal.append({"date": date, "units": answered, "of": len(facts.units)})


def told(study: Study, survey: str) -> list[str]:
    """Return how often the answers were looked at before they were complete, in a sentence; [] where they weren't."""
    looks = len(_read(study, survey))
    return [LOOKED.format(counted(looks, "time"))] if looks else []


def _path(study: Study, survey: str) -> Path:
    return study.survey_path(survey) / "looks.jsonl"


def _read(study: Study, survey: str) -> list[dict]:
    return checksums.read_journal(_path(study, survey), lambda row, where: row)
