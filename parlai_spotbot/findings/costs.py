"""Time of annotations, in every survey."""

from collections.abc import Mapping
from functools import partial

from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.render import Fact
from parlai_spotbot.wording import counted, number


def compute_time(answers: Answers) -> Found:
    """Return seconds per annotation, hours and cost."""
    return {"time": time_summary(answers.annotations, answers.options.wage)}


def summarise_time(result: Result) -> list[str]:
    """Return how long annotating took; [] where no time is known."""
    time = result.one("time")
    if not time["n"]:
        return []
    return [Fact.from_text("Time", time_sentence(time))]


def time_sentence(time: Mapping) -> str:
    """Return the median time of an annotation, the hours of all, and their cost."""
    whole = f"{number(time['hours'], 1)} hours"
    if time["hours"] < 1:
        whole = counted(round(60 * time["hours"]), "minute")
    if time["cost"] is not None:
        whole += f", at a cost of {number(time['cost'])}"
    return f"An annotation took {counted(round(time['median']), 'second')} in the median, all of them {whole}."


finding = partial(declared, __file__, compute=compute_time, summarise=summarise_time)
"""The finding of a form whose annotations are timed as a whole, from the form."""
