"""Standings of contestants in one form for every survey: one for each survey, source and criterion.

It is read from ``analysis/ranking.json`` (and the features of Spot The Bot); sources are never mixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.contents import Analysis, Contents, read_contents
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, is_survey
from parlai_spotbot.wording import span

WIN_RATE = "win rate"


@dataclass(frozen=True)
class Standing:
    """Record of what one source of a study says of the contestants by one criterion.

    `order` best first by the study's own ranking, `clusters` its ranges of ranks; `score` with its `ci` is in words
    `what`. `pairs` maps (a, b) to (rate of a over b, its interval). `relative`: whether scores depend on the opponents.
    `groups` are those that never met, whose scores and places compare within a group only; `no_scale`: whether one
    scale is rejected; `too_few` {name: comparisons} of those not ranked; `p` maps pairs to their adjusted p.
    """

    survey: str
    source: str
    criterion: str
    what: str
    order: tuple[str, ...]
    clusters: dict[str, tuple[int, int]]
    score: dict[str, float]
    ci: dict[str, list | None]
    pairs: dict[tuple[str, str], tuple[float, list | None]]
    relative: bool
    annotations: int
    groups: tuple[tuple[str, ...], ...] = ()
    no_scale: bool = False
    too_few: Mapping[str, int] = field(default_factory=dict)
    p: Mapping[tuple[str, str], float | None] = field(default_factory=dict)

    def group(self, name: str) -> int:
        """Return the number of a contestant's group, from 1; 0 of one that isn't ranked."""
        groups = self.groups or (self.order,)
        return next((number for number, group in enumerate(groups, start=1) if name in group), 0)

    def places(self, name: str) -> str:
        """Return a contestant's places as a cell has them."""
        first, last = self.clusters.get(name, (self.order.index(name) + 1,) * 2)
        return span((first, last)) + (f" of group {self.group(name)}" if len(self.groups) > 1 else "")


@dataclass(frozen=True)
class Opened:
    """A study among several: `label` tells it from the others."""

    label: str
    study: Study

    def judged(self) -> list[str]:
        """The surveys that have judgements which rank contestants."""
        folder = self.study.path / "surveys"
        names = [path.name for path in sorted(folder.iterdir())] if folder.is_dir() else []
        return [name for name in names if self.study.judgements_path(name).exists() and _ranks(name)]

    def contents(self, survey: str) -> Contents:
        """The study's files of one survey, read; a survey that is not analysed is a `UserError`."""
        return _contents(self.study, survey)


def _ranks(survey: str) -> bool:
    return any(finding.name == "ranking" for finding in findings_of(survey)) or not is_survey(survey)


def _contents(study: Study, survey: str) -> Contents:
    path = study.analysis_path(survey) / "ranking.json"
    command = hints.run("analyze", study.path, survey)
    if not path.exists():
        raise UserError(f"{path}: the judgements of '{survey}' are not analysed yet.", command)
    return read_contents(study, survey)


def open_studies(paths: Iterable[str | Path]) -> list[Opened]:
    """Open studies, each once, labelled by as much of their paths as tells them apart."""
    study_by_path: dict[Path, Study] = {}
    for path in paths:
        study = Study.open(path)
        study_by_path.setdefault(Path(path).resolve(), study)
    resolved = list(study_by_path)
    length = 1
    while len({path.parts[-length:] for path in resolved}) < len(resolved):
        length += 1
    return [Opened("/".join(path.parts[-length:]), study) for path, study in study_by_path.items()]


def chosen_surveys(studies: Sequence[Opened], survey: str | None) -> list[str]:
    """Return the surveys that at least two of the studies have judgements of; or the named one, if two have it."""
    having = {name: [s.label for s in studies if name in s.judged()] for s in studies for name in s.judged()}
    choices = "; ".join(f"{s.label}: {', '.join(s.judged()) or 'none'}" for s in studies)
    if survey is not None:
        hint = nearest(survey, having) if having else ""
        if not _ranks(survey):
            raise UserError(f"--survey {survey}: it ranks nobody, so studies can't be compared by it.", hint)
        if len(having.get(survey, [])) < 2:
            raise UserError(
                f"--survey {survey}: fewer than 2 of these studies have judgements of it ({choices}).", hint
            )
        return [survey]
    shared = sorted((name for name, labels in having.items() if len(labels) >= 2), key=_place)
    if not shared:
        raise UserError(
            f"These studies share no survey (surveys with judgements: {choices}).",
            "Let the same survey be answered in all: parlai spotbot_pack, then spotbot_judge or spotbot_crowdsource.",
        )
    return shared


def _place(survey: str) -> tuple[int, str]:
    return (0 if survey == "spot_the_bot" else 1, survey)


def standings(contents: Analysis) -> list[Standing]:
    """Every standing of one survey of one study: people first, the main criterion first."""
    result = []
    for source in contents.sources:
        ranking = contents.of("ranking", source)
        used = (contents.made_by.get("ranking", {}).get("used") or {}).get(source, 0)
        entries = {"": ranking, **(ranking.get("criteria") or {}), **contents.of("features", source)}
        for criterion, entry in entries.items():
            if isinstance(entry, dict) and entry.get("order"):
                result.append(_standing(contents.survey, source, criterion, entry, used))
    return result


def _standing(survey: str, source: str, criterion: str, ranking: dict, used: int) -> Standing:
    rates = "win_rate" in ranking
    names = ("win_rate", "win_rate_ci", "rate_a", "rate_ci") if rates else ("score", "score_ci", "estimate", "ci")
    score, intervals, rate, ci = names
    pairs = {(p["a"], p["b"]): (p[rate], p.get(ci)) for p in ranking.get("pairs", []) if p.get(rate) is not None}
    return Standing(
        survey=survey,
        source=source,
        criterion=criterion,
        what=WIN_RATE if rates else str(ranking.get("criterion") or "score"),
        order=tuple(ranking["order"]),
        clusters={name: tuple(ends) for name, ends in (ranking.get("clusters") or {}).items()},
        score={name: value for name, value in (ranking.get(score) or {}).items() if value is not None},
        ci=ranking.get(intervals) or {},
        pairs=pairs,
        relative=rates or (_compares(survey) and all(0 <= value <= 1 for value, _ in pairs.values())),
        annotations=used,
        groups=tuple(map(tuple, ranking.get("groups") or ())),
        no_scale=bool((ranking.get("one_scale") or {}).get("rejected")),
        too_few=ranking.get("too_few") or {},
        p={(p["a"], p["b"]): p.get("p_adjusted") for p in ranking.get("pairs", [])},
    )


def _compares(survey: str) -> bool:
    """Return whether annotators of a survey compare contestants with each other, so that scores depend on the
    opponents."""
    if not is_survey(survey):
        return True
    kinds = [question for question in get_survey(survey).questions if question.kind in ("choice", "scale")]
    return any("pair" in question.targets for question in kinds)


def source_order(source: str) -> tuple[bool, str]:
    """People first, then judges."""
    return (source != HUMAN, source)
