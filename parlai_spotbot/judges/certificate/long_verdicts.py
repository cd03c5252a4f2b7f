"""Verdicts that stand in longer texts: what a judge said, with its reasons or as JSON."""

import re
from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.judges.certificate.answers_alike import MOSTLY

FIELDS = ("answer", "verdict", "score", "rating", "label", "grade", "judgement", "judgment", "decision", "result")
"""What JSON calls an answer."""

TRIED = 50
"""Texts by which it is found out where they have the answer."""

NUMBERS = [str(number) for number in range(11)]
"""Answers that a judge may give where labels are some of them."""

BEGINS = r"\W*({labels})\s*(?:[:(\n–—]|-\s)"
"""A text that begins with an answer, and goes on with its reasons."""


def without_reasons(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the frame with the label that each verdict names where most are longer texts, and the first such text and
    its label; verdicts that name none, or several, stay as they are.
    """
    labels = [label for label in frame["label"].unique() if label]
    longest = max(map(len, labels), default=0)
    judged = frame["verdict"][frame["verdict"] != ""]
    texts = [text for text in judged.unique() if len(text) > longest]
    if judged.isin(texts).mean() <= MOSTLY or len(labels) > len(judged) / 2:
        return frame, {}
    if set(labels) <= set(NUMBERS):
        labels = NUMBERS
    first = texts[:TRIED]
    counts = {sum(bool(_named(text, labels, field)) for text in first): field for field in reversed(FIELDS)}
    if max(counts) <= MOSTLY * len(first):
        return frame, {}
    field = counts[max(counts)]
    named = {text: _named(text, labels, field) for text in texts}
    text, label = next(filter(all, named.items()))
    verdicts = [named.get(verdict) or verdict for verdict in frame["verdict"]]
    return frame.assign(verdict=verdicts), {"text": text, "label": label}


def _named(text: str, labels: Sequence[str], field: str) -> str:
    """Return the only label that a text names as its answer, by JSON under `field`; "" for none."""
    from parlai_spotbot.judges.language_model.prompts import PromptedQuestion
    from parlai_spotbot.judges.language_model.replies import parsed
    from parlai_spotbot.models.chat.completion import ChatError

    names = tuple(labels)
    lines = "\n".join([*names, ""])
    ask = PromptedQuestion("", "", "", "choice", 0, "", "", lines, names, names, names)
    try:
        return names[parsed(ask, text, field)["chances"].index(1.0)]
    except ChatError:
        alternatives = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        begins = re.match(BEGINS.format(labels=alternatives), text, re.IGNORECASE)
    if begins is None:
        return ""
    return next(name for name in names if name.casefold() == begins[1].casefold())
