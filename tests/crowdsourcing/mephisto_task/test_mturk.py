"""MTurk through Mephisto's own provider and a real boto3 client; only the paid service at its far end is a stand-in.

Requests pass boto3's validation and serialisation; the stand-in answers in place of the network.
"""

import json
import re
import sqlite3
import urllib.request
from types import SimpleNamespace

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_review import opened
from parlai_spotbot.crowdsourcing.mephisto_task import operator
from parlai_spotbot.crowdsourcing.mephisto_task.mturk import handed_in
from parlai_spotbot.crowdsourcing.mephisto_task.operator import close
from parlai_spotbot.errors import UserError
from tests.crowdsourcing.office import answers
from tests.crowdsourcing.test_collect import Collection

from mephisto.abstractions.providers.mturk.mturk_datastore import MTurkDatastore  # isort: skip
from mephisto.data_model.agent import Agent  # isort: skip
from tests.case_tables import cases

SECRET = "wJalrXUtnFEMIverySECRETkey123456"
KEY_ID = "AKIASPOTBOTEXAMPLE42"
PUBLIC = "https://annotate.example.org/page?a=1&b=2"


class Turk:
    """The service: HIT types, HITs, qualifications, and a list of all calls (operation, parameters, address)."""

    def __init__(self):
        self.hits, self.types, self.qualifications = {}, {}, {}
        self.calls = []
        self.down = False
        self.held, self.assignments = set(), []
        """HITs that somebody has accepted, and assignments that were handed in."""

    def __call__(self, model, params, **_):
        body = json.loads(params["body"])
        self.calls.append((model.name, body, params["url"]))
        if self.down:
            raise EndpointConnectionError(endpoint_url=params["url"])
        return SimpleNamespace(status_code=200, headers={}), getattr(self, model.name, lambda _: {})(body)

    def of(self, operation):
        return [body for name, body, _ in self.calls if name == operation]

    def CreateHITType(self, body):
        known = json.dumps(body, sort_keys=True)  # MTurk gives the same id for the same parameters
        return {"HITTypeId": self.types.setdefault(known, f"TYPE{len(self.types)}")}

    def CreateHITWithHITType(self, body):
        hit = {"HITId": f"HIT{len(self.hits)}", "HITTypeId": body["HITTypeId"], "Question": body["Question"]}
        self.hits[hit["HITId"]] = hit
        return {"HIT": hit}

    def ListHITs(self, body):
        start = int(body.get("NextToken", 0))
        page = list(self.hits.values())[start : start + 2]
        return {"HITs": page, **({"NextToken": str(start + 2)} if start + 2 < len(self.hits) else {})}

    def GetHIT(self, body):
        held = body["HITId"] in self.held
        counts = {"NumberOfAssignmentsAvailable": 0 if held else 1, "NumberOfAssignmentsPending": int(held)}
        return {"HIT": {**self.hits[body["HITId"]], "HITStatus": "Unassignable", **counts}}

    def ListAssignmentsForHIT(self, body):
        known = [one for one in self.assignments if one["HITId"] == body["HITId"]]
        return {"Assignments": known, "NumResults": len(known)}

    def ListQualificationTypes(self, body):
        found = [q for q in self.qualifications.values() if q["Name"] == body["Query"]]
        return {"QualificationTypes": found}

    def CreateQualificationType(self, body):
        made = {"Name": body["Name"], "QualificationTypeId": f"QUAL{len(self.qualifications)}"}
        self.qualifications[body["Name"]] = made
        return {"QualificationType": made}


@pytest.fixture
def turk(monkeypatch, tmp_path):
    service = Turk()
    make = boto3.session.Session.client

    def client(self, *args, **kwargs):
        made = make(self, *args, **kwargs)
        made.meta.events.register("before-call.mturk", service)
        return made

    monkeypatch.setattr(boto3.session.Session, "client", client)
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "aws-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "aws-credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return service


@pytest.fixture
def on_mturk(setup_task):
    return lambda **changes: setup_task(**{"provider": "mturk_sandbox", "public_url": PUBLIC, **changes})


def posted(task, turk, count, before=0):
    """Wait until there are `count` HITs, `before` of an earlier run; the server answers while they are posted."""
    for _ in range(600):
        if len(turk.hits) >= count and all(task.crowd.knows_hit(hit) for hit in list(turk.hits)[before:]):
            break
        task.server._thread.join(0.05)
    assert len(turk.hits) == count


def visitor(worker, hit, assignment):
    return Visitor(worker, assignment, {"hit_id": hit, "assignment_id": assignment, "door": "mturk"})


@cases("provider where", "[[mturk_sandbox, '-sandbox'], [mturk, '']]")
def test_launch_work_and_approval(turk, on_mturk, serve_task, finish, provider, where):
    own = {"QualificationTypeId": "0001", "Comparator": "GreaterThan", "IntegerValues": [95]}
    with serve_task(on_mturk(provider=provider, countries=("DE", "CH"), mturk_qualifications=(own,))) as task:
        with urllib.request.urlopen(task.url, timeout=10) as page:
            assert page.status == 200
        posted(task, turk, 6)
        crowd = task.crowd
        assert crowd.knows_hit("HIT3")
        assert not crowd.knows_hit("HIT99")
        for i in range(2):
            crowd.arrived(visitor(f"W{i}", f"HIT{i}", f"ASSIGN{i}"))
        agents = [finish(crowd, f"W{i}", f"unit-1-{i}", f"ASSIGN{i}") for i in range(2)]
        agents[0].approve_work()
        agents[1].reject_work("answered at random")
        assert crowd.refuses(visitor("W7", "HIT2", "ASSIGN7")) is None
    (kind,) = turk.of("CreateHITType")
    assert (kind["Title"], kind["Reward"]) == ("Which of them is a bot?", "1.5")
    assert (kind["Keywords"], kind["AssignmentDurationInSeconds"]) == ("chat,bot", 3600)
    rate, *locales = kind["QualificationRequirements"]
    assert rate == {**own, "ActionsGuarded": "DiscoverPreviewAndAccept"}
    assert [entry["LocaleValues"] for entry in locales] == ([] if where else [[{"Country": "DE"}, {"Country": "CH"}]])
    assert all(PUBLIC.replace("&", "&amp;") in hit["Question"] for hit in turk.hits.values())
    assert [call["AssignmentId"] for call in turk.of("ApproveAssignment")] == ["ASSIGN0"]
    assert turk.of("RejectAssignment") == [{"AssignmentId": "ASSIGN1", "RequesterFeedback": "answered at random"}]
    assert {url for *_, url in turk.calls} == {f"https://mturk-requester{where}.us-east-1.amazonaws.com/"}
    assert not turk.of("ListWorkerBlocks")  # the desk waits for no network


def test_resuming_posts_nothing_again(turk, on_mturk, serve_task, make_units):
    with serve_task(on_mturk()) as task:
        posted(task, turk, 6)
    with serve_task(on_mturk()) as task:
        posted(task, turk, 6)
    assert len(turk.of("CreateHITType")) == 1
    with serve_task(on_mturk(units=make_units(3))) as task:  # the study grew by a block
        posted(task, turk, 9)
    assert len(turk.of("CreateHITWithHITType")) == 9


class CutOffError(BaseException):
    pass


def test_a_kill_between_posting_and_noting_posts_no_hit_twice(turk, on_mturk, serve_task, monkeypatch):
    note = MTurkDatastore.new_hit

    def cut(self, hit_id, *rest):
        if hit_id == "HIT2":
            raise CutOffError
        note(self, hit_id, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(MTurkDatastore, "new_hit", cut)
        with pytest.raises(CutOffError), serve_task(on_mturk()) as task:
            task.server._thread.join(60)
    assert len(turk.hits) == 3
    foreign = {"HITId": "THEIRS", "HITTypeId": "TYPE0", "Question": "<ExternalURL>https://elsewhere/</ExternalURL>"}
    turk.hits["THEIRS"] = foreign  # another study of the same requester with the same settings
    with serve_task(on_mturk()) as task:
        for _ in range(600):
            if len(turk.hits) == 7:
                break
            task.server._thread.join(0.05)
        assert task.crowd.knows_hit("HIT2")
        assert not task.crowd.knows_hit("THEIRS")
    assert len(turk.of("CreateHITWithHITType")) == 6


def test_a_hit_lets_people_in_once_somebody_holds_it(turk, on_mturk, serve_task):
    with serve_task(on_mturk()) as task:
        posted(task, turk, 6)
        assert not task.crowd.has_accepted("HIT0")
        turk.held.add("HIT0")
        assert task.crowd.has_accepted("HIT0")
        turk.down = True
        with pytest.raises(UserError, match="MTurk: ") as caught:
            task.crowd.has_accepted("HIT0")
        assert SECRET not in str(caught.value)


def handed(number, worker, status="Submitted", hit=None):
    hit = f"HIT{number if hit is None else hit}"
    return {"AssignmentId": f"ASSIGN{number}", "WorkerId": worker, "HITId": hit, "AssignmentStatus": status}


def test_mturk_says_whose_the_assignments_are(turk, on_mturk, serve_task):
    setup = on_mturk()
    with serve_task(setup) as task:
        posted(task, turk, 6)
        for number in range(3):
            task.crowd.arrived(visitor(f"W{number}", f"HIT{number}", f"ASSIGN{number}"))
        task.crowd.arrived(visitor("AMADEUP", "HIT0", "ANOTHER"))  # takes nothing from W0
        turk.assignments = [handed(0, "W0"), handed(9, "W9", "Approved", hit=1), handed(5, "W5")]
        asked = {f"ASSIGN{number}" for number in range(3)} | {"MADEUP"}
        found = handed_in(setup.data_root, "mturk_sandbox", asked)  # while the operator runs
        assert found == {("W0", "ASSIGN0"): "submitted", ("W9", "ASSIGN9"): "approved"}
        assert {call["HITId"] for call in turk.of("ListAssignmentsForHIT")} == {"HIT0", "HIT1", "HIT2"}
        where = [url for name, _, url in turk.calls if name == "ListAssignmentsForHIT"]
        assert all("-sandbox" in url for url in where)
        turk.down = True
        with pytest.raises(UserError, match="MTurk: ") as caught:
            handed_in(setup.data_root, "mturk_sandbox", asked)
        assert SECRET not in str(caught.value)
        assert handed_in(setup.data_root, "mturk_sandbox", {"MADEUP"}) == {}


def test_answers_of_made_up_workers_are_not_used(turk, tmp_path):
    """20 of 20 made-up workers entered at the door, once, and their answers counted."""
    made = Collection(tmp_path / "study")
    checksums.write_json(made.paths.launch, {"settings": {"provider": "mturk_sandbox"}})
    workers = ("AREAL1", "AREAL2", "AMADEUP")
    for number, worker in enumerate(workers):
        unit = made.desk.next_unit(Visitor(worker, f"ASSIGN{number}"))["unit"]
        items = [answers(made.survey, page, made.right(page)) for page in unit["items"]]
        made.desk.submit(Visitor(worker, f"ASSIGN{number}"), {"unit": unit["unit"], "items": items, "comment": ""})
    store = made.paths.mephisto / "data" / "mturk_sandbox" / "mturk.db"
    store.parent.mkdir(parents=True)
    with sqlite3.connect(store) as db:
        db.execute("CREATE TABLE hits (hit_id TEXT, assignment_id TEXT)")
        db.executemany("INSERT INTO hits VALUES (?, ?)", [(f"HIT{n}", f"ASSIGN{n}") for n in range(3)])

    turk.assignments = [handed(0, "AREAL1", "Approved"), handed(2, "AREAL2")]  # of HIT2, not as AMADEUP
    found = made.collect()
    assert (found.units, found.unknown, found.strangers) == (1, 2, 2)
    assert {row.worker_id for row in made.rows()} == {found.names["AREAL1"]}
    turk.calls.clear()
    turk.assignments.append(handed(1, "AREAL2"))  # handed in there meanwhile
    assert (made.collect().units, made.collect().unknown) == (2, 1)
    assert {call["HITId"] for call in turk.of("ListAssignmentsForHIT")} == {"HIT1", "HIT2"}  # HIT0 is settled
    before = made.study.judgements_path(made.survey.name).read_bytes()
    turk.down = True
    with pytest.raises(UserError, match="MTurk"):
        made.collect()
    assert made.study.judgements_path(made.survey.name).read_bytes() == before


def test_closing_takes_open_hits_off_and_a_later_launch_posts_what_is_not_done(turk, on_mturk, serve_task, finish):
    setup = on_mturk()
    with serve_task(setup) as task:
        posted(task, turk, 6)
        for number in range(2):
            task.crowd.arrived(visitor(f"W{number}", f"HIT{number}", f"A{number}"))
        finish(task.crowd, "W0", "unit-0-0", "A0")
    close(setup)
    with serve_task(setup) as task:
        posted(task, turk, 11, before=6)
    assert sorted(call["HITId"] for call in turk.of("UpdateExpirationForHIT")) == [f"HIT{i}" for i in range(1, 6)]


@cases("change named", "[[{pay: 2.0}, task_reward], [{public_url: https://other}, public_url]]")
def test_what_was_posted_cannot_be_changed(turk, on_mturk, serve_task, change, named):
    with serve_task(on_mturk()) as task:
        posted(task, turk, 6)
    with pytest.raises(UserError, match=f"HITs are out with another {named}"), serve_task(on_mturk(**change)):
        pass
    close(on_mturk())
    with serve_task(on_mturk(**change)) as task:
        posted(task, turk, 12, before=6)


def test_without_credentials_nothing_begins(turk, on_mturk, serve_task, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    setup = on_mturk()
    with pytest.raises(UserError, match="no AWS credentials") as caught, serve_task(setup):
        pass
    assert "~/.aws/credentials" in caught.value.remedy
    with pytest.raises(UserError, match="no AWS credentials"):
        close(setup)
    assert turk.calls == []


def test_credentials_never_reach_study_or_log(turk, on_mturk, serve_task, finish, tmp_path, caplog, capfd):
    caplog.set_level("DEBUG")
    with serve_task(on_mturk()) as task:
        posted(task, turk, 6)
        task.crowd.arrived(visitor("W0", "HIT0", "A0"))
        agent = finish(task.crowd, "W0", "unit-0-0", "A0")
        agent.approve_work()
        turk.down = True
        agent.approve_work()
    close_down(on_mturk)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 5
    for path in written:
        raw = path.read_bytes()
        assert SECRET.encode() not in raw, path
        assert KEY_ID.encode() not in raw, path
    shown = capfd.readouterr()
    ours = "\n".join(r.getMessage() for r in caplog.records if re.match("mephisto|parlai_spotbot", r.name))
    for text in (shown.out, shown.err, ours):
        assert SECRET not in text
        assert KEY_ID not in text


def close_down(on_mturk):
    with pytest.raises(UserError, match="Could not connect"):
        close(on_mturk())


def test_posting_is_tried_again_while_the_server_answers(turk, on_mturk, serve_task, monkeypatch, caplog):
    monkeypatch.setattr(operator, "RETRY_SECONDS", 0.05)
    create, failures = turk.CreateHITWithHITType, []

    def sometimes(body):
        if len(turk.hits) == 3 and len(failures) < 2:
            failures.append(body)
            raise ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow down"}}, "CreateHIT")
        return create(body)

    monkeypatch.setattr(turk, "CreateHITWithHITType", sometimes)
    with serve_task(on_mturk()) as task:
        posted(task, turk, 6)
    assert len(failures) == 2
    assert "slow down" in caplog.text


def test_a_review_pays_with_the_same_credentials(turk, on_mturk, serve_task, finish, tmp_path):
    with serve_task(on_mturk()) as task:
        posted(task, turk, 6)
        task.crowd.arrived(visitor("W0", "HIT0", "A0"))
        done = finish(task.crowd, "W0", "unit-0-0", "A0")
        paths = SimpleNamespace(mephisto=task.crowd.db.db_root, provider="mturk_sandbox")
    with opened(paths) as database:
        Agent.get(database, done.db_id).approve_work()
    assert [call["AssignmentId"] for call in turk.of("ApproveAssignment")] == ["A0"]
