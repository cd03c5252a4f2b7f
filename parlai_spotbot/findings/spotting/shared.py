"""Findings that annotations of segments share with others: what could be wrong, what is needed, what was settled."""

from parlai_spotbot.findings import alarms, needs, settled
from parlai_spotbot.findings.scarce import MATCHES
from parlai_spotbot.findings.spotting import FORM, ranking

FINDINGS = (
    alarms.finding(FORM, ranking.compute),
    needs.finding(FORM, ranking.compute, ranking.compared, MATCHES),
    settled.finding(FORM),
)
