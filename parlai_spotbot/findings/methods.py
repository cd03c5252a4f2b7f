"""Sentences on methods that several findings share: what "how this was computed" says on the page."""

from __future__ import annotations

from parlai_spotbot.analysis.ranking.contrasts import BOTH_ORDERS, PROFILED, RARER
from parlai_spotbot.wording import percent

CLUSTERED = (
    "Standard errors take answers about one conversation, and by one annotator, as dependent (two-way clustered, with "
    "the correction CR2 for few clusters); tests and intervals are Student's t with Satterthwaite's degrees of "
    "freedom: for strengths by Bell and McCaffrey's rule, for means from the effective number of clusters less one."
)

COMPARED = (
    "Strengths are those of Davidson's model of all matches, which extends Bradley and Terry's by ties. An effect of "
    f"who speaks first is part of it where more than {percent(BOTH_ORDERS)} of matches are of pairs seen both ways, "
    f"at least {percent(RARER)} in the rarer one. A penalty (Jeffreys' prior) keeps strengths finite where one bot won "
    f"everything. Two bots are compared by the model's likelihood ratio (in groups of more than {PROFILED} bots by "
    "Wald's test), scaled by how much conversations and annotators widen errors: the design effect, after Rao and "
    "Scott, drawn half way to the mean of all pairs, after Smyth. P values are Holm's over all pairs that met, "
    "directly or through others."
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
