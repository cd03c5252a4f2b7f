"""Every conversation with every judgement of it, as data for the page's reader (templates/reading.js).

Texts stand once, in a list, and all else refers to them by number, so a thousand conversations stay small. The reader
shows answers as question, target and answer, whatever the survey; nothing here is ever read as HTML.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.whole_study.hygiene import TITLES as FAULTS
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement
from parlai_spotbot.report.parts import CAUTION, SurveyView, said
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.hygiene import faults, turns_of

SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class NumberedList:
    """Numbers things in the order in which they come, each once."""

    found: dict[Any, int] = field(default_factory=dict)

    def of(self, thing: Any) -> int:
        return self.found.setdefault(thing, len(self.found))

    @property
    def list(self) -> list:
        return list(self.found)


def data(views: Sequence[SurveyView], titles: dict[str, str]) -> Markup:
    """Return what the reader reads, as JSON that can be in a script element; `titles` are the surveys'.

    Every survey's page holds the same conversations. The same study gives the same bytes.
    """
    return as_data(collect(views, titles))


def as_data(value: Any) -> Markup:
    """JSON that ends no script element and opens no comment in it; a lone surrogate, which is no text, is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def collect(views: Sequence[SurveyView], titles: dict[str, str]) -> dict:
    """The data as it is before it is written; see ``templates/reading.js`` for how it is read."""
    first = views[0].contents
    names, texts, kept = NumberedList(), NumberedList(), AnnotationLists()
    place = {c.conversation_id: i for i, c in enumerate(first.conversations)}
    rows_by_conversation: dict[int, list] = defaultdict(list)
    for number, view in enumerate(views):
        survey = _Survey(view.contents, number)
        for conversation, row in survey.rows(first.conversations, place, kept):
            rows_by_conversation[conversation].append(row)
    shown_faults = _faults(first.conversations)
    failed: dict[str, list[int]] = defaultdict(list)
    for failure in first.failures:
        what = f"{failure.get('contestant', '–')}, {failure.get('kind', 'failure')}: {failure.get('message', '')}"
        failed[str(failure.get("conversation_id"))].append(texts.of(what))
    conversations = []
    for i, c in enumerate(first.conversations):
        conversations.append(
            [
                c.conversation_id,
                [names.of(e) for e in c.entities],
                2 * c.seed_exchanges,
                [texts.of(turn.text) for turn in c.turns],
                [texts.of(t) if t else -1 for t in c.context],
                shown_faults.get(c.conversation_id, []),
                failed.get(c.conversation_id, []),
                sorted(rows_by_conversation[i], key=_order),
            ]
        )
    looks = views[0].looks
    return {
        "names": [["people" if n == HUMAN else n, looks[n].css if n in looks else ""] for n in names.list],
        "texts": texts.list,
        "surveys": [titles[view.contents.survey] for view in views],
        "sources": [[said(s), "" if s == HUMAN else CAUTION] for s in kept.sources.list],
        "annotators": kept.annotators.list,
        "said": [list(words) for words in kept.said.list],
        "faults": list(FAULTS.values()),
        "conversations": conversations,
    }


def _order(annotation: list) -> list:
    """By source, people first, then survey, length and annotator."""
    return [annotation[i] for i in (1, 0, 3, 2)]


@dataclass
class AnnotationLists:
    """Record of what annotations refer to by number, over all surveys."""

    sources: NumberedList = field(default_factory=NumberedList)
    annotators: NumberedList = field(default_factory=NumberedList)
    said: NumberedList = field(default_factory=NumberedList)


class _Survey:
    """One survey's judgements, ready to be put beside their conversations. Known segments (controls) are left out."""

    def __init__(self, contents: Contents, number: int):
        self.number = number
        self.judgements = [j for j in contents.judgements if j.control is None]
        self.named = contents.annotators
        self.sources = contents.sources
        self.survey = _survey(contents)
        self.items = _items(contents)
        questions = {q.name: q for q in self.survey.questions} if self.survey else {}
        self.headings = {name: q.heading or name.replace("_", " ") for name, q in questions.items()}
        self.labels = {(n, o.value): o.label for n, q in questions.items() for o in q.options if "{" not in o.label}
        self.open = {name for name, q in questions.items() if q.kind == "free_text"}
        self.known = set(questions)

    def closed(self, judgement: Judgement) -> bool:
        """Return whether the answer is one of a few that can be compared."""
        if judgement.question in self.known:
            return judgement.question not in self.open
        return isinstance(judgement.answer, str) and len(judgement.answer) <= 24

    def rows(
        self, conversations: Sequence[Conversation], place: dict[str, int], kept: AnnotationLists
    ) -> Iterable[tuple]:
        """An annotation for each conversation it is about, with the number of that conversation.

        [survey, source, annotator, exchanges, which of its conversations, number of the other or -1, who is judged or
        -1, answers]
        """
        for source in self.sources:
            kept.sources.of(source)
        groups: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
        for judgement in self.judgements:
            groups[judgement.source, judgement.annotation_id].append(judgement)
        for (source, _), judgements in groups.items():
            ids = judgements[0].conversation_ids
            item = self.items.get(judgements[0].item_id)
            answers = [kept.said.of(self._said(j)) for j in judgements]
            for which, identity in enumerate(ids):
                if identity not in place:
                    continue
                conversation = conversations[place[identity]]
                other = next((place.get(i, -1) for n, i in enumerate(ids) if n != which), -1)
                judged = item.judged[which] if item and len(item.judged) > which else -1
                who = kept.annotators.of(self.named[source, judgements[0].worker_id])
                yield (
                    place[identity],
                    [
                        self.number,
                        kept.sources.of(source),
                        who,
                        min(judgements[0].exchanges, conversation.exchanges),
                        which,
                        other,
                        judged,
                        answers,
                    ],
                )

    def _said(self, judgement: Judgement) -> tuple[str, str, str, str, bool]:
        """Heading of the question, target, answer as it stands and as it is shown, whether answers can be compared."""
        question, answer = judgement.question, judgement.answer
        plain = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        label = self.labels.get((question, plain), plain)
        # Data from elsewhere may give labels themselves, as questions of their own (surveys.abc_eval.labels).
        heading = self.headings.get(question, question.removeprefix("label_").replace("_", " "))
        return heading, judgement.target, plain, label, self.closed(judgement)


def _survey(contents: Contents) -> Survey | None:
    """The survey as the study asks it; None where there is no such any more."""
    try:
        return survey_of(contents.study, contents.survey)
    except UserError:
        return None


def _items(contents: Contents) -> dict[str, Item]:
    """The items in which only one speaker of a conversation is judged."""
    return {name: item for name, item in contents.study.load(contents.survey).items.items() if item.judged}


def _faults(conversations: Sequence[Conversation]) -> dict[str, list[list[int]]]:
    """By conversation: [turn after the seed, number of the kind of fault], as hygiene finds them in turns alone.

    What is the same word for word isn't said to be nearly the same as well.
    """
    turns = turns_of(conversations)
    if not len(turns):
        return {}
    marks = faults(turns)
    found: dict[str, list[list[int]]] = defaultdict(list)
    ids, places = turns["conversation_id"].tolist(), turns["turn"].tolist()
    kinds = [(list(FAULTS).index(kind), marks[kind].to_numpy()) for kind in marks.columns if kind in FAULTS]
    for row, (identity, turn) in enumerate(zip(ids, places, strict=True)):
        found[identity] += [[int(turn), number] for number, hit in kinds if hit[row]]
    return {identity: turn_faults for identity, turn_faults in found.items() if turn_faults}
