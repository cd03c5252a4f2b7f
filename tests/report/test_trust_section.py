"""The section "How far to trust the judges": a judge that always says "bot" is unmasked by the page."""

import re
import shutil
from dataclasses import replace

import pytest

from parlai_spotbot import files
from parlai_spotbot.report import CAUTION, build_report, judge_rows, trust
from parlai_spotbot.scripts.spotbot_analyze import analyze_study, judges_of
from parlai_spotbot.study import Study

SURVEY = "spot_the_bot"


@pytest.fixture(scope="module")
def page(tmp_path_factory, new_study):
    """A study with people, a judge drawn by rule, and one that always says "bot" and is the contestant eliza."""
    study = new_study(tmp_path_factory.mktemp("trust") / "study", per_pair=6, analyze=False)
    rows = list(study.judgements(SURVEY))
    always = [
        replace(row, source="judge:always", judgement_id=f"a{row.judgement_id}", annotation_id=f"a{row.annotation_id}",
                answer="bot" if row.question == "nature" else "no_difference")
        for row in rows if row.source == "judge:spotter"
    ]  # fmt: skip
    files.write_jsonl(study.judgements_path(SURVEY), [row.to_json() for row in rows + always])
    position = {"n": 40, "flips": 10, "rate": 0.25, "ci": [0.1, 0.4], "by_question": {}}
    about = {"judge": "always", "variants": {}, "model": {"model": "eliza"}, "position": position}
    files.write_json(study.survey_path(SURVEY) / "judges" / "always.json", about)
    assert judges_of(study, SURVEY)["judge:always"]["own"] == ["eliza"]
    analyze_study(study, bootstraps=50, backend="native", progress=False)
    return study, build_report(study).read_text(encoding="utf-8")


def section(text):
    found = text.split('id="trust"')[1]
    return re.split(r'<section [^>]*id="', found)[0]


def test_always_bot_is_unmasked_by_the_page(page):
    text = section(page[1])
    always, spotter = text.split("Judge always")[1].split("Judge spotter")
    assert "Do not trust this judge on who is human" in always
    assert "it says “bot” in all of its" in always
    assert "balanced accuracy 50%" in always
    assert "Its answers do not depend on who speaks" in always
    assert "saves nothing that can be counted on" in always
    assert "always the same answer" in always
    assert "Do not trust this judge" not in spotter
    assert CAUTION in always


def test_what_stands_in_it(page):
    text = section(page[1])
    for title in ("The judge and people", "Rankings of the judge and of people", "What sways the judge",
                  "Answers that turn with the order", "Whom the judge favours", "What the judge could save",
                  "Habits of answering", "Answers on who is human"):  # fmt: skip
        assert title in text
    assert "its own model (eliza)" in text
    assert text.count("<svg") >= 4


def test_files_stand_beside_the_others_and_go_when_people_are_gone(page, tmp_path):
    study = page[0]
    folder = study.analysis_path(SURVEY)
    assert {"trust.json", "trust.csv", "trust_confusion.csv", "trust_savings.csv"} <= {p.name for p in folder.iterdir()}
    found = files.read_json(folder / "trust.json")
    assert list(found["by_source"]) == ["judge:always", "judge:spotter"]
    assert found["made_by"]["options"]["bootstraps"] == 50
    shutil.copytree(study.path, tmp_path / "copy")
    study = Study.open(tmp_path / "copy")
    judges = [row.to_json() for row in study.judgements(SURVEY) if row.source == "judge:always"]
    files.write_jsonl(study.judgements_path(SURVEY), judges)
    analyze_study(study, bootstraps=10, backend="native", progress=False)
    assert not (study.analysis_path(SURVEY) / "trust.json").exists()


def test_without_people_there_is_no_such_section_to_fill(new_study, tmp_path):
    study = new_study(tmp_path / "s", per_pair=2, people=4, sources=("judge:spotter",))
    text = build_report(study).read_text(encoding="utf-8")
    assert "nothing is known of how far to trust one" in section(text)


def test_nothing_to_tell_is_nothing(page):
    for table in (judge_rows.agreement, judge_rows.ranks, judge_rows.biases, judge_rows.flips, judge_rows.likings,
                  judge_rows.savings, judge_rows.styles):  # fmt: skip
        assert table({}) is None
    assert trust.sentences({"items": 0, "why": "people and the judge answered no item both"}) == [
        "Nothing can be said of this judge: people and the judge answered no item both."
    ]
