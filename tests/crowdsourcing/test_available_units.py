"""The stock of units: which of them comes next, and what a unit that is given back changes."""

from parlai_spotbot.crowdsourcing.desk.available_units import UnitStock
from parlai_spotbot.records import Unit


def stock() -> UnitStock:
    """Two segments, `a` and `b`, each to be shown to two annotators."""
    return UnitStock(
        [
            Unit(f"{block}{replicate}", "spot_the_bot", block, 0, replicate, ())
            for replicate in (0, 1)
            for block in "ab"
        ],
        {},
    )


def test_the_segment_that_lacks_fewest_annotators_is_finished_first():
    units = stock()
    assert units.choose("ann") == "a0"
    units.take("a0")
    assert units.choose("ann") == "a1"


def test_a_segment_whose_unit_is_given_back_lacks_an_annotator_again():
    units = stock()
    units.take("a0")
    units.release("a0")
    units.take("b0")
    assert units.choose("ann") == "b1"  # b lacks one annotator, a lacks two
    assert units.counts() == {"units": 4, "free": 3, "open": 1, "done": 0}
    units.finish("b0")
    units.release("b0")  # what is done stays done
    assert units.counts() == {"units": 4, "free": 3, "open": 0, "done": 1}
