"""Fixtures of the crowdsourcing room; helpers for its tests are in office.py, which they import by that name."""

import itertools
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from office import Office, controls_of, conversations, spot_the_bot

from parlai_spotbot.surveys.packing import PackOptions, pack


@pytest.fixture
def office(tmp_path) -> Callable[..., Office]:
    """Makes a desk: `talks` (conversations) packed by `pack_options`; each call makes another one."""
    made = itertools.count()

    def make(survey=None, talks=None, controls=None, **pack_options) -> Office:
        survey = survey or spot_the_bot()
        talks = conversations() if talks is None else talks
        options = PackOptions(**{"survey": survey.name, "unit_size": 6, "humans_per_unit": 2, **pack_options})
        units = pack(talks, options)
        path = tmp_path / f"office{next(made)}" / "ledger.db"
        return Office(survey, units, controls_of() if controls is None else controls, talks, path)

    return make
