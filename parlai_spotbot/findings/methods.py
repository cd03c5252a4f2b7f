"""Sentences on methods that several findings share: what "how this was computed" says on the page."""

from __future__ import annotations

from parlai_spotbot.analysis.ranking.contrasts import BOTH_ORDERS, PROFILED, RARER
from parlai_spotbot.wording import percent

CLUSTERED = (
    "Standard errors are clustered by conversation and by annotator (CR2); tests and intervals are Student's t with "
    "Satterthwaite's degrees of freedom."
)

COMPARED = (
    "Davidson's model extends Bradley and Terry's by ties; an effect of who speaks first enters where more than "
    f"{percent(BOTH_ORDERS)} of matches are of pairs seen both ways, {percent(RARER)} in the rarer one. Jeffreys' "
    f"prior keeps strengths finite. Two bots are compared by likelihood ratio (beyond "
    f"{PROFILED} bots by Wald's test), scaled by the design effect of conversations and annotators, which is drawn "
    f"half way to the mean of all pairs; p values are Holm's."
)

OF_STRENGTHS = (
    "davidson1970",
    "firth1993",
    "heinze2002",
    "kosmidis2021",
    "rao1984",
    "smyth2004",
    "cameron2011",
    "holm1979",
)

BOOTSTRAP = (
    "Intervals come from drawing conversations, and annotators, anew; what both add to the variance is summed, less "
    "what the answers of one annotator to one conversation add twice."
)
