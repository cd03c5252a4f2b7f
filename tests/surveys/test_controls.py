"""Control segments: chosen by the rule, made of what no unit shows, set aside once, graded as stated."""

import itertools
import re
from collections import Counter

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Utterance, indexed
from parlai_spotbot.surveys.controls import missed_by, read_controls, truth, write_controls
from parlai_spotbot.surveys.controls.segments import KNOWN_BOTS, KNOWN_HUMAN, WANTED, Draw, SegmentControl, fits
from parlai_spotbot.surveys.packing.blocks import PackOptions, as_shown, make_item
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.surveys.scripted_bots import WORD, shape_of
from parlai_spotbot.texts.surface import normalise
from tests.surveys.people_talking import chat

OPTIONS = PackOptions(segments=(2, 3, 5), seed=3)
PEOPLE = 3 * WANTED


def control(kind: str | None, name: str = "c") -> Item:
    return Item(name, (f"conversation of {name}",), 1, ((Utterance(0, "a"), Utterance(1, "b")),), kind)


def texts(item: Item) -> list[str]:
    return [utterance.text for utterance in item.transcripts[0]]


# -- the rule --------------------------------------------------------------------------------------------------------
def test_what_the_rule_looks_at():
    turns = [
        "we spent sunday at the harbour watching boats",
        "the harbours are lovely, did you count the boats",  # harbou, boats
        "no, there were far too many of them to count",  # nothing: "count" is an everyday word or not long enough
    ]
    assert fits(turns[:2])
    assert not fits(["we spent sunday", "well then", "the harbour is lovely"])
    assert not fits([turns[0], turns[1], turns[0], turns[1]])  # said twice


NATURES = ("human", "bot", "unsure")


def test_people_are_missed_by_two_bots_only_and_bots_by_anything_else():
    for first, second in itertools.product(NATURES, NATURES):
        answers = {("nature", "entity:0"): first, ("nature", "entity:1"): second, ("fluency", "pair"): "entity:0"}
        assert missed_by(KNOWN_HUMAN, answers) is (first == second == "bot")
        assert missed_by("known_bot:0", answers) is (first != "bot")
        assert missed_by("known_bot:1", answers) is (second != "bot")
        assert missed_by("known_bots", answers) is ("human" in (first, second) or first == second == "unsure")
        one = {("nature", "entity:0"): first}  # where one of the two alone is asked about
        assert missed_by(KNOWN_HUMAN, one) is (first == "bot")
        assert missed_by("known_bots", one) is (first != "bot")
    assert missed_by("known_bot:1", {})
    with pytest.raises(ValueError, match="None"):
        missed_by(None, {})


# -- making ----------------------------------------------------------------------------------------------------------
def bot_talk(number: int) -> Conversation:
    turns = (Turn(HUMAN, "Hello"), Turn(HUMAN, "Hi"))
    turns += tuple(Turn(f"b{n % 2}", f"Well, the {'so' * (number % 5 + 1)} number {n}'s mine!") for n in range(10))
    return Conversation(f"talk-{number}", "chitchat", ("b0", "b1"), number, ("b0", "b1"), turns, 1, f"t{number}")


BOTS, SHOWN = [bot_talk(n) for n in range(30)], [chat(n, name=f"shown-{n}") for n in range(10)]
ITEMS = [make_item(talk, k, OPTIONS, as_shown(talk, k, OPTIONS)) for talk in [*BOTS, *SHOWN] for k in (2, 3, 5)]


def controls_of(people, count=WANTED):
    talks = indexed([*BOTS, *SHOWN])
    return SegmentControl().items(people, Draw(OPTIONS, count, [()], ITEMS, talks))


@pytest.fixture(scope="module")
def made() -> list[Item]:
    return controls_of([chat(n) for n in range(PEOPLE)])


def test_as_many_people_as_among_items_at_all_lengths(made):
    assert Counter(i.control for i in made) == {KNOWN_HUMAN: WANTED / 4, KNOWN_BOTS: WANTED * 3 / 4}
    used = [(c, item.exchanges) for item in made for c in item.conversation_ids]
    assert len(set(used)) == len(used)
    for mark in (KNOWN_HUMAN, KNOWN_BOTS):
        lengths = Counter(item.exchanges for item in made if item.control == mark)
        assert max(lengths.values()) <= 2 * min(lengths.values())
    assert len({item.item_id for item in made} | {item.item_id for item in ITEMS}) == len(made) + len(ITEMS)


def test_people_stay_as_they_spoke_in_the_surface_form_of_all_segments(made):
    shown = {c.conversation_id: [normalise(t.text) for t in c.shown] for c in (chat(n) for n in range(PEOPLE))}
    for item in made:
        assert [u.entity for u in item.transcripts[0]] == [0, 1] * item.exchanges
        assert all(normalise(text) == text for text in texts(item))
        if item.control == KNOWN_HUMAN:
            assert fits(texts(item))
            assert texts(item) == shown[item.conversation_ids[0]][: 2 * item.exchanges]
        assert truth(item.control) == (("human",) * 2 if item.control == KNOWN_HUMAN else ("bot",) * 2)


def test_a_script_says_one_word_for_each_length_and_nothing_that_is_in_a_unit(made):
    said = {text for item in ITEMS for text in texts(item)}
    for item in made:
        if item.control == KNOWN_BOTS:
            assert said.isdisjoint(texts(item))
            for entity in (0, 1):
                words = {word for turn in texts(item)[entity::2] for word in WORD.findall(turn)}
                assert len(words) == len({shape_of(word) for word in words})
            lengths = {len(normalise(t.text)) for talk in BOTS for t in talk.shown}
            assert all(min(lengths) - 5 <= len(text) <= max(lengths) + 5 for text in texts(item))


def test_what_speaks_of_bots_is_not_used():
    people = [chat(n) for n in range(10)]
    telling = chat(50)
    turns = (*telling.turns[:3], Turn(HUMAN, "Are you a BOT by any chance?"), *telling.turns[4:])
    people.append(Conversation("telling", "chitchat", (HUMAN, HUMAN), 0, (HUMAN, HUMAN), turns, 1))
    known = [item for item in controls_of(people, 400) if item.control == KNOWN_HUMAN]
    assert {c for item in known for c in item.conversation_ids} == {c.conversation_id for c in people} - {"telling"}


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
    path = write_controls(packed.load("spot_the_bot"))
    assert path == packed.survey_path("spot_the_bot") / "controls.jsonl"
    assert path.parent.name == "spot_the_bot"
    before, when = path.read_bytes(), path.stat().st_mtime_ns
    assert write_controls(packed.load("spot_the_bot")) == path
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, when)
    items = read_controls(packed.load("spot_the_bot"))
    assert "".join(files.dumps(item) + "\n" for item in items).encode() == before
    assert len(items) == max(WANTED, 2 * len({(unit.block_id, unit.rotation) for unit in packed.units("spot_the_bot")}))
    units = packed.units("spot_the_bot")
    shown = {c for unit in units for item in unit.items for c in item.conversation_ids}
    seeds = {c.conversation_id: c.seed_id for c in packed.conversations()}
    for item in items:
        name = item.conversation_ids[0]
        assert name not in shown
        assert seeds.get(name, name) not in {seeds[c] for c in shown}
    about = packed.provenance()["controls"]["spot_the_bot"]
    assert about[KNOWN_HUMAN] == len(items) / 4
    assert about["warnings"] == []
    assert "script" in about["rule"]


def test_another_seed_changes_them_until_somebody_has_been_handed_a_unit(packed):
    path = write_controls(packed.load("spot_the_bot"))
    first = path.read_bytes()
    write_controls(packed.load("spot_the_bot"), seed=77)
    second = path.read_bytes()
    assert second != first
    ledger = path.parent / "crowdsourcing" / "ledger.db"
    checksums.write_text(ledger, "")
    write_controls(packed.load("spot_the_bot"))
    assert path.read_bytes() == second


def test_a_study_without_people_to_spare_says_so(packed):
    yaml = packed.plan_path.read_text(encoding="utf-8")
    checksums.write_text(packed.plan_path, re.sub("domain: chitchat", "domain: elsewhere", yaml))
    units = {c for unit in packed.units("spot_the_bot") for item in unit.items for c in item.conversation_ids}
    kept = [c for c in packed.conversations() if c.conversation_id in units]
    checksums.write_jsonl(packed.conversations_path, kept)
    study = type(packed).open(packed.path)
    path = write_controls(study.load("spot_the_bot"))
    assert path.read_text(encoding="utf-8") == ""
    assert read_controls(study.load("spot_the_bot")) == []
    (warning,) = study.provenance()["controls"]["spot_the_bot"]["warnings"]
    assert re.match("0 controls, where 4 or more.*import more conversations between people", warning)
    assert read_controls(study.load("spot_the_bot_game")) == []
