"""What could be wrong with the verdicts."""

from parlai_spotbot.findings import alarms
from parlai_spotbot.findings.behaviours import FORM, ranking

FINDING = alarms.finding(FORM, ranking.compute)
