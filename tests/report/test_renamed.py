"""A contestant that is renamed: analysis, report and export are as if it had always been called so."""

import json
import shutil

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.report import build_report
from parlai_spotbot.report.export.copying import export_study
from parlai_spotbot.study import Study

SURVEY, OLD, NEW = "spot_the_bot", "eliza", "eliza-of-1966"


@pytest.fixture(scope="module")
def made(new_study, tmp_path_factory):
    return new_study(tmp_path_factory.mktemp("renamed") / "study", sources=("human",), analyze=False).path


@pytest.fixture
def study(made, tmp_path):
    shutil.copytree(made, tmp_path / "study")
    return Study.open(tmp_path / "study")


def figures(results):
    """Everything but what says how it was made; keys that are names stand in any order."""
    found = json.loads(json.dumps(results, default=str).replace(NEW, OLD))
    for value in found.values():
        value.pop("made_by", None)
    return found


@pytest.mark.slow
def test_the_analysis_has_the_same_figures_under_the_new_name(study):
    kept = study.conversations_path.read_bytes(), study.judgements_path(SURVEY).read_bytes()
    before = analyze(study, SURVEY, bootstraps=20, backend="native")
    study.extend(renamed={OLD: NEW})
    with pytest.raises(UserError, match="Contestants bear other names now than when the study was analysed") as error:
        build_report(study)
    assert "spotbot_analyze" in error.value.remedy
    after = analyze(study, SURVEY, bootstraps=20, backend="native")
    assert after["ranking"]["made_by"]["contestants_renamed"] == {OLD: NEW}
    assert NEW in json.dumps(after, default=str)
    assert f'"{OLD}"' not in json.dumps(after | {"made_by": 0}, default=str).replace(f'{{"{OLD}": "{NEW}"}}', "")
    own, other = figures(before), figures(after)
    drawn = [found.pop("survival")["by_source"]["human"] for found in (own, other)]
    assert other == own
    for found in drawn:  # its bootstrap draws conversations in the order of their pairs' names
        assert drawn[0]["curves"][OLD]["survival"] == found["curves"][OLD]["survival"]
    assert (study.conversations_path.read_bytes(), study.judgements_path(SURVEY).read_bytes()) == kept
    text = build_report(study).read_text(encoding="utf-8")
    assert "bear other names" not in text
    rest = text.partition("</header>")[2]
    assert f">{NEW}<" in rest
    assert f">{OLD}<" not in rest.partition('id="provenance"')[0]


def test_a_copy_for_publication_bears_the_new_name(study, tmp_path):
    study.extend(renamed={OLD: NEW})
    export_study(Study.open(study.path), tmp_path / "copy")
    copy = Study.open(tmp_path / "copy")
    assert NEW in copy.plan.contestants
    assert OLD not in copy.plan.contestants
    speakers = {turn.speaker for row in copy.conversations() for turn in row.turns}
    assert NEW in speakers
    assert OLD not in speakers
    assert copy.provenance()["export"]["extended"] == [f"{OLD} renamed {NEW}"]
