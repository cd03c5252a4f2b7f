"""Asks a model that transformers loads: the labels' probabilities are read off, so there is no bad answer.

All questions about an item in one order are read together, what they have in common once. After an interruption they
are read together again, though some are answered: the last digits of a probability depend on what it is read with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.language_model.answer_journal import AnswerJournal, RawAnswer
from parlai_spotbot.judges.language_model.options import LanguageModelOptions
from parlai_spotbot.judges.language_model.prompts import PromptedQuestion

MOST_AT_ONCE = 16
"""So many prompts are read at once: a long dialogue may be asked about turn by turn."""


class LocalModel:
    """The model that `options` name; loaded when made. `about` says exactly what it is."""

    def __init__(self, options: LanguageModelOptions, where: str):
        from parlai_spotbot.models.causal_lm import load
        from parlai_spotbot.models.label_scoring import LabelScorer

        self.options, self.where = options, where
        try:
            self.scorer = LabelScorer(load(options.model, options.revision, options.dtype, options.device))
        except UserError as err:
            named = [text.replace("--lm-", "option ") for text in (err.problem, err.remedy)]
            raise UserError(f"{where}: {named[0]}", named[1]) from None
        self.about = {name: value for name, value in self.scorer.about.items() if name != "device"}

    def answer(
        self,
        asks: Mapping[str, PromptedQuestion],
        open_: Collection[str],
        journal: AnswerJournal,
        came: Callable[[], None],
    ) -> None:
        """Put an answer to each of `asks` that is open into `journal`; `came` is called for each.

        The others are read again where they share a batch with one that is open.
        """
        groups: dict[tuple[str, str, str], list[tuple[PromptedQuestion, str]]] = {}
        for key, ask in asks.items():
            groups.setdefault((ask.system, ask.lead, ask.batch), []).append((ask, key))
        for rows in groups.values():
            for start in range(0, len(rows), MOST_AT_ONCE):
                part = rows[start : start + MOST_AT_ONCE]
                wanted = [key in open_ for _, key in part]
                if not any(wanted):
                    continue
                if part[0][0].kind == "free_text":
                    found = [self._written(*row) for row, open_one in zip(part, wanted, strict=True) if open_one]
                else:
                    found = [raw for raw, open_one in zip(self._scored(part), wanted, strict=True) if open_one]
                journal.add(*found)
                for _ in found:
                    came()

    def close(self) -> None:
        """Nothing stays open."""

    def _written(self, ask: PromptedQuestion, key: str) -> RawAnswer:
        text, read, written = self.scorer.write(ask.system, ask.text, self.options.max_new_tokens)
        counts = {"prompt_tokens": read, "completion_tokens": written}
        if text:
            return RawAnswer.of(ask, key, text=text, **counts)
        if written:
            return RawAnswer.of(ask, key, kind="nothing", problem="the model wrote nothing", **counts)
        return RawAnswer.of(ask, key, kind="too_long", problem=self._too_long(read))

    def _scored(self, rows: Sequence[tuple[PromptedQuestion, str]]) -> list[RawAnswer]:
        endings = [ending for ask, _ in rows for ending in ask.endings]
        leads = [ask.lead for ask, _ in rows for _ in ask.endings]
        texts = [f"{lead}\n\n{ending.tail}" for lead, ending in zip(leads, endings, strict=True)]
        scores = iter(self.scorer.score(rows[0][0].system, texts, [ending.labels for ending in endings]))
        return [self._raw(ask, key, [next(scores) for _ in ask.endings]) for ask, key in rows]

    def _raw(self, ask: PromptedQuestion, key: str, scores: list) -> RawAnswer:
        tokens = sum(score.tokens for score in scores)
        if not all(score.probabilities for score in scores):
            return RawAnswer.of(
                ask, key, kind="too_long", problem=self._too_long(max(score.tokens for score in scores))
            )
        several = ask.kind == "checkboxes"
        own = [score.probabilities[ask.yes] for score in scores] if several else scores[0].probabilities
        by_value = {value: round(chance, 6) for value, chance in zip(ask.values, own, strict=True)}
        chances = [by_value[value] for value in ask.known]
        ranking = tuple(sorted(ask.values, key=lambda value: -by_value[value])) if ask.kind == "ranking" else ()
        mass = round(sum(score.mass for score in scores) / len(scores), 6)
        return RawAnswer.of(ask, key, chances=tuple(chances), ranking=ranking, mass=mass, prompt_tokens=tokens)

    def _too_long(self, tokens: int) -> str:
        return f"the prompt has {tokens} tokens, the model's context {self.scorer.context}"
