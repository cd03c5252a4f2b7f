"""One launch a task: what has to be named, two at once, what comes into the study from all of them, withdrawing; and a
crowd that meets a real operator: nobody beyond sixty, a share of the conversations by two.
"""

import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest
import yaml

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.crowdsourcing.withdraw import withdraw
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys.workload import units_of_task
from tests.crowdsourcing import crowdsource_process as process
from tests.crowdsourcing import office, trained, whole
from tests.crowdsourcing.annotators import Record, meet

NAME = "abc_eval"


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A study that nobody changes: six conversations, in all tasks."""
    return whole.make_study(tmp_path_factory.mktemp("packed") / "study", NAME, each=2, people=0)


# -- what has to be named ----------------------------------------------------------------------------------------------
def test_a_launch_without_a_task_names_the_tasks(packed):
    for task, words in (("", "--task missing"), ("consistancy", "Did you mean 'consistency'")):
        with pytest.raises(UserError) as caught:
            launch(LaunchRequest(packed.path, NAME, task, dry_run=True))
        assert words in str(caught.value)
    assert not (packed.survey_path(NAME) / "crowdsourcing").exists()


def test_the_dry_run_is_about_the_task_alone_and_counts_the_training(packed):
    said, settings = [], LaunchSettings(pay=2.0)
    assert launch(LaunchRequest(packed.path, NAME, "knowledge", settings, dry_run=True), said.append) == 0
    text = "\n".join(said)
    units = units_of_task(packed.units(NAME), trained.narrowed("knowledge"))
    assert f"{len(units)} to do" in text
    assert 6 < len(units) < 12  # a share of the six conversations twice
    assert "at 353 seconds per annotation" in text  # 1.96 dollars at 20 an hour
    # The conversations, and three of the training for each of two annotators, with three minutes to read.
    hours = (len(units) * 352.8 + 2 * (3 * 352.8 + 180)) / 3600
    assert f"{hours:.1f} hours in all" in text


def test_a_task_that_was_not_packed_is_said(tmp_path):
    study = whole.make_study(tmp_path / "study", NAME, each=1, people=0, ask=("sociality",))
    assert launch(LaunchRequest(study.path, NAME, "sociality", dry_run=True), [].append) == 0
    with pytest.raises(UserError, match="no unit of the task empathy"):
        launch(LaunchRequest(study.path, NAME, "empathy", dry_run=True))


# -- what comes into the study -----------------------------------------------------------------------------------------
def desk_of(study, task, team="", **limits):
    """The desk of a task on the study's own ledger, in this process."""
    survey = trained.narrowed(task, **limits)
    paths = CollectionPaths(study, NAME, task)
    paths.make()
    seeds = {talk.conversation_id: talk.seed_id for talk in study.conversations()}
    more = {"seeds": seeds, "team": team, "secret": read_secret(paths.secret, make=True)}
    return office.desk_of(survey, units_of_task(study.units(NAME), survey), Ledger(paths.ledger), **more)


def practise(desk, visitor, *wrong):
    """Hand in a round for each of `wrong`, which are its wrong turns."""
    desk.consent(visitor)
    for turns in wrong:
        said = desk.onboarding(visitor, trained.round_body(desk.survey, desk.session(visitor), turns))
    return said


@pytest.fixture
def annotated(tmp_path):
    """Ann works in two tasks; Bob fails the training of one and passes another's."""
    study = whole.make_study(tmp_path / "study", NAME, each=2, people=0, ask=("consistency", "sociality"))
    ann, bob = Visitor("ann"), Visitor("bob")
    one = desk_of(study, "consistency", "students")
    practise(one, ann, (), (1, 2), (0,))
    trained.annotate(one, ann, comment="first")
    trained.annotate(one, ann)
    practise(one, bob, (), (), range(9), range(9))
    two = desk_of(study, "sociality", "surge")
    practise(two, ann, (), (), ())
    trained.annotate(two, ann, comment="second")
    practise(two, bob, (), (), range(9), ())
    trained.annotate(two, bob)
    yield study
    for desk in (one, two):
        desk.ledger.close()


def rows_of(study):
    path = study.survey_path(NAME) / "training.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_outcomes_of_the_training_come_with_the_judgements(annotated):
    study = annotated
    found = collect(study, NAME)
    assert found.units == 4
    ann, bob = (pseudonym(read_secret(CollectionPaths(study, NAME).secret), worker) for worker in ("ann", "bob"))
    assert found.names == {"ann": ann, "bob": bob}
    rows = rows_of(study)
    fields = ("annotator", "attempt", "round", "role", "wrong_turns", "passed", "group")
    expected = """
        - [ANN, 1, 1, training, 0, null, students]
        - [ANN, 1, 2, training, 2, null, students]
        - [ANN, 1, 3, training, 1, true, students]
        - [BOB, 1, 1, training, 0, null, students]
        - [BOB, 1, 2, training, 0, null, students]
        - [BOB, 1, 3, training, 9, false, students]
        - [BOB, 2, 1, second_chance, 9, false, students]
    """
    shown = [[row[name] for name in fields] for row in rows if row["task"] == "consistency"]
    assert shown == yaml.safe_load(expected.replace("ANN", f"'{ann}'").replace("BOB", f"'{bob}'"))
    last = [row for row in rows if row["task"] == "sociality"][-1]
    assert (last["annotator"], last["role"], last["passed"], last["group"]) == (bob, "second_chance", True, "surge")
    assert all(row["of"] >= 10 and row["seconds"] == 61.5 and row["at"].endswith("+00:00") for row in rows)
    judged = study.judgements(NAME)
    assert {row.worker_id for row in judged} == {ann, bob}
    assert not [row for row in judged if row.control]
    comments = (study.survey_path(NAME) / "comments.jsonl").read_text(encoding="utf-8")
    assert {json.loads(line)["comment"] for line in comments.splitlines()} == {"first", "second"}
    before = study.judgements_path(NAME).read_bytes()
    assert collect(study, NAME).added == 0
    assert study.judgements_path(NAME).read_bytes() == before


def test_who_withdraws_is_taken_out_of_all_tasks(annotated):
    study = annotated
    collect(study, NAME)
    ann, bob = (pseudonym(read_secret(CollectionPaths(study, NAME).secret), worker) for worker in ("ann", "bob"))
    with files.lock(CollectionPaths(study, NAME, "sociality").lock, "spotbot_crowdsource"), pytest.raises(UserError):
        withdraw(study, ann)
    assert withdraw(study, ann).units == {NAME: 3}
    found = collect(study, NAME)
    assert (found.units, found.withdrawn) == (1, 3)
    assert {row.worker_id for row in study.judgements(NAME)} == {bob}
    assert {row["annotator"] for row in rows_of(study)} == {bob}
    for task in ("consistency", "sociality"):
        with closing(sqlite3.connect(CollectionPaths(study, NAME, task).ledger)) as db:
            kept = db.execute("SELECT body, result FROM training WHERE worker LIKE 'withdrawn-%'").fetchall()
        assert set(kept) == {("{}", "{}")}
    with pytest.raises(UserError, match="nobody of that id"):
        withdraw(study, "cleo")


# -- a crowd and a real operator ---------------------------------------------------------------------------------------
@pytest.mark.slow
def test_two_tasks_run_at_once(tmp_path):
    study = whole.make_study(tmp_path / "study", NAME, each=1, people=0, ask=("empathy", "transitions"))
    with (
        process.CrowdsourceProcess(study, 2, 5.0, NAME, "empathy") as one,
        process.CrowdsourceProcess(study, 2, 5.0, NAME, "transitions") as two,
    ):
        records = {}
        for server, task in ((one, "empathy"), (two, "transitions")):
            records[task] = Record()
            survey = trained.narrowed(task)
            link = server.links()[:1]
            process.run(meet(link, survey, {}, (0.0, 0.0), 0.0, records[task], kinds=["plain"], of=trained.Trained))
            assert records[task].odd == []
        collect(study, NAME)
    assert {row.question for row in study.judgements(NAME)} == {"empathy", "acknowledges", "new_topic", "relevant"}
    assert Counter(row["task"] for row in rows_of(study)) == {"empathy": 3, "transitions": 3}
