"""The answer in what a judge says: JSON anywhere in the text, else words in a form that names a label.

Several answers that differ, and words in none of the forms below, are no answer: a wrong guess is worse than none.
"""

import contextlib
import json
import re
import unicodedata
from typing import Any

from parlai_spotbot.judges.language_model.prompts import ANSWER, PromptedQuestion
from parlai_spotbot.models.chat.completion import ChatError
from parlai_spotbot.models.chat.message_text import quoted
from parlai_spotbot.reading import own_data

LONGEST = 20_000
"""Characters of the longest reply that is read."""

FORMS = own_data(__file__)

FENCE = re.compile(r"```(?:json|text)?")
COMPARES = re.compile(r"[?!≠~<>=/{]|^\W*[-–−]\d")
"""What no name of a label has in it: "1?", "1/2", "-1"."""
PARTS = re.compile(r"[,;>\n]|\band\b|&")
LEAD = re.compile(r"^(?:option|label|answer|choice|number|rating|score) ")


def parsed(ask: PromptedQuestion, reply: str, name: str = ANSWER) -> dict:
    """Return the fields of a `RawAnswer` that `reply` means under `name`; raise `ChatError` where it is no answer."""
    if ask.kind != "free_text":
        reply = unicodedata.normalize("NFKC", reply)
    if len(reply) > LONGEST:
        raise ChatError("bad", f"longer than {LONGEST:,} characters")
    values = _in_json(reply, name)
    if ask.kind == "free_text":
        if name == ANSWER:
            values = values or [FENCE.sub("", reply)]
        return {"text": _only_text(values)}
    forms = ["number"]
    if name == ANSWER:
        forms = ["answer"]
        if not values:
            forms.append("alone")
    names = _names(ask)
    several = ask.kind in ("checkboxes", "ranking")
    values += _in_words(FENCE.sub("", reply), name, names, forms, several)
    answers = [_labels(value, names, several) for value in values]
    if not answers or any(None in answer for answer in answers):
        raise ChatError("bad", f"{quoted(reply.strip()[:60])} names none of the labels {', '.join(ask.labels)}")
    chosen = [ask.values[ask.labels.index(label)] for label in _only_answer(ask, answers)]
    if ask.kind == "ranking":
        return {"ranking": tuple(chosen)}
    return {"chances": tuple(float(value in chosen) for value in ask.known)}


def _only_answer(ask: PromptedQuestion, answers: list[list[Any]]) -> list[Any]:
    """Return the one answer that stands in all places, each a list of labels."""
    named = answers[0]
    ranking = ask.kind == "ranking"
    if any(set(answer) != set(named) or (ranking and answer != named) for answer in answers):
        raise ChatError("bad", "several answers that differ")
    if len(set(named)) != len(named) or (ranking and len(named) != len(ask.labels)):
        raise ChatError("bad", "it does not name each label once")
    return named


def _only_text(values: list[Any]) -> str:
    """Return the one text that the values hold, without breaks of lines."""
    texts = set()
    for value in values:
        text = ""
        if isinstance(value, str):
            text = " ".join(value.split())
        texts.add(text)
    if len(texts) > 1:
        raise ChatError("bad", "several answers that differ")
    if not any(texts):
        raise ChatError("bad", "no text")
    return texts.pop()


def _in_json(reply: str, name: str) -> list[Any]:
    """Return the values under `name` in JSON objects anywhere in the text, at any depth."""
    values: list[Any] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict:
        for key, value in pairs:
            if _plain(key).removeprefix("final ") == name.casefold():
                if isinstance(value, dict):
                    value = value.get(ANSWER)
                values.append(value)
        return dict(pairs)

    for start in re.finditer("{", reply):
        with contextlib.suppress(ValueError, RecursionError):
            json.JSONDecoder(object_pairs_hook=keep).raw_decode(reply, start.start())
    return values


def _in_words(text: str, name: str, names: dict[str, str], kinds: list[str], several: bool) -> list[str]:
    """Return what the words of a text name as the answer, in each place, by the first of the `kinds` of forms."""
    either = "|".join(r"\W{1,3}".join(map(re.escape, key.split())) for key in sorted(names, key=len, reverse=True))
    label = f"({either})(?:\\.0+)?"
    end = FORMS["closed"]
    if several:
        label = "(.{1,300}?)"
        end = "$"
    places = {"LABEL": f"NAME{end}", "NAMES": either, "NAME": label, "NUMBER": name, "AROUND": FORMS["around"]}
    for kind in kinds:
        if several and kind == "alone":
            kind = "several"
        matches = []
        for form in FORMS[kind]:
            for place, meaning in places.items():
                form = form.replace(place, meaning)
            matches += [match[1] for match in re.finditer(form, text, re.IGNORECASE | re.MULTILINE)]
        if matches:
            return matches
    return []


def _names(ask: PromptedQuestion) -> dict[str, str]:
    """Return what an option may be called -> its label: the label, the option's text, or both; none that is two's."""
    names = {}
    for label, line in zip(ask.labels, ask.body.split("\n")[-len(ask.labels) :], strict=True):
        both = _plain(line)
        for name in (both, text := both.removeprefix(_plain(label)).strip(), f"{text} {_plain(label)}"):
            if names.setdefault(name, label) != label:
                names[name] = ""
    return {**{name: label for name, label in names.items() if name and label}, **{_plain(n): n for n in ask.labels}}


def _plain(text: str) -> str:
    """Return the words of a short text, without case, marks and decoration; "" where it compares or asks."""
    text = re.sub(r"\b(\d+)\.0+\b", r"\1", text.casefold())
    if COMPARES.search(text):
        return ""
    return " ".join(re.findall(r"[^\W_]+", text))


def _label(value: Any, names: dict[str, str]) -> str | None:
    """Return the label that a value names, alone."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    plain = _plain(str(value))
    return names.get(plain) or names.get(LEAD.sub("", plain))


def _labels(value: Any, names: dict[str, str], several: bool) -> list[str | None]:
    """Return the labels that a value names: one, or those of `several` values or words."""
    if not several:
        return [_label(value, names)]
    if not isinstance(value, list):
        value = [part for part in PARTS.split(str(value)) if part.strip()]
    return [_label(part, names) for part in value]
