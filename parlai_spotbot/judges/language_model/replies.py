"""The answer in what a judge says: JSON anywhere in the text, else words in a form that names a label.

Several answers that differ, and words in none of the forms below, are no answer: a wrong guess is worse than none.
"""

from __future__ import annotations

import json
import re
from typing import Any

from parlai_spotbot.judges.language_model.prompts import ANSWER, PromptedQuestion
from parlai_spotbot.models.chat.message_text import quoted

LONGEST = 20_000
"""Characters of the longest reply that is read."""

DECORATION = r"[\s*_`'\"“”‘’(\[{#]*"
CLOSED = (
    r"(?:\.0+)?(?!\W*(?:option\W+)?(?:NAMES)\b)(?=[*_`'\"”’)\]}]*(?:\s*$|[.,;:](?!\d)|\s+(?:[(–—-]|because|since)))"
)
"""What follows a label that is meant: no other label, and the end of a phrase."""
NUMBERED = (rf"\bNUMBER[\s*_`']*[:=.)]{DECORATION}LABEL", r"\"NUMBER\"\s*:\s*\"NAME\"")
SAYS = (
    rf"\b(?:answer|verdict|choice|rating|score|label|decision|judge?ment)[\s*_`']*[:=]{DECORATION}(?:option\s+)?LABEL",
    rf"\banswer is:?{DECORATION}(?:option\s+)?LABEL(?=[\s*_`'\".)]*$| because| since)",
    r"\[\[\s*NAME\s*\]\]",
    r"\\boxed\{\s*NAME\s*\}",
    r"<answer>\s*NAME\s*</answer>",
    r"\"answer\"\s*:\s*\"NAME\"\s*,\s*\}",
)
"""Forms of words that name the answer; where there are several, they agree."""
CHOOSES = r"(?:(?:\*\*|__)|\b(?:choose|pick|select|go with|option)\s+)(?:option\s+)?NAME\b"
"""Weaker ones, which count at the end of a text that weighs nothing before."""
WEIGHS = re.compile(
    r"\b(?:not|never|neither|nor|wrong|instead|rather|cannot|between|either|or|unsure)\b|n['’]t\b", re.I
)

FENCE = re.compile(r"```(?:json|text)?")
COMPARES = re.compile(r"[?!≠~<>=/{]|^\W*[-–−]\d")
"""What no name of a label has in it: "1?", "1/2", "-1"."""
PARTS = re.compile(r"[,;>\n]|\band\b|&")
LEAD = re.compile(r"^(?:option|label|answer|choice|number|rating|score) ")


class BadAnswer(ValueError):
    """The model's text is no answer; `kind` is the reason in one word (see `answer_journal.ASKED_AGAIN`)."""

    def __init__(self, problem: str, kind: str = "bad"):
        super().__init__(problem)
        self.kind = kind


def parsed(ask: PromptedQuestion, reply: str, name: str = ANSWER) -> dict:
    """Return the fields of a `RawAnswer` that `reply` means under `name`; raise `BadAnswer` where it is no answer."""
    if len(reply) > LONGEST:
        raise BadAnswer(f"longer than {LONGEST:,} characters")
    values, rest = _in_json(reply, name)
    if ask.kind == "free_text":
        values = values or [FENCE.sub("", reply)] * (name == ANSWER)
        texts = {" ".join(value.split()) if isinstance(value, str) else "" for value in values}
        if len(texts) != 1 or texts == {""}:
            raise BadAnswer("no text" if len(texts) < 2 else "several answers that differ")
        return {"text": texts.pop()}
    names, several = _names(ask), ask.kind in ("checkboxes", "ranking")
    values = [*values, *_in_words(FENCE.sub("", rest), name, names, bool(values), several)]
    answers = [_labels(value, names) if several else [_label(value, names)] for value in values]
    if not answers or any(None in answer for answer in answers):
        raise BadAnswer(f"{quoted(reply.strip()[:60])} names none of the labels {', '.join(ask.labels)}")
    named, order = answers[0], list if ask.kind == "ranking" else set
    if any(order(answer) != order(named) for answer in answers):
        raise BadAnswer("several answers that differ")
    if len(set(named)) != len(named) or (ask.kind == "ranking" and len(named) != len(ask.labels)):
        raise BadAnswer("it does not name each label once")
    chosen = [ask.values[ask.labels.index(label)] for label in named]
    if ask.kind == "ranking":
        return {"ranking": tuple(chosen)}
    return {"chances": tuple(float(value in chosen) for value in ask.known)}


def _in_json(reply: str, name: str) -> tuple[list[Any], str]:
    """Return the values under `name` in JSON objects anywhere in the text, at any depth, and the text without these."""
    values: list[Any] = []
    rest, start, end = [], -1, 0
    while (start := reply.find("{", start + 1)) >= 0:
        pairs: list[tuple[str, Any]] = []

        def keep(own: list, pairs: list = pairs) -> dict:
            pairs += own
            return dict(own)

        try:
            _, after = json.JSONDecoder(object_pairs_hook=keep).raw_decode(reply, start)
        except (ValueError, RecursionError):
            continue
        values += [value for key, value in pairs if _plain(key).removeprefix("final ") == name.casefold()]
        rest.append(reply[end:start])
        start, end = after - 1, after
    return [value.get(ANSWER) if isinstance(value, dict) else value for value in values], "".join([*rest, reply[end:]])


def _in_words(text: str, name: str, names: dict[str, str], has_json: bool, several: bool) -> list[str]:
    """Return what the words of a text name as the answer, in each place."""
    either = "|".join(r"\W{1,3}".join(map(re.escape, key.split())) for key in sorted(names, key=len, reverse=True))
    label, end = ("(.{1,300}?)", "$") if several else (f"({either})", CLOSED.replace("NAMES", either))

    def matches(form: str) -> list[re.Match]:
        form = form.replace("LABEL", label + end).replace("NAME", label)
        return list(re.finditer(form, text, re.IGNORECASE | re.MULTILINE))

    forms = SAYS if name == ANSWER else [form.replace("NUMBER", name) for form in NUMBERED]
    said = [match[1] for form in forms for match in matches(form)]
    if said or has_json or name != ANSWER:
        return said
    lines = [line for line in text.splitlines() if line.strip()]
    if several or not lines:
        return [text]
    named = [line for line in lines if _label(line, names) or _label(_plain(line).partition(" ")[0], names)]
    if named and (named[0] == lines[0] or named[-1] == lines[-1]):
        return named
    chosen = matches(CHOOSES)
    ends = chosen and not re.search(r"\w", text[chosen[-1].end() :]) and not WEIGHS.search(text[: chosen[-1].start()])
    return [match[1] for match in chosen] if ends else []


def _names(ask: PromptedQuestion) -> dict[str, str]:
    """Return what an option may be called -> its label: the label, the option's text, or both; none that is two's."""
    names: dict[str, str] = {}
    lines = ask.body.split("\n")[-len(ask.labels) :]
    for label, line in zip(ask.labels, lines, strict=True):
        both = _plain(line)
        for name in (both, both.removeprefix(_plain(label)).strip()):
            names[name] = "" if names.get(name, label) != label else label
    return {**{name: label for name, label in names.items() if name and label}, **{_plain(n): n for n in ask.labels}}


def _plain(text: str) -> str:
    """Return the words of a short text, without case, marks and decoration; "" where it compares or asks."""
    text = re.sub(r"\b(\d+)\.0+\b", r"\1", text.casefold())
    return "" if COMPARES.search(text) else " ".join(re.findall(r"[^\W_]+", text))


def _label(value: Any, names: dict[str, str]) -> str | None:
    """Return the label that a value names, alone."""
    plain = _plain(str(value)) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
    return names.get(plain) or names.get(LEAD.sub("", plain))


def _labels(value: Any, names: dict[str, str]) -> list[str | None]:
    """Return the labels that a list of values, or of words, names."""
    parts = value if isinstance(value, list) else [part for part in PARTS.split(str(value)) if part.strip()]
    return [_label(part, names) for part in parts]
