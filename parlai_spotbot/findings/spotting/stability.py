"""Stability of the ranking by the number of conversations per pair (section 5.2), in a sound way and the paper's."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.stability import conversation_matches, stability
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.findings.spotting import FORM, Annotations

REPETITIONS = {"model": 500, "paper": 1000}
"""Of each way, and as many bootstrap replicates in each: the sound way takes longer, and its curve is smooth."""


def compute(answers: Annotations) -> dict:
    """Return what `stability` returns for new conversations from the fitted model (``whole``, ``leave_one_out``, …),
    and under ``paper`` what it returns for the paper's way; or ``why`` there is nothing."""
    matches = conversation_matches(answers.rows)
    if matches.empty:
        return {"why": "no match between two different bots"}
    seen = set(matches["a"]) | set(matches["b"])
    names = [bot for bot in answers.facts.bots if bot in seen] + sorted(seen - set(answers.facts.bots))
    curves = {}
    for variant, times in REPETITIONS.items():
        seed = int(answers.rng("stability").integers(2**31))
        options = {"variant": variant, "repetitions": times, "replicates": times, "leave_one_out": True, "seed": seed}
        curves[variant] = _said(stability(matches, names, **options))
    return {**curves["model"], "paper": curves["paper"]}


def _said(result: dict) -> dict:
    """Return what `stability` returns, each curve with its sentence."""
    way = result["variant"], result["options"]["level"]
    left = {bot: curve | {"sentence": curve_sentence(curve, *way)} for bot, curve in result["leave_one_out"].items()}
    whole = result["whole"] | {"sentence": curve_sentence(result["whole"], *way)}
    return result | {"whole": whole, "leave_one_out": left}


def _ranking_text(ranking: list[list[str]]) -> str:
    """The clusters from best to worst: as "a > b = c"; one cluster says so."""
    if len(ranking) == 1:
        return "that no bot is clearly better than another"
    return " > ".join(" = ".join(cluster) for cluster in ranking)


def curve_sentence(curve: Mapping, variant: str, level: float) -> str:
    """Return what the curve says: from how many conversations per pair a repeated study gives the same ranking."""
    first, last, share = curve["first"], curve["sizes"][-1], curve["share"][-1]
    ranking = _ranking_text(curve["ranking"][-1])
    if variant == "paper":
        if first is None:
            text = (
                f"Even of all {last} conversations per pair only {share:.0%} of draws give the same ranking ({ranking})"
            )
        else:
            text = f"From {first} conversations per pair on, {level:.0%} of draws give the same ranking ({ranking})"
        return text + f". They are drawn from the same {last}, so agreement must rise to the end: it flatters."
    order = curve["order"][-1]
    if first is None:
        text = f"Even of new studies of {last} conversations per pair only {share:.0%} would give the same ranking"
    else:
        text = f"From {first} conversations per pair on, {level:.0%} of new studies would give the same ranking"
    return text + f" ({ranking}); with {last}, {order:.0%} would put all bots in the same order, clearly apart or not."


def summarise(result: Result) -> list[str]:
    """Return from how many conversations on a repeated study gives the same ranking."""
    data = result.data
    if not data.get("whole"):
        return [data.get("outdated", ""), data.get("why", "")]
    return [data.get("outdated", ""), data["whole"]["sentence"], data["paper"]["whole"]["sentence"]]


SIZES = {
    "sizes": Column("count", "Conversations a pair"),
    "share": Column("share", "Same ranking", ci="share_ci"),
    "order": Column("share", "Same order"),
    "as_last": Column("share", "As at the largest"),
    "ranking": Column("text"),
}
METHOD = (
    "Of how many new studies of this size, drawn from the model that was fitted to these data, the most frequent "
    "ranking comes out; intervals are from the number of repetitions. The paper draws from the conversations at hand, "
    "so that it must reach 100 % at all of them."
)
TABLES = {
    "stability": Table("whole/[]", SIZES, "Stability by conversations per pair", METHOD, ("deriu2020",)),
    "without": Table("leave_one_out/{removed}/[]", {"removed": Column("name", "Without"), **SIZES}, "Without one bot"),
    "paper": Table("paper/whole/[]", SIZES, "The paper's way"),
}

FINDING = Finding(
    "stability",
    FORM,
    compute,
    tables=TABLES,
    summarise=summarise,
    heading="Stability",
    chart=Chart(
        "curve",
        "stability",
        x="sizes",
        y="share",
        caption="Share of new studies that give the same ranking, by conversations per pair, with 95 % intervals.",
        reference=0.95,
    ),
    place=88,
    options=("stability",),
    asked="stability",
)
