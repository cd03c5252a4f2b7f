"""The doors: who is let in, under which name, and how they leave."""

from types import SimpleNamespace

import pytest

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.platforms.mturk import MTurkDoor
from parlai_spotbot.crowdsourcing.platforms.prolific import ProlificDoor, ProlificIds
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.errors import UserError
from parlai_spotbot.files import Journal
from tests.case_tables import cases

SECRET = bytes(range(32))
PID, STUDY, SESSION, OTHER = (digit * 24 for digit in "abcd")


def turned_away(door, query):
    with pytest.raises(Refusal) as caught:
        door.enter(query)
    assert (caught.value.status, caught.value.code) == (403, "link")


# -- in-house ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("worker", ["Zoë Müller", "a'; DROP TABLE x;--"])
def test_in_house_a_link_is_its_annotator(worker):
    door = InHouseDoor(SECRET)
    visitor = door.enter({"t": tokens.sign(SECRET, tokens.LINK, {"worker": worker})})
    assert (visitor.worker, visitor.registration) == (worker, "")
    assert door.finish(visitor, "finished", 3) == {"kind": "none"}


# -- Prolific ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def prolific(tmp_path):
    return made(tmp_path)


class AllSigned:
    """Takes every token for one of Prolific's; test_prolific.py has the real ones."""

    def read(self, token, was_used):
        return ProlificIds(*token.split("|"))


def made(tmp_path):
    settings = LaunchSettings(prolific_study=STUDY, completion_code="DONE 1&2", screened_out_code="OUT")
    return ProlificDoor(SECRET, "mine", settings, tmp_path / "prolific.jsonl", AllSigned())


def coming(participant=PID, session=SESSION, study="mine", secret=SECRET):
    return {
        "study": tokens.sign(secret, tokens.STUDY, {"study": study}),
        "PROLIFIC_PID": participant,
        "STUDY_ID": STUDY,
        "SESSION_ID": session,
        "prolific_token": f"{participant}|{STUDY}|{session}".lower(),
    }


def test_prolific_needs_the_signed_link_of_this_study(prolific):
    turned_away(prolific, {**coming(), "study": "mine"})
    turned_away(prolific, coming(study="another"))
    turned_away(prolific, coming(secret=bytes(32)))
    turned_away(prolific, {"PROLIFIC_PID": PID})
    turned_away(prolific, {**coming(), "PROLIFIC_PID": OTHER})


def test_prolific_nobody_new_comes_in_where_nothing_can_be_written(prolific, monkeypatch):
    def full(self, *rows):
        raise UserError("bindings.jsonl: cannot write: No space left on device.")

    prolific.enter(coming())
    monkeypatch.setattr(Journal, "append", full)
    with pytest.raises(Refusal) as caught:
        prolific.enter(coming(participant=OTHER, session="9" * 24))
    assert caught.value.status == 503
    assert prolific.enter(coming()).worker == PID


@cases("state done code", "[[finished, 3, DONE 1&2], [stopped, 0, OUT], [waiting, 1, DONE 1&2]]")
def test_prolific_codes(prolific, state, done, code):
    finish = prolific.finish(prolific.enter(coming()), state, done)
    assert (finish["kind"], finish["code"]) == ("code", code)
    assert finish["link"].startswith("https://app.prolific.com/submissions/complete?cc=")
    assert " " not in finish["link"]
    assert "&" not in finish["link"]


# -- MTurk -------------------------------------------------------------------------------------------------------------
MTURK = {
    "workerId": "A1EXAMPLE",
    "assignmentId": "3ASSIGNMENT1",
    "hitId": "3HITHITHIT1",
    "turkSubmitTo": "https://evil.example",
}


def mturk(hits=lambda hit: True, accepted=lambda hit: True, sandbox=True):
    """The door of a run with these HITs, of which some are in somebody's hands."""
    return MTurkDoor(SimpleNamespace(knows_hit=hits, has_accepted=accepted), sandbox)


def test_mturk_lets_workers_of_a_hit_of_this_run_in():
    door = mturk(lambda hit: hit == "3HITHITHIT1")
    visitor = door.enter(MTURK)
    assert (visitor.worker, visitor.registration) == ("A1EXAMPLE", "3ASSIGNMENT1")
    assert visitor.provider_data["hit_id"] == "3HITHITHIT1"
    turned_away(door, {**MTURK, "hitId": "3HITHITHIT2"})


def test_mturk_a_hit_that_nobody_has_accepted_lets_nobody_in():
    """20 of 20 made-up workers came in, once."""
    held = set()
    door = mturk(accepted=held.__contains__)
    for number in range(20):
        with pytest.raises(Refusal) as caught:
            door.enter({**MTURK, "workerId": f"A{number:05d}", "hitId": f"3HITHITHIT{number:02d}"})
        assert (caught.value.status, caught.value.code) == (503, "not_accepted")  # MTurk may be slow to say
    held.add("3HITHITHIT00")
    assert door.enter({**MTURK, "hitId": "3HITHITHIT00"}).worker == "A1EXAMPLE"


@cases("change", "[{workerId: ann}, {assignmentId: x}, {hitId: ../x}]")
def test_mturk_ids_look_like_mturk_s(change):
    turned_away(mturk(), {**MTURK, **change})


def test_mturk_a_preview_is_nobody():
    door = mturk(lambda hit: False, lambda hit: False)
    assert door.enter({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "3HITHITHIT1"}).worker == ""


@cases("sandbox site", "[[true, workersandbox], [false, www]]")
def test_mturk_answers_go_to_mturk_whatever_the_address_says(sandbox, site):
    door = mturk(sandbox=sandbox)
    finish = door.finish(door.enter(MTURK), "handed_in", 1)
    assert finish["action"] == f"https://{site}.mturk.com/mturk/externalSubmit"
    assert finish["fields"]["assignmentId"] == "3ASSIGNMENT1"
    assert len(finish["fields"]) >= 2  # MTurk refuses a form with nothing but the assignment
    assert finish["action"].partition("/mturk/")[0] in door.framed_by
    assert door.finish(door.enter(MTURK), "stopped", 1) == {"kind": "none"}
