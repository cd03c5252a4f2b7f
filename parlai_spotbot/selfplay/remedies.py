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
    what_it_printed = f" What it printed: {log}" if log else ""
    return TEXTS["kinds"].get(kind, f"Correct its entry or take it out of the pool.{what_it_printed}")


def short(message: str, most: int = 300) -> str:
    """An error message in one line: torch's page about a refused checkpoint becomes what it refused."""
    text = " ".join(message.split())
    if "Weights only load failed" in text and REFUSAL not in text:
        refused = REFUSED.search(text)
        held = next((name for name in refused.groups() if name), "") if refused else ""
        text = f"{REFUSAL} (Weights only load failed)" + (f": it holds a {held}" if held else "")
    return text if len(text) <= most else text[: most - 1] + "…"
