"""A contestant that is left out: packing, analysis and report are as if it had never been there; all is kept."""

import shutil

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.report.page import build_report
from parlai_spotbot.scripts.spotbot_contestants import SpotbotContestants
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study

SURVEY, GONE = "spot_the_bot", "eliza"


@pytest.fixture(scope="module")
def made(new_study, tmp_path_factory):
    return new_study(tmp_path_factory.mktemp("left out") / "study", sources=("human",), analyze=False).path


@pytest.fixture
def study(made, tmp_path):
    shutil.copytree(made, tmp_path / "study")
    return Study.open(tmp_path / "study")


def leave_out(study, **options):
    given = {"leave_out": None, "study": str(study.path)}
    command = SpotbotContestants({**given, "pool": None, **options})
    assert command.execute() == 0
    return Study.open(study.path)


def test_the_report_says_what_is_outdated(study):
    study = leave_out(study, leave_out=GONE)
    made_by = analyze(study, SURVEY, bootstraps=20, backend="native")["ranking"]["made_by"]
    assert made_by["study_extended"] == study.extended_by() == [f"{GONE} left out"]
    study.extend(left_out=[])  # as --take-back of earlier versions wrote it
    assert study.plan == study.base
    assert "Other contestants are left out now" in build_report(study).read_text(encoding="utf-8")


def test_units_show_it_no_more_unless_they_are_answered(study):
    def shown():
        return {name for unit in study.units(SURVEY) for item in unit.items for name in item.conversation_ids}

    answers = study.judgements_path(SURVEY).read_bytes()
    checksums.remove(study.judgements_path(SURVEY))
    checksums.remove(study.units_path(SURVEY))
    pack_study(study, SURVEY, humans_per_unit=3)
    assert any(GONE in name for name in shown())
    study = leave_out(study, leave_out=GONE)
    pack_study(study, SURVEY, humans_per_unit=3)
    assert not any(GONE in name for name in shown())
    packed = study.units_path(SURVEY).read_bytes()
    checksums.write_bytes(study.judgements_path(SURVEY), answers)
    study.extend(left_out=["alice"])
    pack_study(study, SURVEY, humans_per_unit=3)
    assert study.units_path(SURVEY).read_bytes().startswith(packed)
    assert any(GONE in name for name in shown())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"leave_out": "elisa"}, "no contestant 'elisa'"),
        ({"leave_out": "eliza,alice,minilm"}, "no pair of contestants remains"),
    ],
)
def test_what_cant_be_left_out_is_named_and_nothing_changes(study, options, says):
    with pytest.raises(UserError, match=says):
        leave_out(study, **options)
    assert not study.history_path.exists()
