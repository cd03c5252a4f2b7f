"""What the analysis of people's choices must know beside them: the key, the groups, and what models made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from parlai_spotbot.surveys.nuc_questions import NucQuestion


@dataclass(frozen=True)
class Facts:
    """What is known of a study's survey `nuc`.

    Attributes
    ----------
    questions : mapping of item_id to `NucQuestion`
        The answer key.
    groups : mapping of unit_id to str
        For whom each unit was packed; "" where there is one group.
    about : mapping of group to {"expertise", "recruited"}
        What the study says of each group, "" where nothing.
    models : mapping of contestant to {item_id: float (n_candidates,)}
        Scores of the candidates as people saw them, in the question's order, by the way that stands for a contestant.
    ways : mapping of contestant to str
        That way, in words; a star marks one that isn't the contestant's own choice.
    unscored : mapping of contestant to int
        In how many of the questions some candidate has no score.
    cautions : tuple of str
        What is to be known of the ways.
    """

    questions: Mapping[str, NucQuestion]
    groups: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    models: Mapping[str, Mapping[str, np.ndarray]] = field(default_factory=dict)
    ways: Mapping[str, str] = field(default_factory=dict)
    unscored: Mapping[str, int] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()
