"""What conversations begin on: their seed, its text, or a first turn that several were given."""

from dataclasses import replace

from parlai_spotbot.findings.answers import recurring_prompts
from parlai_spotbot.records import HUMAN
from tests.spoken import spoken

ASKED = "How would you plan a weekend in Lisbon for two?"
TASK = "Tell me how the tides work, as you would tell a child."


def opened(name, entities, first, *more):
    return replace(spoken(name, entities, [first, "Well.", *more]), seed_id=None, seed_exchanges=0)


def test_a_seed_or_its_text_is_the_prompt():
    named = [spoken(f"c{n}", ("x", "y"), ["Hi", "Yo", "a", "b"], seed_id=f"s{n // 2}") for n in range(4)]
    assert recurring_prompts(named) == {"c0": "s0", "c1": "s0", "c2": "s1", "c3": "s1"}
    unnamed = [replace(talk, seed_id=None) for talk in named]
    assert len(set(recurring_prompts(unnamed).values())) == 1


def test_a_first_turn_that_people_or_several_contestants_say_is_a_prompt():
    by_people = [opened(f"c{n}", (HUMAN, "xy"[n % 2]), (ASKED, TASK)[n // 2]) for n in range(4)]
    by_bots = [opened(f"c{n}", ("x", "y") if n % 2 else ("y", "x"), (ASKED, TASK)[n // 2]) for n in range(4)]
    for talks in (by_people, by_bots):
        begun = recurring_prompts(talks)
        assert begun["c0"] == begun["c1"] != begun["c2"] == begun["c3"]


def test_a_greeting_or_one_contestants_own_opening_is_no_prompt():
    assert recurring_prompts([opened(f"c{n}", (HUMAN, "x"), "Hi, how are you?") for n in range(4)]) == {}
    assert recurring_prompts([opened(f"c{n}", ("x", "y"), ASKED) for n in range(4)]) == {}
    assert recurring_prompts([]) == {}
