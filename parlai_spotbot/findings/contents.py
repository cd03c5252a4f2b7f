"""Input of the report: a study's files, read and checked; missing files and wrong ones are distinguished.

Analysis is read by source; people come before judges, since judges are no substitute for them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings.made_by import VERSION
from parlai_spotbot.findings.ordering import people_first, planned_first
from parlai_spotbot.records import HUMAN, Conversation, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import Survey, known_survey, launched_survey
from parlai_spotbot.surveys.controls.exclusion import without_failed
from parlai_spotbot.surveys.packing import packing_of

NO_SOURCES = ("hygiene", "plan")
"""Stems of files that are not results by source: hygiene is about conversations, a plan about what is to come."""


DEFAULT = "spot_the_bot"


@dataclass(frozen=True)
class Analysis:
    """Record of what was found of a survey: `analysis` maps name of the finding -> source -> data, `made_by` name ->
    how they were made; a file that does not exist is absent."""

    study: Study
    survey: str
    analysis: dict[str, dict[str, dict]]
    made_by: dict[str, dict]

    @cached_property
    def asked(self) -> Survey:
        """The survey as the study knows it."""
        return known_survey(self.survey, self.study)

    @cached_property
    def sources(self) -> list[str]:
        """Every source with results: people first, then the judges."""
        return people_first(source for by_source in self.analysis.values() for source in by_source)

    def of(self, name: str, source: str) -> dict:
        """Return what one finding says of one source; empty where there is nothing."""
        return self.analysis.get(name, {}).get(source, {})

    @cached_property
    def outdated(self) -> str:
        """Return why the results may not be those of the study as it is, in a sentence; "" where they are, or there are
        none.

        An analysis says its version and, written by `spotbot_analyze`, the checksums of what it read.
        """
        made_by = self.made_by.get("annotators") or next(iter(self.made_by.values()), None)
        if made_by is None:
            return ""
        if made_by.get("version", 1) != VERSION:
            return "The analysis was made by another version of parlai_spotbot, whose figures may differ."
        if set(made_by.get("contestants_left_out", ())) != self.study.gone:
            return "Other contestants are left out now than when the study was analysed."
        now = self.study.checksums(self.survey)
        then = made_by.get("sha256", now)
        changed = [path.rpartition("/")[2] for path in {**then, **now} if then.get(path) != now.get(path)]
        return f"The study has changed since it was analysed: {', '.join(changed)}." if changed else ""


@dataclass(frozen=True)
class Contents(Analysis):
    """All that a study holds of a survey.

    `judges` holds what is in ``judges/*.json`` by judge, `failures` the rows of failures.jsonl. `counted`:
    judgements are votes, perhaps millions, which are not read one by one: `judgements` is empty then, and what is said
    of them is the analysis's.
    """

    conversations: list[Conversation]
    units: int
    judgements: list[Judgement]
    judges: dict[str, dict]
    failures: list[dict]
    counted: bool = False

    def without(self, sources: Collection[str]) -> Contents:
        """The same as if these sources had not answered."""
        if not sources:
            return self

        analysis = {
            name: {source: result for source, result in by_source.items() if source not in sources}
            for name, by_source in self.analysis.items()
        }
        judges = {source: result for source, result in self.judges.items() if source not in sources}
        judgements = [j for j in self.judgements if j.source not in sources]
        return replace(self, analysis=analysis, judges=judges, judgements=judgements)

    @cached_property
    def bots(self) -> list[str]:
        """The contestants in the order of the plan, then any others that occur, sorted: a bot's place is its colour."""
        seen = {name for c in self.conversations for name in c.entities if name != HUMAN}
        return planned_first(seen.union(self.study.plan.contestants), self.study.plan.contestants)

    @cached_property
    def sources(self) -> list[str]:
        """Every source with judgements or results: people first, then the judges."""
        return people_first([*(j.source for j in self.judgements), *super().sources])

    @cached_property
    def annotators(self) -> dict[tuple[str, str], str]:
        """Describe how annotators are named on the page: people by number, never by their platform's id; judges by
        variant."""
        names = {}
        for source in self.sources:
            workers = sorted({j.worker_id for j in self.judgements if j.source == source})
            for number, worker in enumerate(workers, start=1):
                names[source, worker] = f"annotator {number}" if source == HUMAN else worker
        return names

    def annotations(self, source: str) -> int:
        """Return how many annotations (one annotator's answers to one item) a source gave, controls and all."""
        if self.counted:
            return self.made_by["ranking"]["used"][source]
        return len({j.annotation_id for j in self.judgements if j.source == source})

    def people(self, source: str) -> int:
        """Return how many annotators of a source are known; 0 where answers don't say who gave them."""
        if self.counted:
            return self.of("votes", source).get("annotators", {}).get("count", 0)
        return sum(whose == source for whose, _ in self.annotators)

    @property
    def judged(self) -> bool:
        """Return whether there are any judgements."""
        path = self.study.judgements_path(self.survey)
        return path.exists() and path.stat().st_size > 0 if self.counted else bool(self.judgements)

    @cached_property
    def kept(self) -> list[Judgement]:
        """The judgements without those of people who missed more controls than the launch allows."""
        asked = launched_survey(self.study, self.survey) if self.asked.known else None
        return without_failed(self.judgements, asked)


def surveys_of(study: Study, survey: str | None = None) -> list[str]:
    """The surveys that a report is about: `survey` (by default the plan's first), then all others that were judged."""
    first = survey or next(iter(study.plan.surveys), DEFAULT)
    _check_survey(study, first)
    return [first, *(name for name in _begun(study) if name != first and study.judgements_path(name).exists())]


def read_contents(study: Study, survey: str) -> Contents:
    """Read everything; what is malformed is a `UserError`, what has not been made yet is empty."""
    _check_survey(study, survey)
    analysis, made_by = _analysis(study, survey)
    asked = known_survey(survey, study)
    counted = asked.known and packing_of(asked).comes_in
    data = study.load(survey)
    return Contents(
        study=study,
        survey=survey,
        conversations=study.conversations() if _of_conversations(asked) else data.conversations,
        units=len(data.units),
        judgements=[] if counted else data.judgements,
        analysis=analysis,
        made_by=made_by,
        judges=study.judges(survey),
        failures=study.failures(),
        counted=counted,
    )


def _of_conversations(survey: Survey) -> bool:
    """Return whether a survey is about the study's conversations, not questions of a corpus or votes."""
    packing = packing_of(survey) if survey.known else None
    return packing is None or packing.of_conversations or packing.chats


def read_analysis(study: Study, survey: str) -> Analysis:
    """Return what was found of a survey, without what it was found from."""
    return Analysis(study, survey, *_analysis(study, survey))


def analysed(study: Study, fresh: Analysis | None = None) -> list[Analysis]:
    """Return what was found of every survey of the study that is analysed, one of them just now perhaps: those of its
    plan first, the others by name."""
    names = [name for name in _begun(study) if (study.analysis_path(name) / "ranking.json").exists()]
    made = {fresh.survey: fresh} if fresh else {}
    return [made.get(name) or read_analysis(study, name) for name in names]


def not_analysed(study: Study, survey: str | None = None) -> list[str]:
    """Return the surveys, or the one named, with answers that no analysis is of, or one of other answers."""
    names = [survey] if survey else _begun(study)
    judged = [name for name in names if study.judgements_path(name).exists()]
    results = [read_analysis(study, name) for name in judged if study.judgements_path(name).stat().st_size]
    return [result.survey for result in results if not result.analysis or result.outdated]


def stored(path: Path, study: Study, survey: str, **options: Any) -> dict:
    """Return what a file of an analysis, made with such options, holds; {} where there is none."""
    if not path.exists():
        return {}
    remedy = hints.run("analyze", study.path, survey, **options)
    return study.once(path, lambda: checksums.read_json(path, "analysis file", remedy))


def _begun(study: Study) -> list[str]:
    """Return the surveys of the plan, then others that have a folder."""
    folder = study.path / "surveys"
    folders = {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else set()
    return planned_first(folders.union(study.plan.surveys), study.plan.surveys)


def _check_survey(study: Study, survey: str) -> None:
    begun = _begun(study)
    if survey not in begun:
        raise UserError(f"--survey {survey}: {study.path} has no such survey.", nearest(survey, begun))


def _analysis(study: Study, survey: str) -> tuple[dict, dict]:
    analysis, made_by = {}, {}
    remedy = hints.run("analyze", study.path, survey)
    checksums.check_files(study.path, (f"surveys/{survey}/analysis/",), remedy)
    for path in sorted(study.analysis_path(survey).glob("*.json")):
        stem = path.stem
        if stem in NO_SOURCES:
            continue
        value = stored(path, study, survey)
        by_source = value.get("by_source") if isinstance(value, dict) else None
        if not isinstance(by_source, dict) or not all(isinstance(result, dict) for result in by_source.values()):
            raise UserError(f"{path}: field 'by_source': expected results by source.", remedy)
        made_by[stem] = value.get("made_by") or {}
        if made_by[stem].get("version", VERSION) == VERSION:  # what another version made has other keys
            analysis[stem] = by_source
    return analysis, made_by
