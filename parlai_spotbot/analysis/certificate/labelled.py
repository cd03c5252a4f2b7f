"""A judge's verdicts beside people's labels, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters, codes_of


@dataclass(frozen=True)
class LabelledVerdicts:
    """Codes of the `verdict` and the `label` (n,) of each row among `levels`, ascending where `metric` is "ordinal".

    `frame` has the rows, `weight` (n,) what each counts: in all, as many as there are labels. `item` and `annotator`
    (n,) are codes, None where that isn't known.
    """

    frame: pd.DataFrame
    verdict: np.ndarray
    label: np.ndarray
    levels: tuple[str, ...]
    metric: str
    clusters: Clusters
    weight: np.ndarray
    item: np.ndarray | None
    annotator: np.ndarray | None

    @property
    def rows(self) -> int:
        return len(self.frame)

    @property
    def people(self) -> int:
        """Return how many people labelled; 0 where that isn't known."""
        if self.annotator is None:
            return 0
        return len(np.unique(self.annotator))

    @property
    def labels(self) -> int:
        """Return how many labels there are: one beside verdicts in several orders counts once."""
        return _labels(self.frame, self.item, self.annotator)


def _labels(frame: pd.DataFrame, item: np.ndarray | None, annotator: np.ndarray | None) -> int:
    if item is None or not {"order", "variant"} & {*frame}:
        return len(frame)
    keys = [item]
    if annotator is not None:
        keys.append(annotator)
    return len(np.unique(np.stack(keys), axis=1).T)


def labelled_verdicts(frame: pd.DataFrame, scale: Sequence[str] | None = None) -> LabelledVerdicts:
    """Return the rows of a frame as arrays.

    Parameters
    ----------
    frame : frame
        The columns verdict and label, texts, without missing values; and, where they are known, conversation,
        annotator, item, order (in which the judge saw two sides) and weight (one over the chance with which the item
        was drawn for labelling).
    scale : sequence of str, optional
        The answers from lowest to highest where these are ordered; agreement then uses ranks.

    Raises
    ------
    ValueError
        Names the column with a missing value, or the answer that the scale lacks.
    """
    frame = frame.reset_index(drop=True)
    given = [*dict.fromkeys([*frame["label"], *frame["verdict"]])]
    if scale is None:
        levels = sorted(given)
    else:
        levels = [str(answer) for answer in scale]
        if unknown := [answer for answer in given if answer not in levels]:
            raise ValueError(f"scale: lacks the answer {unknown[0]!r}, expected all answers that occur")
    places = pd.Index(levels)
    codes = {name: codes_of(frame[name], name) for name in ("conversation", "annotator", "item") if name in frame}
    conversation = codes.get("conversation", codes.get("item", np.arange(len(frame))))
    return LabelledVerdicts(
        frame=frame,
        verdict=places.get_indexer(frame["verdict"]),
        label=places.get_indexer(frame["label"]),
        levels=tuple(levels),
        metric="nominal" if scale is None else "ordinal",
        clusters=Clusters.by(conversation, codes.get("annotator")),
        weight=_weights(frame, codes.get("item"), _labels(frame, codes.get("item"), codes.get("annotator"))),
        item=codes.get("item"),
        annotator=codes.get("annotator"),
    )


def _weights(frame: pd.DataFrame, item: np.ndarray | None, labels: int) -> np.ndarray:
    """Return what each row counts (n,): a label beside verdicts in several orders counts once in all."""
    weight = np.ones(len(frame))
    if "weight" in frame:
        weight = frame["weight"].to_numpy(dtype=float)
        if not (np.isfinite(weight) & (weight > 0)).all():
            raise ValueError("weight: one isn't above 0, expected 1 over the chance with which the item was drawn")
    if item is not None and "order" in frame:
        weight = weight / frame.groupby(item)["order"].transform("nunique").to_numpy()
    return weight * labels / max(weight.sum(), 1e-300)
