"""From judgements to results: every finding of a survey by source, as data, as tables and in a few lines."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from parlai_spotbot import terminal
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.findings import findings_of, forms_of, render
from parlai_spotbot.findings.addressed import beside, unaddressed
from parlai_spotbot.findings.answers import Answers, Facts, Form, LeftOut, NothingLeft, Options
from parlai_spotbot.findings.finding import Finding, Result, tables_of
from parlai_spotbot.findings.frames import Found, Frames
from parlai_spotbot.findings.made_by import made_by
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import Survey

BROKEN = (np.linalg.LinAlgError, ArithmeticError)
"""Errors in one finding that leave the others as they are; a `MemoryError` is none, as it says nothing of the data."""

Progress = Callable[[str, str], None]
"""Told of each source and finding that is done."""


def asked_for(survey: Survey, options: Options) -> list[Finding]:
    """The findings of a survey that these options ask for."""
    return [finding for finding in findings_of(survey) if not finding.asked or getattr(options, finding.asked)]


def compute(
    judgements: Sequence[Any],
    facts: Facts,
    options: Options | None = None,
    progress: Progress | None = None,
    only: Collection[str] = (),
) -> dict[str, dict]:
    """Compute every finding of the survey that the `facts` are of, or `only` those of some names.

    Parameters
    ----------
    judgements : sequence of Judgement, or DataFrame
        A table where the survey's form of answers asks for one (`Form.as_table`).

    Returns
    -------
    dict
        Name of the finding -> ``{"by_source": {source: Frames}, "made_by": …}``; a finding of no source is left out.
        `made_by` has `not_computed` ("finding (source)" -> error) where a finding failed numerically (`BROKEN`).

    Raises
    ------
    ValueError
        Names the judgement or the option that is wrong; or says that nothing is left to analyse.
    """
    options = options or Options()
    survey = facts.survey
    if options.margin is not None:
        facts = replace(facts, margin=options.margin)
    result: dict[str, dict] = {}
    nothing: LeftOut = {}
    broken: dict[str, str] = {}
    chosen = [finding for finding in asked_for(survey, options) if not only or finding.name in only]
    with threadpool_limits(limits=1):  # small matrices: threads only wait for each other, and round differently
        for form in forms_of(survey):
            findings = [finding for finding in chosen if finding.form is form]
            if not findings:
                continue
            sources, left_out = form.sources(judgements, facts, options)
            if not sources:
                nothing |= left_out
                continue
            about = made_of(form, sources, left_out, facts, options)
            rest = unaddressed(form, judgements, facts, options)
            for finding in findings:
                frames_by_source = {}
                for name, answers in sources.items():
                    try:
                        frames_by_source[name] = Frames.from_tables(_computed(finding, answers, rest, facts) or {})
                    except BROKEN as err:
                        broken[f"{finding.name} ({name})"] = f"{type(err).__name__}: {err}"
                    if progress is not None:
                        progress(name, finding.name)
                if kept := {name: frames for name, frames in frames_by_source.items() if frames}:
                    result[finding.name] = {"by_source": kept, "made_by": dict(about)}
    if not result and (nothing or broken or not only):
        raise NothingLeft(
            f"judgements: no complete annotation to analyse (left out: {_left_out_said(nothing, broken)})"
        )
    if broken:
        for results in result.values():
            results["made_by"]["not_computed"] = broken
    return result


def _computed(finding: Finding, answers: Answers, rest: Mapping[str, Answers] | None, facts: Facts) -> Mapping | None:
    """Return what a finding says of one source; of a ranking with that by the `rest` of the answers, where judges are
    addressed in others."""
    ranking = finding.compute(answers)
    if not (finding.bars and ranking) or rest is None or finding.name == SETTLED:
        return ranking
    others: Mapping = {}
    if answers.source in rest:
        others = finding.compute(rest[answers.source]) or {}
    return beside(ranking, others, facts)


def made_of(form: Form, sources: Mapping[str, Answers], left_out: LeftOut, facts: Facts, options: Options) -> dict:
    """Return what the results of a form say of themselves: versions, options, how many annotations of each source are
    used, and how many are left out and why."""
    options_used = {name: getattr(options, name) for name in form.options}
    if not form.as_table:
        options_used["control_mistakes"] = facts.survey.limits.control_mistakes
    if facts.margin is not None:
        options_used["margin"] = facts.margin
    used = {name: answers.used for name, answers in sources.items()}
    return made_by(options=plain(options_used), seed=options.seed, used=used, left_out=left_out)


def tables(survey: Survey, result: Mapping[str, Mapping]) -> Found:
    """The results as flat tables, one frame a table; each row says its source."""
    return tables_of(findings_of(survey), result)


def summary(survey: Survey, result: Mapping[str, Mapping]) -> str:
    """Return what the terminal shows: for each source what was left out, and what findings say of it in a line or
    two."""
    findings = [finding for finding in findings_of(survey) if finding.name in result]
    if not findings:
        return ""
    made_by_first = result[findings[0].name]["made_by"]
    findings.sort(key=lambda finding: not finding.bars)  # the answer is first
    lines = []
    if extended := made_by_first.get("study_extended"):
        lines.append(f"the study was extended: {'; '.join(extended)}")
    for source, used in made_by_first["used"].items():
        automatic = "" if source == HUMAN else " (automatic, not people)"
        lines.append(f"{source}: {used} annotations{automatic}")
        left_out = sorted(made_by_first["left_out"].get(source, {}).items())
        lines += [f"  left out: {count} × {reason}" for reason, count in left_out]
        others = {}
        for finding in findings:
            by_source = result[finding.name]["by_source"]
            if source in by_source:
                others[finding.name] = by_source[source]
        lines += [terminal.indented(sentence) for sentence in Result(source, Frames(), others).account.sentences]
        for finding in findings:
            if finding.name in others:
                lines += render.lines(finding, Result(source, others[finding.name], others))
    if "hygiene" in result:
        lines += [terminal.indented(row["sentence"]) for row in result["hygiene"]["by_source"][""].rows("copies")]
    return "\n".join(lines)


def _left_out_said(left_out: LeftOut, broken: Mapping[str, str]) -> str:
    """Return what is left out of each source and why, in words."""
    reasons = [f"{name}: {error}" for name, error in broken.items()]
    for source, counts in left_out.items():
        reasons += [f"{count:,} × {reason} ({source})" for reason, count in counts.items()]
    return "; ".join(reasons) or "none"
