"""One sentence a curve, for readers who know no statistics."""

from __future__ import annotations


def ranking_text(ranking: list[list[str]]) -> str:
    """The clusters from best to worst, as "a > b = c"; one cluster says so."""
    if len(ranking) == 1:
        return "that no bot is clearly better than another"
    return " > ".join(" = ".join(cluster) for cluster in ranking)


def curve_sentence(curve: dict, variant: str, level: float) -> str:
    """What the curve says: from how many conversations per pair a repeated study gives the same ranking."""
    first, last, share = curve["first"], curve["sizes"][-1], curve["share"][-1]
    ranking = ranking_text(curve["ranking"][-1])
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
