"""Sentences on methods that several findings share: what "how this was computed" says on the page."""

CLUSTERED = (
    "Standard errors are clustered by conversation and by annotator (CR2); tests and intervals are Student's t with "
    "Satterthwaite's degrees of freedom."
)

COMPARED = (
    "Davidson's model extends Bradley and Terry's by ties; Jeffreys' prior keeps strengths finite. Two contestants are "
    "compared by likelihood ratio, scaled by the design effect of conversations and annotators; p values are Holm's."
)

OF_STRENGTHS = ("davidson1970", "firth1993", "rao1984", "cameron2011", "holm1979")
