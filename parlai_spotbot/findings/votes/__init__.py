"""Findings of votes (Chiang et al. 2024): whose answer is better, a tie, or both bad, without conversations.

Votes are read as a table of codes (`judgement_table`), since there may be millions: everything comes from counts by
pair and outcome, and from rows as codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.findings.answers import Facts, Form, LeftOut, OneSource, Options
from parlai_spotbot.findings.ordering import planned_first
from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.study import SurveyFiles

PREFERENCE = "preference"
"""The question."""

OUTCOMES = {"a": 1, "b": -1, "tie": 0, "both_bad": 0}
SEEN = ("won", "tie", "both_bad", "lost")
"""What a vote is to one of its two contestants."""


@dataclass(frozen=True)
class Ballots(OneSource):
    """The votes of one source: `a`, `b` (n,) places in `names`, `outcome` (n,) +1 for a, -1 for b, 0 for neither, of
    which `bad` (n,) are for both bad; `prompt` and `worker` (n,) codes, -1 where unknown; `time` (n,) in seconds.
    """

    names: tuple[str, ...]
    a: np.ndarray
    b: np.ndarray
    outcome: np.ndarray
    bad: np.ndarray
    prompt: np.ndarray
    worker: np.ndarray
    time: np.ndarray
    left_out: Mapping[str, int] = field(default_factory=dict)

    settled: ClassVar[Mapping] = {}
    """Votes are never served until settled."""

    @property
    def used(self) -> int:
        """Return how many votes are analysed."""
        return len(self.a)

    @property
    def prompts(self) -> int:
        """Return how many prompts are known."""
        return int(np.count_nonzero(np.bincount(self.prompt[self.prompt >= 0])))

    @property
    def comparisons(self) -> int:
        """Return how many pairs of contestants were compared on these, a pair counting once on each."""
        pair = np.minimum(self.a, self.b) * len(self.names) + np.maximum(self.a, self.b)
        has_prompt = self.prompt >= 0
        return len(pd.unique(self.prompt[has_prompt].astype(np.int64) * len(self.names) ** 2 + pair[has_prompt]))

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of votes: those on one prompt, whoever answered it, and those of one annotator."""
        talks = workers = None
        prompts = _alone(self.prompt)
        if _is_repeated(prompts):
            talks = prompts[:, None]
        if self.crossed:
            people = _alone(self.worker)
            if _is_repeated(people) and (people != people[0]).any():
                workers = people
        return Clusters(len(self.a), talks, workers)

    def matches(self) -> pd.DataFrame:
        """The votes that say who is better, or that it is a tie, as `contrasts` takes them."""
        kept = ~self.bad
        names = pd.Index(self.names)
        return pd.DataFrame(
            {
                "a": pd.Categorical.from_codes(self.a[kept], names),
                "b": pd.Categorical.from_codes(self.b[kept], names),
                "outcome": self.outcome[kept],
                "conversation_id": _alone(self.prompt)[kept],
                "worker_id": _alone(self.worker)[kept],
            }
        )

    @property
    def times(self) -> np.ndarray:
        """When the votes of `matches` were given, in seconds."""
        return self.time[~self.bad]

    def among(self, chosen: np.ndarray) -> Ballots:
        """The votes between the contestants `chosen` (K,), and these alone."""
        place = np.cumsum(chosen) - 1
        rows = chosen[self.a] & chosen[self.b]
        return replace(
            self,
            names=tuple(np.array(self.names, dtype=object)[chosen]),
            a=place[self.a[rows]],
            b=place[self.b[rows]],
            **{name: getattr(self, name)[rows] for name in ("outcome", "bad", "prompt", "worker", "time")},
        )

    @property
    def seen(self) -> np.ndarray:
        """Return what each vote is to a: places (n,) in `SEEN`."""
        return np.where(self.bad, 2, np.array([1, 0, 3])[self.outcome])

    def counts(self) -> np.ndarray:
        """Compute how often a vote was `SEEN` so by i against j: (K, K, 4)."""
        size = len(self.names)
        flat = (self.a.astype(np.int64) * size + self.b) * 4 + self.seen
        forth = np.bincount(flat, minlength=size * size * 4).reshape(size, size, 4)
        return forth + forth.transpose(1, 0, 2)[:, :, [3, 1, 2, 0]]


def _alone(codes: np.ndarray) -> np.ndarray:
    """Codes in which what is unknown is a number of its own."""
    unknown = codes < 0
    return np.where(unknown, codes.max(initial=-1) + np.cumsum(unknown), codes)


def _is_repeated(codes: np.ndarray) -> bool:
    """Return True if some code comes more than once: votes don't stand alone in this."""
    return bool(np.bincount(codes).max(initial=0) > 1)


class VoteForm(Form):
    """Votes as codes; see `judgement_table` for the table's columns."""

    as_table = True
    of_study = False

    def facts(self, data: SurveyFiles) -> dict:
        """Facts of votes: whether the first of two contestants was shown first."""
        return {"ordered": data.study.provenance().get("import", {}).get("ordered", True)}

    def sources(self, judgements: pd.DataFrame, facts: Facts, options: Options) -> tuple[dict[str, Ballots], LeftOut]:
        partners = {name: item.partners for name, item in facts.items.items()}
        rows, left_out = _checked(judgements, partners)
        sources = {}
        for source, votes in rows.groupby("source", observed=True, sort=True):
            name = str(source)
            sources[name] = replace(_ballots(name, votes, partners, facts), left_out=left_out.get(name, {}))
        return sources, left_out


DAY = 86_400
"""Seconds; a time that is a whole number of them is a date."""

REPEATED = "vote repeated by the same annotator (the last one counts)"


def repeated_votes(votes: pd.DataFrame, pair: np.ndarray) -> np.ndarray:
    """Return a mask (n,) of the votes that a later one repeats, so that each annotator votes once on an item.

    An item is the answers of two contestants (`pair` (n,), codes that are the same whichever stands first) to one
    prompt; where the prompt is unknown, those that were shown at one time of a day. Votes of which neither is known, or
    not the annotator, stay: they may be about other answers. The last vote is that with the latest time, and of equal
    times that which stands last.

    Parameters
    ----------
    votes : frame (n)
        As `judgement_table` makes it, of one kind of question.
    """
    time = votes["time"].to_numpy()
    prompted = votes["conversation"].to_numpy() >= 0
    identified = (votes["worker"].to_numpy() >= 0) & (prompted | (time % DAY > 0))
    key = votes[["source", "worker", "conversation"]].assign(pair=pair, time=np.where(prompted, np.nan, time))
    order = np.argsort(np.where(np.isnan(time), -np.inf, time), kind="stable")
    again = np.zeros(len(votes), dtype=bool)
    again[order] = key.iloc[order].duplicated(keep="last").to_numpy()
    return again & identified


def _checked(judgements: pd.DataFrame, partners: Mapping[str, Sequence[str]]) -> tuple[pd.DataFrame, LeftOut]:
    """Return the votes without repeated ones, and by source what is left out, and why."""
    questions = judgements["question"].cat.categories
    further = judgements["question"].isin(questions[questions.str.startswith(ADDITIONAL)])
    items = judgements["item_id"].cat
    pairs = pd.factorize(pd.Series([tuple(sorted(partners.get(item, (item,)))) for item in items.categories]))[0]
    again = judgements.duplicated(["source", "annotation"], keep="last") & ~further
    once = ~further & ~again
    votes = judgements[once]
    again[once] = repeated_votes(votes, pairs[votes["item_id"].cat.codes])
    left_out: LeftOut = {}
    for reason, out in (("answer to a further question of the launch", further), (REPEATED, again)):
        counts = judgements.loc[out, "source"].value_counts()
        for source, count in counts[counts > 0].items():
            left_out.setdefault(str(source), {})[reason] = int(count)
    rows = judgements[~further & ~again]
    wrong = rows.index[~rows["answer"].isin(list(OUTCOMES))]
    if len(wrong):
        answer = rows.at[wrong[0], "answer"]
        raise ValueError(f"judgement {wrong[0] + 1}: answer {answer!r}, expected one of {', '.join(OUTCOMES)}")
    return rows, left_out


def _ballots(source: str, rows: pd.DataFrame, partners: Mapping[str, Sequence[str]], facts: Facts) -> Ballots:
    """The votes of one source as codes."""
    items = rows["item_id"].cat.remove_unused_categories()
    met = [partners.get(item, ()) for item in items.cat.categories]
    for item, pair in zip(items.cat.categories, met, strict=True):
        if len(pair) != 2:
            place = items.index[items == item][0]
            raise ValueError(f"judgement {place + 1}: item '{item}' is no pair of contestants of the units file")
    names = tuple(planned_first({name for pair in met for name in pair}, facts.bots))
    places = pd.Index(names).get_indexer(np.array(met, dtype=object).ravel()).reshape(-1, 2)
    answers = rows["answer"].cat
    outcome = np.array([OUTCOMES.get(answer, 0) for answer in answers.categories], dtype=np.int8)
    return Ballots(
        source,
        facts,
        names,
        a=places[items.cat.codes, 0],
        b=places[items.cat.codes, 1],
        outcome=outcome[answers.codes],
        bad=(rows["answer"] == "both_bad").to_numpy(),
        prompt=rows["conversation"].to_numpy(),
        worker=rows["worker"].to_numpy(),
        time=rows["time"].to_numpy(),
    )


FORM = VoteForm(lambda *_: (pd.DataFrame(), {}))
