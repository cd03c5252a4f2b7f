"""Which unit comes next, and which controls are in it."""

from collections import Counter
from dataclasses import replace

from scipy.stats import chisquare

from parlai_spotbot.crowdsourcing.desk.control_mixing import evenly, first_controls, mix
from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
from parlai_spotbot.surveys.packing.units_file import marks_of
from tests.crowdsourcing.office import control, controls_of, conversations

TALKS = conversations(bots=4, per_pair=5, people=10)
SEEDS = {talk.conversation_id: talk.seed_id for talk in TALKS}
UNITS = pack(TALKS, PackOptions(unit_size=6, humans_per_unit=2))


def test_controls_come_at_drawn_places_and_the_items_keep_their_order():
    items, controls = UNITS[0].items, controls_of()
    places = Counter()
    for n in range(3000):
        mixed = mix(items, controls, 1, f"chance {n}")
        assert [item for item in mixed if not item.control] == list(items)
        places[next(i for i, item in enumerate(mixed) if item.control)] += 1
    assert len(places) == len(items) + 1
    assert chisquare(list(places.values())).pvalue > 1e-4


def test_controls_that_were_met_or_clash_are_left_out():
    controls = controls_of(2)
    people = [c for c in controls if c.control == "known_human"]
    seeds = {c.conversation_ids[0]: f"seed-{n}" for n, c in enumerate(controls)}
    met = marks_of(people, seeds)
    for n in range(50):
        assert all(c.control != "known_human" for c in mix((), controls, 6, f"{n}", met=met, seeds=seeds))
    # All of one seed: one of them. One with a conversation or a seed of the unit: none.
    same = dict.fromkeys(seeds, "one seed")
    assert len(mix((), controls, 6, "chance", seeds=same)) == 1
    items = UNITS[0].items
    shared = {**SEEDS, controls[0].conversation_ids[0]: SEEDS[items[0].conversation_ids[0]]}
    assert mix(items, controls[:1], 6, "chance", seeds=shared) == list(items)


# -- controls of whole conversations -----------------------------------------------------------------------------------
def asking(items, *questions):
    return [replace(one, questions=questions) for one in items]


def test_controls_ask_what_the_unit_asks():
    items = asking(UNITS[0].items, "relevance")
    controls = asking(controls_of(2), "quality") + asking([control(9, "known_human")], "relevance")
    for n in range(60):
        mixed = mix(items, controls, 1, f"{n}", n, same_questions=True)
        assert [one for one in mixed if one.control] == [controls[-1]]
        assert controls[-1] in mix(items, controls, 2, f"{n}", n)
    assert mix(items, controls[:-1], 1, "chance", same_questions=True) == list(items)
    found = {one.item_id for n in range(60) for one in mix(items, controls[:-1], 1, f"{n}", n) if one.control}
    assert len(found) > 3  # where none asks the same, others will do


def test_a_control_is_dealt_as_often_as_an_item():
    number = 2 * len({(unit.block_id, unit.rotation) for unit in UNITS})
    controls = evenly([control(n, "known_human" if n < number / 4 else "known_bot:0") for n in range(number)])
    kinds = [one.control == "known_human" for one in controls]
    assert all(sum(kinds[n : n + 8]) in (2, 3) for n in range(0, number - 8, 2))
    first = first_controls(UNITS, 2)
    often = Counter()
    for unit in UNITS:
        dealt = [one for one in mix(unit.items, controls, 2, unit.unit_id, first[unit.unit_id]) if one.control]
        often.update(one.item_id for one in dealt)
    items = Counter(item.item_id for unit in UNITS for item in unit.items)
    assert set(often.values()) == {2} == set(items.values())
    assert len(often) == number


def test_a_control_of_two_conversations_is_left_out_if_either_was_met():
    two = replace(control(0, "known_human"), conversation_ids=("c1", "c2"))
    for met in ({"conversation c1"}, {"conversation c2"}, {"seed s2"}):
        assert mix((), [two], 1, "chance", met=met, seeds={"c2": "s2"}) == []
    assert mix((), [two], 1, "chance", met={"conversation c3"}, seeds={"c2": "s2"}) == [two]
