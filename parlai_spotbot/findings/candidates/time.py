"""Time of a question."""

from parlai_spotbot.findings import costs
from parlai_spotbot.findings.candidates import FORM

FINDING = costs.finding(FORM)
