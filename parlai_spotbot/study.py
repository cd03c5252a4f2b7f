"""A study on disk: one folder that holds an evaluation from its plan to its report.

The plan stands in study.yaml, extensions to it (a further contestant, more conversations, a further survey) are lines
of history.jsonl; the plan in force is both together. Every command takes the study's lock while it works.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from parlai_spotbot import checksums, files, hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.judgement_table import judgement_table
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.records import Contestant, Conversation, Judgement, Unit
from parlai_spotbot.study_names import (
    check_names,
    checked_failure,
    conversation_under,
    failure_under,
    pair_under,
    selfplay_under,
    unit_under,
)

if TYPE_CHECKING:
    from pandas import DataFrame

GROUPINGS = ("by_model", "consecutive")
"""How conversations are put into groups that are played in step: so that each model's batches are full, whatever the
partner; or, in studies from before that, in canonical order."""

MEETINGS = ("pairs", "self", "both")
"""Who plays whom where no pairs are listed: every two contestants, each contestant itself (self-chats), or both."""


HUMAN_POOLS = {"held_out": "humans", "training": "bots"}
"""Where human-human conversations come from, and the fold of the domain that holds them: people whom no bot has learnt
from; or, as in the paper (section 3.1), the conversations that the bots are trained on."""


@dataclass(frozen=True)
class Plan:
    """What a study is to be. `pairs` lists the pairs to play; an empty tuple means those that `meetings` says.

    `human_conversations` is the number of human-human conversations mixed in; -1 means a third of the bots'. They are
    of the `human_pool`, one of `HUMAN_POOLS`. `batchsize`, `grouping` and `max_loaded` (contestants needed at a time,
    0: all) say what is answered in one batch.
    `more` are conversations of single pairs, "A/B", beyond those that every pair has. Contestants `left_out` play no
    more, and what they said is kept and not used. `renamed` is of contestants, by the name they play under, the one
    that they bear everywhere else. `unseeded` conversations begin with what the first contestant says.
    `replaced` says how often a contestant was, whose earlier conversations don't count.
    """

    domain: str
    contestants: dict[str, Contestant]
    conversations_per_pair: int = 45
    exchanges: int = 5
    segments: tuple[int, ...] = (2, 3, 5)
    seed: int = 0
    paired_seeds: bool = False
    human_conversations: int = -1
    human_pool: str = "held_out"
    pairs: tuple[tuple[str, str], ...] = ()
    batchsize: int = 32
    surveys: tuple[str, ...] = ("spot_the_bot",)
    grouping: str = "by_model"
    max_loaded: int = 0
    meetings: str = "pairs"
    more: dict[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    unseeded: bool = False
    replaced: dict[str, int] = field(default_factory=dict)

    KEYS = (
        "domain",
        "contestants",
        "conversations_per_pair",
        "exchanges",
        "segments",
        "seed",
        "paired_seeds",
        "human_conversations",
        "human_pool",
        "pairs",
        "batchsize",
        "surveys",
        "grouping",
        "max_loaded",
        "meetings",
        "more",
        "left_out",
        "renamed",
        "unseeded",
        "replaced",
    )

    def all_pairs(self) -> list[tuple[str, str]]:
        """The pairs to play, in canonical order (the order of the contestants in the plan), self-chats last."""
        if self.pairs:
            return list(self.pairs)
        names = list(self.contestants)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]] if self.meetings != "self" else []
        return pairs + ([(name, name) for name in names] if self.meetings != "pairs" else [])

    def remaining(self) -> Plan:
        """The plan without what is left out."""
        gone = set(self.left_out)
        return replace(
            self,
            contestants={name: own for name, own in self.contestants.items() if name not in gone},
            pairs=tuple(pair for pair in self.pairs if not gone & set(pair)),
            more={pair: count for pair, count in self.more.items() if not gone & set(pair.split("/"))},
            left_out=(),
        )

    def under(self, names: Mapping[str, str]) -> Plan:
        """The plan with these contestants under other names, and none renamed."""
        return replace(
            self,
            contestants={names.get(n, n): replace(own, name=names.get(n, n)) for n, own in self.contestants.items()},
            pairs=tuple((names.get(a, a), names.get(b, b)) for a, b in self.pairs),
            more={pair_under(pair, names): count for pair, count in self.more.items()},
            left_out=tuple(names.get(name, name) for name in self.left_out),
            renamed={},
            replaced={names.get(name, name): count for name, count in self.replaced.items()},
        )

    def version(self, pair: tuple[str, str]) -> int:
        """Which version of a pair's conversations counts: 1, and one more for each time that either was replaced."""
        return 1 + sum(self.replaced.get(name, 0) for name in set(pair))

    def counts(self, row: Conversation) -> bool:
        """Whether a conversation is of the contestants as they are, not of one that was replaced since."""
        return any(row.is_human) or version_of(row.conversation_id) == self.version(row.pair)

    def conversations_of(self, pair: tuple[str, str]) -> int:
        """How many conversations a pair has."""
        return self.conversations_per_pair + self.more.get("/".join(pair), 0)

    @property
    def bot_conversations(self) -> int:
        """How many conversations all pairs have together."""
        return sum(map(self.conversations_of, self.all_pairs()))

    def to_json(self) -> dict:
        row = {key: getattr(self, key) for key in self.KEYS}
        row["contestants"] = {name: c.to_json() for name, c in self.contestants.items()}
        row["segments"] = list(self.segments)
        row["surveys"] = list(self.surveys)
        row["pairs"] = [list(pair) for pair in self.pairs]
        if self.meetings == MEETINGS[0]:  # so that the plans of such studies stay what they were, byte for byte
            del row["meetings"]
        if self.human_pool == next(iter(HUMAN_POOLS)):
            del row["human_pool"]
        if not self.more:
            del row["more"]
        row["left_out"] = list(self.left_out)
        if not self.left_out:
            del row["left_out"]
        for key in ("renamed", "unseeded", "replaced"):
            if not row[key]:
                del row[key]
        return row

    @classmethod
    def from_json(cls, row: Any, where: str) -> Plan:
        if not isinstance(row, dict):
            raise UserError(
                f"{where}: expected keys and values, found {type(row).__name__}.", "See a study.yaml that works."
            )
        for key in row:
            if key not in cls.KEYS:
                raise UserError(f"{where}: unknown key '{key}'.", nearest(key, cls.KEYS))
        entries = files.field(row, "contestants", dict, where)
        contestants = {name: Contestant.from_json(name, entry, where) for name, entry in entries.items()}
        plan = cls(
            domain=files.field(row, "domain", str, where),
            contestants=contestants,
            conversations_per_pair=_count(row, "conversations_per_pair", where, 45),
            exchanges=_count(row, "exchanges", where, 5),
            segments=check_segments(files.field(row, "segments", list, where, [2, 3, 5]), where),
            seed=files.field(row, "seed", int, where, 0),
            paired_seeds=files.field(row, "paired_seeds", bool, where, False),
            human_conversations=_count(row, "human_conversations", where, -1, least=-1),
            human_pool=_human_pool(row, where),
            pairs=_pairs(row, contestants, where),
            batchsize=_count(row, "batchsize", where, 32),
            surveys=tuple(files.field(row, "surveys", list, where, ["spot_the_bot"])),
            # A study without this key is from before there were others: its batches stay what they were.
            grouping=files.field(row, "grouping", str, where, "consecutive"),
            max_loaded=_count(row, "max_loaded", where, 0, least=0),
            meetings=files.field(row, "meetings", str, where, MEETINGS[0]),
            unseeded=files.field(row, "unseeded", bool, where, False),
            replaced=_replaced(row, contestants, where),
        )
        plan = with_more(plan.check(where), files.field(row, "more", dict, where, {}), where)
        plan = without(plan, files.field(row, "left_out", list, where, []), where)
        return replace(plan, renamed=check_names(contestants, files.field(row, "renamed", dict, where, {}), where))

    def check(self, where: str) -> Plan:
        """Raise `UserError` unless the plan can be carried out; return it."""
        if max(self.segments) > self.exchanges:
            raise UserError(
                f"{where}: field 'segments' asks for {max(self.segments)} exchanges, "
                f"but conversations have {self.exchanges} (field 'exchanges').",
                f"Set exchanges to {max(self.segments)} or more, or drop the longer segments.",
            )
        if not self.contestants:
            raise UserError(f"{where}: field 'contestants' is empty.", "Name at least one, better two, contestants.")
        if not self.all_pairs():
            raise UserError(
                f"{where}: one contestant makes no pair.",
                "Add a second one to the pool, or play it with itself (--self).",
            )
        if self.meetings not in MEETINGS:
            raise UserError(f"{where}: field 'meetings' is '{self.meetings}'.", nearest(self.meetings, MEETINGS))
        if self.grouping not in GROUPINGS:
            raise UserError(f"{where}: field 'grouping' is '{self.grouping}'.", nearest(self.grouping, GROUPINGS))
        if self.max_loaded == 1 and any(a != b for a, b in self.all_pairs()):
            raise UserError(
                f"{where}: field 'max_loaded' is 1, but a conversation takes two contestants.",
                "Allow at least 2, or 0 for all at once.",
            )
        return self


def _count(row: dict, name: str, where: str, default: int, least: int = 1) -> int:
    value = files.field(row, name, int, where, default)
    if value < least:
        raise UserError(
            f"{where}: field '{name}' is {value}, expected a whole number from {max(least, 0)} up.", "Correct it."
        )
    return value


def check_segments(value: list, where: str) -> tuple[int, ...]:
    """Segment lengths in exchanges: distinct whole numbers from 1 up, returned in ascending order."""
    wrong = not value or any(not isinstance(k, int) or isinstance(k, bool) or k < 1 for k in value)
    if wrong or len(set(value)) != len(value):
        raise UserError(
            f"{where}: field 'segments' is {value!r}, expected different whole numbers from 1 up.",
            "Write for example 2,3,5.",
        )
    return tuple(sorted(value))


def _human_pool(row: dict, where: str) -> str:
    name = files.field(row, "human_pool", str, where, next(iter(HUMAN_POOLS)))
    if name not in HUMAN_POOLS:
        raise UserError(f"{where}: field 'human_pool' is '{name}'.", nearest(name, HUMAN_POOLS))
    return name


def _replaced(row: dict, contestants: dict, where: str) -> dict[str, int]:
    found = files.field(row, "replaced", dict, where, {})
    for name, count in found.items():
        if name not in contestants or not isinstance(count, int) or count < 1:
            raise UserError(f"{where}: field 'replaced' holds {name!r}: {count!r}.", "Put back what was written.")
    return found


def version_of(conversation_id: str) -> int:
    """The version at the end of a conversation's id, "a:b:0007.2"; 1 where none stands there."""
    version = conversation_id.rpartition(":")[2].partition(".")[2]
    return int(version) if version.isdecimal() else 1


def _pairs(row: dict, contestants: dict, where: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for pair in files.field(row, "pairs", list, where, []):
        if not isinstance(pair, list) or len(pair) != 2:
            raise UserError(f"{where}: field 'pairs' holds {pair!r}, expected two names.", "Correct it.")
        for name in pair:
            if name not in contestants:
                raise UserError(f"{where}: field 'pairs' names '{name}'.", nearest(name, contestants))
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def with_more(plan: Plan, more: dict, where: str) -> Plan:
    """The plan with further conversations of single pairs: "A/B" or "B/A" -> how many, a whole number from 1 up."""
    pairs = {"/".join(pair) for pair in plan.all_pairs()}
    found = dict(plan.more)
    for name, count in more.items():
        own = name if name in pairs else "/".join(str(name).split("/")[::-1])
        if own not in pairs:
            raise UserError(f"{where}: '{name}' is no pair that this study plays.", nearest(str(name), sorted(pairs)))
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise UserError(
                f"{where}: {name}: {count!r} conversations, expected a whole number from 1 up.", "Correct it."
            )
        found[own] = found.get(own, 0) + count
    return replace(plan, more=found)


def without(plan: Plan, names: list, where: str) -> Plan:
    """The plan with these contestants left out, and no others; a pair must remain."""
    for name in names:
        if name not in plan.contestants:
            raise UserError(f"{where}: no contestant '{name}' to leave out.", nearest(str(name), plan.contestants))
    changed = replace(plan, left_out=tuple(name for name in plan.contestants if name in names))
    remaining = changed.remaining()
    if not remaining.contestants or not remaining.all_pairs():
        raise UserError(f"{where}: without {', '.join(names)} no pair of contestants remains.", "Leave fewer out.")
    return changed


OPENED: dict[Path, None] = {}
"""The folders of the studies that this process looks at; what is known by its name may stand in one of them."""


@dataclass
class Study:
    """A study's folder and its plan in force; `extensions` are the lines of history.jsonl, oldest first. `gone` are
    contestants whose conversations, and judgements of them, aren't read. Where contestants were renamed, `names` are
    the ones that they bear, by those they played under, which alone stand in files."""

    path: Path
    plan: Plan
    base: Plan
    extensions: list[dict] = field(default_factory=list)
    gone: frozenset[str] = frozenset()
    names: dict[str, str] = field(default_factory=dict)

    def as_played(self) -> Study:
        """The study under the names that stand in its files, for whoever goes on with these; itself where no contestant
        was renamed."""
        return replace(self, plan=self.plans_as_played()[-1], names={}) if self.names else self

    def played_under(self, name: str) -> str:
        """The name under which a contestant plays, by the one that it bears."""
        return next((played for played, own in self.names.items() if own == name), name)

    def __post_init__(self) -> None:
        OPENED[self.path.absolute()] = None

    def __repr__(self) -> str:
        return f"<study {self.path}: {len(self.plan.contestants)} bots>"

    def remaining(self) -> Study:
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
    def set_aside_path(self) -> Path:
        return self.path / "set_aside" / "conversations.jsonl"

    @property
    def failures_path(self) -> Path:
        return self.path / "failures.jsonl"

    @property
    def report_path(self) -> Path:
        return self.path / "report" / "index.html"

    def survey_path(self, survey: str) -> Path:
        return self.path / "surveys" / survey

    def units_path(self, survey: str) -> Path:
        return self.survey_path(survey) / "units.jsonl"

    def judgements_path(self, survey: str) -> Path:
        return self.survey_path(survey) / "judgements.jsonl"

    def analysis_path(self, survey: str) -> Path:
        return self.survey_path(survey) / "analysis"

    # -- making and opening ------------------------------------------------------------------------------------------
    @staticmethod
    def exists(path: Path | str) -> bool:
        return (Path(path) / "study.yaml").exists()

    @classmethod
    def create(cls, path: Path | str, plan: Plan) -> Study:
        """Make the folder with its plan; an existing study is a `UserError`."""
        study = cls(Path(path), plan, plan)
        if cls.exists(path):
            raise UserError(
                f"{study.plan_path}: there is a study already.", "Choose another --study, or go on with this one."
            )
        text = yaml.safe_dump(plan.to_json(), sort_keys=False, allow_unicode=True)
        checksums.write_text(study.plan_path, "# The plan of this study. Changes go to history.jsonl.\n" + text)
        return study

    @classmethod
    def open(cls, path: Path | str) -> Study:
        """Read and validate a study; missing or malformed files are a `UserError`."""
        path = Path(path)
        if not cls.exists(path):
            raise UserError(
                f"{path}: no study here (study.yaml is missing).",
                f"Correct it, or make one: {hints.command('selfchat', path)}",
            )
        plan_path = path / "study.yaml"
        try:
            row = parse_yaml(plan_path.read_text(encoding="utf-8"))
        except (Malformed, UnicodeDecodeError) as err:
            raise UserError(f"{plan_path}: not valid YAML: {err}.", "Mend that line.") from None
        base = Plan.from_json(row, str(plan_path))
        checksums.verify(plan_path)
        study = cls(path, base, base)
        if not study.history_path.exists():
            checksums.verify(study.history_path)
        else:
            for extension in checksums.read_jsonl(
                study.history_path, lambda r, where: {**r, "_where": where}, torn_tail=True
            ):
                study._apply(extension)
        return study._renamed()

    def _renamed(self) -> Study:
        if self.plan.renamed or self.names:
            self.plan, self.names = self.plan.under(self.plan.renamed), dict(self.plan.renamed)
        return self

    def _apply(self, extension: dict) -> None:
        where = extension.pop("_where", str(self.history_path))
        add = files.field(extension, "extend", dict, where)
        self.plan = extended(self.plan, add, where)
        self.extensions.append(extension)

    def extend(self, **add: Any) -> None:
        """Write an extension to history.jsonl: `contestants` (dict of entries), `conversations_per_pair`, `surveys`,
        `meetings` (to "both"), `more` (conversations of single pairs, "A/B"), `left_out` (all that are, from now on).

        `renamed` (all that are, from now on: by the name played under the one that is borne), `replaced` (those that
        play anew). With `contestants`, `mended` lists those whose entry replaces one that never played, or whose
        conversations are set aside. All names are those played under.
        """
        played = self.as_played()
        extended(played.plan, add, str(self.history_path))
        with checksums.Journal(self.history_path) as journal:
            journal.append({"extend": add})
        played._apply({"extend": add})
        self.plan = played.plan
        if self.names or "renamed" in add:
            self._renamed()

    def plans(self) -> list[Plan]:
        """The base plan and the plan after each extension, in order."""
        return [plan.under(self.names) for plan in self.plans_as_played()] if self.names else self.plans_as_played()

    def plans_as_played(self) -> list[Plan]:
        """The same under the names that stand in files."""
        plans = [self.base]
        for extension in self.extensions:
            plans.append(extended(plans[-1], extension["extend"], str(self.history_path)))
        return plans

    def extended_by(self) -> list[str]:
        """What extensions added to the conversations, a line each, oldest first."""
        lines = []
        for before, after in itertools.pairwise(self.plans_as_played()):
            lines += _renames(before.renamed, after.renamed)
            before, after = before.under(self.names), after.under(self.names)
            new = [name for name in after.contestants if name not in before.contestants]
            if new:
                lines.append(f"contestants added to the {len(before.contestants)} there were: {', '.join(new)}")
            if after.conversations_per_pair != before.conversations_per_pair:
                numbers = f"{after.conversations_per_pair} instead of {before.conversations_per_pair}"
                lines.append(f"conversations per pair: {numbers}")
            for pair, count in after.more.items():
                if count > before.more.get(pair, 0):
                    lines.append(f"{count - before.more.get(pair, 0)} conversations of {pair} added")
            lines += [f"{name} left out" for name in after.left_out if name not in before.left_out]
            lines += [f"{name} taken back" for name in before.left_out if name not in after.left_out]
            for name, count in after.replaced.items():
                if count > before.replaced.get(name, 0):
                    lines.append(f"{name} replaced: what it said before, and judgements of that, are set aside")
            if after.meetings != before.meetings:
                added = "self-chats" if before.meetings == "pairs" else "conversations of every two contestants"
                lines.append(f"{added} added")
        return lines

    @contextlib.contextmanager
    def lock(self, command: str) -> Iterator[None]:
        """Hold the study for this process; a second process gets a `UserError`."""
        with files.lock(self.path / ".lock", command):
            yield

    # -- reading what the steps wrote --------------------------------------------------------------------------------
    def conversations(self) -> list[Conversation]:
        """All conversations, in canonical order; a `UserError` where self-play has not ended."""
        rows = checksums.read_jsonl(
            self.conversations_path, Conversation.from_json, "conversations file", hints.run("selfchat", self.path)
        )
        rows = [conversation_under(row, self.names) for row in rows] if self.names else rows
        rows = [row for row in rows if self.plan.counts(row)] if self._replaced else rows
        return [row for row in rows if not self._gone(row)] if self.gone else rows

    @property
    def _replaced(self) -> bool:
        return self.plan is not None and bool(self.plan.replaced)  # None: who checks a study's files knows none

    def set_aside(self) -> list[Conversation]:
        """The conversations of contestants that were replaced since, wherever they lie."""
        rows: list[Conversation] = []
        if self._replaced:
            for path in (self.set_aside_path, self.conversations_path):
                if path.exists():
                    rows += checksums.read_jsonl(path, Conversation.from_json, "conversations file", torn_tail=True)
        rows = [conversation_under(row, self.names) for row in rows]
        return [row for row in rows if not self.plan.counts(row)]

    def finished(self) -> list[Conversation]:
        """Every conversation that is on disk, whether or not self-play has ended; a line torn by a crash is left out.

        What was written first stays: a conversation that was played twice (its group was interrupted) is the first.
        """
        rows: list[Conversation] = []
        if self.conversations_path.exists():
            rows += checksums.read_jsonl(self.conversations_path, Conversation.from_json, "conversations file")
        if self.journal_path.exists():
            rows += files.read_jsonl(self.journal_path, Conversation.from_json, "journal", torn_tail=True)
        first = list({row.conversation_id: row for row in reversed(rows)}.values())[::-1]
        first = [conversation_under(row, self.names) for row in first]
        return [row for row in first if self.plan.counts(row)] if self._replaced else first

    def failures(self) -> list[dict]:
        """The rows of failures.jsonl; none where nothing failed."""
        if not self.failures_path.exists():
            return []
        rows = checksums.read_jsonl(self.failures_path, checked_failure, "failures file", torn_tail=True)
        return [failure_under(row, self.names) for row in rows]

    def played(self) -> set[str]:
        """The contestants of whom at least one conversation is finished."""
        return {name for row in self.finished() for name in row.entities}

    def units(self, survey: str) -> list[Unit]:
        rows = checksums.read_jsonl(
            self.units_path(survey), Unit.from_json, "units file", hints.run("pack", self.path, survey)
        )
        return [unit_under(row, self.names) for row in rows] if self.names else rows

    def judgements(self, survey: str) -> list[Judgement]:
        """All answers; a last line torn by a crash is left out."""
        rows = checksums.read_jsonl(
            self.judgements_path(survey),
            Judgement.from_json,
            "judgements file",
            "Let people answer the units (spotbot_crowdsource), or a judge (spotbot_judge).",
            torn_tail=True,
        )
        if aside := {row.conversation_id for row in self.set_aside()}:
            rows = [row for row in rows if aside.isdisjoint(row.conversation_ids)]
        if not self.gone:
            return rows
        gone = {row.conversation_id for row in replace(self, gone=frozenset()).conversations() if self._gone(row)}
        return [row for row in rows if row.control or gone.isdisjoint(row.conversation_ids)]

    def judgement_table(self, survey: str) -> DataFrame:
        """The answers as categories and codes, for surveys of millions: see `judgement_table`."""
        path = self.judgements_path(survey)
        table = judgement_table(path, hints.run("import", self.path, format=survey, data="FILE"))
        checksums.verify(path)
        return table

    def checksums(self, survey: str) -> dict[str, str]:
        """SHA-256 of each file that an analysis of the survey reads, by its path in the study."""
        folder, nuc = self.survey_path(survey), self.path / "nuc"
        paths = [
            self.conversations_path,
            self.judgements_path(survey),
            self.units_path(survey),
            folder / "training.jsonl",
            *sorted((folder / "judges").glob("*.json")),
        ]
        if survey == "nuc":
            paths += [nuc / "questions.jsonl", nuc / "analysis" / "ranking.json", *sorted(nuc.glob("scores/*.jsonl"))]
        return {path.relative_to(self.path).as_posix(): files.sha256(path) for path in paths if path.exists()}

    # -- provenance --------------------------------------------------------------------------------------------------
    def provenance(self) -> dict:
        if not self.provenance_path.exists():
            return {}
        known = files.read_json(self.provenance_path)
        checksums.verify(self.provenance_path)
        if self.names and "selfplay" in known:
            known["selfplay"] = selfplay_under(known["selfplay"], self.names)
        return known

    def record(self, step: str, value: dict) -> None:
        """Set what provenance.json says of one step (`selfplay`, `pack`, `judge`, …), and what was changed by hand."""
        known = self.as_played().provenance()
        new = {**known, step: value}
        edits = self.edits()
        if edits:
            new["edits"] = edits
        if known != new:
            checksums.write_json(self.provenance_path, new)

    def summed(self) -> list[Path]:
        """The files of the study that have checksums, also those that are gone."""
        folders = (".", "surveys/*", "surveys/*/analysis", "surveys/*/analysis/*", "analysis", "analysis/*", "nuc")
        found = [
            path for folder in (*folders, "nuc/analysis", "set_aside") for path in self.path.glob(f"{folder}/.*.sums")
        ]
        return sorted(path.with_name(path.name[1 : -len(".sums")]) for path in found)

    def edits(self) -> dict[str, str]:
        """What was changed by hand, in words, by the file's path in the study."""
        found = {path.relative_to(self.path).as_posix(): checksums.edits(path) for path in self.summed()}
        return {name: words for name, words in found.items() if words}


def _renames(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return [f"{before.get(name, name)} renamed {after.get(name, name)}" for name in changed]


def extended(plan: Plan, add: dict, where: str) -> Plan:
    """`plan` with an extension; what would change what is already there is a `UserError`.

    A contestant's limits may change, and, where it is listed under ``mended``, its whole entry: none of its
    conversations had been played.
    """
    known = (
        "contestants",
        "conversations_per_pair",
        "surveys",
        "mended",
        "meetings",
        "more",
        "left_out",
        "renamed",
        "replaced",
    )
    for key in add:
        if key not in known:
            raise UserError(f"{where}: a study can't be extended by '{key}'.", nearest(key, known))
    contestants = dict(plan.contestants)
    for name, entry in files.field(add, "contestants", dict, where, {}).items():
        contestant = Contestant.from_json(name, entry, where)
        if not contestants.get(name, contestant).same_bot(contestant) and name not in add.get("mended", []):
            raise UserError(
                f"{where}: contestant '{name}' is in the study with other options.",
                "Give the changed one another name.",
            )
        contestants[name] = contestant
    per_pair = files.field(add, "conversations_per_pair", int, where, plan.conversations_per_pair)
    if per_pair < plan.conversations_per_pair:
        raise UserError(
            f"{where}: conversations_per_pair {per_pair} is less than the study's {plan.conversations_per_pair}.",
            "A study only grows; choose another --study.",
        )
    surveys = plan.surveys + tuple(s for s in add.get("surveys", []) if s not in plan.surveys)
    meetings = files.field(add, "meetings", str, where, plan.meetings)
    if meetings not in ("both", plan.meetings) or (meetings != plan.meetings and plan.pairs):
        raise UserError(
            f"{where}: meetings '{meetings}' leaves out what the study has, or it plays chosen pairs only.",
            "A study only grows; choose another --study.",
        )
    grown = replace(plan, contestants=contestants, conversations_per_pair=per_pair, surveys=surveys, meetings=meetings)
    grown = with_more(grown.check(where), files.field(add, "more", dict, where, {}), where)
    grown = without(grown, files.field(add, "left_out", list, where, list(plan.left_out)), where)
    replaced = dict(plan.replaced)
    for name in files.field(add, "replaced", list, where, []):
        if name not in contestants:
            raise UserError(f"{where}: no contestant '{name}' to replace.", nearest(str(name), contestants))
        replaced[name] = replaced.get(name, 0) + 1
    grown = replace(grown, replaced=replaced)
    names = files.field(add, "renamed", dict, where, plan.renamed)
    return replace(grown, renamed=check_names(contestants, names, where))
