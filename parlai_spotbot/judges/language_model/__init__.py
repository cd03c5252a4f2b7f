"""A language model as judge: it answers the units of any survey by a stated prompt, in both orders of the entities.

The model is behind an OpenAI-compatible server. Every single answer is kept (raw.jsonl) and never asked for again;
judgements are made of them by a stated rule.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import Judge, first_shown
from parlai_spotbot.judges.language_model import combining, prompts
from parlai_spotbot.judges.language_model.answer_journal import AnswerJournal, RawAnswer
from parlai_spotbot.judges.language_model.options import LanguageModelOptions
from parlai_spotbot.judges.language_model.prompts import Asks
from parlai_spotbot.judges.language_model.served_model import (
    JSON_ANSWER,
    ServedModel,
    Stopped,
    most_tokens,
    prompt_tokens,
)
from parlai_spotbot.judges.language_model.waiting_units import ShownItem, WaitingUnits
from parlai_spotbot.models.chat.completion import add_served
from parlai_spotbot.records import Item, Judgement, Unit
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.asking import Pair, asked_of_item
from parlai_spotbot.surveys.survey import Question
from parlai_spotbot.terminal import Bar

NOT_TRAINED = (
    "It was not trained here: the model is used as it is. What its makers trained it on is not known here, and may "
    "hold conversations that are judged."
)


class LanguageModelJudge(Judge):
    """See the module. `options` say which model and how it is asked; `name` is the judge's in the study."""

    version = prompts.VERSION

    def __init__(self, seed: int, name: str, options: LanguageModelOptions, max_cost: float | None = None):
        super().__init__(seed)
        self.name = name
        self.workers = (name,)
        self.where = f"judge {name}"
        self.settings = options
        self.max_cost = max_cost
        self.at_once = options.concurrency
        self.model: ServedModel | None = None
        self._bar: Bar | None = None

    def options(self) -> dict:
        return {**super().options(), **self.settings.deciding(self.together), "prompt_sha256": self.prompt_sha256}

    # -- questions -----------------------------------------------------------------------------------------------------
    def open(self, data: SurveyFiles) -> None:
        self.survey = survey_of(data)
        questions = tuple(map(_independent, self.survey.questions))
        self.questions = {question.name: question for question in questions}
        self.free = replace(self.survey, questions=questions)
        every = tuple(replace(q, after=(), when=()) for q in questions)
        self.every = replace(self.survey, questions=every)
        self.folder = data.path / "judges" / self.name
        self.journal = AnswerJournal(self.folder / "raw.jsonl")
        together = self.settings.one_request
        if together is None:  # it goes on as it began
            rows = self.journal.rows
            together = not rows or rows[-1].asked != ""
        self.together = together
        self.prompt_sha256 = prompts.prompt_sha256(self.survey, self.together)
        self.identity = self.settings.identity(self.together)
        self._asks: dict[tuple[str, Pair, str], Asks] = {}
        self._items = first_shown(data.units)

    def anew(self, folder: Path) -> None:
        self.folder = folder
        self.journal = AnswerJournal(folder / "raw.jsonl")

    def asks(self, item: Item, pair: Pair, answers: dict[Pair, object]) -> Asks:
        """Every prompt for one question and target by its key.

        `answers` are those to the item so far.
        """
        question = self.questions[pair[0]]
        before = {key: answer for key, answer in answers.items() if key[0] in question.after}
        place = (item.item_id, pair, repr(before))
        if place not in self._asks:
            asks = prompts.prompted_questions(self.survey, item, pair, self.seed, before)
            self._asks[place] = {ask.key(self.identity): ask for ask in asks}
        return self._asks[place]

    def _good(self, item: Item) -> dict[Pair, tuple[object, list[RawAnswer]]]:
        """Answers to an item so far, those first that other questions depend on, each with those in each order."""
        answers = {}
        made_of = {}
        pairs: list[Pair] = []
        while (open_pairs := asked_of_item(self.free, item, answers)) != pairs:
            pairs = open_pairs
            for pair in pairs:
                if pair in answers:
                    continue
                asks = self.asks(item, pair, answers)
                raws = [self.journal.good[key] for key in asks if key in self.journal.good]
                if len(raws) < len(asks):
                    continue
                question = self.questions[pair[0]]
                for raw in raws:
                    if not combining.fits(question, raw):
                        raise UserError(f"{self.journal.path}: {raw.key}: no answer to {pair[0]}.", "Put a copy back.")
                answer = combining.combined(question, raws, self.seed, (item.item_id, *pair))
                if answer is not None:
                    answers[pair] = answer
                    made_of[pair] = raws
        return {pair: (answers[pair], made_of[pair]) for pair in pairs if pair in answers}

    def answers(self, item: Item) -> dict[Pair, object]:
        """Answers to an item so far."""
        return {pair: answer for pair, (answer, _) in self._good(item).items()}

    def _visible(self, item: Item) -> Asks:
        """Prompts of an item that can be asked now, answered or not, by their keys."""
        answers = self.answers(item)
        pairs = asked_of_item(self.free, item, answers)
        return {key: ask for pair in pairs for key, ask in self.asks(item, pair, answers).items()}

    def _open(self, items: Sequence[Item]) -> set[str]:
        """Keys of prompts that can be asked now and are neither answered nor given up."""
        return {key for item in items for key in self._visible(item) if not self.journal.is_settled(key)}

    def is_answered(self, unit: Unit, rows: Sequence[Judgement]) -> bool:
        have = {(row.item_id, row.question, row.target) for row in rows}
        items = self._shown(unit)
        answered = all((item.item_id, *pair) in have for item in items for pair in self.answers(item))
        return answered and not self._open(items)

    # -- answering -----------------------------------------------------------------------------------------------------
    def prepare(self, data: SurveyFiles, progress: bool = True) -> None:
        self.model = ServedModel(self.settings, self.where, self.max_cost, self.together)
        checksums.write_json(self.folder / "model.json", self.model.client.about)
        left = len(self._open([item for items in self._items.values() for item in items]))
        self._bar = Bar(self.where, left, "answer", shown=progress and left > 0)

    def _shown(self, unit: Unit) -> Sequence[Item]:
        """Return the items that a unit is the first to show: all, of one that was drawn since the judge was opened."""
        return self._items.setdefault(unit.unit_id, unit.items)

    def ask(self, units: Sequence[Unit], done: Callable[[Unit], None] = lambda unit: None) -> None:
        model = self.model
        bar = self._bar
        if model is None or bar is None:
            raise RuntimeError(f"{self.where} asks before it is prepared")
        waiting = WaitingUnits()

        def opened(shown: Iterable[ShownItem]) -> Asks:
            asks = {}
            for unit, item in shown:
                for key, ask in self._visible(item).items():
                    if not self.journal.is_settled(key) and waiting.add(key, unit, item):
                        asks[key] = ask
            return asks

        def came(keys: Collection[str]) -> Asks:
            bar.advance(len(keys))
            shown = waiting.remove(keys)
            asks = opened(shown)
            for unit in waiting.ready(unit for unit, _ in shown):
                done(unit)
            return asks

        asks = opened((unit, item) for unit in units for item in self._shown(unit))
        for unit in waiting.ready(units):
            done(unit)
        try:
            model.answer(asks, self.journal, came)
        except Stopped as err:
            self.stopped = str(err)

    def answer(self, unit: Unit) -> list[Judgement]:
        items = self._shown(unit)
        if self.stopped and self._open(items):
            return []
        return [
            self.judgement(unit, item, target, question, answer)
            for item in items
            for (question, target), answer in self.answers(item).items()
        ]

    def close(self) -> None:
        self.journal.close()
        for opened in (self.model, self._bar):
            if opened is not None:
                opened.close()

    # -- accounts ------------------------------------------------------------------------------------------------------
    def estimate(self, units: Sequence[Unit]) -> dict:
        """Requests, tokens and cost of answering `units`, before anything is asked.

        Questions that depend on answers count as if all were put. Tokens are estimated, on the long side.
        """
        prompted: tuple[Asks, ...] = ({}, {})  # now, and after answers
        for item in (item for unit in units for item in self._items.get(unit.unit_id, unit.items)):
            answers = self.answers(item)
            visible = self._visible(item)
            for pair in asked_of_item(self.every, item, {}):
                for key, ask in self.asks(item, pair, answers).items():
                    if not self.journal.is_settled(key):
                        prompted[key not in visible][key] = ask
        requests = [request for asks in prompted for request in prompts.requests_of(asks, self.together)]
        given = self.settings
        read = sum(map(prompt_tokens, requests))
        most = sum(most_tokens(request, given) for request in requests)
        kinds = [ask.kind for request in requests for ask in request.values()]
        texts = kinds.count("free_text")
        usual = texts * given.max_new_tokens + (len(kinds) - texts) * JSON_ANSWER
        estimated = {"requests": len(requests), "answers_kept": len(self.journal.good), "prompt_tokens": read}
        estimated |= {"completion_tokens": usual, "completion_tokens_at_most": most}
        if not given.priced:
            return {**estimated, "cost": None}
        costs = {"cost": given.cost(read, usual), "cost_at_most": given.cost(read, most), "currency": given.currency}
        return {**estimated, **costs, "cost_so_far": given.cost(*self.journal.spent())}

    def describe(self) -> dict:
        items = [item for items in self._items.values() for item in items]
        keys = [key for item in items for key in self._visible(item) if key not in self.journal.good]
        missing = Counter(self.journal.bad[key][-1].kind for key in keys if key in self.journal.bad)
        rows = self.journal.rows
        served = {}
        for row in rows:
            if row.begins:
                add_served(served, row)
        about = checksums.read_json(self.folder / "model.json")
        if self.model:
            about = self.model.client.about
        read, written = self.journal.spent()
        return {
            "rule": combining.RULE,
            "trained_on": NOT_TRAINED,
            "variants": {self.name: {"description": f"{self.settings.model}, by JSON that it writes, in both orders"}},
            "model": {**about, "served": dict(sorted(served.items()))},
            "prompt": {
                "version": prompts.VERSION,
                "sha256": self.prompt_sha256,
                "one_request": self.together,
                "system": prompts.system_text(self.survey, tuple(self.questions)),
            },
            "usage": {
                "answers": len(self.journal.good),
                "bad_answers": sum(not row.good for row in rows),
                "prompt_tokens": read,
                "completion_tokens": written,
                "answers_without_count": sum(row.estimated for row in rows),
                **self.settings.costs(read, written),
            },
            "missing": {"n": missing.total(), "reasons": dict(missing)},
            "not_asked": len(keys) - missing.total(),
            "position": combining.position(self._both_orders(items)),
            "stopped": self.stopped,
        }

    def _both_orders(self, items: Sequence[Item]) -> list[tuple[str, object, object]]:
        """Conversation and the answers of the first and of the second order, where both are known."""
        rows = []
        for item in items:
            if item.control is not None:
                continue
            for pair, (_, raws) in self._good(item).items():
                question = self.questions[pair[0]]
                if question.kind == "free_text":
                    continue
                both = [combining.combined(question, [raw], self.seed, (item.item_id, *pair)) for raw in raws]
                if None not in both:
                    rows.append((item.conversation_ids[0], *both))
        return rows


def _independent(question: Question) -> Question:
    """Return a question that waits for no other: a model does not see its other answers, except for a free text."""
    if question.kind == "free_text":
        return question
    return replace(question, after=())


JUDGE = LanguageModelJudge
