"""Comparisons of whole conversations: what may never stand together, what every two contestants must get."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys.packing.pairs import cells_of, comparisons_of, pack_pairs, pools_of, tally_of_items
from parlai_spotbot.surveys.packing.units_file import items_of, marks_of
from parlai_spotbot.surveys.packing.whole_items import usable
from parlai_spotbot.texts.surface import normalise
from tests.surveys.made_comparisons import SENTINEL, options, packed, self_chats, studies


def check(conversations, units, asked):
    """What holds for every packing, one made in steps too."""
    by_id = indexed(conversations)
    seeds = {c.conversation_id: c.seed_id for c in conversations}
    assert len({unit.unit_id for unit in units}) == len(units)
    assert SENTINEL not in json.dumps([unit.to_json() for unit in units])
    for unit in units:
        assert 0 < len(unit.items) <= asked.unit_size
        held = [marks_of([item], seeds) for item in unit.items]
        assert len(set().union(*held)) == sum(map(len, held))

    # Every annotator of a block gets the same items; a drawn share of blocks has one annotator more.
    blocks = {}
    for unit in units:
        blocks.setdefault(unit.block_id, []).append(unit)
    for members in blocks.values():
        extra = len(members) - asked.annotators_per_item
        assert extra in ((0,) if asked.repeated == 0 else (1,) if asked.repeated == 1 else (0, 1))
        assert len({frozenset(item.item_id for item in unit.items) for unit in members}) == 1
    listed = [i for members in blocks.values() for i in members[0].items]
    assert len({item.item_id for item in listed}) == len(listed)

    for item in listed:
        assert len(item.conversation_ids) == len(set(item.conversation_ids)) == 2
        talks = [by_id[i] for i in item.conversation_ids]
        names = [c.entities[seat] for c, seat in zip(talks, item.judged, strict=True)]
        assert len(set(names)) == 2
        for c, name, turns in zip(talks, names, item.transcripts, strict=True):
            assert c.kind == "people" if name == HUMAN else c.kind in asked.sources
            assert [u.text for u in turns] == [normalise(t.text) for t in c.shown]
            assert [u.entity for u in turns] == [i % 2 for i in range(len(turns))]
        assert item.exchanges == max(c.exchanges for c in talks)
        if asked.spread == "items":
            assert item.questions[0] in asked.questions
            assert item.questions[1:] == asked.companions

    # No two conversations are next to each other twice.
    pairs = Counter(frozenset(item.conversation_ids) for item in listed)
    assert set(pairs.values()) <= {1}

    # Every two contestants meet equally often on every question, unless no two of their conversations are left.
    shown = tally_of_items(items_of(units), by_id, asked)
    pools = pools_of(usable(conversations), asked, shown.uses)
    wanted = comparisons_of(pools, asked)
    for cell in cells_of(pools, asked):
        of_a, of_b = pools[cell.source][cell.a], pools[cell.source][cell.b]
        left = [(x, y) for x in of_a for y in of_b if x != y and frozenset((x, y)) not in shown.pairs]
        assert shown.counts[cell] == wanted or (shown.counts[cell] < wanted and not left)
    return shown, pools, wanted


@pytest.mark.parametrize("number", [60, pytest.param(400, marks=pytest.mark.slow)])
def test_random_packings(number, make_conversation):
    def growing(asked):
        return replace(asked, comparisons=asked.comparisons or 6)  # else what is wanted changes with the study

    tried = packed(number, studies(make_conversation), pack_pairs, check, "takes two", growing)
    assert tried["packings"] > 0.375 * number
    assert tried["grown"] > number / 8
    assert tried["units"] > 2 * number


def test_each_conversation_once_where_there_are_enough(make_conversation):
    comparisons = 2
    # Four contestants, three opponents each, two questions: 3 * 2 * comparisons conversations of each are enough.
    each = 6 * comparisons
    conversations = self_chats(make_conversation, bots=3, each=each, people=each + 12)
    asked = options(comparisons=comparisons)
    shown, _, wanted = check(conversations, pack_pairs(conversations, asked), asked)
    assert wanted == comparisons
    assert set(shown.uses.values()) == {1}
    assert sum(shown.counts.values()) == 6 * 2 * comparisons
    fewer = [c for c in conversations if not c.conversation_id.endswith("-0")]
    shown, _, _ = check(fewer, pack_pairs(fewer, asked), asked)
    assert max(shown.uses.values()) == 2  # one conversation too few of each bot: one of them comes twice
    assert sorted(Counter(shown.uses.values()).items())[1] == (2, 3)


def test_who_spoke_first_is_balanced_and_the_same_on_both_sides(make_conversation):
    conversations = self_chats(make_conversation, bots=3, each=12, people=20)
    asked = options(comparisons=7)
    units = pack_pairs(conversations, asked)
    shown, _, _ = check(conversations, units, asked)
    items = [item for unit in units for item in unit.items]
    assert all(item.judged[0] == item.judged[1] for item in items)
    for cell, count in shown.counts.items():
        assert {shown.seats[cell, 0], shown.seats[cell, 1]} == {count - 1, count + 1}
    first = Counter(by[0] for by in (item.conversation_ids[0].rpartition("-") for item in items))
    assert all(count > 15 for count in first.values())  # each stands first in the file about as often


def test_a_thing_compared_with_nothing_is_an_error(make_conversation):
    alone = self_chats(make_conversation, bots=1, people=0)
    with pytest.raises(UserError, match="one contestant, bot0; a comparison takes two"):
        pack_pairs(alone, options())
    assert pack_pairs(alone + self_chats(make_conversation, bots=0, people=9), options())
    twice = self_chats(make_conversation)
    with pytest.raises(UserError, match="stands twice"):
        pack_pairs([*twice, twice[0]], options())
