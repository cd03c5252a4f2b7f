"""Many annotators at once, honest, clumsy and hostile: every accepted answer once, no forgery, no rule broken.

The quick test has the server and the desk in this process; the slow one a real operator with Mephisto, killed twice.
No times are asserted: `make bench` prints them.
"""

import sqlite3
from dataclasses import replace

import pytest

from parlai_spotbot.crowdsourcing.collect import annotation_id, collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.platforms.tokens import in_house_link
from parlai_spotbot.surveys import get_survey
from tests.crowdsourcing import annotators, whole
from tests.crowdsourcing import crowdsource_process as process


def test_thirty_annotators_of_all_kinds(tmp_path, monkeypatch):
    from parlai_spotbot.crowdsourcing.desk import sessions as reception

    monkeypatch.setattr(reception, "GRACE", 0.0)
    study = process.make_study(tmp_path / "study", units=72, items=4)

    record = annotators.Record()
    survey = get_survey(process.SURVEY)
    shortly = replace(survey, limits=replace(survey.limits, minutes_per_unit=4 / 60))  # hand-outs end after 4 seconds
    with whole.served(study, process.SURVEY, tmp_path, shortly) as server:
        links = [in_house_link(server.url, whole.SECRET, f"annotator-{number}") for number in range(30)]
        known = process.known_segments(study)
        process.run(annotators.meet(links, survey, known, (0.0, 0.1), 0.0, record))
        counts = server.intake.call(server.desk.counts)
    found = process.verify(study, record)
    assert found["units done"] == counts["done"] == counts["units"]
    assert record.forged["refused"] >= 7 * 3
    assert record.ends["vanished"] >= 1
    assert record.ends["stopped"] >= 1
    assert record.refused["submit", 409, "doubled"] >= 3
    assert record.refused["submit", 403, "foreign"] >= 3
    assert found["handed out"] > found["units done"]


@pytest.mark.slow
def test_two_hundred_annotators_and_an_operator_that_is_killed_twice(tmp_path):
    study = process.make_study(tmp_path / "study", units=480, items=10)
    with process.CrowdsourceProcess(study, 200) as server:
        record = server.run(think=(0.0, 1.0), arrive=0.0, kills=2)
    found = process.verify(study, record)
    assert record.retries > 0
    assert found["units done"] == 480
    assert sum(record.ends.values()) == 200
    assert record.forged["refused"] >= 20 * 7
    _mephisto_agrees(study, found)
    _judgements_are_as_given(study, record)


def _mephisto_agrees(study, found):
    database = sqlite3.connect(CollectionPaths(study, process.SURVEY).mephisto / "database.db")
    units = dict(database.execute("SELECT status, COUNT(*) FROM units GROUP BY status"))
    agents = dict(database.execute("SELECT status, COUNT(*) FROM agents GROUP BY status"))
    database.close()
    assert units == {"completed": found["units done"]}
    assert agents["completed"] == found["units done"]


def _judgements_are_as_given(study, record):
    """What `spotbot_collect` writes, however often, is what annotators sent, each answer once."""
    sent = {
        (annotation_id(handle, item["item"]), answer["question"], answer["target"]): answer["answer"]
        for handle, body in record.accepted.items()
        for item in body["items"]
        for answer in item["answers"]
    }
    for _ in range(2):
        collect(study, process.SURVEY)
        judgements = study.judgements(process.SURVEY)
        assert len({judgement.judgement_id for judgement in judgements}) == len(judgements) == len(sent)
        assert {(j.annotation_id, j.question, j.target): j.answer for j in judgements} == sent
