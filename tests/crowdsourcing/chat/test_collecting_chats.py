"""Chats become conversations of the study, with the judgements that name them, once and for every other survey."""

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym
from parlai_spotbot.crowdsourcing.withdraw import withdraw
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.crowdsourcing.chat.parlour import CALM, OBEDIENT, make_study
from tests.spoken import spoken

SURVEY = "interactive"


def talk(name, entities):
    texts = (f"turn {i} of {name}" for i in range(8))
    return spoken(name, entities, texts, domain="invented", seed_id=f"seed {name}")


FOR_OTHERS = {"sources": ("human_model",), "people": False, "repeated": 0.0}
BOTS = talk("bots", (CALM.name, OBEDIENT.name))
PEOPLE = talk("people", (HUMAN, HUMAN))


@pytest.fixture
def collected(company, parlour, tmp_path):
    """A study with two conversations, in which ann and bob have done a unit each; the place, and what was collected."""
    study = make_study(tmp_path / "study", CALM, OBEDIENT)
    checksums.write_jsonl(study.conversations_path, [BOTS, PEOPLE])
    place = parlour(company, study=study)
    for name in ("ann", "bob"):
        person = place.person(name)
        person.begin()
        person.finish(4)
    unfinished = place.person("cid")
    unfinished.begin()
    unfinished.chat(0, 4)
    unfinished.rate(0)
    return place, collect(study, SURVEY)


def test_chats_are_conversations_of_the_study_in_canonical_order(collected):
    place, found = collected
    study = place.study
    rows = study.conversations()
    assert [row.kind for row in rows] == ["pairs", *["human_model"] * 4, "people"]
    assert (rows[0], rows[-1]) == (BOTS, PEOPLE)
    chats = rows[1:-1]
    assert [(row.entities, row.number) for row in chats] == [
        ((HUMAN, bot), number) for bot in (CALM.name, OBEDIENT.name) for number in (0, 1)
    ]
    for row in chats:
        assert (row.seed_exchanges, row.exchanges, row.seed_id) == (0, 2, "")
        assert [turn.speaker for turn in row.turns] == [*row.entities] * 2
        assert row.turns[1].text.startswith("turn 1 after what do you think")
        assert row.provenance["interactor"] in {pseudonym(place.secret, name) for name in ("ann", "bob")}
        assert place.paths.secret.exists()
        assert "ann" not in row.conversation_id
    assert (found.units, found.chats.conversations, found.chats.added) == (2, 4, 4)


def test_collecting_again_changes_nothing_and_later_chats_are_added(collected):
    place, _ = collected
    study = place.study
    before = [path.read_bytes() for path in (study.conversations_path, study.judgements_path(SURVEY))]
    again = collect(study, SURVEY)
    assert (again.added, again.removed, again.chats.added, again.chats.removed) == (0, 0, 0, 0)
    assert [path.read_bytes() for path in (study.conversations_path, study.judgements_path(SURVEY))] == before
    person = place.person("cid")
    person.chat(1, 4)
    person.look()
    person.rate(1)
    person.ok("submit", person.submission())
    later = collect(study, SURVEY)
    assert (later.chats.added, later.units) == (2, 3)
    kept = [row for row in study.conversations() if row.conversation_id in str(before[0])]
    assert len(kept) == 6  # ids and all


def test_who_withdraws_takes_chats_and_ratings_along(collected):
    place, _ = collected
    study = place.study
    pack_study(study, "dialogue_likert", **FOR_OTHERS)
    place.stop()
    shown = {one for unit in study.units("dialogue_likert") for item in unit.items for one in item.conversation_ids}
    withdraw(study, "ann")
    found = collect(study, SURVEY)
    name = pseudonym(place.secret, "ann")
    assert (found.chats.conversations, found.chats.removed, found.withdrawn) == (2, 0, 1)
    gone = shown - {row.conversation_id for row in study.conversations()}
    assert len(gone) == 2
    for unit in study.units("dialogue_likert"):
        for item in unit.items:
            texts = {turn.text for transcript in item.transcripts for turn in transcript}
            assert (texts == {"[withdrawn]"}) == bool(gone & set(item.conversation_ids))
    assert all(row.worker_id != name for row in study.judgements(SURVEY))
    assert all(row.provenance.get("interactor") != name for row in study.conversations())
    said = [path.read_bytes() for path in place.paths.folder.rglob("*") if path.is_file()]
    assert not any(b"what do you think of number 2 ?" in raw and b"ann" in raw for raw in said if b"SQLite" not in raw)
    place.start()
    kept = place.server.intake.call(place.ledger.chats, "status = 'withdrawn'")
    assert len(kept) == 2
    assert all(place.server.intake.call(place.ledger.turns, chat.chat_id) == [] for chat in kept)
