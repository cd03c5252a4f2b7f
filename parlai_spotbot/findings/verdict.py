"""Verdict on a judge's agreement with people, in a sentence.

The verdict on a question is one of `LEVELS`, worst first. A difference from people is claimed only where its interval
leaves out 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from parlai_spotbot.wording import asked, listed

SENTENCES = {
    "constant": "Do not trust this judge on {}: it always gives the same answer, whoever speaks",
    "chance": "Beware: on {} this judge agrees with people no more than chance may give",
    "below": "Beware: on {} this judge agrees with people less than people agree with each other",
    "unclear": "On {} its agreement with people can't be told from that between people",
    "unknown": "On {} nobody knows how far people agree with each other: too few items were answered by two, or all "
    "gave one and the same answer",
    "nobody": "On {} neither it nor other people agree with a person more than chance may give",
    "level": "On {} it agrees with people no less than people do with each other",
}
LEVELS = tuple(SENTENCES)
WARNINGS = ("constant", "chance", "below")


def _known(*values: float | None) -> bool:
    return all(value is not None and math.isfinite(value) for value in values)


def level(entry: Mapping) -> str:
    """Return the verdict on one question, from what `analysis.trust.agreement` found."""
    if entry["constant"]["judge"] is not None and entry["constant"]["people"] is None:
        return "constant"
    low, high = entry["alpha_ci"]
    if _known(entry["alpha"], low) and low <= 0:
        people = entry["people_alpha_ci"][0]
        return "nobody" if _known(people) and people <= 0 and not entry["difference_ci"][1] < 0 else "chance"
    if not _known(*entry["difference_ci"]):
        return "unknown"
    low, high = entry["difference_ci"]
    return "below" if high < 0 else "unclear" if low < 0 else "level"


def verdict(data: Mapping) -> dict:
    """Return `level`, the worst of all questions, `warning`, `sentence`, and `questions` {question: level}."""
    questions = {question: level(entry) for question, entry in data["questions"].items()}
    parts = []
    for name, sentence in SENTENCES.items():
        if askeds := [asked(question) for question, name_of_question in questions.items() if name_of_question == name]:
            parts.append(f"{sentence.format(listed(askeds))}.")
    worst = min(questions.values(), key=LEVELS.index, default="unknown")
    return {"level": worst, "warning": worst in WARNINGS, "sentence": " ".join(parts), "questions": questions}
