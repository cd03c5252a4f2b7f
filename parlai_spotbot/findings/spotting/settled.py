"""What was settled of contestants that were shown until it was."""

from parlai_spotbot.findings import settled
from parlai_spotbot.findings.spotting import FORM

FINDING = settled.finding(FORM)
