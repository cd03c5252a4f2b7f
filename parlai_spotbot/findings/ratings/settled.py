"""What was settled of contestants that were rated until it was."""

from parlai_spotbot.findings import settled
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.schema import Column

FINDING = settled.finding(FORM, Column("number", "Mean rating", ci="score_ci"))
"""What was settled of contestants that were rated until it was."""
