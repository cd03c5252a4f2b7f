"""Every conversation with every judgement of it, as data for the page's reader (templates/reading.js).

Texts stand once, in a list, and all else refers to them by number, so a thousand conversations stay small. The reader
shows answers as question, target and answer, whatever the survey; nothing here is ever read as HTML.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parlai_spotbot.findings.whole_study.hygiene import TITLES as FAULTS
from parlai_spotbot.outside import HALF
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.report.parts import SurveyView, caution_of, source_title
from parlai_spotbot.texts.hygiene import faults, turns_of
from parlai_spotbot.wording import plainly, who

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

MOST = 20_000
"""Characters of a turn that the page holds."""


def _beginning(text: str) -> str:
    """Return a turn, or the beginning of a long one."""
    if len(text) <= MOST:
        return text
    return f"{text[:MOST]} … ({len(text):,} characters, all in conversations.jsonl)"


def numbering() -> defaultdict[Any, int]:
    """Return numbers of things, in the order in which they are first asked for."""
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def as_data(value: Any) -> str:
    """JSON, packed and in letters that are safe in a script element; a lone surrogate, which is no text, is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = HALF.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def collect(views: Sequence[SurveyView]) -> dict:
    """The data as it is before it is written; see ``templates/reading.js`` for how it is read.

    Every survey's page holds the same conversations. The same study gives the same bytes.
    """
    first = views[0].contents
    names = numbering()
    texts = numbering()
    failures = _failures(first, texts)
    sources = list(dict.fromkeys(source for view in views for source in view.contents.sources))
    judged, meant = _judged(views, sources)
    shown_faults = _faults(first.conversations)
    conversations = []
    for c in first.conversations:
        entities = [names[entity] for entity in c.entities]
        turns = [texts[_beginning(turn.text)] for turn in c.turns]
        context = [texts[text] if text else -1 for text in c.context]
        rows = sorted(judged[c.conversation_id], key=lambda row: (row[1], row[0], row[3], row[2]))  # people first
        faults_of_turns = shown_faults[c.conversation_id]
        failed = failures[c.conversation_id]
        seed = 2 * c.seed_exchanges
        conversations.append([c.conversation_id, entities, seed, turns, context, faults_of_turns, failed, rows])
    looks = views[0].looks
    return {
        "names": [[who(name), looks[name].css if name in looks else ""] for name in names],
        "texts": list(texts),
        "surveys": [view.contents.asked.about.title for view in views],
        "sources": [[source_title(source), caution_of(source)] for source in sources],
        **meant,
        "faults": list(FAULTS.values()),
        "conversations": conversations,
    }


def _failures(contents: SurveyData, texts: dict[str, int]) -> dict[str, list[int]]:
    """Return by conversation the numbers of the texts that say what failed in it."""
    failures: dict[str, list[int]] = defaultdict(list)
    for failure in contents.failures:
        what = f"{failure.get('contestant', '–')}, {failure.get('kind', 'failure')}: {failure.get('message', '')}"
        failures[str(failure.get("conversation_id"))].append(texts[what])
    return failures


def _judged(views: Sequence[SurveyView], sources: Sequence[str]) -> tuple[dict[str, list[list]], dict[str, list]]:
    """Return by conversation its annotations: number of the survey, source, annotator, exchanges, the place of the
    conversation in the item, the number of the other one, the entity that is judged, and the answers; then the
    annotators and answers that these numbers mean."""
    annotators = numbering()
    answers = numbering()
    numbers = {c.conversation_id: number for number, c in enumerate(views[0].contents.conversations)}
    exchanges = {c.conversation_id: c.exchanges for c in views[0].contents.conversations}
    rows: dict[str, list[list]] = defaultdict(list)
    for survey, view in enumerate(views):
        contents = view.contents
        say = _answers_of(contents)
        for judgements, entities in _annotations(contents):
            shown = judgements[0]
            ids = shown.conversation_ids
            given = [answers[say(judgement)] for judgement in judgements]
            for which, identity in enumerate(ids):
                if identity in numbers:
                    annotator = annotators[contents.annotators[shown.source, shown.worker_id]]
                    length = min(shown.exchanges, exchanges[identity])
                    other = next((numbers.get(name, -1) for n, name in enumerate(ids) if n != which), -1)
                    place = [sources.index(shown.source), annotator, length, which, other, entities[which]]
                    rows[identity].append([survey, *place, given])
    return rows, {"annotators": list(annotators), "said": list(map(list, answers))}


def _annotations(contents: SurveyData) -> Iterator[tuple[list[Judgement], list[int]]]:
    """Yield the judgements of each annotation, and of each of its conversations the entity that is judged, -1 for both;
    those of known segments (controls) are left out."""
    groups: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    for judgement in contents.judgements:
        if judgement.control is None:
            groups[judgement.source, judgement.annotation_id].append(judgement)
    for judgements in groups.values():
        shown = judgements[0]
        entities = [-1 for _ in shown.conversation_ids]
        if shown.item_id in contents.items:
            entities = [*contents.items[shown.item_id].judged, *entities]
        yield judgements, entities


def _answers_of(contents: SurveyData) -> Callable[[Judgement], tuple[str, str, str, str, bool]]:
    """Return what is shown of an answer: heading of the question, target, the answer as it stands and as it is shown,
    whether answers are among a few that can be compared."""
    questions = {}
    labels = {}
    if contents.launched is not None:
        questions = {question.name: question for question in contents.launched.questions}
    for name, question in questions.items():
        labels |= {(name, option.value): option.label for option in question.options if "{" not in option.label}

    def say(judgement: Judgement) -> tuple[str, str, str, str, bool]:
        name, answer = judgement.question, judgement.answer
        plain = answer
        if not isinstance(answer, str):
            plain = json.dumps(answer, ensure_ascii=False)
        label = labels.get((name, plain), plain)
        if name in questions:
            heading = questions[name].heading or plainly(name)
            return heading, judgement.target, plain, label, questions[name].kind != "free_text"
        # Data from elsewhere may give labels themselves, as questions (surveys.abc_eval.labels).
        few = isinstance(answer, str) and len(answer) <= 24
        return plainly(name.removeprefix("label_")), judgement.target, plain, label, few

    return say


def _faults(conversations: Sequence[Conversation]) -> dict[str, list[list[int]]]:
    """By conversation: [turn after the seed, number of the kind of fault], as hygiene finds them in turns alone.

    What is the same word for word isn't said to be nearly the same as well.
    """
    results: dict[str, list[list[int]]] = defaultdict(list)
    turns = turns_of(conversations)
    if not len(turns):
        return results
    marks = faults(turns)
    kinds = [kind for kind in marks.columns if kind in FAULTS]
    numbers = [list(FAULTS).index(kind) for kind in kinds]
    ids = turns["conversation_id"].tolist()
    places = turns["turn"].tolist()
    for row, kind in np.argwhere(marks[kinds].to_numpy(bool)).tolist():
        results[ids[row]].append([int(places[row]), numbers[kind]])
    return results
