"""Findings of surveys in which people chat with two bots: the partner that they prefer."""

from dataclasses import replace

from parlai_spotbot.findings import choices
from parlai_spotbot.findings.ratings import mine

FORM = replace(choices.FORM, mine=lambda judgement: not mine(judgement))
