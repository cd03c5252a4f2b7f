"""One account of all that labels show of a judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.certificate.agreement import (
    Measured,
    PeopleAlpha,
    balanced_accuracy,
    confusion,
    judge_alpha,
    people_alpha,
)
from parlai_spotbot.analysis.certificate.favours import favours, flips
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts, labelled_verdicts
from parlai_spotbot.analysis.certificate.uses import UseStatus, statuses


@dataclass(frozen=True)
class Assessment:
    """Assessment of a judge by labels.

    Attributes
    ----------
    agreement, accuracy : Measured
        Krippendorff's alpha of judge and people, and the balanced accuracy, of which `chance` is that of a guess.
    by_label : dict
        How often the verdict is the label, by label.
    people : PeopleAlpha
        Agreement of people with each other: the ceiling.
    confusion : array (levels, levels)
        How often each verdict (rows) met each label (columns).
    favours : list of dict
        See `favours.favours`.
    flips : mapping
        See `favours.flips`.
    uses : list of UseStatus
        For which uses the judge will do.
    """

    table: LabelledVerdicts
    agreement: Measured
    accuracy: Measured
    by_label: Mapping[str, Measured]
    people: PeopleAlpha
    confusion: np.ndarray
    favours: list[dict]
    flips: Mapping[str, float]
    uses: Sequence[UseStatus]

    @property
    def chance(self) -> float:
        return 1 / max(1, len(self.by_label))


def assess(frame: pd.DataFrame, scale: Sequence[str] | None = None) -> Assessment:
    """Return what labels show of a judge's verdicts.

    Parameters
    ----------
    frame : frame
        A row a label: verdict and label, texts; and, where they are known, conversation, annotator, item, order,
        weight (see `labelled_verdicts`), bot, family (whether the bot is of the judge's own) and length.
    scale : sequence of str, optional
        The answers from lowest to highest, where these are ordered.

    Raises
    ------
    ValueError
        Names the column that has a missing value.
    """
    table = labelled_verdicts(frame, scale)
    agreement = judge_alpha(table)
    accuracy, by_label = balanced_accuracy(table)
    people = people_alpha(table, agreement)
    favoured = favours(table)
    flipped = flips(table)
    return Assessment(
        table=table,
        agreement=agreement,
        accuracy=accuracy,
        by_label=by_label,
        people=people,
        confusion=confusion(table),
        favours=favoured,
        flips=flipped,
        uses=statuses(table, agreement, people, favoured, flipped),
    )
