"""What surveys of people who chat with two bots have beside ratings: which of the two partners they prefer."""

from dataclasses import replace

from parlai_spotbot.findings import choices
from parlai_spotbot.findings.ratings import mine

FORM = replace(choices.FORM, mine=lambda judgement: not mine(judgement))
