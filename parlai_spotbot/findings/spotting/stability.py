"""Stability of the ranking by the number of conversations per pair (section 5.2), in a sound way and the paper's."""

from collections.abc import Mapping

from parlai_spotbot.analysis.stability import conversation_matches, stability
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.spotting import FORM, Annotations

REPETITIONS = {"model": 500, "paper": 1000}
"""Of each way, and as many bootstrap replicates in each: the sound way takes longer, and its curve is smooth."""


def compute(answers: Annotations) -> dict:
    """Return what `stability` returns for new conversations from the fitted model (``whole``, ``leave_one_out``, …),
    and under ``paper`` what it returns for the paper's way; or ``why`` there is nothing."""
    matches = conversation_matches(answers.rows)
    if matches.empty:
        return {"why": "no match between two different bots"}
    names = planned_first({*matches["a"], *matches["b"]}, answers.facts.bots)
    curves = {}
    for variant, times in REPETITIONS.items():
        seed = int(answers.rng("stability").integers(2**31))
        options = {"variant": variant, "repetitions": times, "replicates": times, "leave_one_out": True, "seed": seed}
        curves[variant] = stability(matches, names, **options)
    return {**curves["model"], "paper": curves["paper"]}


def curve_sentence(curve: Mapping, studies: str) -> str:
    """Return from how many conversations per pair on a repeated study gives the same ranking."""
    last, share, clusters = curve["sizes"][-1], curve["share"][-1], curve["ranking"][-1]
    ranking = " > ".join(" = ".join(cluster) for cluster in clusters)
    if curve["first"] is None:
        return (
            f"Even with {last} conversations per pair only {share:.0%} of {studies} give the same ranking ({ranking})."
        )
    return f"From {curve['first']} conversations per pair on, 95% of {studies} give the same ranking ({ranking})."


def summarise(result: Result) -> list[str]:
    """Return from how many conversations on a repeated study gives the same ranking."""
    data = result.data
    if not data.get("whole"):
        return [data.get("why", "")]
    paper = curve_sentence(data["paper"]["whole"], "draws from these conversations (the paper's way, which flatters)")
    return [curve_sentence(data["whole"], "new studies"), paper]


FINDING = declared(__file__, FORM, compute, summarise)
