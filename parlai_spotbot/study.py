"""A study on disk: one folder that holds an evaluation from its plan to its report.

The plan is in study.yaml, extensions to it (a further contestant, more conversations, a further survey) are lines
of history.jsonl; the plan in force is both together. Every command takes the study's lock while it works.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Required, Self

import yaml
from typing_extensions import TypedDict

from parlai_spotbot import checksums, files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.judgement_table import judgement_table
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.records import Conversation, Item, Judgement, Unit
from parlai_spotbot.study_plan import Plan, extended
from parlai_spotbot.user_files import read_fields, validated

if TYPE_CHECKING:
    from pandas import DataFrame

EXPORTS = "exports.json"


class Position(TypedDict):
    """Record of how often a judge's answers changed with the order."""

    n: int
    flips: int
    rate: float | None
    ci: tuple[float, float] | None


class Variant(TypedDict, total=False):
    """Part of a judge's file on one of its variants, as far as it is read again."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    answers: dict[str, dict[str, int]]
    balanced_accuracy: float | None
    confusion: dict[str, dict[str, int]]


class Usage(TypedDict, total=False):
    """Usage of a judge, as far as it is read again."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    cost: float | None
    currency: str


class Missing(TypedDict):
    """Number of a judge's missing answers, and by reason."""

    n: int
    reasons: dict[str, int]


class JudgeAccount(TypedDict, total=False):
    """Contents of judges/NAME.json, as far as they are read again."""

    __pydantic_config__ = {"extra": "allow"}  # pyright: ignore[reportGeneralTypeIssues]
    judge: str
    units: int
    answered: int
    not_asked: int
    note: str
    stopped: str
    variants: Required[dict[str, Variant]]
    position: Position | None
    usage: Usage | None
    missing: Missing | None


def read_judge(path: Path) -> dict[str, Any]:
    """Return the account of a judge from its file."""
    remedy = f"Put a copy back, or run the same spotbot_judge command for judge '{path.stem}' again."
    account = checksums.read_json(path, "file of a judge", remedy)
    validated(JudgeAccount, account, path, remedy)
    return account


@dataclass
class Study:
    """A study's folder and its plan in force; `extensions` are the lines of history.jsonl, oldest first. `gone` are
    contestants whose conversations, and judgements of them, aren't read. A file is read once, until it changes."""

    path: Path
    plan: Plan
    base: Plan
    extensions: list[dict] = field(default_factory=list)
    gone: frozenset[str] = frozenset()
    _unchanged: files.Unchanged = field(default_factory=files.Unchanged, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<study {self.path}: {len(self.plan.contestants)} bots>"

    def remaining(self) -> Self:
        """The study without the contestants that are left out, for whoever judges of the others; itself where there are
        none."""
        if not self.plan.left_out:
            return self
        return replace(self, plan=self.plan.remaining(), gone=frozenset(self.plan.left_out))

    def _gone(self, row: Conversation) -> bool:
        return not self.gone.isdisjoint(row.entities)

    # -- the files ---------------------------------------------------------------------------------------------------
    @property
    def plan_path(self) -> Path:
        return self.path / "study.yaml"

    @property
    def history_path(self) -> Path:
        return self.path / "history.jsonl"

    @property
    def provenance_path(self) -> Path:
        return self.path / "provenance.json"

    @property
    def conversations_path(self) -> Path:
        return self.path / "conversations.jsonl"

    @property
    def journal_path(self) -> Path:
        return self.path / "conversations.journal.jsonl"

    @property
    def turns_path(self) -> Path:
        return self.path / "turns.journal.jsonl"

    @property
    def accounts_path(self) -> Path:
        return self.path / "accounts.journal.jsonl"

    @property
    def failures_path(self) -> Path:
        return self.path / "failures.jsonl"

    @property
    def report_path(self) -> Path:
        return self.path / "report" / "index.html"

    @property
    def metrics_path(self) -> Path:
        """The folder of the study of metrics."""
        return self.path / "analysis" / "metrics"

    def survey_path(self, survey: str) -> Path:
        return self.path / "surveys" / survey

    def units_path(self, survey: str) -> Path:
        return self.survey_path(survey) / "units.jsonl"

    def settled_path(self, survey: str) -> Path:
        """The frozen plan of a survey that is served until settled, whose units file grows."""
        return self.survey_path(survey) / "sequential.json"

    def judgements_path(self, survey: str) -> Path:
        return self.survey_path(survey) / "judgements.jsonl"

    def analysis_path(self, survey: str) -> Path:
        return self.survey_path(survey) / "analysis"

    # -- making and opening ------------------------------------------------------------------------------------------
    @staticmethod
    def exists(path: Path | str) -> bool:
        with contextlib.suppress(OSError):  # as a name that is too long
            return (Path(path) / "study.yaml").exists()
        return False

    @classmethod
    def create(cls, path: Path | str, plan: Plan) -> Self:
        """Make the folder with its plan; an existing study is a `UserError`."""
        study = cls(Path(path), plan, plan)
        if cls.exists(path):
            raise UserError(
                f"{study.plan_path}: there is a study already.", "Choose another --study, or continue with this one."
            )
        study.write_plan()
        return study

    def write_plan(self) -> None:
        """Write the base plan; of a study there is, only before anything is made by it."""
        text = yaml.safe_dump(self.base.to_json(), sort_keys=False, allow_unicode=True)
        comment = "# The plan of this study. Changes go to history.jsonl, checksums of all files to manifest.json.\n"
        checksums.write_text(self.plan_path, comment + text)

    @classmethod
    def open(cls, path: Path | str, verify: bool = True) -> Self:
        """Read and validate a study; missing or malformed files, and those that are not as recorded, are a `UserError`.

        Without `verify`, files are compared with their checksums only when they are read.
        """
        path = Path(path)
        if not cls.exists(path):
            raise UserError(
                f"{path}: no study here (study.yaml is missing).",
                hints.Remedy("Correct it, or make one: ", hints.command("selfchat", path)),
            )
        plan_path = path / "study.yaml"
        base = Plan.from_json(read_yaml(plan_path, "Put a copy back.", "Correct that line."), str(plan_path))
        if verify:
            checksums.check_files(path)
        study = cls(path, base, base)
        for extension in checksums.read_journal(study.history_path, lambda r, where: {**r, "_where": where}):
            study._apply(extension)
        return study

    def _apply(self, extension: dict) -> None:
        where = extension.pop("_where", str(self.history_path))
        (add,) = read_fields(extension, where, extend=dict)
        self.plan = extended(self.plan, add, where)
        self.extensions.append(extension)

    def extend(self, **add: Any) -> None:
        """Write an extension to history.jsonl: `contestants` (dict of entries), `conversations_per_pair`, `surveys`,
        `meetings` (to "both"), `more` (conversations of single pairs, "A/B"), `left_out` (all that are, from now on).

        With `contestants`, `mended` lists those whose entry replaces one that never played.
        """
        extended(self.plan, add, str(self.history_path))
        checksums.write_jsonl(self.history_path, [*self.extensions, {"extend": add}])
        self._apply({"extend": add})

    def plans(self) -> list[Plan]:
        """The base plan and the plan after each extension, in order."""
        plans = [self.base]
        for extension in self.extensions:
            plans.append(extended(plans[-1], extension["extend"], str(self.history_path)))
        return plans

    def extended_by(self) -> list[str]:
        """Return what extensions added to the conversations, a line each, oldest first."""
        lines = []
        for before, after in itertools.pairwise(self.plans()):
            if new := [name for name in after.contestants if name not in before.contestants]:
                lines.append(f"contestants added to the {len(before.contestants)} there were: {', '.join(new)}")
            had = {pair: before.conversations_of(pair) for pair in before.all_pairs()}
            grown = {pair: after.conversations_of(pair) - had.get(pair, 0) for pair in after.all_pairs()}
            grown = {pair: n for pair, n in grown.items() if n and before.contestants.keys() >= set(pair)}
            if grown:
                pairs = f"{len(grown)} pairs" if len(grown) > 1 else "/".join(*grown)
                lines.append(f"{sum(grown.values())} conversations of {pairs} added")
            lines += [f"{name} left out" for name in after.left_out if name not in before.left_out]
        return lines

    @contextlib.contextmanager
    def lock(self, command: str) -> Iterator[None]:
        """Hold the study for this process; a second process gets a `UserError`."""
        with files.lock(self.path / ".lock", command):
            yield

    def note_export(self, path: Path | str) -> None:
        """Remember that a copy, or something made from the answers, was written outside the study."""
        checksums.write_json(self.path / EXPORTS, sorted({*self.exported(), str(Path(path).absolute())}))

    def exported(self) -> list[str]:
        """Return where copies were written."""
        path = self.path / EXPORTS
        if path.exists():
            return checksums.read_json(path, "list of exports")
        return []

    # -- reading what the steps wrote --------------------------------------------------------------------------------
    def _read(self, path: Path, parse: Callable[[dict, str], Any], what: str, remedy: str = "", **how: bool) -> list:
        """Return the rows of a file, read and compared with its checksum once until it changes."""
        return list(self.once(path, lambda: checksums.read_jsonl(path, parse, what, remedy, **how)))

    def once(self, path: Path, read: Callable[[], Any]) -> Any:
        """Return what was read of a file before, if it is the same since, else what `read` gives."""
        return self._unchanged.read_once(path, read)

    def load(self, survey: str) -> SurveyFiles:
        """Return the units and answers of a survey."""
        return SurveyFiles(self, survey)

    def conversations(self) -> list[Conversation]:
        """All conversations, in canonical order; a `UserError` where self-play has not ended."""
        remedy = hints.run("selfchat", self.path)
        rows = self._read(self.conversations_path, Conversation.from_json, "conversations file", remedy, lines=True)
        if self.gone:
            return [row for row in rows if not self._gone(row)]
        return rows

    def finished(self) -> list[Conversation]:
        """Every conversation that is on disk, whether or not self-play has ended; a line torn by a crash is left out.

        What was written first stays: a conversation that was played twice (its group was interrupted) is the first.
        """
        rows: list[Conversation] = []
        if self.conversations_path.exists():
            rows += self._read(self.conversations_path, Conversation.from_json, "conversations file")
        if self.journal_path.exists():
            rows += files.read_jsonl(self.journal_path, Conversation.from_json, "journal", torn_tail=True)
        return list({row.conversation_id: row for row in reversed(rows)}.values())[::-1]

    def failures(self) -> list[dict]:
        """The rows of failures.jsonl; none where nothing failed."""
        if not self.failures_path.exists():
            return []
        return self._read(self.failures_path, lambda row, where: row, "failures file", torn_tail=True)

    def played(self) -> set[str]:
        """The contestants with at least one finished conversation."""
        return {name for row in self.finished() for name in row.entities}

    def units(self, survey: str) -> list[Unit]:
        """All units; of a survey that is served until settled those drawn, without a last line torn by a crash."""
        grows = self.settled_path(survey).exists()
        remedy = hints.run("pack", self.path, survey)
        return self._read(self.units_path(survey), Unit.reader(), "units file", remedy, torn_tail=grows, lines=True)

    def judgements(self, survey: str) -> list[Judgement]:
        """All answers; a last line torn by a crash is left out."""
        remedy = "Let people answer the units (spotbot_crowdsource), or a judge (spotbot_judge)."
        how = {"torn_tail": True, "lines": True}
        rows = self._read(self.judgements_path(survey), Judgement.from_json, "judgements file", remedy, **how)
        if not self.gone:
            return rows
        gone = {row.conversation_id for row in replace(self, gone=frozenset()).conversations() if self._gone(row)}
        return [row for row in rows if row.control or gone.isdisjoint(row.conversation_ids)]

    def judgement_table(self, survey: str) -> DataFrame:
        """The answers as categories and codes, for surveys of millions: see `judgement_table`."""
        remedy = hints.run("import", self.path, format=survey, data="FILE")
        return judgement_table(self.judgements_path(survey), remedy)

    def judges(self, survey: str) -> dict[str, dict]:
        """Return the account of each judge that has answered a survey, by its source "judge:NAME"."""
        judges = {}
        for path in sorted((self.survey_path(survey) / "judges").glob("*.json")):
            account = read_judge(path)
            judges[f"judge:{account.get('judge', path.stem)}"] = account
        return judges

    def checksums(self, survey: str) -> dict[str, str]:
        """SHA-256 of each file that an analysis of the survey reads, by its path in the study."""
        folder = self.survey_path(survey)
        nuc = self.path / "nuc"
        paths = [
            self.conversations_path,
            self.judgements_path(survey),
            self.units_path(survey),
            folder / "training.jsonl",
            *sorted((folder / "judges").glob("*.json")),
        ]
        if survey == "nuc":
            paths += [nuc / "questions.jsonl", nuc / "analysis" / "ranking.json", *sorted(nuc.glob("scores/*.jsonl"))]
        return {path.relative_to(self.path).as_posix(): checksums.sha256(path) for path in paths if path.exists()}

    # -- provenance --------------------------------------------------------------------------------------------------
    def provenance(self) -> dict:
        """Return what provenance.json says of each step; {} before the first."""
        if not self.provenance_path.exists():
            checksums.verify(self.provenance_path)
            return {}
        return dict(self.once(self.provenance_path, lambda: checksums.read_json(self.provenance_path)))

    def record(self, step: str, value: dict) -> None:
        """Set what provenance.json says of one step (`selfplay`, `pack`, `judge`, …)."""
        recorded = self.provenance()
        new = {**recorded, step: value, checksums.MARK: checksums.VERSION}
        if recorded != new:
            checksums.write_json(self.provenance_path, new)


@dataclass(frozen=True)
class SurveyFiles:
    """The files of one survey of a study, read once; what does not exist yet is empty."""

    study: Study
    survey: str

    @property
    def path(self) -> Path:
        """The folder of the survey."""
        return self.study.survey_path(self.survey)

    @property
    def units_path(self) -> Path:
        return self.study.units_path(self.survey)

    @property
    def settled_path(self) -> Path:
        """See `Study.settled_path`."""
        return self.study.settled_path(self.survey)

    @property
    def judgements_path(self) -> Path:
        return self.study.judgements_path(self.survey)

    def reread(self) -> Self:
        """Return the survey as its files are now."""
        return replace(self)

    @property
    def plan(self) -> Plan:
        """The study's plan in force."""
        return self.study.plan

    @property
    def folder(self) -> Path:
        """The folder of its analysis."""
        return self.path / "analysis"

    def command(self, name: str, **options: object) -> hints.Typed:
        """Return a command about the survey, as it is typed; see `hints.command`."""
        return hints.command(name, self.study.path, self.survey, **options)

    def remedy(self, name: str, **options: object) -> hints.Remedy:
        """Return the remedy to run a command about the survey."""
        return hints.run(name, self.study.path, self.survey, **options)

    def add_to_plan(self) -> None:
        """Extend the plan by the survey, where it lacks it."""
        if self.survey not in self.plan.surveys:
            self.study.extend(surveys=[self.survey])

    def recorded(self, step: str) -> Any:
        """Return what provenance.json says of one step of the survey; {} where it says nothing."""
        return self.study.provenance().get(step, {}).get(self.survey, {})

    def record(self, step: str, value: Any) -> None:
        """Set what provenance.json says of one step of the survey."""
        self.study.record(step, {**self.study.provenance().get(step, {}), self.survey: value})

    @cached_property
    def conversations(self) -> list[Conversation]:
        if self.study.conversations_path.exists():
            return self.study.conversations()
        return []

    @cached_property
    def units(self) -> list[Unit]:
        if self.units_path.exists():
            return self.study.units(self.survey)
        return []

    @cached_property
    def items(self) -> dict[str, Item]:
        """Items of the units by id; replicates share them."""
        return {item.item_id: item for unit in self.units for item in unit.items}

    @cached_property
    def judgements(self) -> list[Judgement]:
        if self.judgements_path.exists():
            return self.study.judgements(self.survey)
        return []


def expect_study(value: object) -> None:
    """For public functions, which take a study: a ValueError where it is something else, as the path of one."""
    if not isinstance(value, Study):
        raise ValueError(f"study: expected a study, Study.open(PATH), not {value!r}.")
