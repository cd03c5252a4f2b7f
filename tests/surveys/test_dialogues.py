"""Single whole conversations: each packed once, contestants judged equally often, a question a unit where asked."""

from collections import Counter

import pytest
from hypothesis import strategies as st

from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys.dimensions import NAMES
from parlai_spotbot.surveys.packing.dialogues import pack_dialogues
from parlai_spotbot.surveys.packing.units_file import marks_of
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, reserved
from tests.surveys.made_comparisons import packed


def options(survey="dialogue_likert", **change) -> WholeOptions:
    known = {"questions": NAMES, "sources": ("self", "human_model", "pairs"), "everything": True}
    if survey == "turn_likert":
        known |= {"spread": "units", "everything": False}
    return WholeOptions(survey, **{**known, **change})


def check(conversations, units, asked):
    by_id = indexed(conversations)
    seeds = {c.conversation_id: c.seed_id for c in conversations}
    blocks: dict[str, list] = {}
    for unit in units:
        held = [marks_of([item], seeds) for item in unit.items]
        assert len(set().union(*held)) == sum(map(len, held))
        assert len(unit.items) <= asked.unit_size
        blocks.setdefault(unit.block_id, []).append(unit)
    packed = Counter(
        i for own in blocks.values() for i in {i for u in own for item in u.items for i in item.conversation_ids}
    )
    assert set(packed.values()) <= {1}
    people = [c for c in conversations if c.kind == "people" and c.exchanges]
    kept = reserved(people, set(packed), asked.seed)
    for c in conversations:
        wanted = c.exchanges and (c.kind in asked.sources or (c.kind == "people" and asked.people))
        if not wanted or c.kind != "people":
            assert (c.conversation_id in packed) == bool(wanted)
        elif c.conversation_id not in packed:
            assert c.conversation_id in kept
    rotations = len(asked.questions) if asked.spread == "units" else 1
    for own in blocks.values():
        annotators = Counter(unit.rotation for unit in own)
        assert set(annotators) == set(range(rotations))
        assert len(set(annotators.values())) == 1
        assert len({(item.conversation_ids, item.judged) for unit in own for item in unit.items}) == len(own[0].items)
        for unit in own:
            assert {item.questions for item in unit.items} == {
                (asked.questions[unit.rotation],) if asked.spread == "units" else asked.put(asked.questions)
            }
    for unit in units:
        for item in unit.items:
            (seat,) = item.judged
            c = by_id[item.conversation_ids[0]]
            assert c.kind in ("people", *asked.sources)
            assert c.kind != "human_model" or c.entities[seat] != HUMAN


@st.composite
def studies(draw, make):
    found = []
    for number in range(draw(st.integers(1, 30))):
        a, b = draw(
            st.sampled_from(
                [("x", "x"), ("y", "y"), ("x", "y"), ("y", "x"), (HUMAN, "x"), ("y", HUMAN), (HUMAN, HUMAN)]
            )
        )
        seed = draw(st.sampled_from(["", "s1", "s2", f"own {number}"]))
        found.append(make(f"c{number}", (a, b), seed, draw(st.integers(0, 2))))
    survey = draw(st.sampled_from(["dialogue_likert", "turn_likert"]))
    asked = options(
        survey,
        sources=tuple(draw(st.sets(st.sampled_from(["self", "human_model", "pairs"]), min_size=1))),
        people=draw(st.booleans()),
        unit_size=draw(st.integers(1, 4)),
        annotators_per_item=draw(st.integers(1, 2)),
        repeated=draw(st.sampled_from([0.0, 0.25, 1.0])),
    )
    return found, asked


@pytest.mark.parametrize("number", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_random_packings(number, make_conversation):
    tried = packed(number, studies(make_conversation), pack_dialogues, check, "no conversation of bots")
    assert tried["packings"] > number / 3
    assert tried["grown"] > number / 6


def test_the_share_with_another_annotator_is_exact_however_the_study_grew(pool):
    conversations = pool(bots=4, per_pair=12, people=0)
    asked = options(sources=("pairs",), unit_size=1, repeated=0.25)
    units: list = []
    for many in (1, 2, 3, 7, 40, len(conversations)):
        units += pack_dialogues(conversations[:many], asked, units)
        replicates = Counter(unit.replicate for unit in units)
        assert replicates[0] == many
        assert abs(replicates[1] - 0.25 * many) <= 0.5


def test_contestants_and_seats_come_equally_often(pool):
    conversations = pool(bots=4, per_pair=12, people=16)
    units = pack_dialogues(conversations, options(sources=("pairs",)))
    by_id = indexed(conversations)
    items = [item for unit in units for item in unit.items]
    judged = Counter(by_id[i.conversation_ids[0]].entities[i.judged[0]] for i in items)
    assert judged == {**{f"bot{n}": 18 for n in range(4)}, HUMAN: 12}
    seats = Counter((by_id[i.conversation_ids[0]].entities[i.judged[0]], i.judged[0]) for i in items)
    assert all(abs(seats[name, 0] - seats[name, 1]) <= 4 for name in judged)
