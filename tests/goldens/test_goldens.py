"""Analyses, pages and copies of three stored studies are what they were when the goldens were written."""

import json

import pytest
import yaml

from parlai_spotbot import checksums
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.judges.next_step import next_step
from parlai_spotbot.records import Contestant
from parlai_spotbot.report.page import build_report
from parlai_spotbot.scripts.spotbot_import import SpotbotImport
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.goldens import golden_runs
from tests.goldens.golden_compare import differences
from tests.goldens.golden_text import page_text
from tests.spoken import rows_of_item, spoken

MOST = 40
"""Differences that a failure shows."""


def hold(name, folder):
    found = differences(golden_runs.stored(golden_runs.EXPECTED / name), golden_runs.results(folder / name))
    if found:
        more = f"\n… and {len(found) - MOST} more" if len(found) > MOST else ""
        shown = "\n".join(found[:MOST])
        pytest.fail(f"{len(found)} differences in {name}:\n{shown}{more}", pytrace=False)


@pytest.mark.parametrize(
    "name", ["people", *(pytest.param(name, marks=pytest.mark.slow) for name in ("rules", "surveys"))]
)
def test_a_study_gives_what_it_gave(name, tmp_path):
    golden_runs.run(name, tmp_path)
    hold(name, tmp_path)
    study = Study.open(tmp_path / name)
    for survey in golden_runs.judged(study):
        assert "spotbot_report" in next_step(study.load(survey))


def test_several_studies_compare_as_they_did(tmp_path):
    for name in golden_runs.OPTIONS:
        golden_runs.copied(name, tmp_path)
        for path in (golden_runs.EXPECTED / name).glob("surveys/*/analysis/*.json"):
            target = tmp_path / name / path.relative_to(golden_runs.EXPECTED / name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        checksums.write_text(tmp_path / name / "report" / "index.html", "pages of several studies lead here")
    golden_runs.run_several(tmp_path)
    hold(golden_runs.SEVERAL, tmp_path)


def test_what_counts_as_a_difference():
    old = {
        "a.json": '{"x": {"p": 0.5, "n": 2}, "made_by": {"package": "p 1"}}',
        "b.csv": "k,v\n1,0.25\n",
        "c.txt": "one\n",
    }
    near = {
        **old,
        "a.json": '{"x": {"p": 0.50000000001, "n": 2}, "made_by": {"package": "p 2"}}',
        "b.csv": "k,v\n1,0.25000000001\n",
    }
    assert differences(old, near) == []
    assert differences(old, {**old, "a.json": old["a.json"].replace("0.5", "0.51")}) == [
        "a.json: x.p\n  old 0.5\n  new 0.51"
    ]
    for name, before, after in yaml.safe_load("""
        - [a.json, '2', '2.0']
        - [a.json, '2', 'null']
        - [a.json, '"p": 0.5, "n": 2', '"n": 2, "p": 0.5']
        - [b.csv, '1,', '2,']
        - [b.csv, '0.25', '']
        - [b.csv, v, w]
        - [c.txt, one, two]
    """):
        assert len(differences(old, {**old, name: old[name].replace(before, after)})) >= 1
    assert differences(old, {"a.json": old["a.json"], "d": ""}) == ["b.csv: is gone", "c.txt: is gone", "d: is new"]


# -- a study made by an earlier version ------------------------------------------------------------------------------
def test_an_earlier_study_with_its_analysis_is_shown(tmp_path):
    study = golden_runs.copied("people", tmp_path, analysis=True)
    before = golden_runs.stored(study.analysis_path("spot_the_bot"))
    page = page_text(build_report(study).read_text(encoding="utf-8"))
    for said in ("Not computed yet", "changed since", "annotators' effects"):
        assert said not in page
    assert "made by another version" in page  # figures moved since; the page names the command
    assert "parlai spotbot_analyze --study" in page
    assert golden_runs.stored(study.analysis_path("spot_the_bot")) == before


def grown(study):
    """A further contestant, its conversations with the others packed and answered, by hand where bots would play."""
    old = list(study.plan.contestants)
    study.extend(contestants={"dora": Contestant("dora", model="imported", description="came later").to_json()})
    talks = [
        spoken(
            f"{name}-dora-{n}",
            (name, "dora"),
            (f"turn {t} of talk {n} with {name}" for t in range(12)),
            n,
            seed_id=f"later-{name}-{n}",
        )
        for name in old
        for n in range(4)
    ]
    checksums.write_jsonl(study.conversations_path, [*study.conversations(), *talks])
    known = {unit.unit_id for unit in study.units("spot_the_bot")}
    options = study.provenance()["pack"]["spot_the_bot"]["options"]
    pack_study(study, "spot_the_bot", unit_size=options["unit_size"], humans_per_unit=options["humans_per_unit"])
    answered = []
    for number, unit in enumerate(study.units("spot_the_bot")):
        for item in unit.items if unit.unit_id not in known else ():
            name = f"later/{unit.unit_id}/{item.item_id}"
            given = {("nature", "entity:0"): ("human", "bot")[number % 2], ("nature", "entity:1"): "unsure"}
            given |= {(q, "pair"): "entity:1" for q in ("fluency", "sensibleness", "specificity")}
            answered += rows_of_item(name, unit, item, f"n{number % 3}", given, seconds=20.0)
    with checksums.RecordedJournal(study.judgements_path("spot_the_bot")) as journal:
        journal.append(*answered)
    return talks, answered


@pytest.mark.slow
def test_an_earlier_study_is_read_extended_and_analysed_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = golden_runs.copied("people", tmp_path, analysis=True)
    paths = (
        study.plan_path,
        study.conversations_path,
        study.units_path("spot_the_bot"),
        study.judgements_path("spot_the_bot"),
    )
    before = {path: path.read_text(encoding="utf-8") for path in paths}
    talks, answered = grown(study)
    assert answered
    ratings = "conversation_id,worker_id,question,target,answer\n" + "".join(
        f"{talk.conversation_id},r{n % 3},quality,entity:1,{1 + n % 5}\n" for n, talk in enumerate(talks)
    )
    (tmp_path / "ratings.csv").write_text(ratings, encoding="utf-8")
    SpotbotImport.main(study="people", format="judgements", survey="dialogue_likert", data="ratings.csv")

    study = Study.open(study.path)
    assert list(study.plan.contestants)[-1] == "dora"
    assert "dialogue_likert" in study.plan.surveys
    for path, text in before.items():
        now = path.read_text(encoding="utf-8")
        assert now.startswith(text) or set(text.splitlines()) <= set(now.splitlines()), path.name
    for survey in study.plan.surveys:
        analyze(study, survey, bootstraps=50, **({"backend": "native"} if survey == "spot_the_bot" else {}))
    assert not [*study.analysis_path("spot_the_bot").glob("annotators_worker_effects*")]
    ranking = json.loads((study.analysis_path("spot_the_bot") / "ranking.json").read_text(encoding="utf-8"))
    assert {row["bot"] for row in ranking["tables"]["ranking"]} == {"ada", "bob", "cleo", "dora"}
    assert ranking["made_by"]["study_extended"] == ["contestants added to the 3 there were: dora"]
    page = page_text(build_report(study).read_text(encoding="utf-8"))
    assert "dora" in page
    assert "made by another version" not in page
