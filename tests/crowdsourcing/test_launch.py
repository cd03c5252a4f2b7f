"""Launching: one command, in the foreground, from the dry run to the last unit; stopped in any way, it goes on."""

import json
import os
import socket
import stat

import pytest

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, Submission
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.errors import UserError
from tests.crowdsourcing.people import SURVEY, Annotator, Launch, known_of, make_study


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path / "study")


def snapshot(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def test_from_the_first_link_to_the_last_unit_over_a_kill(study):
    knows, paths = known_of(study), CollectionPaths(study, SURVEY)
    with Launch(study, "--annotators", "3") as first:
        address = first.ready()
        assert stat.S_IMODE(os.stat(paths.folder).st_mode) == 0o700
        links = first.links()
        Annotator(links["annotator-1"], knows).work("it was fun")
        half = Annotator(links["annotator-2"], knows)
        begun = half.begin(half.survey)
        body = half.submission(begun)
        first.kill()
    assert collect(study, SURVEY).units == 1
    with Launch(study, "--annotators", "5") as second:
        assert second.ready() == address
        assert second.links()["annotator-2"] == links["annotator-2"]
        # The page that was open goes on: same address, same session, same unit.
        status, session = half.ask("submit", body)
        assert (status, session["accepted"]) == (200, True)
        assert half.ask("submit", body)[0] == 200
        # Somebody's name without a signature opens nothing.
        assert half.ask("enter", {"query": {"worker_id": "annotator-3"}})[0] == 403
        for name in ("annotator-3", "annotator-4"):
            Annotator(second.links()[name], knows).work()
        assert second.ended() == 0
        assert "done: 4 of 4 units done, 0 out, 0 free; 4 annotators, 0 stopped" in second.said
    found = collect(study, SURVEY)
    assert (found.units, found.added) == (4, 3 * 5 * 8)
    rows = study.judgements(SURVEY)
    assert len(rows) == len({row.judgement_id for row in rows}) == 4 * 8 * 5
    again = launch(LaunchRequest(study.path), say=(said := []).append)
    assert again == 0
    assert any("all units are done" in line for line in said)
    told = study.provenance()["crowdsourcing"][SURVEY]
    assert told["limits"]["units_per_annotator"] == 3
    assert "spotbot1." not in json.dumps(study.provenance())


def test_one_operator_a_study_and_the_second_one_says_so(study):
    with files.lock(study.path / ".crowdsourcing.lock", "spotbot_crowdsource"):
        with pytest.raises(UserError, match=rf"in use by spotbot_crowdsource \(process {os.getpid()} on "):
            launch(LaunchRequest(study.path))
        assert launch(LaunchRequest(study.path, dry_run=True)) == 0


def test_a_port_that_is_taken_is_named(study):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(UserError, match=f"--port {port}: taken"):
            launch(LaunchRequest(study.path, port=port, annotators=1), say=lambda text: None)


def test_a_dry_run_posts_nothing_and_makes_no_collection(study):
    before = snapshot(study.path)
    settings = LaunchSettings(provider="prolific", completion_code="C0DE", pay=2.0)
    said = []
    assert launch(LaunchRequest(study.path, settings=settings, dry_run=True), say=said.append) == 0
    text = "\n".join(said)
    assert "4 to do" in text
    assert "8.00 USD: 2.00 a unit" in text
    assert "nothing was posted" in text
    assert snapshot(study.path) == before


def test_where_people_are_paid_nothing_goes_live_without_the_flag_and_an_https_address(study):
    def refused(url, live, words, provider="prolific"):
        settings = LaunchSettings(provider=provider, completion_code="C0DE", pay=2.0)
        with pytest.raises(UserError, match=words):
            launch(LaunchRequest(study.path, settings=settings, url=url, live=live), say=(said := []).append)
        return said

    for provider in ("prolific", "mturk"):
        assert "cost" in refused("https://study.example.org", False, "--live", provider)[0]
    refused("", True, "https")
    refused("http://study.example.org", True, "https")
    assert not CollectionPaths(study, SURVEY).folder.exists()


def test_codes_that_are_worth_money_are_written_nowhere(study, monkeypatch):
    monkeypatch.setattr("parlai_spotbot.crowdsourcing.mephisto_task.operator.serve", stop_at_once)
    settings = LaunchSettings(provider="prolific", completion_code="C0DE-WORTH-MONEY", screened_out_code="0UT", pay=2.0)
    url = "https://study.example.org"
    assert launch(LaunchRequest(study.path, settings=settings, url=url, live=True), say=(said := []).append) == 0
    assert any("PROLIFIC_PID={{%PROLIFIC_PID%}}" in line and line.strip().startswith(url) for line in said)
    held = b"".join(snapshot(study.path).values())
    assert b"C0DE-WORTH-MONEY" not in held
    assert b"0UT" not in held


def stop_at_once(setup, *, on_ready, **options):
    """Instead of serving: what a launch says when the server answers."""
    on_ready("http://127.0.0.1:1234")
    return "stopped"


def test_finished_units_of_which_mephisto_never_heard_are_told_by_another_launch(study, monkeypatch):
    monkeypatch.setattr("parlai_spotbot.crowdsourcing.mephisto_task.operator.serve", stop_at_once)
    handouts = []
    read_secret(CollectionPaths(study, SURVEY).secret, make=True)
    with Ledger(CollectionPaths(study, SURVEY).ledger) as ledger:
        ledger.begin(SURVEY, 3)
        for number, unit in enumerate(study.units(SURVEY)):
            handle, worker = f"{number:032x}", f"annotator-{number + 1}"
            handouts.append(Handout(handle, worker, "", 0, unit.unit_id, unit.block_id, (), "", 0.0, 1.0))
            ledger.hand_out(handouts[-1], [], [])
            ledger.submit(Submission(handle, {"items": []}, {}, "", 1.0), {})
        for handout in handouts[1:]:
            ledger.told(handout.handle, "1")
        launch(LaunchRequest(study.path), say=(said := []).append)
        assert any("serving at" in line for line in said)
        ledger.told(handouts[0].handle, "1")
    launch(LaunchRequest(study.path), say=(said := []).append)
    assert any("all units are done; to have them" in line for line in said)
    assert not any("serving at" in line for line in said)


def test_closing_on_mturk_needs_no_address(study, monkeypatch, tmp_path):
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    Ledger(CollectionPaths(study, SURVEY).ledger).close()
    with pytest.raises(UserError, match="no AWS credentials"):  # so it gets as far as asking MTurk
        launch(LaunchRequest(study.path, close=True, settings=LaunchSettings(provider="mturk", pay=1.0)))


@pytest.mark.slow
def test_closing_ends_what_is_open_and_a_later_launch_takes_it_up(study):
    knows = known_of(study)
    with Launch(study, "--annotators", "4") as first:
        first.ready()
        Annotator(first.links()["annotator-1"], knows).work()
        late = Annotator(first.links()["annotator-2"], knows)
        body = late.submission(late.begin(late.survey))
        first.stop()
    said = []
    assert launch(LaunchRequest(study.path, close=True), say=said.append) == 0
    assert said == ["closed; units done: 1, expired: 3"]
    with Launch(study, "--annotators", "5") as second:
        second.ready()
        status, refused = late.ask("submit", body)
        assert (status, refused["error"]["code"]) == (410, "late")
        for name in ("annotator-3", "annotator-4", "annotator-5"):
            Annotator(second.links()[name], knows).work()
        assert second.ended() == 0
    assert collect(study, SURVEY).units == 4
