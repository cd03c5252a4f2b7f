"""Each bot is told what its own side knows, as ParlAI's models expect it; nobody who judges ever sees it."""

import pytest

from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.selfplay.play import claimed, play
from parlai_spotbot.surveys.packing.pack_study import pack_study


def bot(name, kind):
    return Contestant(name, model=f"tests.domains.telling_agents:{kind}Agent", turn_timeout=60)


def played(path, domain, *bots, **asked):
    contestants = {c.name: c for c in bots}
    asked = SelfPlayRequest(
        contestants=contestants, domain=domain, **{"conversations_per_pair": 2, "batchsize": 2, **asked}
    )
    with claimed(path, "test") as folder:
        return play(folder, asked, progress=False, say=lambda line: None).study


@pytest.fixture(scope="module")
def at(datapath):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PARLAI_DATAPATH", datapath)
        yield


@pytest.fixture(scope="module")
def personachat(at, tmp_path_factory):
    """Bots that say what they would read."""
    study = played(tmp_path_factory.mktemp("pc") / "s", "convai2", bot("a", "History"), bot("b", "History"))
    return study, study.conversations()


def test_each_bot_of_personachat_reads_its_own_persona_before_the_seed(personachat):
    rows = [c for c in personachat[1] if HUMAN not in c.entities]
    assert len(rows) == 2
    for row in rows:
        name = row.turns[0].text.split()[0]
        opening, answer = (turn.text for turn in row.turns[:2])
        first, second = (turn.text.split(" | ") for turn in row.shown[:2])
        begins = [f"your persona: i am {name} who begins .", "your persona: i like tests ."]
        # The data tell of the answering side's persona what its partner was told: one line.
        assert first == [f"HEARD {begins[0]}", *first[1:]]
        assert first[1] in (begins[1], opening)
        assert first[-2:] == [opening, answer]
        assert second[0] == f"HEARD your persona: i am {name} who answers ."
        assert second[-3:] == [opening, answer, row.shown[0].text.replace("\n", " | ")] or opening in second
        assert not any("who answers" in line for line in first)
        assert "who begins" not in " | ".join(second).split("HEARD", 2)[1]


def test_the_speaker_of_empathetic_dialogues_has_the_situation_and_the_listener_none(at, tmp_path):
    study = played(
        tmp_path / "s", "ed", bot("a", "History"), bot("b", "History"), exchanges=1, segments=[1], human_conversations=1
    )
    rows = [c for c in study.conversations() if HUMAN not in c.entities]
    assert len(rows) == 2
    for row in rows:
        assert row.context == ("your persona: I won once", "")
        opening, answer = (turn.text for turn in row.turns[:2])
        first, second = (turn.text for turn in row.shown)
        assert first == f"HEARD your persona: I won once | {opening} | {answer}"
        assert second == f"HEARD {opening} | {answer} | {first}"
    people = [c for c in study.conversations() if HUMAN in c.entities]
    assert [c.context for c in people] == [("your persona: I won once", "")]


def test_annotators_and_judges_see_no_persona(at, tmp_path):
    study = played(
        tmp_path / "s",
        "convai2",
        bot("a", "Quiet"),
        bot("b", "Quiet"),
        exchanges=2,
        segments=[1, 2],
        human_conversations=1,
    )
    assert b"persona" in study.conversations_path.read_bytes()
    pack_study(study, humans_per_unit=1, unit_size=4)
    units = study.units_path("spot_the_bot").read_text()
    assert "i would read" in units
    assert "persona" not in units
    assert "who begins" not in units
    kinds = {c.is_human for c in study.conversations()}
    shown = {i for unit in study.units("spot_the_bot") for item in unit.items for i in item.conversation_ids}
    assert len(kinds) == 2  # people's conversations have contexts, too, and are packed
    assert shown == {c.conversation_id for c in study.conversations()}
