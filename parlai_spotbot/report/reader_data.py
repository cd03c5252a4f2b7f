"""Every conversation with every judgement of it, as data for the page's reader (templates/reading.js).

Texts stand once, in a list, and all else refers to them by number, so a thousand conversations stay small. The reader
shows answers as question, target and answer, whatever the survey; nothing here is ever read as HTML.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.whole_study.hygiene import TITLES as FAULTS
from parlai_spotbot.records import HUMAN, Conversation, Judgement
from parlai_spotbot.report.parts import CAUTION, SurveyView, said
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.texts.hygiene import faults, turns_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

SURROGATE = re.compile("[\ud800-\udfff]")


MOST = 20_000
"""Characters of a turn that the page holds."""


def _beginning(text: str) -> str:
    """Return a turn, or the beginning of a long one."""
    return text if len(text) <= MOST else f"{text[:MOST]} … ({len(text):,} characters, all in conversations.jsonl)"


def numbering() -> defaultdict[Any, int]:
    """Return numbers of things, in the order in which they are first asked for."""
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


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
    names, texts, sources, annotators, answers = (numbering() for _ in range(5))
    place = {c.conversation_id: i for i, c in enumerate(first.conversations)}
    message: dict[int, list] = defaultdict(list)
    for number, view in enumerate(views):
        contents, say = view.contents, _answers_of(view.contents)
        items = contents.items
        for source in contents.sources:
            sources.setdefault(source, len(sources))
        for judgements in _annotations(contents.judgements):
            shown, ids = judgements[0], judgements[0].conversation_ids
            judged = items[shown.item_id].judged if shown.item_id in items else ()
            given = [answers[say(judgement)] for judgement in judgements]
            for which, identity in enumerate(ids):
                if identity in place:
                    who = annotators[contents.annotators[shown.source, shown.worker_id]]
                    other = next((place.get(i, -1) for n, i in enumerate(ids) if n != which), -1)
                    exchanges = min(shown.exchanges, first.conversations[place[identity]].exchanges)
                    about = (which, other, judged[which] if len(judged) > which else -1)
                    message[place[identity]].append([number, sources[shown.source], who, exchanges, *about, given])
    failed: dict[str, list[int]] = defaultdict(list)
    for failure in first.failures:
        what = f"{failure.get('contestant', '–')}, {failure.get('kind', 'failure')}: {failure.get('message', '')}"
        failed[str(failure.get("conversation_id"))].append(texts[what])
    shown_faults = _faults(first.conversations)
    conversations = [
        [
            c.conversation_id,
            [names[e] for e in c.entities],
            2 * c.seed_exchanges,
            [texts[_beginning(turn.text)] for turn in c.turns],
            [texts[t] if t else -1 for t in c.context],
            shown_faults.get(c.conversation_id, []),
            failed.get(c.conversation_id, []),
            sorted(message[i], key=lambda row: (row[1], row[0], row[3], row[2])),  # people first, then by survey
        ]
        for i, c in enumerate(first.conversations)
    ]
    looks = views[0].looks
    return {
        "names": [["people" if n == HUMAN else n, looks[n].css if n in looks else ""] for n in names],
        "texts": list(texts),
        "surveys": [titles[view.contents.survey] for view in views],
        "sources": [[said(s), "" if s == HUMAN else CAUTION] for s in sources],
        "annotators": list(annotators),
        "said": list(map(list, answers)),
        "faults": list(FAULTS.values()),
        "conversations": conversations,
    }


def _annotations(judgements: Sequence[Judgement]) -> Iterable[list[Judgement]]:
    """The judgements of each annotation; those of known segments (controls) are left out."""
    groups: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        if judgement.control is None:
            groups[judgement.source, judgement.annotation_id].append(judgement)
    return groups.values()


def _answers_of(contents: SurveyData) -> Callable[[Judgement], tuple[str, str, str, str, bool]]:
    """Return what is shown of an answer: heading of the question, target, the answer as it stands and as it is shown,
    whether answers are among a few that can be compared."""
    try:
        survey = survey_of(contents.study, contents.survey)
    except UserError:  # there is no such survey any more
        survey = None
    questions = {q.name: q for q in survey.questions} if survey else {}
    labels = {(n, o.value): o.label for n, q in questions.items() for o in q.options if "{" not in o.label}

    def say(judgement: Judgement) -> tuple[str, str, str, str, bool]:
        name, answer = judgement.question, judgement.answer
        plain = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        label, question = labels.get((name, plain), plain), questions.get(name)
        if question is None:  # data from elsewhere may give labels themselves, as questions (surveys.abc_eval.labels)
            few = isinstance(answer, str) and len(answer) <= 24
            return name.removeprefix("label_").replace("_", " "), judgement.target, plain, label, few
        heading = question.heading or name.replace("_", " ")
        return heading, judgement.target, plain, label, question.kind != "free_text"

    return say


def _faults(conversations: Sequence[Conversation]) -> dict[str, list[list[int]]]:
    """By conversation: [turn after the seed, number of the kind of fault], as hygiene finds them in turns alone.

    What is the same word for word isn't said to be nearly the same as well.
    """
    turns = turns_of(conversations)
    if not len(turns):
        return {}
    marks = faults(turns)
    results: dict[str, list[list[int]]] = defaultdict(list)
    ids, places = turns["conversation_id"].tolist(), turns["turn"].tolist()
    kinds = [(list(FAULTS).index(kind), marks[kind].to_numpy()) for kind in marks.columns if kind in FAULTS]
    for row, (identity, turn) in enumerate(zip(ids, places, strict=True)):
        results[identity] += [[int(turn), number] for number, hit in kinds if hit[row]]
    return {identity: turn_faults for identity, turn_faults in results.items() if turn_faults}
