"""Whom the platform doesn't know is left out of what is collected, kept in the ledger, counted and said."""

import csv

import pytest
from in_process import spotbot
from people import SURVEY
from test_collect import Collection

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.platforms.participant_lists import PlatformEntry, read_export
from parlai_spotbot.errors import UserError
from parlai_spotbot.study_check import check_study

ANNA, BOB, MADE_UP = (digit * 24 for digit in "ab0")
STUDY = "c" * 24


@pytest.fixture
def collection(tmp_path):
    """Two participants and one who made up an id did a unit each; recruited through Prolific."""
    made = Collection(tmp_path / "study")
    recruited(made, "prolific", accept_unverified_ids=True, prolific_study=STUDY)
    for worker in (ANNA, BOB, MADE_UP):
        made.work(worker)
    return made


def recruited(collection, provider, **settings):
    checksums.write_json(collection.paths.launch, {"settings": {"provider": provider, **settings}})


def export(path, *rows, header="Submission id,Participant id,Status,Started at,Completion code"):
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def submissions(tmp_path, *rows):
    return read_export(export(tmp_path / "export.csv", *rows))


BOTH = (f"{'1' * 24},{ANNA},AWAITING REVIEW,2026-01-01,DONE", f"{'2' * 24},{BOB.upper()},APPROVED,2026-01-01,DONE")


def test_whom_prolific_does_not_know_is_left_out_kept_and_counted(collection, tmp_path):
    before = collection.collect()
    assert (before.units, before.unknown, before.listed, before.verified) == (3, 0, None, False)
    found = collection.collect(submissions=submissions(tmp_path, *BOTH))
    assert (found.units, found.unknown, found.strangers, found.listed, found.removed) == (2, 1, 1, 2, 40)
    assert {row.worker_id for row in collection.rows()} == {found.names[ANNA], found.names[BOB]}
    assert len(collection.desk.ledger.handouts("status = 'done'")) == 3
    assert len(list(collection.desk.ledger.submissions())) == 3
    with open(collection.paths.annotators, encoding="utf-8", newline="") as rows:
        assert {row["worker_id"]: row["platform"] for row in csv.DictReader(rows)} == {
            ANNA: "known",
            BOB: "known",
            MADE_UP: "unknown",
        }
    flags = {row.name: row.flags for row in found.look}
    assert "unknown to the platform" in flags[found.names[MADE_UP]]
    assert "unknown to the platform" not in flags[found.names[ANNA]]
    told = collection.study.provenance()["crowdsourcing"][SURVEY]["platform"]
    assert told == {"listed": 2, "unknown_annotators": 1, "unknown_units": 1}


def test_later_collections_go_by_the_list_and_who_comes_onto_it_counts(collection, tmp_path):
    collection.collect(submissions=submissions(tmp_path, *BOTH))
    assert collection.collect().units == 2
    assert oct(collection.paths.platform.stat().st_mode)[-3:] == "600"
    found = collection.collect(submissions=submissions(tmp_path, f"{'3' * 24},{MADE_UP},ACTIVE,,"))
    assert (found.units, found.unknown, found.added) == (3, 0, 40)


def test_work_that_was_rejected_there_is_left_out(collection, tmp_path):
    rows = (*BOTH, f"{'3' * 24},{MADE_UP},REJECTED,,")
    found = collection.collect(submissions=submissions(tmp_path, *rows))
    assert (found.units, found.rejected, found.unknown) == (2, 1, 0)
    back = collection.collect(submissions=submissions(tmp_path, f"{'3' * 24},{MADE_UP},APPROVED,,"))
    assert (back.units, back.rejected) == (3, 0)


DAMAGED = {
    "the platform's list": ("platform", lambda text: text.replace(ANNA, MADE_UP)),
    "a line of the list": ("platform", lambda text: text.partition("\n")[2]),
    "the whole list": ("platform", None),
    "the platform": ("launch", lambda text: text.replace("prolific", "in_house", 1)),
    "the name of a field": ("launch", lambda text: text.replace("settings", "settingz")),
    "the whole launch": ("launch", None),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_nobody_unknown_counts_as_a_file_is_damaged(collection, tmp_path, what):
    collection.collect(submissions=submissions(tmp_path, *BOTH))
    before = len(collection.rows())
    name, change = DAMAGED[what]
    path = getattr(collection.paths, name)
    if change:
        path.write_text(change(path.read_text()))
    else:
        path.unlink()
    with pytest.raises(UserError, match="changed since it was written"):
        collection.collect()
    assert len(collection.rows()) == before
    (found,) = [one for one in check_study(collection.study.path) if one.path == path]
    assert "changed since it was written" in found.problem


def test_in_house_nobody_is_asked_for(tmp_path):
    made = Collection(tmp_path / "study")
    made.work("anna")
    found = made.collect()
    assert (found.units, found.provider, found.unknown) == (1, "", 0)
    with pytest.raises(UserError, match="nobody was recruited through Prolific"):
        made.collect(submissions=[PlatformEntry("anna", "1", "approved")])
    assert "platform" not in made.study.provenance().get("crowdsourcing", {}).get(SURVEY, {})


# -- Prolific's export -------------------------------------------------------------------------------------------------
def test_an_export_by_its_older_names_and_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "old.csv"
    path.write_bytes(f"\ufeffsession_id,participant_id,status\r\n1,{ANNA},APPROVED\r\n,,\r\n".encode())
    assert read_export(path) == [PlatformEntry(ANNA, "1", "approved")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a,b\n1,2\n", "no column 'submission id'"),
        (b"Submission id,Status\n1,2\n", "no column 'participant id'"),
        (b"", "no column"),
        (b"Submission id,Participant id,Status\n", "no submission in it"),
        (b"\xff\xfe\x00", "not a CSV file in UTF-8"),
        (b'Submission id,Participant id,Status\n"1', "no submission in it"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_export_is_one_error(tmp_path, content, says):
    path = tmp_path / "export.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=says):
        read_export(path)


def test_the_command_says_whom_it_left_out(collection, tmp_path):
    out, _ = spotbot("collect", "--study", collection.study.path, code=1)
    assert "not yet held against Prolific's list" in out
    assert "ids are not verified: one person may have taken part as many" in out
    path = export(tmp_path / "export.csv", *BOTH)
    out, _ = spotbot("collect", "--study", collection.study.path, "--submissions", path, code=1)
    assert "left out: 1 units of 1 annotators whom Prolific doesn't know" in out
    assert "taken out again: 40 judgements" in out
    assert "not yet held" not in out


def test_links_that_prolific_signed_are_verified(collection):
    recruited(collection, "prolific", accept_unverified_ids=False, prolific_study=STUDY)
    out, _ = spotbot("collect", "--study", collection.study.path, code=1)
    assert "not yet held against Prolific's list" in out
    assert "not verified" not in out
