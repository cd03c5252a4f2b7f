"""Refusals of the desk and their reasons: an HTTP status and a sentence for the annotator, from refusals.yaml.

A translation has sentences of its own under "refused_CODE" and "why_NAME".
"""

from collections.abc import Mapping

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.reading import own_data

_FILE = own_data(__file__)
REFUSALS = _FILE["refusals"]
REASONS = _FILE["reasons"]


def refusal(code: str, texts: Mapping[str, str]) -> Refusal:
    """Return the refusal of this code, in the words of `texts` where they have any."""
    status, sentence = REFUSALS[code]
    return Refusal(status, code, texts.get(f"refused_{code}", sentence))


def reason(name: str, texts: Mapping[str, str]) -> str:
    """Return the sentence for this reason, or `name` itself where it is unknown (a platform's own words)."""
    return texts.get(f"why_{name}", REASONS.get(name, name))
