"""Time of annotations, in every survey."""

from collections.abc import Mapping
from functools import partial

from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, one_row
from parlai_spotbot.findings.render import Fact
from parlai_spotbot.wording import counted, number


def compute_time(answers: Answers) -> Found:
    """Return seconds per annotation, hours and cost."""
    return {"time": one_row(**time_summary(answers.annotations, answers.options.wage))}


def summarise_time(result: Result) -> list[str]:
    """Return how long annotating took; [] where no time is known."""
    time = result.one("time")
    return [Fact.of("Time", time_sentence(time))] if time["n"] else []


def time_sentence(time: Mapping) -> str:
    """Return the median time of an annotation, the hours of all, and their cost."""
    hours = time["hours"]
    whole = counted(round(60 * hours), "minute") if hours < 1 else f"{number(hours, 1)} hours"
    cost = "" if time["cost"] is None else f", at a cost of {number(time['cost'])}"
    return f"An annotation took {counted(round(time['median']), 'second')} in the median, all of them {whole}{cost}."


finding = partial(declared, __file__, compute=compute_time, summarise=summarise_time)
"""The finding of a form whose annotations are timed as a whole, from the form."""
