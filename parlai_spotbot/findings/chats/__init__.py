"""Findings of surveys in which people chat with two bots: the partner that they prefer."""

from dataclasses import replace

from parlai_spotbot.findings import choices
from parlai_spotbot.findings.ratings import is_rating

FORM = replace(choices.FORM, mine=lambda judgement: not is_rating(judgement))
