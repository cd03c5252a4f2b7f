"""Control segments: chosen by the rule, made of what no unit shows, set aside once, graded as stated."""

import itertools
import re
from collections import Counter

import pytest
from people_talking import chat

from parlai_spotbot import checksums, files
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Utterance
from parlai_spotbot.surveys.controls import controls_path, missed_by, read_controls, truth, write_controls
from parlai_spotbot.surveys.controls.segments import KNOWN_BOT, KNOWN_HUMAN, WANTED, SegmentControl, fits
from parlai_spotbot.surveys.packing.blocks import PackOptions
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.texts.surface import normalise

OPTIONS = PackOptions(segments=(2, 3, 5), seed=3)
LENGTHS = {(2,): 1, (3,): 1, (5,): 1}

PEOPLE = 3 * WANTED


def control(kind: str | None, name: str = "c") -> Item:
    return Item(name, (f"conversation of {name}",), 1, ((Utterance(0, "a"), Utterance(1, "b")),), kind)


def texts(item: Item) -> list[str]:
    return [utterance.text for utterance in item.transcripts[0]]


# -- the rule --------------------------------------------------------------------------------------------------------
def test_what_the_rule_looks_at():
    turns = [
        "we spent sunday at the harbour watching boats",  # 8 words
        "the harbours are lovely, did you count the boats",  # 9; harbou, boats
        "no, there were far too many of them to count",  # 10; nothing: "count" is of four letters or more
        "i would have lost interest after a minute",  # 8; nothing
    ]
    assert fits(turns)  # two words taken up in two exchanges
    more = ["whoever comes here should bring their umbrella", "my uncle swears by pickles with his breakfast"]
    assert not fits(turns + more)  # in three exchanges, three are wanted
    assert not fits([*turns[:2], "well then", *turns[3:]])
    assert not fits([turns[0], turns[1], turns[0], turns[1]])  # said twice


NATURES = ("human", "bot", "unsure")


def test_people_are_missed_by_two_bots_only_and_bots_by_anything_else():
    for first, second in itertools.product(NATURES, NATURES):
        answers = {("nature", "entity:0"): first, ("nature", "entity:1"): second, ("fluency", "pair"): "entity:0"}
        assert missed_by(KNOWN_HUMAN, answers) is (first == second == "bot")
        assert missed_by("known_bot:0", answers) is (first != "bot")
        assert missed_by("known_bot:1", answers) is (second != "bot")
    assert missed_by("known_bot:1", {})
    with pytest.raises(ValueError, match="None"):
        missed_by(None, {})


# -- making ----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def made() -> list[Item]:
    return SegmentControl().items([chat(n) for n in range(PEOPLE)], LENGTHS, [()], OPTIONS)


def test_as_many_people_as_bots_each_conversation_once_at_all_lengths(made):
    assert Counter(i.control == KNOWN_HUMAN for i in made) == {True: WANTED, False: WANTED}
    assert abs(Counter(i.control for i in made)["known_bot:0"] - WANTED / 2) <= 3
    used = [c for item in made for c in item.conversation_ids]
    assert len(set(used)) == len(used) == 2 * WANTED
    for known in (True, False):
        lengths = Counter(item.exchanges for item in made if (item.control == KNOWN_HUMAN) is known)
        assert lengths == {2: WANTED / 3, 3: WANTED / 3, 5: WANTED / 3}
    assert len({item.item_id for item in made}) == len(made)


def test_people_stay_as_they_spoke_in_the_surface_form_of_all_segments(made):
    shown = {c.conversation_id: [normalise(t.text) for t in c.shown] for c in (chat(n) for n in range(PEOPLE))}
    for item in made:
        original = shown[item.conversation_ids[0]][: 2 * item.exchanges]
        for entity, nature in enumerate(truth(item.control)):
            assert (texts(item)[entity::2] == original[entity::2]) is (nature == "human")
        assert [u.entity for u in item.transcripts[0]] == [0, 1] * item.exchanges
        assert all(normalise(text) == text for text in texts(item))
        if item.control == KNOWN_HUMAN:
            assert fits(texts(item))


def test_a_known_bot_loops_or_parrots(made):
    kinds = Counter()
    for item in made:
        if item.control == KNOWN_HUMAN:
            continue
        entity = KNOWN_BOT.index(item.control)
        said, heard = texts(item)[entity::2], texts(item)[1 - entity :: 2]
        parrot = said == heard if entity else said[1:] == heard[:-1]
        few = len(set(said)) <= 2
        assert len(set(said)) < len(said) or parrot or item.exchanges < 4
        parts = [turn.split(". ") for turn in said]
        stutter = all(len(p) == 3 and len(set(p)) == 2 for p in parts) and len({x for p in parts for x in p}) == 2
        assert parrot or few or stutter, said
        kinds["parrot" if parrot else "stutter" if stutter else len(set(said))] += 1
    assert set(kinds) == {"parrot", "stutter", 1, 2}
    sentences = {tuple(sorted(set(texts(i)[KNOWN_BOT.index(i.control) :: 2]))) for i in made if i.control in KNOWN_BOT}
    assert len(sentences) > WANTED / 2  # words are drawn again


def test_what_speaks_of_bots_is_not_used():
    people = [chat(n) for n in range(10)]
    telling = chat(50)
    turns = (*telling.turns[:3], Turn(HUMAN, "Are you a BOT by any chance?"), *telling.turns[4:])
    people.append(Conversation("telling", "chitchat", (HUMAN, HUMAN), 0, (HUMAN, HUMAN), turns, 1))
    items = SegmentControl().items(people, LENGTHS, [()], OPTIONS)
    used = {c for item in items for c in item.conversation_ids}
    assert used == {c.conversation_id for c in people} - {"telling"}
    assert Counter(i.control == KNOWN_HUMAN for i in items) == {True: 5, False: 5}


# -- on disk ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def packed(study_of, pool):
    """A packed study with a few conversations between people that no unit shows, and one of a seed that is shown."""
    conversations = pool(bots=3, per_pair=15, people=15)
    twin = chat(900, name="twin")
    twin = Conversation(twin.conversation_id, "chitchat", twin.pair, 0, twin.entities, twin.turns, 1, "p0")
    study = study_of([*conversations, *(chat(n) for n in range(100, 130)), twin])
    pack_study(study)
    return study


def test_controls_are_set_aside_once(packed):
    path = write_controls(packed, "spot_the_bot")
    assert path == controls_path(packed, "spot_the_bot")
    assert path.parent.name == "spot_the_bot"
    before, when = path.read_bytes(), path.stat().st_mtime_ns
    assert write_controls(packed, "spot_the_bot") == path
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, when)
    items = read_controls(packed, "spot_the_bot")
    assert "".join(files.dumps(item.to_json()) + "\n" for item in items).encode() == before
    assert len(items) == 2 * WANTED
    units = packed.units("spot_the_bot")
    shown = {c for unit in units for item in unit.items for c in item.conversation_ids}
    seeds = {c.conversation_id: c.seed_id for c in packed.conversations()}
    for item in items:
        name = item.conversation_ids[0]
        assert name not in shown
        assert seeds.get(name, name) not in {seeds[c] for c in shown}
    about = packed.provenance()["controls"]["spot_the_bot"]
    assert about[KNOWN_HUMAN] == WANTED
    assert about["warnings"] == []
    assert "parrots" in about["rule"]
    assert 0 < about["from_domain"] < 2 * WANTED  # the study's own did not suffice


def test_another_seed_changes_them_until_somebody_has_been_handed_a_unit(packed):
    path = write_controls(packed, "spot_the_bot")
    first = path.read_bytes()
    write_controls(packed, "spot_the_bot", seed=77)
    second = path.read_bytes()
    assert second != first
    ledger = path.parent / "crowdsourcing" / "ledger.db"
    checksums.write_text(ledger, "")
    write_controls(packed, "spot_the_bot")
    assert path.read_bytes() == second


def test_a_study_without_people_to_spare_says_so(packed):
    yaml = packed.plan_path.read_text(encoding="utf-8")
    checksums.write_text(packed.plan_path, re.sub("domain: chitchat", "domain: elsewhere", yaml))
    units = {c for unit in packed.units("spot_the_bot") for item in unit.items for c in item.conversation_ids}
    kept = [c.to_json() for c in packed.conversations() if c.conversation_id in units]
    checksums.write_jsonl(packed.conversations_path, kept)
    study = type(packed).open(packed.path)
    path = write_controls(study, "spot_the_bot")
    assert path.read_text(encoding="utf-8") == ""
    assert read_controls(study, "spot_the_bot") == []
    (warning,) = study.provenance()["controls"]["spot_the_bot"]["warnings"]
    assert re.match("0 controls, where 4 or more.*--human-conversations", warning)
    assert read_controls(study, "spot_the_bot_game") == []
