"""Preferences of people who chatted with two partners, next to the ranking by ratings."""

from dataclasses import replace

from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.chats import FORM
from parlai_spotbot.findings.choices import ranking
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.ratings.ranking import OVERALL
from parlai_spotbot.surveys.interactive import CHOICE

MAIN = OVERALL + CHOICE
"""The choice that sums up all others."""


def compute(answers: Answers) -> Frames:
    """The rankings, of which the overall choice is the main one; a margin of ratings isn't one of choices."""
    frames = ranking.compute(replace(answers, facts=replace(answers.facts, margin=None)))
    questions = frames["whole"]["question"]
    if MAIN not in set(questions):
        return frames
    return Frames(frames | {"whole": frames["whole"].assign(main=questions == MAIN)})


FINDING = replace(
    ranking.FINDING,
    name="choices",
    form=FORM,
    compute=compute,
    tables={name: replace(table, csv=f"choices_{name}") for name, table in ranking.FINDING.tables.items()},
    heading="Which partner is preferred?",
    bars=(),
    options=(),
    place=85,
)
