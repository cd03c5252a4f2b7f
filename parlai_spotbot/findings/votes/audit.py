"""What could be wrong with the verdict."""

from parlai_spotbot.findings import alarms
from parlai_spotbot.findings.votes import FORM, ranking

FINDING = alarms.finding(FORM, ranking.compute)
