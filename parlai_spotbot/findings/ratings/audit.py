"""What could be wrong with the verdict."""

from parlai_spotbot.findings import audit
from parlai_spotbot.findings.ratings import FORM, ranking

FINDING = audit.finding(FORM, ranking.compute)
