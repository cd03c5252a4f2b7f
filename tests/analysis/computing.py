"""The analysis of a survey in memory, with options and facts by name."""

from dataclasses import fields

from parlai_spotbot.findings import compute, findings_of, render
from parlai_spotbot.findings.answers import Facts, Options
from parlai_spotbot.findings.frames import stored_form
from parlai_spotbot.surveys import get_survey

OPTIONS = {field.name for field in fields(Options)}


def analyze(
    judgements, conversations=(), survey="spot_the_bot", *, asked=None, items=(), progress=None, only=(), **more
):
    """What `compute` gives; `asked` is the survey as it was launched, `only` the findings to compute if not all."""
    options = Options(**{name: value for name, value in more.items() if name in OPTIONS})
    facts = {name: tuple(v) if name in ("bots", "screening") else v for name, v in more.items() if name not in OPTIONS}
    known = Facts.from_records(asked or get_survey(survey), conversations, items, **facts)
    return compute.compute(judgements, known, options, progress, only)


def as_stored(result):
    """What files hold of a result."""
    return {name: stored_form(value) for name, value in result.items()}


def of_source(result, source):
    """What files hold of one source, by finding."""
    return as_stored(
        {
            name: {"by_source": {source: value["by_source"][source]}, "made_by": {}}
            for name, value in result.items()
            if source in value["by_source"]
        }
    )


def names(survey):
    """The names of a survey's findings."""
    return {finding.name for finding in findings_of(get_survey(survey))}


def tell(survey, result, source, **more):
    """The sections of all findings for a source."""
    from parlai_spotbot.findings.finding import Result

    others = {name: part["by_source"][source] for name, part in result.items() if source in part["by_source"]}
    found = [f for f in findings_of(get_survey(survey)) if f.name in others]
    told = [render.tell(f, Result(source, others[f.name], others, **more)) for f in found]
    return [section for section in told if section]
