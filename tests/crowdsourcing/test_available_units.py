"""The stock of units: which of them comes next, and what a unit that is given back changes."""

import random

import pytest

from parlai_spotbot.crowdsourcing.desk.available_units import UnitStock
from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.packing.units_file import marks_of
from parlai_spotbot.surveys.workload import annotators_needed


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


def unit(name: str, block: str, rotation: int = 0) -> Unit:
    """A unit of one conversation, which has its name."""
    return Unit(name, "spot_the_bot", block, rotation, 0, (Item(name, (name,), 2, ((),)),))


def test_units_that_share_a_seed_with_most_others_come_first():
    packed = [unit(name, f"block of {name}") for name in "abcdef"]
    units = UnitStock(packed, {"b": "s", "d": "s", "e": "s", "c": "t", "f": "t"})
    order = []
    for number in range(6):
        order.append(units.choose(f"worker {number}"))
        units.take(order[-1])
    assert "".join(order) == "bdecfa"


@pytest.mark.parametrize("seed", range(3))
def test_as_many_people_as_a_launch_says_do_all_units(seed):
    rng = random.Random(seed)
    packed = [unit(f"c{number}", f"block {number // 2}", number % 2) for number in range(60)]
    seeds = {one.unit_id: f"seed {rng.randrange(25)}" for one in packed}
    units = UnitStock(packed, seeds)
    for number in range(annotators_needed(packed, seeds, 4)):
        worker = f"worker {number}"
        for _ in range(4):
            name = units.choose(worker)
            if name is not None:
                units.take(name)
                one = units.units[name]
                units.bar(worker, [*marks_of(one.items, seeds), f"block {one.block_id}"])
    assert not units.free
