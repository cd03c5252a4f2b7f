"""Remedies for contestants that fail: one line, chosen by their message."""

import re

from parlai_spotbot.compat import CHECKPOINT_HINT
from parlai_spotbot.reading import own_data

CHECKPOINT = re.compile(r"weights.only", re.IGNORECASE)
TEXTS = own_data(__file__)

REFUSAL = "torch refuses the checkpoint"

REFUSED = re.compile(r"GLOBAL (\S+?)[,.]? (?:was not|is not)|Unsupported (?:class|global): (?:GLOBAL )?(\S+)")


def remedy(kind: str, message: str, log: str = "") -> str:
    """Return the remedy for a failure of `kind` with `message`; `log` is the file that it printed to."""
    if CHECKPOINT.search(message):
        return CHECKPOINT_HINT
    for rule in TEXTS["rules"]:
        if match := re.search(rule["pattern"], message, re.IGNORECASE):
            return match.expand(rule["remedy"])
    correct = "Correct its entry or take it out of the pool."
    if log:
        correct = f"{correct} What it printed: {log}"
    return TEXTS["kinds"].get(kind, correct)


def short(message: str, most: int = 300) -> str:
    """An error message in one line: torch's page about a refused checkpoint becomes what it refused."""
    text = " ".join(message.split())
    if "Weights only load failed" in text and REFUSAL not in text:
        refused = REFUSED.search(text)
        text = f"{REFUSAL} (Weights only load failed)"
        if refused:
            text = f"{text}: it holds a {refused[1] or refused[2]}"
    return text if len(text) <= most else text[: most - 1] + "…"
