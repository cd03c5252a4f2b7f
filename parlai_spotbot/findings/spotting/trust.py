"""How far a judge of Spot The Bot can be trusted, beside people.

A contest is what a segment decides between two bots, by who is human and by each feature; a rating is how human each
entity was taken to be (human 1, unsure ½, bot 0), people among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.frames import FAVOURED, FEATURES, entities_frame, matches_frame
from parlai_spotbot.analysis.trust import trust_part
from parlai_spotbot.findings import trust
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.records import HUMAN

SCORE = {"human": 1.0, "unsure": 0.5, "bot": 0.0}
ABOUT = ["item_id", "conversation_id", "worker_id", "annotation_id"]
SIDES = {value: answer for answer, value in FAVOURED.items()}


def long_frame(annotations: pd.DataFrame, features: Sequence[str] = FEATURES) -> pd.DataFrame:
    """One row an answer, on who is human and on the `features`, as `trust_part` wants them, from the frame of
    annotations."""
    parts = [
        annotations[ABOUT].assign(question="nature", target=f"entity:{e}", answer=annotations[f"nature{e}"])
        for e in (0, 1)
    ]
    parts += [
        annotations[ABOUT].assign(question=feature, target="pair", answer=annotations[feature].map(SIDES))
        for feature in features
    ]
    return pd.concat(parts, ignore_index=True)


def compute(own: Annotations) -> dict | None:
    """A judge beside people on the same items; nothing for people, and where there are none."""
    if own.people is None:
        return None
    about = own.facts.judges.get(own.source, {})
    found = beside_people(
        own.people.rows,
        own.rows,
        own.turns,
        **about,
        features=own.features,
        rng=own.rng("trust"),
        replicates=own.options.bootstraps,
    )
    return trust.in_words(found)


def beside_people(
    people: pd.DataFrame,
    judge: pd.DataFrame,
    turns: pd.DataFrame,
    *,
    own: Sequence[str] = (),
    about: Mapping | None = None,
    features: Sequence[str] = FEATURES,
    rng: np.random.Generator,
    replicates: int,
) -> dict:
    """One judge beside people, from the frames of annotations of both; `turns` (`turns_frame`) of the judge's."""
    # An annotation is named within its source: a judge may have taken over people's names.
    people, judge = (
        frame.assign(annotation_id=frame["source"] + "/" + frame["annotation_id"]) for frame in (people, judge)
    )
    wide = pd.concat([people, judge], ignore_index=True)
    words = _words(wide, turns)

    def contests(answers: pd.DataFrame) -> pd.DataFrame:
        rows = wide[wide["annotation_id"].isin(set(answers["annotation_id"]))]
        found = [matches_frame(rows, criterion).assign(criterion=criterion) for criterion in ("nature", *features)]
        matches = pd.concat(found)
        about = rows[["annotation_id", "item_id"]].assign(**words.loc[rows.index])
        return matches.drop(columns="k").join(about).reset_index(drop=True)

    def ratings(answers: pd.DataFrame) -> pd.DataFrame:
        chosen = wide[wide["annotation_id"].isin(set(answers["annotation_id"]))]
        rows = entities_frame(chosen.reset_index(drop=True), features)
        rows = rows.rename(columns={"entity": "place", "name": "contestant"})
        return rows.assign(criterion="nature", score=rows["nature"].map(SCORE))[
            [*ABOUT, "criterion", "place", "contestant", "score"]
        ]

    return trust_part(
        long_frame(people, features),
        long_frame(judge, features),
        contests=contests,
        ratings=ratings,
        bounds={"nature": (min(SCORE.values()), max(SCORE.values()))},
        truth=_truth(wide),
        own=own,
        about=about,
        rng=rng,
        replicates=replicates,
    )


def _truth(wide: pd.DataFrame) -> pd.Series:
    items = wide.drop_duplicates("item_id")
    parts = [
        pd.Series(
            np.where(items[name] == HUMAN, "human", "bot"),
            index=pd.MultiIndex.from_arrays([items["item_id"], ["nature"] * len(items), [f"entity:{e}"] * len(items)]),
        )
        for e, name in enumerate(("a", "b"))
    ]
    return pd.concat(parts)


def _words(wide: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """How many words either entity said in what was shown: words_a, words_b, indexed as `wide`."""
    said = turns.assign(words=turns["text"].str.split().str.len(), k=turns["turn"] // 2 + 1, entity=turns["turn"] % 2)
    table = said.pivot_table(index=["conversation_id", "k"], columns="entity", values="words", aggfunc="sum")
    table = table.reindex(columns=[0, 1]).groupby(level=0).cumsum()
    shown = table.reindex(pd.MultiIndex.from_frame(wide[["conversation_id", "k"]])).to_numpy(dtype=float)
    return pd.DataFrame({"words_a": shown[:, 0], "words_b": shown[:, 1]}, index=wide.index).fillna(0.0)


FINDING = trust.finding(FORM, compute)
