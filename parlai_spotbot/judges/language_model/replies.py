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
    reply = reply if ask.kind == "free_text" else unicodedata.normalize("NFKC", reply)
    if len(reply) > LONGEST:
        raise ChatError("bad", f"longer than {LONGEST:,} characters")
    values = _in_json(reply, name)
    if ask.kind == "free_text":
        values = values or [FENCE.sub("", reply)] * (name == ANSWER)
        texts = {" ".join(value.split()) if isinstance(value, str) else "" for value in values}
        if len(texts) != 1 or texts == {""}:
            raise ChatError("bad", "no text" if len(texts) < 2 else "several answers that differ")
        return {"text": texts.pop()}
    names, several = _names(ask), ask.kind in ("checkboxes", "ranking")
    kinds = ["answer", *([] if values else ["alone"])] if name == ANSWER else ["number"]
    values = [*values, *_in_words(FENCE.sub("", reply), name, names, kinds, several)]
    answers = [_labels(value, names) if several else [_label(value, names)] for value in values]
    if not answers or any(None in answer for answer in answers):
        raise ChatError("bad", f"{quoted(reply.strip()[:60])} names none of the labels {', '.join(ask.labels)}")
    named, order = answers[0], list if ask.kind == "ranking" else set
    if any(order(answer) != order(named) for answer in answers):
        raise ChatError("bad", "several answers that differ")
    if len(set(named)) != len(named) or (ask.kind == "ranking" and len(named) != len(ask.labels)):
        raise ChatError("bad", "it does not name each label once")
    chosen = [ask.values[ask.labels.index(label)] for label in named]
    if ask.kind == "ranking":
        return {"ranking": tuple(chosen)}
    return {"chances": tuple(float(value in chosen) for value in ask.known)}


def _in_json(reply: str, name: str) -> list[Any]:
    """Return the values under `name` in JSON objects anywhere in the text, at any depth."""
    values: list[Any] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict:
        values.extend(value for key, value in pairs if _plain(key).removeprefix("final ") == name.casefold())
        return dict(pairs)

    for start in re.finditer("{", reply):
        with contextlib.suppress(ValueError, RecursionError):
            json.JSONDecoder(object_pairs_hook=keep).raw_decode(reply, start.start())
    return [value.get(ANSWER) if isinstance(value, dict) else value for value in values]


def _in_words(text: str, name: str, names: dict[str, str], kinds: list[str], several: bool) -> list[str]:
    """Return what the words of a text name as the answer, in each place, by the first of the `kinds` of forms."""
    either = "|".join(r"\W{1,3}".join(map(re.escape, key.split())) for key in sorted(names, key=len, reverse=True))
    label, end = (f"({either})(?:\\.0+)?", FORMS["closed"]) if not several else ("(.{1,300}?)", "$")
    places = {"LABEL": f"NAME{end}", "NAMES": either, "NAME": label, "NUMBER": name, "AROUND": FORMS["around"]}
    for kind in kinds:
        said = []
        for form in FORMS["several" if several and kind == "alone" else kind]:
            for place, meaning in places.items():
                form = form.replace(place, meaning)
            said += [match[1] for match in re.finditer(form, text, re.IGNORECASE | re.MULTILINE)]
        if said:
            return said
    return []


def _names(ask: PromptedQuestion) -> dict[str, str]:
    """Return what an option may be called -> its label: the label, the option's text, or both; none that is two's."""
    names = {}
    for label, line in zip(ask.labels, ask.body.split("\n")[-len(ask.labels) :], strict=True):
        both = _plain(line)
        for name in (both, text := both.removeprefix(_plain(label)).strip(), f"{text} {_plain(label)}"):
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
