"""The statistics of Spot The Bot: ranking, survival, features, agreement, annotators, segment lengths, time, order.

Every source (people, each judge) is analysed by itself. The names and shapes of the results are those that the report
reads; NaN and infinity are None, with the reason beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from parlai_spotbot.analysis import segments
from parlai_spotbot.analysis.annotators import Marked
from parlai_spotbot.analysis.annotators.controls import compare_everybody, lost
from parlai_spotbot.surveys.controls.failures import allowed_mistakes, failed_people, graded_controls
from parlai_spotbot.analysis.frames import FEATURES, Annotations, annotations_frame, entities_frame, matches_frame
from parlai_spotbot.analysis.methods.common import made_by
from parlai_spotbot.analysis.values import generator, plain
from parlai_spotbot.analysis.methods.spot_the_bot_order import order_part, presentations
from parlai_spotbot.analysis.methods.spot_the_bot_people import agreement_part, annotators_part, time_part
from parlai_spotbot.analysis.methods.spot_the_bot_ranking import orders, ranking
from parlai_spotbot.analysis.methods.spot_the_bot_survival import Setting, survival
from parlai_spotbot.analysis.methods.spot_the_bot_tables import flatten
from parlai_spotbot.analysis.methods.spot_the_bot_trust import trust
from parlai_spotbot.analysis.survival.events import UNSURE
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap, check_draws
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.product import bootstrap_weights
from parlai_spotbot.analysis.uncertainty.shares import share_interval
from parlai_spotbot.records import HUMAN, Conversation, Judgement
from parlai_spotbot.texts.repetition import turns_frame

if TYPE_CHECKING:
    from parlai_spotbot.surveys.survey import Survey

WANTS = ("judges", "survey")
CRITERIA = (*FEATURES, "sensibleness_and_specificity")
FEW = 5


@dataclass(frozen=True)
class Source:
    """One source's annotations and what all of its statistics share.

    `shown` says of each annotation how it was presented, `submitted` when it ended; `turns` what was said
    in the conversations judged; `controls` how many control segments each annotator answered and missed, of which
    `allowed` may be missed; `failed` who missed more and why they are left out, `everyone` the same source with them;
    `marked` who else is to be shown results without. `followed`: see `Setting`; `play` holds the decisions of a game,
    `habits` what was found of how it is played.
    """

    name: str
    annotations: pd.DataFrame
    entities: pd.DataFrame
    bots: tuple[str, ...]
    weights: np.ndarray
    resample: str
    seed: int
    bootstraps: int
    backend: str
    unsure: str
    wage: float | None
    shown: list[dict[str, str]] = field(default_factory=list)
    submitted: list[str] = field(default_factory=list)
    turns: pd.DataFrame = field(default_factory=pd.DataFrame)
    controls: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    allowed: int | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    everyone: Source | None = None
    marked: Marked = field(default_factory=dict)
    followed: bool = False
    play: pd.DataFrame = field(default_factory=pd.DataFrame)
    habits: Mapping[str, dict] = field(default_factory=dict)

    def rng(self, statistic: str) -> np.random.Generator:
        return generator(self.seed, self.name, statistic)

    @cached_property
    def clusters(self) -> Clusters:
        """Which annotations hang together."""
        rows = self.annotations
        if self.resample == "annotations":
            return Clusters.by(np.arange(len(rows)))
        return Clusters.by(rows["conversation_id"], rows["worker_id"], self.resample)

    def drawn(self, statistic: str) -> ClusterBootstrap:
        """Replicates of the annotations."""
        rows, options = self.annotations, {"replicates": self.bootstraps, "resample": self.resample}
        return ClusterBootstrap(rows["conversation_id"], rows["worker_id"], rng=self.rng(statistic), **options)

    @property
    def pages(self) -> np.ndarray:
        """Of each row of `entities` its annotation's place."""
        return np.repeat(np.arange(len(self.annotations)), 2)


@dataclass(frozen=True)
class Method:
    """What a survey like this one does in its own way.

    `parts` by file stem; `annotations` makes the frame of annotations, `entities` that of entities from it; `prepare`
    sees each source before its parts.
    """

    parts: Mapping[str, Callable[[Source], dict]]
    annotations: Callable[[Sequence[Judgement], Sequence[Conversation]], Annotations] = annotations_frame
    entities: Callable[[pd.DataFrame], pd.DataFrame] = entities_frame
    prepare: Callable[[Source], Source] = lambda source: source


def analyze(
    judgements: Sequence[Judgement],
    conversations: Sequence[Conversation],
    *,
    bots: Sequence[str] = (),
    seed: int = 0,
    bootstraps: int = 1000,
    resample: str = "conversations_workers",
    backend: str = "auto",
    unsure: str = "survives",
    wage: float | None = None,
    progress: Callable[[str, str], None] | None = None,
    method: Method | None = None,
    judges: Mapping[str, Mapping] | None = None,
    survey: Survey | None = None,
) -> dict[str, dict]:
    """Compute everything.

    Parameters
    ----------
    bots : sequence of str
        The contestants in the order of the plan; any further ones that occur follow, sorted.
    resample : str
        What another study would have other ones of: see `ClusterBootstrap`. A judge's variants are no sample of
        anything, so for judges "workers" is never drawn: it says so in the result.
    backend : str
        Of survival analysis: "native", "icenreg", or "auto".
    unsure : str
        What "unsure" says in survival analysis: see `parlai_spotbot.analysis.survival.events`.
    progress : callable (source, part), optional
        Told after each part.
    method : Method, optional
        By default that of Spot The Bot.
    judges : mapping, optional
        Of each judge's source, `about` (what JUDGE.json holds) and `own`, the contestants that are its own model.
    survey : Survey, optional
        Says how many controls people may miss.

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
    if unsure not in UNSURE:
        raise ValueError(f"unsure is {unsure!r}, expected one of {', '.join(UNSURE)}")
    method = Method(PARTS) if method is None else method
    found = method.annotations(judgements, conversations)
    if found.frame.empty:
        raise ValueError(f"judgements: no complete annotation to analyse (left out: {found.left_out or 'none'})")
    failed, controls = failed_people(judgements, survey), graded_controls(judgements)
    everyone = {str(name): rows.reset_index(drop=True) for name, rows in found.frame.groupby("source", sort=True)}
    kept, left_out = _kept(everyone, failed, found.left_out)
    options = {"bootstraps": bootstraps, "resample": resample, "backend": backend, "unsure": unsure, "wage": wage,
               "control_mistakes": allowed_mistakes(survey)}  # fmt: skip
    about = made_by(options, seed, {name: len(rows) for name, rows in kept.items()}, left_out)
    result = {stem: {"by_source": {}, "made_by": dict(about)} for stem in (*method.parts, "trust")}
    told, turns = presentations(judgements), turns_frame(conversations)
    ended = {(j.source, j.annotation_id): j.submitted_at for j in judgements}

    def described(name: str, rows: pd.DataFrame) -> Source:
        own = _source(name, rows, bots, seed, bootstraps, resample, backend, unsure, wage)
        return replace(
            own,
            entities=method.entities(rows),
            controls=controls.get(name, {}),
            allowed=allowed_mistakes(survey) if name == HUMAN else None,
            failed=failed if name == HUMAN else {},
            shown=[told[name, annotation] for annotation in rows["annotation_id"]],
            submitted=[ended[name, annotation] for annotation in rows["annotation_id"]],
            turns=turns[turns["conversation_id"].isin(set(rows["conversation_id"]))],
        )

    people = None
    with threadpool_limits(limits=1):  # small matrices: threads only wait for each other, and round differently
        for name, rows in kept.items():
            source = described(name, rows)
            if len(rows) < len(everyone[name]):
                source = replace(source, everyone=described(name, everyone[name]))
            people = source if name == HUMAN else people
            for stem, own in _parts(
                method.prepare(source), people, method, progress, (judges or {}).get(name, {})
            ).items():
                result[stem]["by_source"][name] = own
    return {stem: own for stem, own in result.items() if stem != "trust" or own["by_source"]}


def _kept(
    everyone: Mapping[str, pd.DataFrame], failed: Mapping[str, str], left_out: Mapping[str, Mapping[str, int]]
) -> tuple[dict[str, pd.DataFrame], dict[str, dict[str, int]]]:
    """The annotations of each source without those of people who failed the controls, and what is left out why."""
    kept, reasons = dict(everyone), {name: dict(own) for name, own in left_out.items()}
    if HUMAN in everyone and (out := everyone[HUMAN]["worker_id"].isin(list(failed))).any():
        reasons[HUMAN] = reasons.get(HUMAN, {}) | lost(everyone[HUMAN], failed)
        kept[HUMAN] = everyone[HUMAN][~out].reset_index(drop=True)
    kept = {name: rows for name, rows in kept.items() if len(rows)}
    if not kept:
        raise ValueError(f"judgements: no annotation to analyse (left out: {reasons})")
    return kept, reasons


def _parts(
    source: Source,
    people: Source | None,
    method: Method,
    progress: Callable[[str, str], None] | None,
    judge: Mapping,
) -> dict[str, dict]:
    """Everything about one source, by file stem; of a judge also how far it can be trusted, if there are people."""
    result = {}
    for stem, part in method.parts.items():
        result[stem] = part(source)
        if progress is not None:
            progress(source.name, stem)
    if people is not None and source.name != HUMAN:
        result["trust"] = trust(
            people.annotations, source.annotations, source.turns, **judge, rng=source.rng("trust"),
            replicates=source.bootstraps,
        )  # fmt: skip
    result["ranking"]["orders"] = orders(result["ranking"], result["survival"]["curves"], source.bots)
    if source.everyone is not None and "annotators" in result:
        every = ranking_part(source.everyone)
        beside = compare_everybody(result["ranking"], every, "With everybody's annotations")
        result["annotators"]["with_everybody"] = beside
    return {stem: plain(own) for stem, own in result.items()}


def _source(
    name: str,
    rows: pd.DataFrame,
    bots: Sequence[str],
    seed: int,
    bootstraps: int,
    resample: str,
    backend: str,
    unsure: str,
    wage: float | None,
) -> Source:
    if name != HUMAN:
        resample = {"conversations_workers": "conversations", "workers": "annotations"}.get(resample, resample)
    seen = set(rows["a"]) | set(rows["b"])
    order = tuple(bot for bot in bots if bot in seen) + tuple(sorted(seen - set(bots) - {HUMAN}))
    strata = ["\t".join(sorted(pair)) for pair in zip(rows["a"], rows["b"], strict=True)]
    weights = bootstrap_weights(
        rows["conversation_id"],
        rows["worker_id"],
        strata,
        rng=generator(seed, name, "weights"),
        replicates=bootstraps,
        resample=resample,
    )
    return Source(name, rows, pd.DataFrame(), order, weights, resample, seed, bootstraps, backend, unsure, wage)


def ranking_part(source: Source) -> dict:
    matches = matches_frame(source.annotations)
    crossed = source.name == HUMAN  # a judge's variants are no sample of judges
    result = ranking(matches, source.bots, source.weights[:, matches.index], source.rng("ranking"), crossed=crossed,
                     resample=source.resample)  # fmt: skip
    shares = _shares(source)
    human = shares.pop(
        HUMAN, {"share": None, "n": 0, "ci": [None, None], "why": "no conversation of people was judged"}
    )
    result["human_share"] = {bot: shares[bot]["share"] for bot in source.bots}
    result["human_share_ci"] = {bot: shares[bot]["ci"] for bot in source.bots}
    result["human_reference"] = {"human_share": human.pop("share"), **human}
    result["bootstrap"] = _bootstrap(source)
    return result


def _bootstrap(source: Source) -> dict:
    """What the intervals rest on, and what they can't show."""
    said = {"replicates": source.bootstraps, "resample": source.resample, "level": 0.95}
    if source.name != HUMAN:
        said["why"] = "a judge's variants are no sample of annotators, so they are not drawn"
    elif source.annotations["worker_id"].nunique() < FEW:
        said["why"] = f"fewer than {FEW} annotators: what differs between annotators is known only roughly"
    return said


def _shares(source: Source) -> dict[str, dict]:
    """How often each name is taken for human, with its interval."""
    names = sorted(set(source.entities["name"]))
    code = source.entities["name"].map({name: i for i, name in enumerate(names)}).to_numpy(dtype=int)
    taken = (source.entities["nature"] == HUMAN).to_numpy().astype(int)
    clusters, result = source.clusters.take(source.pages), {}
    for i, name in enumerate(names):
        own = code == i
        ci = share_interval(taken[own], clusters.take(own))
        result[name] = {"share": float(taken[own].mean()), "n": int(own.sum()), "ci": list(ci)}
    return result


def features_part(source: Source) -> dict:
    result = {}
    for criterion in CRITERIA:
        matches = matches_frame(source.annotations, criterion)
        weights = source.weights[:, matches.index]
        result[criterion] = ranking(matches, source.bots, weights, source.rng(criterion), crossed=source.name == HUMAN,
                                    resample=source.resample)  # fmt: skip
    return result


def survival_part(source: Source) -> dict:
    names = [*source.bots, *([HUMAN] if (source.annotations["a"] == HUMAN).any() else [])]
    drawn = source.drawn("survival").take(source.pages)
    setting = Setting(names, drawn, source.backend, source.unsure, source.resample, source.rng, source.followed)
    return survival(source.entities, setting) | {"bootstrap": _bootstrap(source)}


def _segments(source: Source) -> dict:
    matches = matches_frame(source.annotations)
    return {"segments": segments.by_length(matches, source.entities, source.bots, source.resample)}


PARTS = {
    "ranking": ranking_part,
    "survival": survival_part,
    "features": features_part,
    "agreement": agreement_part,
    "annotators": annotators_part,
    "segments": _segments,
    "time": time_part,
    "order": order_part,
}


def tables(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """The results as flat tables: ``ranking``, ``ranking_pairs``, ``survival_curves``, … each row with its source."""
    return flatten(result)
