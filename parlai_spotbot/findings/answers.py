"""The answers of one source as findings take them: judgements become one tidy frame, and that the rows of a form.

Repeated annotations, controls, further questions and incomplete annotations are left out when the tidy frame is made
(`analysis.answers`), people who failed the controls here; each is counted, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators.controls import lost
from parlai_spotbot.analysis.answers import answers_frame, last_answers, shown_item
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, frame_clusters
from parlai_spotbot.analysis.values import generator
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.options import Options
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.findings.rankings import Ranking, joined
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, indexed
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys.asking import incomplete
from parlai_spotbot.surveys.controls.exclusion import failed_people, graded_controls
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.texts.addressing import judge_addressed
from parlai_spotbot.texts.normal_forms import plain_text, units
from parlai_spotbot.texts.repetition import near_copies

LeftOut = dict[str, dict[str, int]]
"""Source -> why answers are left out -> how many."""

Rows = tuple[pd.DataFrame, dict[str, int]]
"""The rows of a form, and why other answers of the source are left out, with how many."""


class NothingLeft(ValueError):
    """No answer is left to analyse; it says why the others are left out."""


@dataclass(frozen=True)
class Facts:
    """Record of facts beside the answers: the study, its survey, its judges.

    `survey` is as it was launched. `conversations` and `items` by their ids; `units`: of
    each the ids of its items that aren't controls; `bots`, the contestants in the order of the plan. `judges`: what
    each judge says of itself, by source. `screening` are the rounds of the training that annotators took; `collection`,
    what provenance says of how people were recruited; `nuc`, of Next-Utterance Classification, the key and the models'
    scores; `settled`, the account of a survey that was served until settled (`sequential.account`); `looks`, those at a
    survey of fixed size before all answers were there (`findings.looks`); `margin`, within which two are equal, None
    where none was declared; `ordered`, whether the first of two contestants was shown first.
    """

    survey: Survey
    bots: tuple[str, ...] = ()
    conversations: Mapping[str, Conversation] = field(default_factory=dict)
    items: Mapping[str, Item] = field(default_factory=dict)
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judges: Mapping[str, Mapping] = field(default_factory=dict)
    screening: tuple[Mapping, ...] = ()
    collection: Mapping = field(default_factory=dict)
    nuc: Any = None
    settled: Mapping = field(default_factory=dict)
    looks: Sequence[Mapping] = ()
    margin: float | None = None
    ordered: bool = True
    made: dict = field(default_factory=dict, compare=False)

    @classmethod
    def from_records(
        cls, survey: Survey, conversations: Iterable[Conversation] = (), items: Iterable[Item] = (), **more: Any
    ) -> Facts:
        """The facts with conversations and items under their ids."""
        return cls(survey, conversations=indexed(conversations), items={item.item_id: item for item in items}, **more)

    @property
    def opening(self) -> bool:
        """Return whether annotators open the dialogue themselves, as in a game."""
        return self.survey.layout == "opening"

    @property
    def copies(self) -> dict[str, str]:
        """The cluster of each conversation that is a near-copy of another (`texts.repetition.near_copies`)."""
        return self.once("copies", lambda: near_copies(self.conversations.values()))

    @property
    def prompts(self) -> dict[str, str]:
        """Prompt of each conversation, if some began alike: the seed, or the text of the seed exchange."""
        return self.once("prompts", lambda: recurring_prompts(self.conversations.values()))

    @property
    def addressed(self) -> dict[str, list[str]]:
        """The conversations in which a contestant speaks to whoever judges (`texts.addressing.judge_addressed`)."""
        return self.once("addressed", lambda: judge_addressed(self.conversations.values()))

    def once(self, name: str, make: Callable[[], dict]) -> dict:
        """Return what is the same for every source, made at the first call."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]


@dataclass(frozen=True)
class OneSource:
    """Answers of one source, as findings take them; copies with other answers start without a cache."""

    source: str
    facts: Facts

    @property
    def margin(self) -> float | None:
        """The margin within which two are equal; None where none was declared."""
        return self.facts.margin

    @property
    def crossed(self) -> bool:
        """Return whether annotators are a sample: people are, the variants of a judge aren't."""
        return self.source == HUMAN

    @property
    def resample(self) -> str:
        """Factors that another study would draw again."""
        if self.crossed:
            return "conversations_workers"
        return "conversations"

    @cached_property
    def computed(self) -> dict:
        return {}

    def once(self, name: str, compute: Callable[[Any], Any]) -> Any:
        """Return a result that several findings share; it is computed once."""
        if name not in self.computed:
            self.computed[name] = compute(self)
        return self.computed[name]


@dataclass(frozen=True)
class Answers(OneSource):
    """One source's rows and what its findings share.

    `rows` are what is analysed, `everyone` these with those of people who `failed` the `controls` (annotator -> why);
    `tidy` is the frame of answers that rows are made from. `names`: the contestants that occur, in the plan's order,
    people last; `people`: people's answers, for a judge. `judgements` are the source's own, controls among them, and
    answers to an item that the annotator met in another unit, too, which `rows` lack. `left_out` counts what is not
    analysed, by reason.
    """

    options: Options
    tidy: pd.DataFrame
    rows: pd.DataFrame
    everyone: pd.DataFrame
    names: tuple[str, ...]
    judgements: Sequence[Judgement] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    controls: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    people: Answers | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def settled(self) -> Mapping:
        """The account of the survey where this source decided what was shown; {} else."""
        if self.facts.settled.get("source") != self.source:
            return {}
        return self.facts.settled

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name != HUMAN)

    @cached_property
    def annotations(self) -> pd.DataFrame:
        """One row an annotation: annotation_id, worker_id, seconds, …"""
        return self.rows.drop_duplicates("annotation_id")

    @property
    def used(self) -> int:
        """Return how many annotations are analysed."""
        return len(self.annotations)

    @property
    def allowed(self) -> int | None:
        """Return how many controls may be missed; judges aren't subject to it."""
        if not self.crossed:
            return None
        return self.facts.survey.limits.control_mistakes

    @property
    def questions(self) -> list[str]:
        """The questions that were answered, or the labels that answers led to, in the survey's order."""
        survey = self.facts.survey
        labels = [label for task in survey.tasks for label in task.labels]
        order = labels or [question.name for question in survey.questions]
        return planned_first(set(self.rows["question"]), order)

    def to(self, question: str) -> pd.DataFrame:
        """The rows of one question."""
        return self.rows[self.rows["question"] == question]

    def by_question(self, ranked: Callable[[Answers, pd.DataFrame], Ranking], main: str) -> Frames:
        """Return the rankings by all questions, of which one is the `main` one."""
        return joined({question: ranked(self, self.to(question)) for question in self.questions}, "question", main)

    def with_rows(self, rows: pd.DataFrame) -> Self:
        """The same with other rows instead of the main ones."""
        return replace(self, rows=rows)

    @cached_property
    def whole(self) -> Self:
        """The same with the answers of people who failed the controls."""
        return self.with_rows(self.everyone)

    def clusters(self, rows: pd.DataFrame) -> Clusters:
        """Return which of some rows are correlated."""
        return frame_clusters(rows, crossed=self.crossed)

    def rng(self, statistic: str) -> np.random.Generator:
        return generator(self.options.seed, self.source, statistic)

    @property
    def rests(self) -> dict:
        """Clusters that intervals rest on."""
        how = "Student's t, with errors that take answers about one conversation or by one annotator as dependent"
        return {"resample": self.resample, "level": 0.95, "how": how}


LEAST_WORDS = 6
"""A first turn of fewer words is a greeting, no prompt."""


def recurring_prompts(conversations: Iterable[Conversation]) -> dict[str, str]:
    """Return what each conversation began on; {} where no two are alike.

    That is its seed, or the text of its seed exchange; without one the first turn, where it is no greeting and not one
    contestant's own: people said it, or several contestants.
    """
    talks = list(conversations)
    openings = [_opening(talk) for talk in talks]
    speakers: dict[str, set[str]] = {}
    for talk, opening in zip(talks, openings, strict=True):
        speakers.setdefault(opening, set()).update(turn.speaker for turn in talk.turns[:1])
    begun = {}
    for talk, opening in zip(talks, openings, strict=True):
        if not talk.seed_exchanges and speakers[opening] != {HUMAN} and len(speakers[opening]) == 1:
            opening = ""
        begun[talk.conversation_id] = talk.seed_id or opening or talk.conversation_id
    if len(set(begun.values())) == len(begun):
        return {}
    return begun


def _opening(talk: Conversation) -> str:
    """Return the words that a conversation opens with: its seed exchange, or a first turn that is no greeting."""
    texts = [turn.text for turn in talk.turns]
    if talk.seed_exchanges:
        return plain_text(" ".join(texts[: 2 * talk.seed_exchanges]))
    words = units("".join(texts[:1]))
    if len(words) < LEAST_WORDS:
        return ""
    return " ".join(words)


def with_prompts(rows: pd.DataFrame, prompts: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows with the column prompt_id, where prompts recur among them."""
    prompt = rows["conversation_id"].map(prompts)
    if prompt.isna().any() or prompt.nunique() == rows["conversation_id"].nunique():
        return rows
    return rows.assign(prompt_id=prompt)


def presentation(judgements: Iterable[Judgement]) -> dict[str, Mapping]:
    """Describe how each annotation of one source was shown, by its id."""
    return {row.annotation_id: row.presentation for row in judgements}


def free_texts(survey: Survey) -> set[str]:
    """The names of the questions whose answers are texts: they are no data."""
    return {"reason", *(question.name for question in survey.questions if question.kind == "free_text")}


@dataclass(frozen=True)
class Form:
    """Description of how the answers of one kind of survey become rows.

    Attributes
    ----------
    rows : callable
        From a source's tidy frame, the facts and its judgements: the rows, and why answers were left out.
    names : tuple of str
        The columns of rows that name contestants.
    answers : type
        `Answers`, or what these findings need of it.
    mine : callable
        Whether a judgement is of this form; by default each is.
    options : tuple of str
        Which options a result says that it was made by.
    by_survey : bool
        Whether the survey says when an annotation is complete; otherwise `rows` does.
    """

    rows: Callable[[pd.DataFrame, Facts, Sequence[Judgement]], Rows]
    names: tuple[str, ...] = ()
    answers: type[Answers] = Answers
    mine: Callable[[Judgement], bool] = lambda judgement: True
    options: tuple[str, ...] = ("bootstraps", "wage", "known_order")
    by_survey: bool = True

    as_table: ClassVar[bool] = False
    """Whether judgements are read as a table of codes, since there may be millions."""

    of_study: ClassVar[bool] = True
    """Whether answers are about the study's conversations."""

    def facts(self, data: SurveyFiles) -> dict:
        """Further facts that these findings go by, from the survey's files."""
        return {}

    def sources(self, judgements: Any, facts: Facts, options: Options) -> tuple[dict, LeftOut]:
        """The answers of each source that has any left, as `answers` says, and what is left out.

        `judgements` are a sequence of them, or a table where the form reads them `as_table`.

        Raises `ValueError` naming the judgement that is wrong.
        """
        item_of = shown_item(facts.items, facts.conversations, facts.opening)
        judgements_of_form = [row for row in judgements if self.mine(row)]
        lacking = None
        if self.by_survey:
            lacking = incomplete(facts.survey, facts.items)
        answers = answers_frame(judgements_of_form, facts.conversations.values(), lacking, item_of, facts.copies)
        by_source: dict[str, list[Judgement]] = {}
        for _, row in last_answers(judgements_of_form, lambda row: (item_of(row), row.unit_id))[0]:
            by_source.setdefault(row.source, []).append(row)
        left_out = {name: dict(reasons) for name, reasons in answers.left_out.items()}
        sources = {}
        # People come first, as "human" is before every "judge:NAME": judges are set beside them.
        for name, tidy in answers.frame.groupby("source", sort=True):
            source_answers, reasons = self._of_source(
                name, tidy.reset_index(drop=True), by_source[name], facts, options
            )
            left_out[name] = left_out.get(name, {}) | reasons
            if len(source_answers.rows):
                sources[name] = replace(source_answers, left_out=left_out[name], people=sources.get(HUMAN))
        return sources, {name: reasons for name, reasons in left_out.items() if reasons}

    def _of_source(
        self, name: str, tidy: pd.DataFrame, judgements: Sequence[Judgement], facts: Facts, options: Options
    ) -> tuple[Answers, dict[str, int]]:
        """A source's answers, and why annotations of it are left out."""
        data = tidy[~tidy["question"].isin(free_texts(facts.survey))].reset_index(drop=True)
        everyone, reasons = self.rows(data, facts, judgements)
        everyone = with_prompts(everyone, facts.prompts)
        failed: Mapping[str, str] = {}
        if name == HUMAN:
            failed = failed_people(judgements, facts.survey)
        rows = everyone[~everyone["worker_id"].isin(list(failed))].reset_index(drop=True)
        seen = set(everyone[[*self.names]].to_numpy().ravel())
        names = [*planned_first(seen - {HUMAN}, facts.bots), *({HUMAN} & seen)]
        graded = graded_controls(judgements, facts.survey).get(name, {})
        answers = self.answers(name, facts, options, tidy, rows, everyone, tuple(names), judgements, failed, graded)
        return answers, reasons | lost(everyone, failed)
