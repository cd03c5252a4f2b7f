"""Launching: one command, in the foreground, from the dry run to the last unit; stopped in any way, it goes on."""

import json
import os
import signal
import socket
import stat
import time
from dataclasses import replace

import pytest
from people import SURVEY, Annotator, Launch, ScriptLaunch, known_of, make_study

from parlai_spotbot import checksums, files
from parlai_spotbot.crowdsourcing import launch as launching
from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection import LaunchRequest
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, Submission
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.personal_links import wanted_names
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey, own_surveys, survey_of
from parlai_spotbot.surveys.controls import write_controls
from parlai_spotbot.surveys.features import with_features
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.surveys.survey import FeatureTexts


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path / "study")


def snapshot(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.mark.parametrize("asked", ["none", pytest.param("specificity", marks=pytest.mark.slow)])
def test_annotators_are_asked_about_the_features_that_were_chosen(study, asked):
    pack_study(study, SURVEY, unit_size=6, humans_per_unit=2, ask=(asked,))
    questions = ["nature", *([asked] if asked != "none" else [])]
    with Launch(study, "--annotators", "1") as command:
        command.ready()
        annotator = Annotator(command.links()["annotator-1"], known_of(study))
        annotator.survey = survey_of(study, SURVEY)
        session = annotator.ask("session")[1]
        assert [question["name"] for question in session["survey"]["questions"]] == questions
        assert "features" not in session["survey"]
        assert "fluen" not in json.dumps(session)
        annotator.work()
        command.stop()
    assert collect(study, SURVEY).units == 1
    assert list(dict.fromkeys(row.question for row in study.judgements(SURVEY))) == questions


def test_people_answer_a_survey_of_ones_own(study, tmp_path):
    mine = replace(get_survey(SURVEY), name="mine", title="Who is it, mine", features=FeatureTexts())
    mine = replace(with_features(mine, ("fluency",)), instructions="Say who is who.", consent=())
    (tmp_path / "mine.json").write_text(json.dumps(own_surveys.to_data(mine)))
    with own_surveys.taken(study, str(tmp_path / "mine.json")) as name:
        pack_study(study, name, unit_size=6, humans_per_unit=2)
    write_controls(study, "mine")
    with Launch(study, "--annotators", "1", survey="mine") as command:
        command.ready()
        annotator = Annotator(command.links()["annotator-1"], known_of(study, "mine"), "mine")
        assert annotator.ask("session")[1]["survey"]["title"] == "Who is it, mine"
        annotator.work()
        command.stop()
    assert collect(study, "mine").units == 1
    assert {row.question for row in study.judgements("mine")} == {"nature", "fluency"}


def test_from_the_first_link_to_the_last_unit_over_a_kill(study):
    knows, paths = known_of(study), CollectionPaths.of(study, SURVEY)
    with Launch(study, "--annotators", "3") as first:
        address = first.ready()
        assert stat.S_IMODE(os.stat(paths.folder).st_mode) == 0o700
        links = first.links()
        Annotator(links["annotator-1"], knows).work("it was fun")
        half = Annotator(links["annotator-2"], knows)
        begun = half.begin()
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
        forged = Annotator.__new__(Annotator)
        forged.base, forged.token = half.base, ""
        assert forged.ask("enter", {"query": {"worker_id": "annotator-3"}})[0] == 403
        for name in ("annotator-3", "annotator-4"):
            Annotator(second.links()[name], knows).work()
        assert second.ended() == 0
        assert "done: 4 of 4 units done, 0 open, 0 free; 4 annotators, 0 stopped" in second.said
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
    reject_one_and_collect(study, paths)


@pytest.mark.slow
def test_the_script_goes_on_with_what_the_command_began(study):
    knows = known_of(study)
    with Launch(study, "--annotators", "4") as command:
        address = command.ready()
        Annotator(command.links()["annotator-1"], knows).work()
        command.kill()
    with ScriptLaunch(study, "annotators=4", "settings.limits.units_per_annotator=2") as script:
        assert script.ready() == address
        for name in ("annotator-2", "annotator-3", "annotator-4"):
            Annotator(script.links()[name], knows).work()
        assert script.ended() == 0
        assert "done: 4 of 4 units done, 0 open, 0 free; 4 annotators, 0 stopped" in script.said
    assert collect(study, SURVEY).units == 4
    assert study.provenance()["crowdsourcing"][SURVEY]["limits"]["units_per_annotator"] == 2
    assert sorted(path.name for path in study.path.parent.iterdir()) == ["study"]


def reject_one_and_collect(study, paths):
    """What Mephisto's own calls reject leaves the judgements; approved work stays."""
    from parlai_spotbot.crowdsourcing import mephisto_review as review

    database = review.database(paths.mephisto)
    from mephisto.data_model.agent import Agent

    agents = database.find_agents(status="completed")
    assert len(agents) == 4
    Agent.get(database, agents[0].db_id).reject_work("careless")
    Agent.get(database, agents[1].db_id).approve_work()
    database.shutdown()
    found = collect(study, SURVEY)
    assert (found.units, found.rejected, found.added, found.removed) == (3, 1, 0, 40)
    assert len(study.judgements(SURVEY)) == 120


@pytest.mark.slow  # quick: test_operator.py, the same without the command around it
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_and_leaves_nothing_behind(study, how):
    with Launch(study, "--annotators", "1") as started:
        address = started.ready()
        assert started.stop(how) == 0
        assert "stopped: 0 of 4 units done" in started.said
        assert "Traceback" not in started.said
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", int(address.split(":")[-1]))):
        pass
    assert not [name for name in os.listdir(study.path.parent) if name != "study"]  # no outputs/, no tmp/


def test_one_operator_a_study_and_the_second_one_says_so(study):
    with files.lock(study.path / ".crowdsourcing.lock", "spotbot_crowdsource"):
        with pytest.raises(UserError, match=rf"in use by spotbot_crowdsource \(process {os.getpid()}\)"):
            launch(LaunchRequest(study.path))
        assert launch(LaunchRequest(study.path, dry_run=True)) == 0


def test_a_port_that_is_taken_is_named(study):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(UserError, match=f"--port {port}: taken"):
            launch(LaunchRequest(study.path, port=port, annotators=1), say=lambda text: None)


def test_another_port_than_the_last_time_is_said_and_the_links_follow(study, monkeypatch):
    monkeypatch.setattr("parlai_spotbot.crowdsourcing.mephisto_task.operator.serve", stop_at_once)
    paths = CollectionPaths.of(study, SURVEY)
    paths.make()
    read_secret(paths.secret)
    checksums.write_json(paths.launch, {"port": 999})
    launch(LaunchRequest(study.path, annotators=1), say=(said := []).append)
    assert any("the last launch served at port 999" in line for line in said)
    assert "http://127.0.0.1:1234/?t=" in paths.links.read_text(encoding="utf-8")
    launch(LaunchRequest(study.path, annotators=1), say=(again := []).append)
    assert not any("the last launch" in line for line in again)


def test_a_study_whose_folder_is_renamed_is_the_same_task(study, monkeypatch):
    seen = []

    def serve(setup, **options):
        seen.append(setup.task_name)
        return stop_at_once(setup, **options)

    monkeypatch.setattr("parlai_spotbot.crowdsourcing.mephisto_task.operator.serve", serve)
    launch(LaunchRequest(study.path, annotators=1), say=lambda text: None)
    moved = study.path.rename(study.path.with_name("moved"))
    launch(LaunchRequest(moved, annotators=1), say=lambda text: None)
    assert seen == ["study-spot_the_bot"] * 2


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


@pytest.mark.parametrize("provider", ["prolific", "mturk"])
def test_where_people_are_paid_nothing_goes_live_without_the_flag(study, provider):
    settings = LaunchSettings(provider=provider, completion_code="C0DE", pay=2.0)
    said = []
    with pytest.raises(UserError, match="--live"):
        launch(LaunchRequest(study.path, settings=settings, url="https://study.example.org"), say=said.append)
    assert "cost" in said[0]
    assert not CollectionPaths.of(study, SURVEY).folder.exists()


def test_prolific_needs_an_address_that_its_participants_reach(study):
    settings = LaunchSettings(provider="prolific", completion_code="C0DE", pay=2.0)
    for url in ("", "http://study.example.org"):
        with pytest.raises(UserError, match="https"):
            launch(LaunchRequest(study.path, settings=settings, url=url, live=True), say=lambda text: None)


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


def test_units_and_controls_are_made_where_they_are_missing(tmp_path):
    study = make_study(tmp_path / "study")
    study.units_path(SURVEY).unlink()
    (study.survey_path(SURVEY) / "controls.jsonl").unlink()
    said = []
    assert launch(LaunchRequest(study.path, dry_run=True), say=said.append) == 0
    assert said[0].startswith("packed: 4 units")
    assert (study.survey_path(SURVEY) / "controls.jsonl").exists()


def test_a_command_that_has_the_study_is_waited_for_and_then_named(study, monkeypatch):
    monkeypatch.setattr(launching, "PATIENCE", 0.1)
    with study.lock("spotbot_analyze"):
        begun = time.monotonic()
        with pytest.raises(UserError, match="spotbot_analyze"):
            launch(LaunchRequest(study.path, dry_run=True))
        assert time.monotonic() - begun > 0.1


def test_an_unknown_study_or_survey_is_named(study, tmp_path):
    with pytest.raises(UserError, match="no study here"):
        launch(LaunchRequest(tmp_path / "nothing"))
    with pytest.raises(UserError, match="spot_the_bot"):
        launch(LaunchRequest(study.path, survey="spot_the_bott"))


def test_finished_units_of_which_mephisto_never_heard_are_told_by_another_launch(study, monkeypatch):
    monkeypatch.setattr("parlai_spotbot.crowdsourcing.mephisto_task.operator.serve", stop_at_once)
    handouts = []
    read_secret(CollectionPaths.of(study, SURVEY).secret)
    with Ledger(CollectionPaths.of(study, SURVEY).ledger) as ledger:
        ledger.begin(SURVEY, 3)
        for number, unit in enumerate(study.units(SURVEY)):
            handle, worker = f"{number:032x}", f"annotator-{number + 1}"
            handouts.append(Handout(handle, worker, "", 0, unit.unit_id, unit.block_id, (), "", 0.0, 1.0))
            ledger.hand_out(handouts[-1], [], [])
            ledger.submit(Submission(handle, {"items": []}, {}, "", 1.0), {})
        for handout in handouts[1:]:
            ledger.told(handout.handle, "1")
        launch(LaunchRequest(study.path), say=(said := []).append)
        assert any("Mephisto has not heard of all of them" in line for line in said)
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
    Ledger(CollectionPaths.of(study, SURVEY).ledger).close()
    with pytest.raises(UserError, match="no AWS credentials"):  # so it gets as far as asking MTurk
        launch(LaunchRequest(study.path, close=True, settings=LaunchSettings(provider="mturk", pay=1.0)))


@pytest.mark.slow
def test_closing_ends_what_is_open_and_a_later_launch_takes_it_up(study):
    knows = known_of(study)
    with Launch(study, "--annotators", "4") as first:
        first.ready()
        Annotator(first.links()["annotator-1"], knows).work()
        late = Annotator(first.links()["annotator-2"], knows)
        body = late.submission(late.begin())
        first.stop()
    said = []
    assert launch(LaunchRequest(study.path, close=True), say=said.append) == 0
    assert said == ["closed: 1 units done, 3 expired"]
    with Launch(study, "--annotators", "5") as second:
        second.ready()
        status, refused = late.ask("submit", body)
        assert (status, refused["error"]["code"]) == (410, "late")
        for name in ("annotator-3", "annotator-4", "annotator-5"):
            Annotator(second.links()[name], knows).work()
        assert second.ended() == 0
    assert collect(study, SURVEY).units == 4


# -- who gets a link -------------------------------------------------------------------------------------------------
def test_annotators_are_numbered_or_named_by_a_file(tmp_path):
    assert wanted_names(None, 2) == ["annotator-1", "annotator-2"]
    assert wanted_names("3", 1) == ["annotator-1", "annotator-2", "annotator-3"]
    names = tmp_path / "names.txt"
    names.write_text("# people\nAnna\n\n Bôb \n", encoding="utf-8")
    assert wanted_names(str(names), 1) == ["Anna", "Bôb"]


@pytest.mark.parametrize(
    ("text", "named"),
    [("Anna\nAnna\n", "'Anna' stands there twice"), ("\n# nobody\n", "no name in it"), (b"\xff\xfe", "UTF-8")],
)
def test_a_file_of_names_that_will_not_do_is_named(tmp_path, text, named):
    path = tmp_path / "names.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=named):
        wanted_names(str(path), 1)


@pytest.mark.parametrize("text", ["0", "1000000", "none.txt", "-3"])
def test_neither_a_number_nor_a_file_is_named(text):
    with pytest.raises(UserError, match=f"--annotators {text}"):
        wanted_names(text, 1)


def test_links_that_somebody_wrote_are_not_taken_for_ours(study):
    paths = CollectionPaths.of(study, SURVEY)
    paths.make()
    checksums.write_text(paths.links, "name,url\nAnna,http://x\n")
    with pytest.raises(UserError, match=r"links\.csv"):
        launch(LaunchRequest(study.path, annotators=1), say=lambda text: None)


def test_controls_are_made_again_only_where_what_they_are_made_of_changed(study, monkeypatch):
    from parlai_spotbot.surveys import controls

    made, write_controls = [], controls.write_controls
    monkeypatch.setattr(controls, "write_controls", lambda *given: made.append(1) or write_controls(*given))
    for times in (0, 0, 1):
        if times:
            study.extend(conversations_per_pair=5)
        launch(LaunchRequest(study=study.path, dry_run=True), say=lambda text: None)
        assert len(made) == times
