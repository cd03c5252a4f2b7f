"""Several questions on one set of pairs: the same pairs for each, and nobody meets a conversation twice."""

import random
from collections import Counter
from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from made_comparisons import SETTINGS, options, self_chats, studies

from parlai_spotbot.crowdsourcing.desk.available_units import UnitStock, marks_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.scripts.spotbot_pack import SpotbotPack
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.surveys.packing.pairs import cells_of, comparisons_of, pack_same_pairs, pools_of, tally_of_items
from parlai_spotbot.surveys.packing.units_file import items_of

THREE = ("engagingness", "humanness", "knowledge")
TWO_WORDINGS = {
    "questions": {
        "longer": {"wording": "Whom would you talk to longer?", "option": "I would talk longer to {name}"},
        "again": {"wording": "Whom would you talk to again?", "option": "I would talk again to {name}"},
    }
}


def same(**change):
    return options(**{"questions": THREE, "same_pairs": True, **change})


def put_for(units):
    """The pairs of each question, as they are shown, and who of them is judged."""
    found = {}
    for unit in units:
        for item in unit.items:
            found.setdefault(item.questions[0], set()).add((item.conversation_ids, item.judged))
    return found


def check(conversations, units, asked):
    """What holds for every packing, one made in steps too; returns what is shown."""
    by_id = {c.conversation_id: c for c in conversations}
    put = put_for(units)
    pairs = set().union(*put.values())
    assert set(put) == (set(asked.questions) if pairs else set())
    assert all(own == pairs for own in put.values())
    assert len({frozenset(ids) for ids, _ in pairs}) == len(pairs)
    assert len({unit.unit_id for unit in units}) == len(units)

    blocks = {}
    for unit in units:
        assert 0 < len(unit.items) <= asked.unit_size
        assert len({item.questions for item in unit.items}) == 1  # a unit asks one question
        blocks.setdefault(unit.block_id, {}).setdefault(unit.rotation, []).append(unit)
    for rotations in blocks.values():
        shown = {frozenset((i.conversation_ids, i.judged) for i in u[0].items) for u in rotations.values()}
        assert len(shown) == 1  # the rotations of a block put the same pairs, each for another question
        assert len({u[0].items[0].questions for u in rotations.values()}) == len(rotations)
        for own in rotations.values():
            assert len({frozenset(i.item_id for i in unit.items) for unit in own}) == 1
            assert len(own) - asked.annotators_per_item in ((0, 1) if asked.repeated else (0,))

    shown = tally_of_items(items_of(units), by_id, asked)
    once = replace(asked, spread="")
    chosen = tally_of_items({frozenset(i.conversation_ids): i for u in units for i in u.items}.values(), by_id, once)
    pools = pools_of([c for c in conversations if c.exchanges], once, chosen.uses)
    cells, wanted = cells_of(pools, once), comparisons_of(pools, once)
    for cell in cells:
        counts = {shown.counts[replace(cell, question=question)] for question in asked.questions}
        assert counts == {chosen.counts[cell]}
        of_a, of_b = pools[cell.source][cell.a], pools[cell.source][cell.b]
        left = [(x, y) for x in of_a for y in of_b if x != y and frozenset((x, y)) not in shown.pairs]
        assert counts == {wanted} or (max(counts) < wanted and not left)
    return shown


def hand_out(conversations, units, annotators, chance, each=3):
    """Annotators come in any order for up to `each` units; who got which unit."""
    seeds = {c.conversation_id: c.seed_id for c in conversations}
    stock, got = UnitStock(units, seeds), {}
    comings = [f"w{n}" for n in range(annotators) for _ in range(each)]
    chance.shuffle(comings)
    for worker in comings:
        unit_id = stock.choose(worker)
        if unit_id is not None:
            unit = stock.units[unit_id]
            stock.take(unit_id)
            stock.bar(worker, [*marks_of(unit.items, seeds), f"block {unit.block_id}"])
            stock.finish(unit_id)
            got.setdefault(worker, []).append(unit)
    return stock, got


@pytest.mark.parametrize("number", [110, pytest.param(300, marks=pytest.mark.slow)])
def test_random_packings(number, make_conversation):
    tried = Counter()

    @settings(SETTINGS, max_examples=number)
    @given(studies(make_conversation), st.integers(1, 3), st.randoms(use_true_random=False), st.integers(1, 29))
    def packed(study, questions, chance, first):
        conversations, asked = study
        asked = replace(asked, questions=THREE[:questions], spread="items", everything=False, same_pairs=True)
        try:
            units = pack_same_pairs(conversations, asked)
        except UserError as err:
            assert "takes two" in str(err)  # noqa: PT017
            return
        shown = check(conversations, units, asked)
        mixed = conversations.copy()
        chance.shuffle(mixed)
        assert pack_same_pairs(mixed, asked) == units
        tried["packings"] += 1
        tried["pairs"] += len(shown.pairs)

        _, got = hand_out(conversations, units, 12, chance)
        for own in got.values():
            met = [i for unit in own for item in unit.items for i in item.conversation_ids]
            assert len(met) == len(set(met))

        # A study that grew, and was asked more: further pairs, and further questions on all of them.
        fewer = replace(asked, comparisons=asked.comparisons or 6)
        try:
            before = pack_same_pairs(conversations[:first], replace(fewer, questions=THREE[:1]))
        except UserError:
            return
        grown = before + pack_same_pairs(conversations, fewer, before)
        check(conversations, grown, replace(fewer, repeated=1.0) if fewer.repeated else fewer)
        assert pack_same_pairs(conversations, fewer, grown) == []
        tried["grown"] += 1

    packed()
    assert tried["packings"] > 50
    assert tried["grown"] > 15
    assert tried["pairs"] > 200


def test_every_pair_and_question_comes_to_somebody_else(make_conversation):
    conversations = self_chats(make_conversation, bots=2, each=10, people=20)
    asked = same(comparisons=6, annotators_per_item=2)
    units = pack_same_pairs(conversations, asked)
    shown = check(conversations, units, asked)
    assert len(shown.pairs) == 3 * 6
    stock, got = hand_out(conversations, units, len(units), random.Random(3), each=1)
    assert stock.done == set(stock.units)
    who = {}
    for worker, own in got.items():
        for item in own[0].items:
            who.setdefault(frozenset(item.conversation_ids), []).append((worker, item.questions[0]))
    for seen in who.values():
        assert len({worker for worker, _ in seen}) == len(seen) == 6
        assert Counter(question for _, question in seen) == dict.fromkeys(THREE, 2)


def test_a_study_keeps_to_it_and_says_so(study_of, make_conversation, tmp_path, capsys):
    study = study_of(self_chats(make_conversation, bots=2, each=6, people=16))
    wordings = tmp_path / "wordings.yaml"
    wordings.write_text(yaml.safe_dump(TWO_WORDINGS))
    words = ["--study", str(study.path), "--survey", "acute_eval", "--questions", str(wordings), "--same-pairs"]
    SpotbotPack.main(*words, "--annotators-per-item", "2", "--unit-size", "3")
    printed = capsys.readouterr().out
    assert printed.count(" (self) ") == 3
    held = study.units_path("acute_eval").read_bytes()
    put = put_for(study.units("acute_eval"))
    assert put["longer"] == put["again"]
    assert len(put["again"]) == 18

    again = pack_study(study, "acute_eval")  # what the study was packed with holds unless told
    assert again["added_units"] == 0
    more = pack_study(study, "acute_eval", ask=("engagingness", "longer", "again"))
    assert study.units_path("acute_eval").read_bytes().startswith(held)
    assert {count for row in more["tables"]["comparisons"].values() for count in row.values()} == {6}
    put = put_for(study.units("acute_eval"))
    assert put["engagingness"] == put["longer"]
    assert {unit.replicate for unit in study.units("acute_eval")} == {0, 1}
    assert more["largest_unit"] == 3
    assert HUMAN in more["tables"]["judged"]


@pytest.mark.parametrize("survey", ["comparative", "dialogue_likert"])
def test_others_ask_everything_of_the_same_conversations_anyway(study_of, make_conversation, survey):
    study = study_of(self_chats(make_conversation))
    with pytest.raises(UserError, match=r"--same-pairs: survey .* the same conversations anyway"):
        pack_study(study, survey, same_pairs=True)
    with pytest.raises(UserError, match="--same-pairs"):
        pack_study(study, "spot_the_bot", same_pairs=True)
