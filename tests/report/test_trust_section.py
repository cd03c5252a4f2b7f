"""The section "How far to trust the judges": a judge that always says "bot" is unmasked by the page."""

import re
import shutil
from dataclasses import replace

import pytest

from parlai_spotbot import files
from parlai_spotbot.findings import judge_tables, trust
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.contents import read_contents
from parlai_spotbot.report import CAUTION, build_report, chapters
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.study import Study

SURVEY = "spot_the_bot"


@pytest.fixture(scope="module")
def study(tmp_path_factory, new_study):
    """A study with people, a judge drawn by rule, and one that always says "bot"."""
    study = new_study(tmp_path_factory.mktemp("trust") / "study", per_pair=6, analyze=False)
    rows = list(study.judgements(SURVEY))
    always = [
        replace(
            row,
            source="judge:always",
            judgement_id=f"a{row.judgement_id}",
            annotation_id=f"a{row.annotation_id}",
            answer="bot" if row.question == "nature" else "no_difference",
        )
        for row in rows
        if row.source == "judge:spotter"
    ]
    files.write_jsonl(study.judgements_path(SURVEY), [row.to_json() for row in rows + always])
    position = {"n": 40, "flips": 10, "rate": 0.25, "ci": [0.1, 0.4], "by_question": {}}
    about = {"judge": "always", "variants": {}, "position": position}
    files.write_json(study.survey_path(SURVEY) / "judges" / "always.json", about)
    analyze(study, bootstraps=50, backend="native")
    return study


@pytest.fixture(scope="module")
def parts(study):
    contents = read_contents(study, SURVEY)
    found = {}
    for source, others in chapters.results(contents):
        for told in trust.tell(chapters.result_of(contents, source, "trust", others)) if "trust" in others else ():
            found[source] = chapters.part_of_source(SurveyView(contents), source, told)
    return found


def said(part):
    cells = [cell for table in part.tables for row in table.rows for cell in row]
    return "\n".join([*part.text, *(figure.sentence for figure in part.figures), *cells])


def test_always_bot_is_unmasked(parts):
    always, spotter = parts["judge:always"], parts["judge:spotter"]
    assert always.text[0].startswith("Do not trust this judge on who is human")
    text = said(always)
    assert "always the same answer" in text
    assert "Do not trust this judge" not in said(spotter)
    assert {part.caution for part in parts.values()} == {CAUTION}


def test_what_stands_in_it(parts):
    always = parts["judge:always"]
    titles = [table.title for table in always.tables]
    assert titles[:3] == [
        "The judge and people",
        "Rankings of the judge and of people",
        "Answers that turn with the order",
    ]
    assert "Answers on who is human" in titles
    assert len(always.figures) == 1
    assert all("<svg" in figure.drawing for figure in always.figures)
    for table in always.tables:
        assert {len(row) for row in table.rows} <= {len(table.head)}
    alike = [table for table in always.tables if table.title.startswith("Answers on ")]
    assert alike[0].how  # how to read those that are read alike is said once
    assert not any(table.how for table in alike[1:])
    assert all(table.how for table in always.tables if table not in alike)


@pytest.mark.slow
def test_it_stands_on_the_page(study, new_study, tmp_path):
    text = section(build_report(study).read_text(encoding="utf-8"))
    assert text.index("Do not trust this judge") < text.index("The judge and people")
    assert CAUTION in text
    alone = new_study(tmp_path / "s", per_pair=2, people=4, sources=("judge:spotter",))
    page = build_report(alone).read_text(encoding="utf-8")
    assert 'id="trust"' not in page  # there is nobody to compare it with, which the first screen says
    assert CAUTION in page.split('<section id="')[0]


def section(text):
    return re.split(r'<section [^>]*id="', text.split('id="trust"')[1])[0]


def test_files_stand_beside_the_others_and_go_when_people_are_gone(study, tmp_path):
    folder = study.analysis_path(SURVEY)
    assert {"trust.json", "trust.csv", "trust_confusion.csv", "trust_ranks.csv"} <= {p.name for p in folder.iterdir()}
    found = files.read_json(folder / "trust.json")
    assert list(found["by_source"]) == ["judge:always", "judge:spotter"]
    assert found["made_by"]["options"]["bootstraps"] == 50
    shutil.copytree(study.path, tmp_path / "copy")
    study = Study.open(tmp_path / "copy")
    judges = [row.to_json() for row in study.judgements(SURVEY) if row.source == "judge:always"]
    files.write_jsonl(study.judgements_path(SURVEY), judges)
    analyze(study, bootstraps=10, backend="native")
    assert list(study.analysis_path(SURVEY).glob("trust*")) == []


def test_nothing_to_tell_is_nothing():
    assert judge_tables.of_trust({}) == []
    assert trust.sentences({"items": 0, "why": "people and the judge answered no item both"}) == [
        "Nothing can be said of this judge: people and the judge answered no item both."
    ]
