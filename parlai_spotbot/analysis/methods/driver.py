"""What the analyses of most surveys have in common: answers to rows, source by source, part by part.

A method is a `Method`: how its rows come from the answers, and its parts. All else (controls and incomplete annotations
left out, people who failed the controls, judges beside people, seeds, progress, what was made by what) is here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from parlai_spotbot.analysis.annotators.controls import lost, silent_annotators
from parlai_spotbot.surveys.controls.failures import allowed_mistakes, failed_people, graded_controls
from parlai_spotbot.analysis.answers import answers_frame
from parlai_spotbot.analysis.methods.common import made_by
from parlai_spotbot.analysis.values import generator, plain
from parlai_spotbot.analysis.uncertainty.bootstrap import check_draws
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement
from parlai_spotbot.surveys.survey import Survey

OPTIONS = ("bootstraps", "resample", "wage")
WANTS = ("items", "survey", "judges")


@dataclass(frozen=True)
class Study:
    """What the analysis of any source goes by: the conversations, the items, the survey, what the bots know, and
    `bots`.

    `presentation`: (source, annotation_id) -> how it was shown. `known_order`: chains such as "human>dr". `judges`: of
    each judge's source, `about` (what it says of itself) and `own`, the contestants that are its own model. `controls`
    are the judgements of controls, which are no data; `screening` the rounds of the training that annotators took.
    """

    conversations: Mapping[str, Conversation]
    items: Mapping[str, Item]
    survey: Survey | None
    bots: tuple[str, ...]
    training: Sequence[Sequence[str]] | None
    training_why: str
    known_order: tuple[str, ...]
    presentation: Mapping[tuple[str, str], Mapping]
    judges: Mapping[str, Mapping] = field(default_factory=dict)
    controls: tuple[Judgement, ...] = ()
    screening: tuple[Mapping, ...] = ()
    shared: dict = field(default_factory=dict, compare=False)

    def once(self, name: str, make: Callable[[], dict]) -> dict:
        """What is the same for every source is made once."""
        if name not in self.shared:
            self.shared[name] = make()
        return self.shared[name]


@dataclass(frozen=True)
class Source:
    """One source's rows and what its parts share.

    `rows` are what is analysed, `everyone` with those of people who `failed` the `controls` (annotator -> why); the
    `silent` never gave a reason, so results are shown without them, too. `names`: the contestants that occur, in the
    plan's order, people last; `people`: people's rows, for a judge. `annotations` has one row an annotation of `rows`:
    annotation_id, worker_id, seconds.
    """

    name: str
    study: Study
    answers: pd.DataFrame
    rows: pd.DataFrame
    everyone: pd.DataFrame
    failed: Mapping[str, str]
    controls: Mapping[str, Mapping[str, int]]
    silent: Sequence[str]
    names: tuple[str, ...]
    seed: int
    bootstraps: int
    resample: str
    wage: float | None
    people: Source | None = None

    @property
    def crossed(self) -> bool:
        """Whether annotators are a sample: people are, the variants of a judge aren't."""
        return self.name == HUMAN

    @property
    def annotations(self) -> pd.DataFrame:
        return self.rows.drop_duplicates("annotation_id")

    @property
    def questions(self) -> list[str]:
        """The questions that were answered, or the labels that answers led to, in the survey's order."""
        seen = list(dict.fromkeys(sorted(set(self.rows["question"]))))
        if self.study.survey is None:
            return seen
        survey = self.study.survey
        order = [label for task in survey.tasks for label in task.labels] or [q.name for q in survey.questions]
        return sorted(seen, key=lambda name: (order.index(name) if name in order else len(order), name))

    def rng(self, statistic: str) -> np.random.Generator:
        return generator(self.seed, self.name, statistic)

    def bootstrap(self) -> dict:
        """What intervals rest on, for ranking.json."""
        how = "Student's t with errors that know rows of one conversation or annotator to be alike"
        said = {"resample": self.resample, "level": 0.95, "how": how}
        if not self.crossed:
            said["why"] = "a judge's variants are no sample of annotators, so they are not drawn"
        return said


Frame = Callable[[pd.DataFrame, Study], tuple[pd.DataFrame, dict[str, int]]]


@dataclass(frozen=True)
class Method:
    """`frame` makes the rows of one source from its answers, and says why some are left out; `parts` by file stem.

    A row has at least the columns of `answers_frame`. `names` are the contestants of rows.
    """

    frame: Frame
    names: Callable[[pd.DataFrame], set[str]]
    parts: Mapping[str, Callable[[Source], dict]]


def free_texts(survey: Survey | None) -> set[str]:
    """The names of the questions whose answers are texts: they are no data here."""
    return {"reason"} | {q.name for q in (survey.questions if survey else ()) if q.kind == "free_text"}


def run(
    method: Method,
    judgements: Sequence[Judgement],
    conversations: Sequence[Conversation],
    *,
    bots: Sequence[str] = (),
    seed: int = 0,
    bootstraps: int = 1000,
    resample: str = "conversations_workers",
    wage: float | None = None,
    items: Sequence[Item] = (),
    survey: Survey | None = None,
    training: Sequence[Sequence[str]] | None = None,
    training_why: str = "",
    known_order: Sequence[str] = (),
    judges: Mapping[str, Mapping] | None = None,
    screening: Sequence[Mapping] = (),
    progress: Callable[[str, str], None] | None = None,
) -> dict[str, dict]:
    """Compute everything of a survey.

    Parameters
    ----------
    bots : sequence of str
        The contestants in the order of the plan; any further ones that occur follow, sorted.
    resample : str
        What another study would have other ones of: see `Clusters.of`. Of a judge, never its variants.
    items, survey : optional
        The items of the units and what was asked: they tell who was judged, and which annotations are incomplete.
    training, training_why : optional
        The turns of each conversation that the bots know, or why they are not there.
    known_order : sequence of str
        Chains such as "human>dr", for wordings.
    judges, screening : optional
        See `Study`.
    progress : callable (source, part), optional
        Told after each part.

    Returns
    -------
    dict
        File stem -> ``{"by_source": {source: …}, "made_by": …}``.

    Raises
    ------
    ValueError
        Names the judgement or the argument that is wrong; or says that nothing is left to analyse.
    """
    check_draws(bootstraps, resample)
    told = {(j.source, j.annotation_id): j.presentation for j in judgements}
    by_id = {item.item_id: item for item in items}
    study = Study({c.conversation_id: c for c in conversations}, by_id, survey, tuple(bots), training, training_why,
                  tuple(known_order), told, judges or {}, tuple(j for j in judgements if j.control is not None),
                  tuple(screening))  # fmt: skip
    found = answers_frame(judgements, conversations, by_id, survey)
    sources, left_out = {}, {name: dict(reasons) for name, reasons in found.left_out.items()}
    for name, answers in found.frame.groupby("source", sort=True):
        source, reasons = _source(str(name), answers, judgements, study, method, seed, bootstraps, resample, wage)
        left_out[str(name)] = left_out.get(str(name), {}) | reasons
        if len(source.rows):
            sources[str(name)] = source
    if not sources:
        raise ValueError(f"judgements: no complete annotation to analyse (left out: {left_out or 'none'})")
    options = {"bootstraps": bootstraps, "resample": resample, "wage": wage, "known_order": list(known_order),
               "control_mistakes": allowed_mistakes(survey)}  # fmt: skip
    about = made_by(options, seed, {name: len(own.annotations) for name, own in sources.items()}, left_out)
    result = {stem: {"by_source": {}, "made_by": dict(about)} for stem in method.parts}
    with threadpool_limits(limits=1):
        for name, source in sources.items():
            whole = replace(source, people=sources.get(HUMAN) if name != HUMAN else None)
            for stem, part in method.parts.items():
                result[stem]["by_source"][name] = plain(part(whole))
                if progress is not None:
                    progress(name, stem)
    return {stem: own for stem, own in result.items() if stem != "trust" or any(own["by_source"].values())}


def _source(
    name: str,
    answers: pd.DataFrame,
    judgements: Sequence[Judgement],
    study: Study,
    method: Method,
    seed: int,
    bootstraps: int,
    resample: str,
    wage: float | None,
) -> tuple[Source, dict[str, int]]:
    """A source, and why annotations of it are left out."""
    if name != HUMAN:
        resample = {"conversations_workers": "conversations", "workers": "annotations"}.get(resample, resample)
    data = answers[~answers["question"].isin(free_texts(study.survey))].reset_index(drop=True)
    everyone, reasons = method.frame(data, study)
    mine = [judgement for judgement in judgements if judgement.source == HUMAN] if name == HUMAN else []
    failed, controls = failed_people(mine, study.survey), graded_controls(mine).get(HUMAN, {})
    rows = everyone[~everyone["worker_id"].isin(list(failed))].reset_index(drop=True)
    seen = method.names(everyone)
    names = [bot for bot in study.bots if bot in seen] + sorted(seen - set(study.bots) - {HUMAN})
    names += [HUMAN] if HUMAN in seen else []
    return Source(name, study, answers, rows, everyone, failed, controls, silent_annotators(mine), tuple(names), seed,
                  bootstraps, resample, wage), reasons | lost(everyone, failed)  # fmt: skip
