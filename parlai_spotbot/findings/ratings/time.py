"""Time of annotations."""

from parlai_spotbot.findings import costs
from parlai_spotbot.findings.ratings import FORM

FINDING = costs.finding(FORM)
