"""Faulty conversations are left out of units only on request, and every one is counted and named."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study

FAULTY = {"bot0-bot1-0": "i am a bot .", "bot1-bot2-1": "</s>", "people-3": "i am a bot ."}


@pytest.fixture
def study(study_of, make_conversation):
    from parlai_spotbot.records import HUMAN

    made = []
    for pair in (("bot0", "bot1"), ("bot0", "bot2"), ("bot1", "bot2")):
        for number in range(8):
            name = f"{pair[0]}-{pair[1]}-{number}"
            say = (lambda speaker, turn, name=name: FAULTY.get(name, f"turn {turn}")) if name in FAULTY else None
            made.append(make_conversation(name, pair, f"seed of {name}", 5, **({"say": say} if say else {})))
    for number in range(8):
        name = f"people-{number}"
        say = {"say": lambda speaker, turn, name=name: FAULTY[name]} if name in FAULTY else {}
        made.append(make_conversation(name, (HUMAN, HUMAN), f"p{number}", 5, **say))
    return study_of(made)


def packed(study):
    return {i for unit in study.units("spot_the_bot") for item in unit.items for i in item.conversation_ids}


def test_what_is_left_out_is_counted_and_named(study):
    summary = pack_study(study, leave_out=["self_identified", "empty"])
    assert not packed(study) & set(FAULTY)
    rows = {row["reason"]: row["ids"] for row in summary["left_out"] if "request" in row["reason"]}
    assert rows == {
        "left out on request: self_identified": ["bot0-bot1-0", "people-3"],
        "left out on request: empty": ["bot1-bot2-1"],
    }
    recorded = study.provenance()["pack"]["spot_the_bot"]
    assert recorded["options"]["leave_out"] == ["empty", "self_identified"]
    assert recorded["left_out"] == summary["left_out"]
    units = study.units_path("spot_the_bot").read_bytes()
    again = pack_study(Study.open(study.path), leave_out=["empty", "self_identified"])
    assert again["added_units"] == 0
    assert study.units_path("spot_the_bot").read_bytes() == units


def test_what_cannot_be_left_out_says_so_before_anything_is_written(study):
    with pytest.raises(UserError, match="--leave-out emty: no such kind of fault") as error:
        pack_study(study, leave_out=["emty"])
    assert "Did you mean 'empty'" in error.value.remedy
    with pytest.raises(UserError, match="there are too few people"):
        pack_study(study, leave_out=["endless"])
    with pytest.raises(UserError, match="no such kind of fault"):
        pack_study(study, leave_out=["training"])
    assert not study.units_path("spot_the_bot").exists()


def test_leaving_out_everything_is_an_error(study_of, make_conversation):
    study = study_of([make_conversation(f"a-b-{n}", ("a", "b"), str(n), 5, say=lambda s, t: "") for n in range(3)])
    with pytest.raises(UserError, match="no conversation of bots is left to pack"):
        pack_study(study, leave_out=["empty"])
