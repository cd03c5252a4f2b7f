"""Collecting: what annotators handed in becomes judgements, once each, whatever happens; and whom to look at."""

import csv
import json
import os
import sqlite3
import stat
from dataclasses import replace

import pandas as pd
import pytest

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing import withdraw as withdraw_module
from parlai_spotbot.crowdsourcing.annotator_summary import table
from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.desk.game_scores import natures_of
from parlai_spotbot.crowdsourcing.ledger import backups
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.personal_links import write_links
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym, read_secret
from parlai_spotbot.crowdsourcing.withdraw import withdraw
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.crowdsourcing.office import Clock, MemoryCrowd, answers, desk_of, plain
from tests.crowdsourcing.people import SURVEY, known_of, make_study, without_waiting
from tests.sealing import sealed


class Collection:
    """A study with a desk, as an operator would have them; the platform is in memory, its database a file."""

    def __init__(self, path, survey=SURVEY, **more):
        self.begin(make_study(path, survey, **more), survey)

    @classmethod
    def in_study(cls, study, survey):
        """Another survey of a study."""
        collection = cls.__new__(cls)
        collection.begin(study, survey)
        return collection

    def begin(self, study, survey):
        self.study = study
        self.survey = without_waiting(get_survey(survey))
        self.paths = CollectionPaths(self.study, survey)
        self.paths.make()
        self.clock, self.crowd = Clock(), MemoryCrowd()
        self.knows = known_of(self.study, survey)
        talks = self.study.conversations()
        seeds = {talk.conversation_id: talk.seed_id for talk in talks}
        controls = read_controls(self.study.load(survey))
        more = {"controls": controls, "seeds": seeds, "truths": natures_of(talks), "crowd": self.crowd}
        more |= {"secret": read_secret(self.paths.secret, make=True), "clock": self.clock}
        self.desk = desk_of(self.survey, self.study.units(survey), Ledger(self.paths.ledger), **more)

    def unit(self, worker):
        return self.desk.next_unit(Visitor(worker))["unit"]

    def right(self, page):
        natures = self.knows[tuple(turn["text"] for turn in page["transcripts"][0]["turns"])]
        return lambda q, t: natures[int(t[-1])] if q == "nature" else "no_difference"

    def work(self, worker, change=lambda body: body, answer=None):
        """One unit, right about who is human unless `answer` says otherwise; returns what was sent."""
        unit = self.unit(worker)
        items = [answers(self.survey, page, answer or self.right(page)) for page in unit["items"]]
        body = change({"unit": unit["unit"], "items": items, "comment": "", "texts_language": "en"})
        assert self.desk.submit(Visitor(worker), body)["accepted"]
        return body

    def collect(self, **more):
        return collect(self.study, self.survey.name, **more)

    def rows(self):
        return self.study.judgements(self.survey.name)

    def reject(self, *agents, status="rejected"):
        """What Mephisto's tools leave in its database."""
        self.mephisto("agents", agents, status)

    def mephisto(self, table, agents, status):
        """Rows of Mephisto's database that say of these agents that they are, or that their unit is, so."""
        self.paths.mephisto.mkdir(exist_ok=True)
        with sqlite3.connect(self.paths.mephisto / "database.db") as db:
            for name in ("agents", "units"):
                db.execute(f"CREATE TABLE IF NOT EXISTS {name} (agent_id TEXT PRIMARY KEY, status TEXT)")
            db.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?)", [(agent, status) for agent in agents])


@pytest.fixture
def collection(tmp_path):
    return Collection(tmp_path / "study")


def test_the_answers_arrive_as_they_were_given(collection):
    def changed(body):
        first = body["items"][0]
        first["answers"][0] |= {"answer": "unsure", "seconds": 4.25}
        return {**body, "items": [{**first, "seconds": 21.5, "comment": "odd"}, *body["items"][1:]], "comment": "fun"}

    unit = collection.unit("anna")
    collection.clock.pass_by(100)
    body = collection.work("anna", changed)
    collection.unit("bob")  # not finished
    found = collection.collect()
    rows = collection.rows()
    assert (found.units, found.added, found.comments) == (1, 40, 2)
    given = {}
    for page, item in zip(unit["items"], body["items"], strict=True):
        for answer in item["answers"]:
            given[page["item"], answer["question"], answer["target"]] = (answer["answer"], answer["seconds"])
    handed = collection.desk.ledger.handouts()[0]
    assert given == {
        (handed.items.index(row.item_id), row.question, row.target): (row.answer, row.answer_seconds) for row in rows
    }
    assert len(rows) == len(given) == 8 * 5
    assert {row.seconds for row in rows if row.item_id == handed.items[0]} == {21.5}
    assert {(row.unit_id, row.source) for row in rows} == {(handed.unit_id, "human")}
    assert {(row.started_at, row.submitted_at) for row in rows} == {
        ("2023-11-14T22:13:20.000+00:00", "2023-11-14T22:15:00.000+00:00")
    }
    data = collection.study.load(SURVEY)
    items = data.items | {item.item_id: item for item in read_controls(data)}
    for row in rows:
        item = items[row.item_id]
        about = (item.exchanges, item.conversation_ids, item.control)
        assert (row.exchanges, row.conversation_ids, row.control) == about
        entities = unit["items"][handed.items.index(row.item_id)]["transcripts"][0]["entities"]
        assert [row.presentation[f"entity:{i}"] for i in (0, 1)] == [entity["name"] for entity in entities]
    assert sum(row.control is not None for row in rows) == 2 * 5
    comments = [json.loads(line) for line in (collection.study.survey_path(SURVEY) / "comments.jsonl").open()]
    assert [(c["comment"], c["item_id"]) for c in comments] == [("fun", None), ("odd", handed.items[0])]


def test_each_answer_is_there_once_however_often_and_over_a_crash_while_writing(collection):
    path = collection.study.judgements_path(SURVEY)
    collection.work("anna")
    collection.collect()
    whole = path.read_bytes()
    again = collection.collect()
    assert (again.units, again.added, again.removed, path.read_bytes()) == (1, 0, 0, whole)
    for cut in (1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        sealed(collection.study.path)
        collection.collect()
        assert path.read_bytes() == whole
    collection.work("bob")
    more = collection.collect()
    assert (more.units, more.added) == (2, 40)
    assert path.read_bytes().startswith(whole)
    assert len({row.judgement_id for row in collection.rows()}) == len(collection.rows()) == 80


def test_what_mephisto_rejected_goes_and_comes_back_when_it_is_accepted_after_all(collection):
    collection.work("anna")
    collection.work("bob")
    collection.collect()
    agents = [handout.agent_id for handout in collection.desk.ledger.handouts()]
    for status in ("rejected", "soft_rejected"):
        collection.reject(agents[0], status=status)
        found = collection.collect()
        assert (found.units, found.rejected) == (1, 1)
        assert {row.unit_id for row in collection.rows()} == {collection.desk.ledger.handouts()[1].unit_id}
    collection.reject(agents[0], status="approved")
    back = collection.collect()
    assert (back.units, back.rejected, back.added) == (2, 0, 40)


def test_judges_and_people_from_elsewhere_stay(collection):
    path = collection.study.judgements_path(SURVEY)
    judge = Judgement("j1", "a1", SURVEY, "u", "i", ("c",), 2, "pair", "fluency", "entity:0", "words", "judge:spotter")
    human = replace(judge, judgement_id="j2", annotation_id="a2", source="human", worker_id="imported")
    checksums.write_jsonl(path, [judge, human])
    collection.work("anna")
    collection.collect()
    collection.reject(collection.desk.ledger.handouts()[0].agent_id)
    assert collection.collect().removed == 40
    assert collection.rows() == [judge, human]


def test_workers_are_pseudonyms_and_the_way_back_stays_in_the_folder(collection):
    collection.work("anna@example.org")
    collection.collect()
    assert "anna" not in collection.study.judgements_path(SURVEY).read_text()
    name = pseudonym(read_secret(collection.paths.secret), "anna@example.org")
    assert {row.worker_id for row in collection.rows()} == {name}
    with open(collection.paths.annotators, encoding="utf-8", newline="") as rows:
        assert list(csv.DictReader(rows)) == [{"annotator": name, "worker_id": "anna@example.org"}]
    assert stat.S_IMODE(os.stat(collection.paths.annotators).st_mode) == 0o600


def test_text_that_is_no_valid_unicode_is_kept_as_far_as_it_can_be(collection):
    collection.work("anna", lambda body: {**body, "comment": "half a \x1b[31mpair: \ud83d, \u202e, <b>, \U0001f600"})
    collection.collect()
    (row,) = map(json.loads, (collection.study.survey_path(SURVEY) / "comments.jsonl").open(encoding="utf-8"))
    assert row["comment"] == "half a pair: \ufffd, , <b>, \U0001f600"


def test_collecting_goes_on_beside_the_operator(collection):
    collection.work("anna")
    with sqlite3.connect(collection.paths.ledger, isolation_level=None) as operator:
        operator.execute("BEGIN IMMEDIATE")
        assert collection.collect().units == 1
        operator.execute("ROLLBACK")


def test_where_nobody_annotated_that_is_said(collection):
    collection.desk.ledger.close()
    for path in collection.paths.folder.glob("ledger.db*"):
        path.unlink()
    with pytest.raises(UserError, match=r"ledger\.db.*nobody has annotated"):
        collection.collect()
    assert not collection.paths.ledger.exists()


def test_annotators_with_flags_are_listed_first(tmp_path):
    collection = Collection(tmp_path / "study", bots=3, per_pair=8, people=12, unit_size=18)
    for worker in ("anna", "bob", "cleo"):
        collection.work(worker)
    collection.work("lazy", answer=plain)
    found = collection.collect()
    look, lazy = found.look, found.names["lazy"]
    assert look.index[0] == lazy
    assert {"always the same label", "same answers over and over"} <= set(look.loc[lazy, "flags"])
    assert any("controls" in flag for flag in look.loc[lazy, "flags"])
    assert all(not flags for flags in look["flags"][1:])
    assert (look.loc[lazy, "units"], look.loc[lazy, "median_seconds"]) == (1, 9.5)


def test_who_withdraws_leaves_no_answer_behind(collection):
    collection.work("anna", lambda body: {**body, "comment": "a secret of mine"})
    collection.work("bob")
    visitor = Visitor("anna")
    assert collection.desk.session(visitor)["progress"]["done"] == 1
    collection.collect()
    kept = backups.back_up(collection.paths)
    kept.with_name(f"old{backups.ASIDE}").write_text("a secret of mine")
    with pytest.raises(UserError, match="--withdraw cleo"):
        withdraw(collection.study, "cleo")
    assert withdraw(collection.study, collection.collect().names["anna"]).units == {SURVEY: 1}
    for _ in range(2):
        found = collection.collect()
        assert (found.units, found.withdrawn, found.comments) == (1, 1, 0)
        counts = {"came": 2, "practice": 0, "training": 0, "controls": 0, "withdrew": 1}
        assert collection.study.provenance()["participants"] == {SURVEY: counts}
    assert len(collection.rows()) == 40
    held = b"".join(path.read_bytes() for path in collection.study.path.rglob("*") if path.is_file())
    assert b"a secret of mine" not in held
    assert b"anna" not in held
    assert backups.answers_in(backups.backups_of(collection.paths.ledger)[-1]) == 2
    with pytest.raises(UserError, match="--withdraw anna"):
        withdraw(collection.study, "anna")
    collection.desk.reload()
    assert collection.desk.counts()["done"] == 2  # the unit stays done


class Ended(Exception):
    """The process dies here."""


def all_surveys(path):
    """A study that is asked three surveys, in which the same two people did a unit each; imported answers, too."""
    first = Collection(path)
    collections = [first]
    for survey in ("acute_eval", "dialogue_likert"):
        pack_study(first.study, survey, unit_size=4)
        collections.append(Collection.in_study(first.study, survey))
    for number, collection in enumerate(collections):
        for worker in ("annabella", "bob"):
            options = {q.name: q.options[0].value for q in collection.survey.questions if q.options}
            first_option = lambda question, _, options=options: options.get(question, "because")  # noqa: E731
            collection.work(worker, lambda body, worker=worker: {**body, "comment": f"said by {worker}"}, first_option)
        if number == 2:  # not collected yet
            continue
        collection.collect()
        backups.back_up(collection.paths)
        pseudonyms = [pseudonym(read_secret(collection.paths.secret), worker) for worker in ("annabella", "bob")]
        sign_ins = [{"link": "l", "session": one[::-1], "participant": one} for one in pseudonyms]
        checksums.write_jsonl(collection.paths.bindings, sign_ins)
        write_links(collection.paths.links, ["annabella", "bob"], "http://x", b"0" * 32)
        checksums.write_json(first.study.analysis_path(collection.survey.name) / "ranking.json", {"who": "annabella"})
    imported = [replace(row, judgement_id=f"i-{row.judgement_id}", worker_id="annabella") for row in first.rows()[:3]]
    checksums.write_jsonl(first.study.judgements_path(SURVEY), [*first.rows(), *imported])
    first.study.note_export(path.parent / "published")
    return first.study, collections


def traces(study, names):
    """Return the files and rows in which any of the names stands."""
    found = []
    for path in study.path.rglob("*"):
        if path.is_file():
            found += [path for name in names if name.encode() in path.read_bytes()]
        if path.suffix == ".db":
            with sqlite3.connect(path) as db:
                found += [path for line in db.iterdump() for name in names if name in line]
    return found


@pytest.mark.parametrize("by", ["worker", "pseudonym"])
@pytest.mark.parametrize("dies_at", [None, 1, 2, 3])
def test_who_withdraws_from_one_survey_is_gone_from_all(tmp_path, monkeypatch, by, dies_at):
    study, collections = all_surveys(tmp_path / "study")
    names = [pseudonym(read_secret(one.paths.secret), "annabella") for one in collections] + ["annabella"]
    before = {one.survey.name: len(one.rows()) for one in collections[:2]}
    assert traces(study, names)
    who = "annabella" if by == "worker" else names[1]
    if dies_at:
        steps = iter(range(1, 10))
        whole = withdraw_module._from_ledger

        def dies(*given):
            whole(*given)
            if next(steps) == dies_at:
                raise Ended

        monkeypatch.setattr(withdraw_module, "_from_ledger", dies)
        with pytest.raises(Ended):
            withdraw(study, who)
        monkeypatch.undo()
    if dies_at != 3:
        done = withdraw(study, who)
        assert done.exported == [str(tmp_path / "published")]
    if dies_at is None:
        assert done.units == {"acute_eval": 1, "dialogue_likert": 1, SURVEY: 1}
        assert done.judgements == {"acute_eval": 6, SURVEY: 40 + 3}
        assert done.analysed == ["acute_eval", SURVEY]
    for one in collections:
        collect(study, one.survey.name)
    assert traces(study, names) == []
    assert len(study.judgements(SURVEY)) == (before[SURVEY] - 3) / 2
    assert len(study.judgements("acute_eval")) == before["acute_eval"] / 2
    assert not study.analysis_path(SURVEY).exists()
    Study.open(study.path)


@pytest.mark.parametrize(("people", "note"), [(30, ""), (31, "1 more annotator with"), (45, "15 more annotators with")])
def test_annotators_that_are_not_shown_are_counted(people, note):
    rows = [(f"w{number}", 1, 4, 30.0, []) for number in range(people)]
    frame = pd.DataFrame(rows, columns=["name", "units", "n", "median_seconds", "flags"]).set_index("name")
    text = table(frame)
    assert len([line for line in text.splitlines() if line.startswith("w")]) == 30
    assert (f"{note} nothing to look at" in text) is bool(note)
