"""Seeds that recur and copies of conversations are one piece of evidence each: few verdicts of equal contestants."""

import numpy as np
import pytest

from tests.sequential.recurring import by_copies, by_seeds


def most(studies):
    """Return the greatest share of wrong studies that chance explains where 5 % are wrong."""
    return 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)


def test_seeds_that_recur_make_no_winner():
    assert by_seeds(4, 40, studies=20) <= most(20)


@pytest.mark.parametrize("once", [True, False])
def test_copies_make_no_winner_unless_they_count_one_by_one(once):
    found = by_copies(2, texts=5, copies=40, studies=16, once=once)
    assert (found <= most(16)) == once


# -- simulations by another generator ----------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(("bots", "seeds"), [(4, 75), (4, 150), (10, 45), (10, 90)])
def test_seeds_that_recur_make_no_winner_in_many_studies(bots, seeds):
    assert by_seeds(bots, seeds, studies=300) <= most(300)


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "texts"), [(4, 20), (4, 50), (10, 10)])
def test_copies_make_no_winner_in_many_studies(bots, texts):
    assert by_copies(bots, texts, copies=4, studies=300) <= most(300)
