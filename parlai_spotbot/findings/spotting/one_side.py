"""Rates at which simulated users, whose side alone is judged, are taken for people, beside people on that side."""

from parlai_spotbot.analysis.uncertainty.shares import share_interval
from parlai_spotbot.analysis.values import with_ends
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, ends
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.spotting import FORM, Annotations, ranking
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import between, percent


def compute(answers: Annotations) -> Found | None:
    """Return how often each contestant is taken for human, and all `together`; None where people alone were judged."""
    if not answers.bots:
        return None
    users = (answers.entities["name"] != HUMAN).to_numpy()
    taken = (answers.entities["nature"] == HUMAN).to_numpy()[users]
    ci = share_interval(taken, answers.together.take(answers.pages[users]))
    together = with_ends({"human_share": taken.mean(), "ci": ci}, "human_share")
    return {**ranking.compute(answers), "together": together}


def summarise(result: Result) -> list[str]:
    """Return how often simulated users are taken for people, and people; then what the ranking says."""
    further = ranking.summarise(result)
    if len(Ranking(result.frames).order) < 2:
        further = further[1:2]
    shares = []
    for side in (result.one("together"), result.one("people")):
        shares.append(percent(side.get("human_share")) + between(ends(side, "human_share")))
    text = "Simulated users are taken for people in {} of judgements, people in {}."
    return [text.format(*shares), *further]


FINDING = declared(__file__, FORM, compute, summarise)
