"""One sentence a curve, for readers who know no statistics."""

from __future__ import annotations


def curve_sentence(curve: dict, variant: str, level: float) -> str:
    """What the curve says: from how many conversations per pair a repeated study gives the same ranking."""
    first, last, share = curve["first"], curve["sizes"][-1], curve["share"][-1]
    asked = f"{level:.0%} of repeated studies"
    if variant == "paper":
        if first is None:
            text = f"Even {last} conversations per pair don't give the same ranking in {asked}: "
            text += f"{share:.0%} of draws agree"
        else:
            text = f"From {first} conversations per pair on, {level:.0%} of draws give the same ranking"
        return text + f". They are drawn from the same {last}, so agreement must rise to the end: it flatters."
    order = curve["order"][-1]
    if first is None:
        text = (
            f"Even new studies of {last} conversations per pair would agree on one ranking only {share:.0%} of the time"
        )
    else:
        text = f"From {first} conversations per pair on, {asked} would give the same ranking"
    return text + f"; with {last}, {order:.0%} would put all bots in the same order, whether or not clearly apart."
