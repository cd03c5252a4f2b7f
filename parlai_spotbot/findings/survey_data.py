"""All that a study holds of one survey: what was asked, what was answered, and what was found.

Findings, plan, report and notebook take it. People come before judges, since judges are no substitute for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings import forms_of
from parlai_spotbot.findings.answers import Facts, Form, Options
from parlai_spotbot.findings.frames import Frames, by_source
from parlai_spotbot.findings.made_by import VERSION
from parlai_spotbot.findings.ordering import people_first, planned_first
from parlai_spotbot.findings.rankings import Ranking, by_criterion, main_ranking
from parlai_spotbot.findings.source_accounts import SourceAccount, source_accounts
from parlai_spotbot.records import HUMAN, Conversation, Judgement, Unit, is_named
from parlai_spotbot.sequential.account import account
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.surveys import Survey, known_survey, launched_survey
from parlai_spotbot.surveys.controls.exclusion import without_failed
from parlai_spotbot.surveys.packing import packing_of

NO_SOURCES = ("hygiene", "plan")
"""Stems of files that are not results by source: hygiene is about conversations, a plan about what is to come."""

DEFAULT = "spot_the_bot"
"""The survey, where none is named."""

ROUND = ("task", "annotator", "attempt", "round", "dialogue", "wrong_turns", "of", "passed")
"""What a round of a training says at least; `role`, `group` (of annotators), `mistakes_by_label` and `seconds` may
are next to."""

COLLECT_ANEW = "Collect it again with spotbot_collect."


@dataclass(frozen=True)
class SurveyData(SurveyFiles):
    """A survey of a study; what is asked for is read once, and what does not exist yet is empty.

    Attributes
    ----------
    without : frozenset of str
        Sources that count as if they had not answered.
    fresh : mapping, optional
        Results of the analysis that is running, by finding and source; they replace those on disk.
    """

    without: frozenset[str] = frozenset()
    fresh: Mapping[str, dict[str, Frames]] | None = None

    # -- what was asked ------------------------------------------------------------------------------------------------
    @cached_property
    def asked(self) -> Survey:
        """The survey as the study knows it."""
        return known_survey(self)

    @cached_property
    def launched(self) -> Survey | None:
        """The survey as it was asked, with the limits of its launch; None where nobody knows it."""
        if not self.asked.known:
            return None
        return launched_survey(self)

    @cached_property
    def forms(self) -> list[Form]:
        return forms_of(self.asked)

    @property
    def counted(self) -> bool:
        """Return whether judgements are votes, perhaps millions, which are not read one by one."""
        return self.asked.known and packing_of(self.asked).comes_in

    @cached_property
    def margin(self) -> float | None:
        """The margin within which two are equal; None where none was declared."""
        return self.study.provenance().get("margin", {}).get(self.survey)

    @cached_property
    def training_texts(self) -> list[tuple[str, ...]] | None:
        """The turns of each conversation that the study's bots know; None where they are not there.

        Only where self-play has read them already: nothing is fetched for this.
        """
        from parlai_spotbot.domains import domain_of

        if "selfplay" not in self.study.provenance():
            return None
        try:
            return [episode.turns for episode in domain_of(self.study.path, self.plan.domain).episodes("bots")]
        except UserError:
            return None

    # -- what was answered ---------------------------------------------------------------------------------------------
    @cached_property
    def conversations(self) -> list[Conversation]:
        """The conversations that the survey is about; a `UserError` where they have to be there and are not."""
        if self.asked.known:
            packing = packing_of(self.asked)
            if not (packing.of_conversations or packing.chats):
                return super().conversations
        return self.study.conversations()

    @cached_property
    def judgements(self) -> list[Judgement]:
        """The judgements one by one; none where they are `counted`."""
        if self.counted:
            return []
        return [row for row in super().judgements if row.source not in self.without]

    @cached_property
    def kept(self) -> list[Judgement]:
        """The judgements without those of people who missed more controls than the launch allows."""
        return without_failed(self.judgements, self.launched or self.asked)

    @cached_property
    def answered(self) -> Any:
        """The judgements as findings take them: records, or a table where their form asks for one."""
        if any(form.as_table for form in self.forms):
            return self.study.judgement_table(self.survey)
        return self.study.judgements(self.survey)

    @property
    def has_answers(self) -> bool:
        """Return whether answers are there, to a survey that is known."""
        return self.asked.known and self.judgements_path.exists()

    @property
    def judged(self) -> bool:
        """Return whether there are any judgements."""
        if not self.counted:
            return bool(self.judgements)
        return self.judgements_path.exists() and self.judgements_path.stat().st_size > 0

    @cached_property
    def judges(self) -> dict[str, dict]:
        """Contents of ``judges/*.json`` by judge."""
        return {source: row for source, row in self.study.judges(self.survey).items() if source not in self.without}

    @cached_property
    def failures(self) -> list[dict]:
        """The rows of failures.jsonl."""
        return self.study.failures()

    @cached_property
    def screening(self) -> list[dict]:
        """The rounds of the training that annotators of a survey of tasks took; [] where there are none."""
        path = self.path / "training.jsonl"
        if not path.exists():
            return []
        return checksums.read_jsonl(path, checked_round, "file of the training", COLLECT_ANEW)

    @cached_property
    def facts(self) -> Facts:
        """Facts that the survey's findings use."""
        study = self.study
        further: dict = {}
        conversations: list[Conversation] = []
        for form in self.forms:
            further |= form.facts(self)
            if form.of_study:
                conversations = study.conversations()
        return Facts.from_records(
            self.launched or self.asked,
            conversations,
            self.items.values(),
            bots=tuple(study.plan.contestants),
            units={unit.unit_id: item_ids for unit in self.units if (item_ids := _asked_in(unit))},
            judges=study.judges(self.survey),
            screening=tuple(self.screening),
            settled=account(self),
            collection=self.recorded("crowdsourcing"),
            margin=self.margin,
            **further,
        )

    def answers(self, form: Form, source: str | None) -> Any:
        """Return the answers of a source; of None people's, or else the first judge's.

        Raises
        ------
        UserError
            Where there are none, or one is wrong.
        """
        path = self.judgements_path
        try:
            sources, _ = form.sources(self.answered, self.facts, Options())
        except ValueError as err:
            raise UserError(f"{path}: {err}.", "Correct that line, or make the file again.") from err
        if not sources:
            raise UserError(f"{path}: no complete annotation in it.", "Judge some units first.")
        names = people_first(sources)
        if source is not None and source not in sources:
            raise UserError(f"--source {source}: no judgements of it in {path}.", nearest(source, names))
        return sources[source or names[0]]

    # -- what was found ------------------------------------------------------------------------------------------------
    def stored(self, path: Path, **options: Any) -> dict:
        """Return what a file of an analysis, made with such options, holds; {} where there is none."""
        if not path.exists():
            return {}
        remedy = self.remedy("analyze", **options)
        return self.study.once(path, lambda: checksums.read_json(path, "analysis file", remedy))

    def stored_frames(self, path: Path) -> dict[str, Frames]:
        """Return by source what a file of an analysis by this version holds; {} where there is none."""
        value = self.stored(path)
        if not value or value["made_by"].get("version") != VERSION:
            return {}
        return by_source(value["tables"])

    @cached_property
    def found(self) -> dict[str, dict]:
        """The results as their files hold them, by name of the finding; a file that does not exist is absent."""
        results = {}
        remedy = self.remedy("analyze")
        checksums.check_files(self.study.path, (f"surveys/{self.survey}/analysis/",), remedy)
        for path in sorted(self.folder.glob("*.json")):
            if path.stem in NO_SOURCES:
                continue
            value = self.stored(path)
            if not isinstance(value, dict) or not isinstance(value.get("made_by", {}), dict):
                raise UserError(f"{path}: expected a result and, in 'made_by', how it was made.", remedy)
            if value.get("made_by", {}).get("version") == VERSION and not _are_tables(value.get("tables")):
                raise UserError(f"{path}: field 'tables': expected lists of rows by name.", remedy)
            results[path.stem] = value
        return results

    @cached_property
    def made_by(self) -> dict[str, dict]:
        """The `made_by` entry of each finding."""
        return {name: value.get("made_by") or {} for name, value in self.found.items()}

    @cached_property
    def analysis(self) -> Mapping[str, dict[str, Frames]]:
        """Name of the finding -> source -> its frames; what another version made isn't there."""
        if self.fresh is not None:
            return self.fresh
        results = {}
        for name, value in self.found.items():
            if self.made_by[name].get("version") == VERSION:
                frames = by_source(value["tables"])
                results[name] = {source: frames[source] for source in frames if source not in self.without}
        return results

    def of(self, name: str, source: str) -> Frames:
        """Return what one finding says of one source; empty where there is nothing."""
        return self.analysis.get(name, {}).get(source, Frames())

    def rankings(self, source: str) -> dict[str, Ranking]:
        """Return a source's rankings by criterion."""
        return by_criterion(self.of("ranking", source))

    def ranking(self, source: str) -> Ranking:
        """Return a source's ranking by the main criterion."""
        return main_ranking(self.of("ranking", source))

    def used(self, source: str) -> tuple[int | None, Counter[str]]:
        """Return how many annotations of a source the rankings are of, None where that is not known, and how many are
        left out, by the reason; in chats ratings and comparisons together."""
        forms = [self.made_by.get(finding) or {} for finding in ("ranking", "choices")]
        counts = [form["used"][source] for form in forms if source in (form.get("used") or {})]
        left_out: Counter[str] = Counter()
        for form in forms:
            left_out.update((form.get("left_out") or {}).get(source, {}))
        return sum(counts) if counts else None, left_out

    @property
    def accounts(self) -> list[SourceAccount]:
        """Quality of the answers of each source with results, the one that a page begins with first."""
        return source_accounts(self.analysis.get("annotators", {}), self.analysed_sources)

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
        if not changed:
            return ""
        return f"The study has changed since it was analysed: {', '.join(changed)}."

    # -- who -----------------------------------------------------------------------------------------------------------
    @cached_property
    def bots(self) -> list[str]:
        """The contestants in the order of the plan, then any others that occur, sorted: a bot's place is its colour."""
        seen = {name for c in self.conversations for name in c.entities if name != HUMAN}
        return planned_first(seen.union(self.plan.contestants), self.plan.contestants)

    @cached_property
    def analysed_sources(self) -> list[str]:
        """Every source with results: people first, then the judges; what is of no source has "" in its place."""
        return people_first(source for by_source in self.analysis.values() for source in by_source if source)

    @cached_property
    def sources(self) -> list[str]:
        """Every source with judgements or results: people first, then the judges."""
        return people_first([*(row.source for row in self.judgements), *self.analysed_sources])

    @cached_property
    def annotators(self) -> dict[tuple[str, str], str]:
        """Describe how annotators are named on the page: people by number, never by their platform's id; judges by
        variant."""
        names = {}
        for source in self.sources:
            workers = sorted({j.worker_id for j in self.judgements if j.source == source})
            for number, worker in enumerate(workers, start=1):
                names[source, worker] = worker
                if source == HUMAN:
                    names[source, worker] = f"annotator {number}"
        return names

    def annotations(self, source: str) -> int:
        """Return how many annotations (one annotator's answers to one item) a source gave, controls and all."""
        if self.counted:
            return self.made_by["ranking"]["used"][source]
        return len({j.annotation_id for j in self.judgements if j.source == source})

    def people(self, source: str) -> int:
        """Return how many annotators of a source are known; 0 where answers don't say who gave them."""
        if self.counted:
            return self.of("votes", source).one("annotators").get("count", 0)
        return sum(whose == source and is_named(name) for whose, name in self.annotators)


def begun(study: Study) -> list[SurveyData]:
    """Return the surveys of a study's plan, then others that have a folder."""
    folders = {path.name for path in study.path.glob("surveys/*") if path.is_dir()}
    names = planned_first(folders.union(study.plan.surveys), study.plan.surveys)
    return [SurveyData(study, name) for name in names]


def load(study: Study, survey: str) -> SurveyData:
    """Return a survey that the study has; a `UserError` where it has none of this name."""
    surveys = {data.survey: data for data in begun(study)}
    if survey not in surveys:
        raise UserError(f"--survey {survey}: {study.path} has no such survey.", nearest(survey, surveys))
    return surveys[survey]


def without_sources(data: SurveyData, sources: Collection[str]) -> SurveyData:
    """Return a survey as if these sources had not answered."""
    if not sources:
        return data
    return replace(data, without=frozenset(sources))


def surveys_of(study: Study, survey: str | None = None) -> list[SurveyData]:
    """The surveys that a report is about: `survey` (by default the plan's first), then all others that were judged."""
    first = load(study, survey or next(iter(study.plan.surveys), DEFAULT))
    others = [data for data in begun(study) if data.survey != first.survey and data.judgements_path.exists()]
    return [first, *others]


def analysed(surveys: Iterable[SurveyData]) -> list[SurveyData]:
    """Return the surveys that are analysed."""
    return [data for data in surveys if (data.folder / "ranking.json").exists()]


def not_analysed(surveys: Iterable[SurveyData]) -> list[str]:
    """Return the names of the surveys with answers that no analysis is of, or one of other answers."""
    judged = [data for data in surveys if data.judgements_path.exists() and data.judgements_path.stat().st_size]
    return [data.survey for data in judged if not data.analysis or data.outdated]


def sources_of(judgements: Any) -> tuple[str, ...]:
    """Return who gave judgements, records or a table: people first."""
    if isinstance(judgements, list):
        return tuple(people_first(row.source for row in judgements))
    return tuple(people_first(judgements["source"].unique()))


def _asked_in(unit: Unit) -> tuple[str, ...]:
    """The items of a unit that aren't controls."""
    return tuple(item.item_id for item in unit.items if item.control is None)


def checked_round(row: dict, where: str) -> dict:
    """A round as it is in training.jsonl; a `UserError` names file, line and fields."""
    wrong = [name for name in ROUND if name not in row]
    if not wrong and not (type(row["of"]) is type(row["wrong_turns"]) is int and 0 <= row["wrong_turns"] <= row["of"]):
        wrong = ["wrong_turns", "of"]
    if wrong or row["passed"] not in (True, False, None):
        raise UserError(f"{where}: missing or wrong: {', '.join(wrong) or 'passed'}.", COLLECT_ANEW)
    return row


def _are_tables(value: Any) -> bool:
    """Return whether a file's value is lists of rows by name."""
    if not isinstance(value, dict) or not all(isinstance(rows, list) for rows in value.values()):
        return False
    return all(isinstance(row, dict) for rows in value.values() for row in rows)
