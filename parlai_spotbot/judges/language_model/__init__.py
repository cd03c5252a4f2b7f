"""A language model as judge: it answers the units of any survey by a stated prompt, in both orders of the entities.

The model is the embedded SmolLM2 by default, any other that transformers loads, or one behind an OpenAI-compatible
server. Every single answer is kept (raw.jsonl) and never asked for again; judgements are made of them by a stated rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import Judge
from parlai_spotbot.judges.language_model import combining, prompts
from parlai_spotbot.judges.language_model.answer_journal import AnswerJournal, RawAnswer, served
from parlai_spotbot.judges.language_model.options import EMBEDDED, LanguageModelOptions
from parlai_spotbot.judges.language_model.prompts import SCORED, WRITTEN, PromptedQuestion
from parlai_spotbot.judges.language_model.served_model import BudgetSpent, NothingUsable
from parlai_spotbot.models.chat.message_text import tokens
from parlai_spotbot.records import Item, Judgement, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.asking import Pair, asked_of_item, targets_of
from parlai_spotbot.terminal import Bar

JSON_ANSWER = 12
"""About so many tokens has the answer {"answer": "1"}."""

EMBEDDED_TOKENS_A_SECOND = 200
"""About so many the embedded model reads on two cores."""

NOT_TRAINED = (
    "It was not trained here: the model is used as it is. What its makers trained it on is not known here, and may "
    "hold conversations that are judged."
)


class LanguageModelJudge(Judge):
    """See the module. `options` say which model and how it is asked; `name` is the judge's in the study."""

    name = "smollm2"
    version = prompts.VERSION

    def __init__(self, seed: int = 0, name: str = "smollm2", options: LanguageModelOptions | None = None):
        super().__init__(seed)
        self.name, self.settings = name, options or LanguageModelOptions()
        self.workers = (name,)
        self.where = f"judge {name}"
        self.model = self._bar = None
        self.stopped = ""

    @property
    def way(self) -> str:
        return WRITTEN if self.settings.url else SCORED

    def options(self) -> dict:
        return {**super().options(), **self.settings.deciding(), "prompt_sha256": self.prompt_sha256}

    # -- what is to be asked -------------------------------------------------------------------------------------------
    def open(self, study: Study, survey: str) -> None:
        self.survey = survey_of(study, survey)
        prompts.check(self.survey)
        # What a page asks one after the other can be asked at once of a model that doesn't see its other answers;
        # a free text it writes with these before it.
        questions = self.survey.questions
        questions = tuple(q if q.kind == "free_text" else replace(q, after=()) for q in questions)
        self.free = replace(self.survey, questions=questions)
        self.questions = {question.name: question for question in self.survey.questions}
        self.prompt_sha256 = prompts.prompt_sha256(self.survey)
        self.folder = study.survey_path(survey) / "judges" / self.name
        self.journal = AnswerJournal(self.folder / "raw.jsonl")
        self.identity = self.settings.identity()
        self._asks: dict[tuple[str, Pair, str], list[tuple[str, PromptedQuestion]]] = {}
        self._items: dict[str, tuple[Item, ...]] = {}
        seen: set[tuple[str, str | None]] = set()
        for unit in study.units(survey):
            self._items[unit.unit_id] = self._own(unit, seen)

    def _own(self, unit: Unit, seen: set) -> tuple[Item, ...]:
        """The items of a unit that no earlier unit shows: a second look would only be the first one copied."""
        own = tuple(item for item in unit.items if (item.item_id, item.control) not in seen)
        for item in own:
            unknown = [name for name in item.questions if name not in self.questions]
            if unknown:
                raise UserError(
                    f"unit {unit.unit_id}: item {item.item_id}: field 'questions' names {unknown[0]!r}, which the "
                    f"survey {self.survey.name} lacks.",
                    "Pack the units anew.",
                )
        seen.update((item.item_id, item.control) for item in own)
        return own

    def asks(self, item: Item, pair: Pair, answers: dict[Pair, object]) -> list[tuple[str, PromptedQuestion]]:
        """Every prompt for one question and target, each with its key; none for a text that is not wanted.

        `answers` are those to the item so far.
        """
        question, given = self.questions[pair[0]], self.settings
        before = {known: answer for known, answer in answers.items() if known[0] in question.after}
        place = (item.item_id, pair, repr(before) if question.kind == "free_text" else "")
        if place not in self._asks:
            wanted = question.kind != "free_text" or given.free_text
            form = prompts.PromptForm(self.way, given.order_numbers, given.samples, self.seed)
            asks = prompts.prompted_questions(self.survey, item, pair, form, before)
            self._asks[place] = [(ask.key(self.identity), ask) for ask in asks] if wanted else []
        return self._asks[place]

    def _raws(self, item: Item, pair: Pair, answers: dict[Pair, object]) -> list[RawAnswer]:
        """The good answers, where there is one in each order; else none."""
        asks = self.asks(item, pair, answers)
        found = [(ask.order, self.journal.good[key]) for key, ask in asks if key in self.journal.good]
        whole = {order for order, _ in found} == {ask.order for _, ask in asks}
        settled = all(key in self.journal.good or self._given_up(key) for key, _ in asks)
        return [raw for _, raw in found] if whole and settled else []

    def _given_up(self, key: str) -> bool:
        return self.journal.given_up(key, self.settings.attempts)

    def _place(self, item: Item, pair: Pair) -> tuple[str, ...]:
        return (item.item_id, *pair)

    def answers(self, item: Item) -> dict[Pair, object]:
        """What is answered of an item so far: those questions first that others depend on."""
        answers: dict[Pair, object] = {}
        pairs: list[Pair] = []
        while (found := asked_of_item(self.free, item, answers)) != pairs:
            pairs = found
            for pair in pairs:
                raws = self._raws(item, pair, answers)
                if raws and pair not in answers:
                    answer = combining.combined(self.questions[pair[0]], raws, self.seed, self._place(item, pair))
                    if answer is not None:
                        answers[pair] = answer
        return {pair: answers[pair] for pair in pairs if pair in answers}

    def _open_asks(self, item: Item) -> list[tuple[str, PromptedQuestion]]:
        """What can be asked of an item now and is neither answered nor given up."""
        found = self._visible(item)
        return [(key, ask) for key, ask in found if key not in self.journal.good and not self._given_up(key)]

    def _visible(self, item: Item) -> list[tuple[str, PromptedQuestion]]:
        """What can be asked of an item now, answered or not."""
        answers = self.answers(item)
        pairs = asked_of_item(self.free, item, answers)
        return [found for pair in pairs for found in self.asks(item, pair, answers)]

    def is_answered(self, unit: Unit, rows: Sequence[Judgement]) -> bool:
        have = {(row.item_id, row.question, row.target) for row in rows}
        own = self._items.get(unit.unit_id, ())
        if any(self._open_asks(item) for item in own):
            return False
        return all((item.item_id, *pair) in have for item in own for pair in self.answers(item))

    # -- answering -----------------------------------------------------------------------------------------------------
    def prepare(self, study: Study, survey: str, progress: bool = True) -> None:
        if self.settings.url:
            from parlai_spotbot.judges.language_model.served_model import ServedModel as Model
        else:
            from parlai_spotbot.judges.language_model.local_model import LocalModel as Model
        self.model = Model(self.settings, self.where)
        self._check_same_model()
        left = sum(len(self._open_asks(item)) for items in self._items.values() for item in items)
        self._bar = Bar(self.where, left, "answer", shown=progress)

    def _check_same_model(self) -> None:
        """A folder may hold other weights than last time; what a server's model is, is its own affair, and recorded."""
        path = self.folder / "model.json"
        about = {name: value for name, value in self.model.about.items() if name != "device"}
        if path.exists() and self.journal.rows and not self.settings.url and (known := files.read_json(path)) != about:
            differ = next(name for name in {**known, **about} if known.get(name) != about.get(name))
            raise UserError(
                f"{self.where}: {path}: its answers are of another model: {differ} {known.get(differ)} there, "
                f"{about.get(differ)} now.",
                "Use that model, or give the judge another name.",
            )
        files.write_json(path, about)

    def answer(self, unit: Unit) -> list[Judgement]:
        items = self._items.get(unit.unit_id, ())
        tried: set[str] = set()
        while waiting := self._waiting(items, tried):
            tried.update(waiting)
            try:
                self.model.answer(self._with_others(items, waiting), waiting, self.journal, self._bar.advance)
            except BudgetSpent:
                budget = f"{self.settings.max_cost:g} {self.settings.currency}"
                self.stopped = (
                    f"the budget of {budget} doesn't cover the next question; run again with a higher --max-cost"
                )
                return []
            except NothingUsable as err:
                self.stopped = str(err)
                return []
        return [self._row(unit, item, pair, answer) for item in items for pair, answer in self.answers(item).items()]

    def _waiting(self, items: Iterable[Item], tried: set[str]) -> set[str]:
        """The keys of what is to be asked next of `items`."""
        return {key for item in items for key, _ in self._open_asks(item) if key not in tried}

    def _with_others(self, items: Iterable[Item], waiting: set[str]) -> dict[str, PromptedQuestion]:
        """The prompts of these keys; of a model that reads several at once also those that it reads with them."""
        found = {key: ask for item in items for key, ask in self._visible(item)}
        return found if self.way == SCORED else {key: ask for key, ask in found.items() if key in waiting}

    def _row(self, unit: Unit, item: Item, pair: Pair, answer: object) -> Judgement:
        return self.judgement(unit, item, pair[1], pair[0], answer)

    def close(self) -> None:
        """End what is open; what was answered is on disk."""
        self.journal.close()
        if self.model is not None:
            self.model.close()
        if self._bar is not None:
            self._bar.close()

    # -- what is told of it --------------------------------------------------------------------------------------------
    def estimate(self, units: Sequence[Unit]) -> dict:
        """What answering `units` would take, before anything is asked: prompts, tokens, minutes, and cost at most.

        Questions that depend on answers count as if all were put. Tokens are estimated, on the long side.
        """
        prompts_of = {}
        for unit in units:
            for item in self._items.get(unit.unit_id, ()):
                answers = self.answers(item)
                prompts_of.update(
                    (key, ask)
                    for pair in self._every_pair(item)
                    for key, ask in self.asks(item, pair, answers)
                    if key not in self.journal.good and not self._given_up(key)
                )
        asked = [(ask, ending) for ask in prompts_of.values() for ending in ask.endings]
        read = sum(tokens(ask.system) + tokens(f"{ask.lead}\n\n{ending.tail}") for ask, ending in asked)
        given = self.settings
        usual = sum(given.max_new_tokens if ask.kind == "free_text" else JSON_ANSWER for ask in prompts_of.values())
        found = {"prompts": len(asked), "answers_kept": len(self.journal.good), "prompt_tokens": read}
        if not given.url:
            own = {"minutes": read / EMBEDDED_TOKENS_A_SECOND / 60} if given.model == EMBEDDED else {}
            return {**found, **own, "cost": 0.0}
        most = len(asked) * given.max_new_tokens
        found |= {"completion_tokens": usual, "completion_tokens_at_most": most, "requests": len(asked)}
        found["minutes"] = given.minutes(len(asked), read + usual)
        if not given.priced:
            return {**found, "cost": None}
        costs = {"cost": given.cost(read, usual), "cost_at_most": given.cost(read, most), "currency": given.currency}
        return {**found, **costs, "cost_so_far": given.cost(*self.journal.spent())}

    def _every_pair(self, item: Item) -> Iterator[Pair]:
        turns = [turn.entity for turn in item.transcripts[0]]
        judged = item.judged if len(item.transcripts) == 1 else ()
        for name in item.questions or self.questions:
            for target in targets_of(self.questions[name], turns, judged):
                yield name, target

    def describe(self) -> dict:
        items = [item for items in self._items.values() for item in items]
        missing, not_asked = self._missing(items)
        files.write_jsonl(self.folder / "failures.jsonl", missing)
        given = self.settings
        way = "the probability of each label" if self.way == SCORED else "JSON that the model writes"
        about = self.model.about if self.model else files.read_json(self.folder / "model.json")
        return {
            "rule": combining.RULE,
            "trained_on": NOT_TRAINED,
            "variants": {self.name: {"description": f"{given.model}, by {way}, orders: {given.orders}"}},
            "model": {**about, "served": served(self.journal.rows)} if given.url else about,
            "prompt": self._prompt(),
            "usage": self._usage(),
            "missing": {"n": len(missing), "reasons": dict(Counter(row["kind"] for row in missing))},
            "not_asked": not_asked,
            "position": self._position(items),
            "stopped": self.stopped,
        }

    def _prompt(self) -> dict:
        put = tuple(self.questions)
        escaped = {raw.item_id: raw.special_tokens for raw in self.journal.good.values() if raw.special_tokens}
        return {
            "version": prompts.VERSION,
            "sha256": self.prompt_sha256,
            "system": prompts.system_text(self.survey, put),
            "words": prompts.WORDS,
            "special_tokens": {"items": len(escaped), "tokens": sorted(set().union(*escaped.values()))},
            "orders": prompts.__doc__.partition("\n\n")[2].strip().replace("\n", " "),
        }

    def _usage(self) -> dict:
        rows, given = self.journal.rows, self.settings
        read, written = self.journal.spent()
        masses = [row.mass for row in rows if row.mass is not None]
        usage = {
            "answers": len(self.journal.good),
            "bad_answers": sum(not row.good for row in rows),
            "prompt_tokens": read,
            "completion_tokens": written,
            "answers_without_count": sum(row.estimated for row in rows),
            **({"mean_probability_of_labels": sum(masses) / len(masses)} if masses else {}),
        }
        if not given.priced:
            return usage
        prices = {"price_prompt": given.price_prompt, "price_completion": given.price_completion}
        return {**usage, "cost": round(given.cost(read, written), 9), "currency": given.currency, **prices}

    def _missing(self, items: Sequence[Item]) -> tuple[list[dict], int]:
        """Return what was asked and has no good answer, with the last reason, and how much was not asked."""
        rows, not_asked = [], 0
        for item in items:
            answers = self.answers(item)
            for pair in asked_of_item(self.free, item, answers):
                for key, ask in self.asks(item, pair, answers):
                    bad = self.journal.bad.get(key)
                    if key not in self.journal.good and not bad:
                        not_asked += 1
                    elif key not in self.journal.good:
                        rows.append(
                            {
                                "item_id": item.item_id,
                                "question": pair[0],
                                "target": pair[1],
                                "order": prompts.ORDERS[ask.order],
                                "sample": ask.sample,
                                "attempts": len(bad),
                                "kind": bad[-1].kind,
                                "reason": bad[-1].problem,
                                "said": bad[-1].said,
                            }
                        )
        return rows, not_asked

    def _position(self, items: Sequence[Item]) -> dict:
        rows, raws = [], []
        for item in items:
            if item.control is not None:
                continue
            answers = self.answers(item)
            for pair in answers:
                question, place = self.questions[pair[0]], self._place(item, pair)
                if question.kind == "free_text":
                    continue
                found = self._raws(item, pair, answers)
                both = [combining.in_order(question, found, order, self.seed, place) for order in prompts.ORDERS]
                if None not in both:
                    rows.append((pair[0], item.conversation_ids[0], *both))
                raws += found
        return combining.position(rows, combining.listed(self.questions, raws))


JUDGE = LanguageModelJudge
