"""Prompts of a language model: a survey's own instructions, the item as the page shows it, and one question.

The wording here is versioned, and hashed together with the survey's texts: the same hash, the same prompts. An item is
asked about in two orders. Which entity bears which name, which conversation comes first, and how the options of a
choice are listed (a scale: upwards or downwards) is drawn by the seed for the first order; in the second, names and
sides are exchanged and options are listed from last to first. Turns are JSON strings, so nothing in them ends them,
begins a line, or is a special token of the model.
"""

import hashlib
import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parlai_spotbot.judges import identifier
from parlai_spotbot.models.chat.message_text import quoted
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import Item
from parlai_spotbot.surveys.asking import Pair
from parlai_spotbot.surveys.survey import Option, Question, Survey

VERSION = 2

ORDERS = ("first", "second")
SAMPLE = 0
"""Number of the only sample, part of the keys of kept answers."""

WORDS: dict[str, str]
WORDS, TOGETHER = own_data(__file__)
"""Every word that is not the survey's; the hash of the prompt covers those of earlier versions, too. `TOGETHER` are
those of a request with several questions.
"""

FORMS = {"checkboxes": "json_several", "ranking": "json_ranking"}
"""The word of `WORDS` for the form of an answer, by the kind of question; json_one for any other."""

ANSWER = "answer"


@dataclass(frozen=True)
class PromptedQuestion:
    """One question about one target of an item, in one order.

    A prompt is `system`, then `lead` (the item), then `tail` (the question). `values` are the options' in the order in
    which they are listed, `known` in the survey's order, `labels` what stands before each; a free text has none.
    """

    item_id: str
    question: str
    target: str
    kind: str
    order: int
    system: str
    lead: str
    tail: str
    values: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The prompt after the system text."""
        return f"{self.lead}\n\n{self.tail}"

    @property
    def body(self) -> str:
        """The question and its options, without the form of the answer in the last line."""
        return self.tail.rpartition("\n")[0]

    def key(self, identity: str) -> str:
        """Key of the answer in the journal: the same for the same prompt and model."""
        text = json.dumps(
            [identity, self.system, self.lead, [[self.tail, self.labels]], self.values, self.order, SAMPLE]
        )
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


Asks = dict[str, PromptedQuestion]
"""Questions by the keys of their answers in the journal."""


def prompt_sha256(survey: Survey, together: bool = False) -> str:
    """Hash of the prompt for this survey."""
    shown = ("instructions", "questions", "layout", "entities", "conversations", "speakers", "other")
    value_by_key = {key: value for key, value in survey.to_json().items() if key in shown}
    words = WORDS
    if together:
        words = WORDS | TOGETHER
    text = json.dumps([VERSION, words, value_by_key], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def requests_of(asks: Asks, together: bool) -> list[Asks]:
    """Return `asks` as they are asked: each in a request, or all `together` about one item in one order."""
    if not together:
        return [{key: ask} for key, ask in asks.items()]
    requests = {}
    for key, ask in asks.items():
        requests.setdefault((ask.item_id, ask.order), {})[key] = ask
    return list(requests.values())


def names_in_reply(request: Asks) -> list[str]:
    """Return the names under which the answers of a request come."""
    if len(request) == 1:
        return [ANSWER]
    return [f"Q{number}" for number in range(1, len(request) + 1)]


def text_of(asks: Sequence[PromptedQuestion]) -> str:
    """Return the text of a request after the system text."""
    if len(asks) == 1:
        return asks[0].text
    numbered = [f"Q{number}. {ask.body}" for number, ask in enumerate(asks, 1)]
    forms = [
        TOGETHER.get(ask.kind, TOGETHER["choice"]).format(number=number, labels=_listing(ask.labels))
        for number, ask in enumerate(asks, 1)
    ]
    return "\n\n".join([asks[0].lead, *numbered, "\n".join([TOGETHER["json"], *forms])])


# -- the parts of a prompt ---------------------------------------------------------------------------------------------
class OrderedItem:
    """An item in one order: which name each conversation, entity and option bears, as on the page."""

    def __init__(self, survey: Survey, item: Item, turned: bool):
        self.survey = survey
        self.item = item
        self.places = range(len(item.transcripts))
        entities = list(survey.entities[:2])
        if turned:
            self.places = self.places[::-1]
            entities.reverse()
        self.bearers = {n: self._bearers(n, place, entities) for place, n in enumerate(self.places)}
        self.names = {f"entity:{i}": name for i, name in enumerate(self.bearers[0])}
        self.titles = dict.fromkeys(self.places, "")
        if len(self.places) > 1:
            self._name_conversations()

    def _bearers(self, number: int, place: int, entities: Sequence[str]) -> list[str]:
        """The names of both entities of a conversation."""
        names = list(entities)
        if self.item.judged:
            judged = self.item.judged[number]
            if self.survey.speakers and len(self.places) > 1:
                names[judged] = self.survey.speakers[place]
            names[1 - judged] = self.survey.other or names[1 - judged]
        return names

    def _name_conversations(self) -> None:
        """Name each of several conversations, and its judged speaker."""
        for place, number in enumerate(self.places):
            name = self.titles[number] = self.survey.conversations[place]
            speaker = ""
            if self.item.judged:
                speaker = self.bearers[number][self.item.judged[number]]
                if self.survey.speakers:
                    name = speaker
            self.names[f"conversation:{number}"] = name
            self.names[f"speaker:{number}"] = speaker

    def label(self, option: Option) -> str:
        """The option as it is listed: with the name of the target that it stands for, or under it, else its own."""
        name = self.names.get(option.value, "")
        if "{name}" in option.label:
            return option.label.replace("{name}", name)
        return name or option.label

    def named(self, text: str, about: str = "") -> str:
        """`text` with names in place of {entity}, {entity:0}, {conversation:1}, {speaker:1}, …"""
        titles = {f"conversation:{number}": title for number, title in self.titles.items() if title}
        for key, name in {"entity": about, **self.names, **titles}.items():
            text = text.replace("{" + key + "}", name)
        return text

    def lead(self, numbered: bool) -> str:
        """The transcripts, with the turns numbered where questions are about turns."""
        parts = []
        for number in self.places:
            title = self.titles[number]
            bearers = self.bearers[number]
            judged = WORDS["judged"]
            lines = [WORDS["conversation"]]
            if title:
                judged = WORDS["judged_in"]
                lines = [f"{title}:"]
            for place, turn in enumerate(self.item.transcripts[number], 1):
                line = f"{bearers[turn.entity]}: {quoted(turn.text)}"
                if numbered:
                    line = f"[{place}] {line}"
                lines.append(line)
            if self.item.judged:
                lines.append(judged.format(name=bearers[self.item.judged[number]], conversation=title))
            parts.append("\n".join(lines))
        return "\n\n".join(parts)

    def about(self, wording: str, target: str) -> str:
        """The question as it is put about `target`."""
        kind, _, number = target.partition(":")
        if kind == "turn":
            turn = self.item.transcripts[0][int(number)]
            speaker = self.names[f"entity:{turn.entity}"]
            phrase = WORDS["about_turn"].format(number=int(number) + 1, name=speaker, text=quoted(turn.text))
            return f"{phrase}\n{self.named(wording, speaker)}"
        name = self.names.get(target, "")
        text = self.named(wording, name)
        if "{entity}" in wording or not name:
            return text
        return f"{text} {WORDS['about'].format(name=name)}"


def system_text(survey: Survey, put: Sequence[str]) -> str:
    """Text before every item: the survey's instructions and the explanations of the questions `put`."""
    explained = []
    for question in survey.questions:
        lines = [f"{option.label}: {option.definition}" for option in question.options if option.definition]
        if question.help:
            lines.insert(0, question.help)
        if lines and question.name in put:
            explained.append(f"{question.heading or question.name}: {' '.join(lines)}")
    parts = [WORDS["system"], survey.instructions]
    if explained:
        parts.append("\n".join([WORDS["explained"], *explained]))
    return "\n\n".join([*parts, WORDS["quoted"], WORDS["manner"]])


def labels_of(question: Question) -> tuple[str, ...]:
    """A label for each option: its own value where all are digits, else 1, 2, …; A, B, … for 10 to 26 options."""
    values = [option.value for option in question.options]
    if all(len(value) == 1 and value.isdigit() for value in values):
        return tuple(values)
    if 9 < len(values) <= len(string.ascii_uppercase):
        return tuple(string.ascii_uppercase[: len(values)])
    return tuple(map(str, range(1, len(values) + 1)))


def prompted_questions(
    survey: Survey, item: Item, pair: Pair, seed: int, answers: Mapping[Pair, object] | None = None
) -> list[PromptedQuestion]:
    """All that is asked about one question and target of an item, in both orders.

    A free text is asked for once: reasons can't be averaged. It follows the `answers` to the questions that it comes
    after.
    """
    question = survey.question(pair[0])
    put = item.questions or tuple(q.name for q in survey.questions)
    numbered = any("turn" in survey.question(name).targets for name in put)
    system = system_text(survey, put)
    option_values = tuple(option.value for option in question.options)
    asks = []
    orders = range(len(ORDERS))
    if question.kind == "free_text":
        orders = orders[:1]
    for order in orders:
        shown = OrderedItem(survey, item, _coin(seed, "names", item.item_id) == bool(order))
        options = _listed(question, (seed, item.item_id, *pair), order)
        values = tuple(option.value for option in options)
        labels = labels_of(question)
        if labels == option_values:  # a scale's digits are its own
            labels = values
        wording = shown.about(question.wording, pair[1])
        if question.kind == "free_text":
            lines = [*_answered(survey, shown, question, answers or {}), wording, WORDS["json_text"]]
        else:
            listed = [_line(label, option, shown) for label, option in zip(labels, options, strict=True)]
            lines = [wording, *listed, WORDS[FORMS.get(question.kind, "json_one")].format(labels=_listing(labels))]
        lead = shown.lead(numbered)
        place = (item.item_id, *pair, question.kind, order)
        asks.append(PromptedQuestion(*place, system, lead, "\n".join(lines), values, labels, option_values))
    return asks


def _coin(*place: object) -> bool:
    """Toss a coin for a place: the same place always gives the same side."""
    return identifier(*place)[0] in "01234567"


def _answered(survey: Survey, shown: OrderedItem, question: Question, answers: Mapping[Pair, object]) -> list[str]:
    """Lines with the answers to the questions that `question` comes after."""
    lines = []
    for (name, target), answer in answers.items():
        if name in question.after:
            earlier = survey.question(name)
            labels: dict[object, str] = {option.value: shown.label(option) for option in earlier.options}
            values = [answer]
            if isinstance(answer, list):
                values = answer
            phrase = ", ".join(labels.get(value) or quoted(str(value)) for value in values)
            lines.append(WORDS["answered"].format(question=shown.about(earlier.wording, target), answer=phrase))
    return lines


def _listed(question: Question, place: Sequence[object], order: int) -> list[Option]:
    """The options as they are listed: drawn by `place`, from last to first in the second order."""
    options = list(question.options)
    if question.kind != "scale":
        options.sort(key=lambda option: identifier("list", *place, option.value))
    elif _coin("scale", *place):
        options.reverse()
    if order:
        options.reverse()
    return options


def _line(label: str, option: Option, shown: OrderedItem) -> str:
    """An option in the list; a point of a scale with what it stands for."""
    if option.value != label:
        return f"{label}. {shown.label(option)}"
    text = option.definition
    if not text and option.label != label:
        text = option.label
    if not text:
        return label
    return f"{label} ({text})"


def _listing(labels: Sequence[str]) -> str:
    return ", ".join(f'"{label}"' for label in labels)
