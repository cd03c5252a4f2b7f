"""Ties and agreement by the length of the segment, and how right annotators are: each counted by hand from answers."""

from collections import defaultdict

import pytest

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.findings.finding import csv_tables
from parlai_spotbot.findings.spotting import agreement, annotators, segments
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.findings.scripted import answered, rows_of, small_study

SURVEY = "spot_the_bot"
WORKERS = ("w0", "w1", "w2")
ONLY = ("segments", "agreement", "annotators")


def script(question, target, options, item, talks, rng):
    """Shown two exchanges, annotators guess; shown more, they know better, and say bot of both bots."""
    if question != "nature":
        return "no_difference"
    name = talks[item.conversation_ids[0]].entities[int(target[-1])]
    if item.exchanges > 2 and rng.random() < 0.9:
        return "human" if name == HUMAN else "bot"
    return rng.choice(options)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return small_study(tmp_path_factory.mktemp("lengths") / "study", SURVEY, per_pair=4, people=6)


@pytest.fixture(scope="module")
def found(study):
    return {
        name: result["by_source"][HUMAN]
        for name, result in answered(study, SURVEY, rows_of(study, SURVEY, script, WORKERS), only=ONLY).items()
    }


def labels(study):
    """The labels of both entities by (length, conversation, annotator), each annotator's last ones."""
    talks = indexed(study.conversations())
    given = defaultdict(dict)
    for row in rows_of(study, SURVEY, script, WORKERS):
        if row.question == "nature":
            given[row.exchanges, row.conversation_ids[0], row.worker_id][row.target] = row.answer
    return talks, given


def test_ties_are_matches_with_the_same_label_twice(study, found):
    talks, given = labels(study)
    tied = defaultdict(list)
    for (length, talk, _), answers in given.items():
        if HUMAN not in talks[talk].entities:
            tied[length].append(answers["entity:0"] == answers["entity:1"])
    rows = found["segments"].rows("tied")
    assert [row["exchanges"] for row in rows] == sorted(tied)
    for row in rows:
        counted = tied[row["exchanges"]]
        assert row["matches"] == len(counted)
        assert row["ties"] == pytest.approx(sum(counted) / len(counted))
        assert row["ties_low"] < row["ties"] < row["ties_high"]
    assert rows[-1]["ties"] > rows[0]["ties"]


def test_agreement_of_each_length_is_that_of_its_answers_alone(study, found):
    _, given = labels(study)
    for row in found["agreement"].rows("lengths"):
        pairs = [
            (f"{talk} {target}", label)
            for (length, talk, _), answers in given.items()
            if length == row["exchanges"]
            for target, label in answers.items()
        ]
        units, values = zip(*pairs, strict=True)
        clusters = Clusters.by(units)
        assert row["alpha"] == pytest.approx(krippendorff_alpha(units, values, clusters, "nominal")["alpha"])
    rows = found["agreement"].rows("lengths")
    assert [row["exchanges"] for row in rows] == [2, 3, 5]
    assert rows[1]["alpha"] > rows[0]["alpha"]


def test_how_right_annotators_are_is_a_mean_over_them(study, found):
    talks, _ = labels(study)
    right = defaultdict(list)
    people = defaultdict(list)
    for row in rows_of(study, SURVEY, script, WORKERS):
        if row.question != "nature" or row.answer == "unsure":
            continue
        name = talks[row.conversation_ids[0]].entities[int(row.target[-1])]
        correct = (row.answer == "human") == (name == HUMAN)
        right[row.worker_id].append(correct)
        if name == HUMAN:
            people[row.worker_id].append(correct)
    shares = [sum(row) / len(row) for row in right.values()]
    summary = found["annotators"].one("summary")
    assert summary["n"] == 3
    assert summary["correct"] == pytest.approx(sum(shares) / 3)
    assert summary["correct_people"] == pytest.approx(sum(sum(row) / len(row) for row in people.values()) / 3)
    assert summary["share_below_half_correct"] == 0


def test_each_is_a_table_and_a_csv_file(found):
    for finding, stem in (
        (segments, "segments_tied"),
        (agreement, "agreement_lengths"),
        (annotators, "annotators_summary"),
    ):
        table = csv_tables(finding.FINDING)[stem]
        assert len(table.read(found[finding.FINDING.name])) >= 1


def test_one_length_has_no_table_of_lengths(tmp_path):
    study = small_study(tmp_path / "study", SURVEY, per_pair=2, people=2)
    study.units_path(SURVEY).unlink()
    pack_study(study, SURVEY, segments=(3,))
    found = answered(study, SURVEY, rows_of(study, SURVEY, script, WORKERS[:2]), only=("segments", "agreement"))
    assert found["agreement"]["by_source"][HUMAN].rows("lengths") == []
    assert len(found["segments"]["by_source"][HUMAN].rows("tied")) == 1
