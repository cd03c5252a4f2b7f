"""Units from conversations: what a unit may never hold, what every segment must get, whatever the conversations."""

import json
import time
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.packing.blocks import PackOptions, is_people, pack, seed_of
from parlai_spotbot.surveys.packing.conversation_packing import shown_in
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.surveys.packing.segments import SegmentsPacking
from parlai_spotbot.surveys.packing.units_file import blocks_of
from tests.case_tables import case_table, cases
from tests.surveys.made_comparisons import SENTINEL, packed


def held(conversations, units):
    """By unit: its conversations."""
    by_id = indexed(conversations)
    return {unit.unit_id: [by_id[item.conversation_ids[0]] for item in unit.items] for unit in units}


def told(conversations, units, options):
    """The warnings of a packing, and the numbers of conversations left out by reason."""
    packing = SegmentsPacking()
    _, warnings = packing.told(units, indexed(conversations), options)
    left = packing.left_out(conversations, shown_in(units), options, {})
    return warnings, {row["reason"]: row["count"] for row in left}


def check(conversations, units, options):
    """What holds for every packing, one made in steps too."""
    repeats = 0
    for members in held(conversations, units).values():
        repeats += len(members) - len({c.conversation_id for c in members})
        repeats += len(members) - len({seed_of(c) for c in members})
        assert 0 < len(members) <= options.unit_size
        assert sum(map(is_people, members)) <= options.humans_per_unit
    assert repeats == 0
    assert len({unit.unit_id for unit in units}) == len(units)

    # A block shows each of its conversations once at each length that it fills, to every replicate.
    by_id = indexed(conversations)
    blocks = blocks_of(units)
    shown = Counter(
        (u.block_id, u.replicate, item.conversation_ids[0], item.exchanges) for u in units for item in u.items
    )
    replicates = range(options.annotators_per_segment)
    assert shown == Counter(
        (block, r, i, k)
        for block, ids in blocks.items()
        for i in ids
        for k in options.lengths(by_id[i])
        for r in replicates
    )

    # Annotators get nothing but the segment.
    assert SENTINEL not in json.dumps([unit.to_json() for unit in units])
    for item in (item for unit in units for item in unit.items):
        said = by_id[item.conversation_ids[0]].segment(item.exchanges)
        assert item.to_json()["transcripts"] == [[{"entity": i % 2, "text": t.text} for i, t in enumerate(said)]]
    ids = {i for unit in units for i in (unit.unit_id, unit.block_id, *(item.item_id for item in unit.items))}
    assert not any("bot" in i or HUMAN in i for i in ids)

    # One id stands for one segment, and for nothing else.
    names = {(item.item_id, item.conversation_ids, item.exchanges) for unit in units for item in unit.items}
    assert len(names) == len({name[0] for name in names}) == len({name[1:] for name in names})

    # Every usable conversation of bots is in one block; one of people in several only where it must.
    uses = Counter(i for ids in blocks.values() for i in ids)
    bots = [c for c in conversations if not is_people(c)]
    assert all(uses[c.conversation_id] == (1 if options.lengths(c) else 0) for c in bots)

    # Nothing is dropped silently.
    assert sum(told(conversations, units, options)[1].values()) == len(
        {c.conversation_id for c in conversations} - set(uses)
    )


@st.composite
def studies(draw, make):
    """Conversations with few or many seeds, long and short, many people or none; and options."""
    bots = [f"bot{i}" for i in range(draw(st.integers(1, 4)))]
    seeds = st.integers(0, draw(st.sampled_from([0, 2, 10, 1000])))
    exchanges = st.integers(draw(st.sampled_from([0, 1, 3])), 3)
    seed_id = st.one_of(st.just(""), seeds.map(lambda s: f"s{s}")) if draw(st.booleans()) else seeds.map("s{}".format)
    sizes = draw(st.integers(0, 40)), draw(st.integers(0, 15))
    entity = st.sampled_from(bots)
    conversations = [
        make(
            f"c{n}",
            (draw(entity), draw(entity)) if n < sizes[0] else (HUMAN, HUMAN),
            draw(seed_id),
            draw(exchanges),
            sentinel=SENTINEL,
        )
        for n in range(sum(sizes))
    ]
    size = draw(st.integers(1, 12))
    options = PackOptions(
        segments=tuple(sorted(draw(st.sets(st.integers(1, 4), min_size=1)))),
        unit_size=size,
        humans_per_unit=draw(st.integers(0, size - 1)),
        annotators_per_segment=draw(st.integers(1, 3)),
        seed=draw(st.integers(0, 5)),
    )
    return conversations, options


@pytest.mark.parametrize("number", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_packings(number, make_conversation):
    tried = packed(number, studies(make_conversation), pack, check)
    assert tried["packings"] == tried["grown"] >= number
    assert tried["units"] > 5 * number


def test_the_default_is_twenty_segments_fifteen_of_bots_and_every_length_mixed(pool):
    conversations = pool()  # 15 pairs, 10 conversations each, 50 between people
    options = PackOptions()
    units = pack(conversations, options)
    check(conversations, units, options)
    assert len(units) == 10 * 3 * 2
    assert len(blocks_of(units)) == 10
    for unit in units:
        assert len(unit.items) == 20
        members = held(conversations, [unit])[unit.unit_id]
        assert sum(map(is_people, members)) == 5
        # Pairs are spread evenly: 15 pairs, one conversation of each.
        assert len({c.pair for c in members}) == 16
        # Bots' lengths five of each, people's as even as five can be.
        lengths = Counter((is_people(c), item.exchanges) for c, item in zip(members, unit.items, strict=True))
        assert {lengths[False, k] for k in options.segments} == {5}
        assert {lengths[True, k] for k in options.segments} <= {1, 2}
    assert told(conversations, units, options) == ([], {})


def test_item_ids_need_the_hidden_turns_to_be_known(pool):
    one = pack(pool(people=0), PackOptions(humans_per_unit=0))
    other = pack(pool(people=0, sentinel="another opening"), PackOptions(humans_per_unit=0))
    ids = [{item.item_id for unit in units for item in unit.items} for units in (one, other)]
    assert not ids[0] & ids[1]


def test_people_are_spread_evenly_when_too_few_and_said(pool):
    conversations = pool(people=23)
    options = PackOptions()
    units = pack(conversations, options)
    per_unit = {Counter(map(is_people, m))[True] for m in held(conversations, units).values()}
    assert per_unit == {2, 3}
    assert "23 places of 50" in told(conversations, units, options)[0][0]


def test_a_block_without_people_borrows_some(pool):
    conversations = pool(people=3)
    options = PackOptions()
    units = pack(conversations, options)
    assert all(any(map(is_people, m)) for m in held(conversations, units).values())


@case_table(__file__, "refused")
def test_options_that_cannot_be(options, error):
    with pytest.raises(UserError, match=error):
        PackOptions(**options)


def test_a_conversation_that_stands_twice_is_named(make_conversation):
    twice = [make_conversation("same", ("bot0", "bot1"), f"s{n}", 5) for n in range(2)]
    with pytest.raises(UserError, match="'same' stands twice"):
        pack(twice, PackOptions())


def test_a_turn_that_nobody_reads_is_warned_about_and_costs_little(study_of, pool):
    conversations = pool(bots=2, per_pair=3, people=3)
    long = conversations[0]
    turns = (*long.turns[:-1], replace(long.turns[-1], text="word " * 400_000))
    study = study_of([replace(long, turns=turns), *conversations[1:]])
    started = time.process_time()
    (warning,) = [text for text in pack_study(study)["warnings"] if "characters" in text]
    assert warning.startswith("1 turn of more than 10,000 characters is shown")
    write_controls(study.load("spot_the_bot"))
    assert time.process_time() - started < 30
    longest = max(len(t.text) for item in read_controls(study.load("spot_the_bot")) for t in item.transcripts[0])
    assert longest <= 6000


@cases(
    "bots per_pair paired warning",
    """
- [6, 1, true, '15 conversations have one seed, which a unit shows once: 90 units of about 2 segments, not 6 of 20, so
   more people are trained, and 60 segments more are judged; without --paired-seeds, or with
   --conversations-per-pair 15, units are full (in another --study)']
- [6, 3, true, '15 conversations have one seed, which a unit shows once: 90 units of about 4 segments, not 18 of 20, so
   more people are trained; without --paired-seeds, or with --conversations-per-pair 15, units are full
   (in another --study)']
- [6, 15, true, null]
- [2, 1, true, null]
- [6, 3, false, null]
""",
)
def test_seeds_that_make_units_small_are_warned_about(pool, bots, per_pair, paired, warning):
    conversations = pool(bots=bots, per_pair=per_pair, people=80, paired=paired)
    options = PackOptions()
    assert told(conversations, pack(conversations, options), options)[0] == [warning] * (warning is not None)
