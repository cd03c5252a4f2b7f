"""spotbot_plan: before a study and after a pilot; bad input is one error that names the option."""

import json
import re
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from parlai_spotbot import checksums
from parlai_spotbot.analysis.planning import Design, conversations_needed, ratings_needed
from parlai_spotbot.scripts.spotbot_plan import SpotbotPlan
from parlai_spotbot.selfplay.empty_study import begin
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study_check import check_study
from tests.case_tables import cases
from tests.findings.scripted import rows_of, small_study

RATED = Design(4, 1, 0.0, 0.25, 0.04, 10)

PASSING = {"good": 0.8, "fair": 0.3, "poor": 0.2}


def run(capsys, **options) -> str:
    SpotbotPlan.main(**options)
    return capsys.readouterr().out


def test_a_plan_before_a_study(capsys, tmp_path):
    out = run(capsys, bots=4, difference=0.4, wage=12.0, simulations=50, out=str(tmp_path / "plan.json"))
    written = json.loads((tmp_path / "plan.json").read_text())
    asked = written["plan"]["asked"]
    design = Design(bots=4, calibration=written["plan"]["design"]["calibration"])
    assert asked["needed"] == conversations_needed(0.7, design)
    assert asked["annotations"] == pytest.approx(asked["needed"] * 6 * 8, abs=8)
    assert asked["hours"] > asked["annotations"] * 50 / 3600
    assert asked["cost"] == pytest.approx(12 * asked["hours"], rel=0.01)
    assert f"With {asked['needed']} conversations a pair" in out
    assert "one wins 70% of their decided matches" in out
    assert "By 50 simulated studies the power is " in out
    assert [row["difference"] for row in written["plan"]["differences"]] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert written["made_by"]["options"]["difference"] == 0.4
    needs = [row["needed"] for row in written["plan"]["differences"]]
    assert needs == sorted(needs, reverse=True)


@cases(
    "options says",
    """
- [{power: 0.8}, '--bots missing']
- [{bots: 1}, 'bots is 1, expected a number from 2 up']
- [{bots: 4, power: 1.2}, power is 1.2]
- [{bots: 4, difference: 0.0}, difference is 0]
- [{bots: 4, wage: -3.0}, '--wage -3.0']
- [{bots: 4, seconds: 0.0}, '--seconds 0.0']
- [{bots: 3, config: nowhere.yaml}, nowhere.yaml]
- [{bots: 3, survey: votes}, 'survey votes: no plan, since nobody has published']
- [{bots: 0, survey: nuc}, 'bots is 0, expected a number from 1 up']
- [{bots: 1, survey: spot_the_user}, 'bots is 1, expected a number from 2 up']
- [{bots: 3, survey: likert}, Did you mean 'turn_likert']
- [{bots: 4, simulations: -1}, '--simulations -1']
- [{bots: 4, segments: '2,x'}, '--segments: invalid whole numbers (as in 2,3,5) value: ''2,x''']
- [{bots: 4, segments: '2,2'}, expected different whole numbers]
- [{survey: acute_evl, bots: 3}, Did you mean 'acute_eval']
- [{survey: turn_likert, bots: 3, rating_sd: -1.0}, sd is -1.0]
- [{study: /nowhere}, no study here]
""",
)
def test_bad_options_are_one_error(capsys, options, says):
    with pytest.raises(SystemExit) as stopped:
        SpotbotPlan.main(**options)
    assert stopped.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("survey", "like", "apart", "annotations"),
    [
        ("acute_eval", Design(4, 1, 0.0, annotations_per_worker=1), 0.3, lambda n: 6 * n),
        ("comparative", Design(4, 1, 0.2, annotations_per_worker=1), 0.3, lambda n: 6 * n * 1.25),
        ("dialogue_likert", RATED, 0.5, lambda n: 4 * n * 1.25),
        ("turn_likert", RATED, 0.5, lambda n: 4 * n * 1.25 * 8),
    ],
)
def test_a_plan_of_whole_conversations(capsys, tmp_path, survey, like, apart, annotations):
    path = tmp_path / "plan.json"
    out = run(capsys, survey=survey, bots=4, difference=apart, seconds=60.0, wage=12.0, out=str(path))
    plan = json.loads(path.read_text())["plan"]
    needed = ratings_needed(apart, 1.0, like) if like is RATED else conversations_needed(0.5 + apart / 2, like)
    assert plan["asked"]["needed"] == needed
    assert plan["asked"]["annotations"] == pytest.approx(annotations(needed), rel=0.02)
    assert plan["asked"]["hours"] > annotations(needed) / 60
    assert plan["asked"]["cost"] == pytest.approx(plan["asked"]["hours"] * 12, rel=0.05)
    assert f"With {needed} " in out
    assert ("one gets 65% of their decided choices" if apart == 0.3 else "means are 0.50 points apart") in out
    needs = [row["needed"] for row in plan["differences"]]
    assert needs == sorted(needs, reverse=True)
    curve = pd.read_csv(path.with_suffix(".csv"))
    assert curve["hours"].is_monotonic_increasing
    assert curve["power"].is_monotonic_increasing
    reached = curve[curve["needed"] == needed].iloc[0]
    assert reached["power"] == pytest.approx(plan["asked"]["power"])
    assert reached["hours"] == pytest.approx(plan["asked"]["hours"])
    assert f"{reached['hours']:,.1f} h  {reached['power']:4.0%}  █" in out


def test_the_chance_of_significance_of_one_pair_is_that_of_a_test_of_its_choices(capsys, tmp_path):
    run(capsys, survey="acute_eval", bots=2, difference=0.3, ties=0.0, out=str(tmp_path / "plan.json"))
    curve = pd.read_csv(tmp_path / "plan.csv")
    large = curve[curve["conversations"] > 60]  # of fewer, a test that estimates its variance finds less
    assert len(large) >= 5
    for row in large.to_dict("records"):
        count = row["conversations"]
        won = np.arange(count + 1)
        rejected = np.abs(won - count / 2) > 1.96 * np.sqrt(count) / 2
        assert row["power"] == pytest.approx(binom.pmf(won, count, 0.65)[rejected].sum(), abs=0.08)


# -- kept in a study ---------------------------------------------------------------------------------------------------
KEPT = {"bots": 3, "difference": 0.5, "simulations": 0}


def kept(folder, survey="spot_the_bot"):
    return json.loads((folder / "provenance.json").read_text())["plan"][survey]


def test_a_plan_is_kept_where_its_study_will_be(capsys, tmp_path):
    folder = tmp_path / "study"
    out = run(capsys, study=str(folder), **KEPT)
    assert f"spotbot_selfchat --study {folder} --conversations-per-pair 34" in out
    assert f"kept, for the study's methods text: {folder / 'provenance.json'}" in out
    plan = kept(folder)
    assert f"{plan['annotations']:,} annotations, {plan['hours']:.1f} hours by {plan['workers']} people or more" in out
    assert (plan["options"]["difference"], plan["seed"], plan["package"][:14]) == (0.5, 0, "parlai_spotbot")
    assert plan["date"] == datetime.now(UTC).date().isoformat()
    run(capsys, study=str(folder), survey="acute_eval", bots=3)
    assert kept(folder) == plan
    assert kept(folder, "acute_eval")["design"]["of"] == "choices"
    pool = tmp_path / "pool.yaml"
    pool.write_text("a: {model: repeat_query}\nb: {model: repeat_query}\n")
    study = begin(folder, SelfPlayRequest(contestants=read_pool(pool)))
    assert study.provenance()["plan"]["spot_the_bot"] == plan
    assert not [row for row in check_study(folder) if row.problem]


def test_the_same_plan_keeps_its_date_and_another_takes_its_place(capsys, tmp_path):
    study = small_study(tmp_path / "study", "spot_the_bot", tuple(PASSING), per_pair=3, people=3)
    run(capsys, study=str(study.path), **KEPT)
    dated = {**kept(study.path), "date": "2001-02-03"}
    study.record("plan", {"spot_the_bot": dated})
    run(capsys, study=str(study.path), **KEPT)
    assert kept(study.path) == dated
    run(capsys, study=str(study.path), **KEPT | {"difference": 0.6})
    assert kept(study.path)["difference"] == 0.6
    assert kept(study.path)["date"] != dated["date"]


def test_openers_that_recur_are_one_seed_and_few_seeds_are_said(capsys, tmp_path):
    """A pair can't have an opener twice: of 60 that recur once, no plan needs more than there are."""
    path = tmp_path / "own.jsonl"
    rows = []
    for number in range(200):
        talk = [f"opener {number // 2}", "yes", *(f"turn {turn} of {number}" for turn in range(10))]
        rows.append(json.dumps({"turns": talk}))
    path.write_text("\n".join(rows))
    plan = {"domain": str(path), "bots": 3, "simulations": 0}
    assert "annotators; its dry run says" in run(capsys, difference=0.5, **plan)
    assert "annotators; its dry run says" not in run(capsys, difference=0.95, **plan)
    assert "warning: the domain has" in run(capsys, difference=0.3, **plan)


def test_seeds_of_a_study_are_not_said_to_be_all_of_its_domain(capsys, tmp_path):
    study = small_study(tmp_path / "study", "spot_the_bot", tuple(PASSING), per_pair=3, people=3)
    assert "the domain has" not in run(capsys, study=str(study.path), **KEPT)
    few = {"domain": "chitchat", "bots": 3, "difference": 0.1, "simulations": 0}
    assert "warning: the domain has 700 seeds" in run(capsys, **few)


def test_no_plan_is_kept_after_people_have_answered(capsys, pilot):
    with pytest.raises(SystemExit) as stopped:
        SpotbotPlan.main(study=str(pilot.path), **KEPT)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert "people answer survey spot_the_bot already, and a plan is made before." in error
    assert "Leave out --bots to plan on their answers" in error
    assert "plan" not in pilot.provenance()


def test_no_plan_is_kept_among_other_files_nor_out_of_reach(capsys, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "new").mkdir()
    for folder, options, said in (
        (tmp_path, KEPT, "there are other files, but no study.yaml"),
        (tmp_path / "new", KEPT | {"difference": 0.0001}, "no plan to keep"),
    ):
        with pytest.raises(SystemExit):
            SpotbotPlan.main(study=str(folder), **options)
        assert said in capsys.readouterr().err
        assert not (folder / "provenance.json").exists()


def passing(question, target, options, item, talks, rng):
    """Bots are called human by their shares, people in .9; no feature is decided."""
    name = talks[item.conversation_ids[0]].entities[int(target[-1])] if question == "nature" else ""
    return ("human" if rng.random() < PASSING.get(name, 0.9) else "bot") if name else "no_difference"


@pytest.fixture
def pilot(tmp_path):
    """A study of three bots, twenty conversations a pair, of which one passes far more often than the others."""
    study = small_study(tmp_path / "pilot", "spot_the_bot", tuple(PASSING), per_pair=20, people=20)
    rows = rows_of(study, "spot_the_bot", passing, ("w1", "w2", "w3", "w4", "w5"), seconds=36.0)
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), rows)
    return study


def test_a_pilot_says_what_is_still_needed(capsys, pilot):
    out = run(capsys, study=str(pilot.path), wage=10.0, difference=0.3)
    path = pilot.analysis_path("spot_the_bot") / "plan.json"
    own = json.loads(path.read_text())["by_source"]["human"]
    rows = {(row["a"], row["b"]): row for row in own["pairs"]}
    assert rows["good", "poor"]["status"] == "settled"
    assert rows["fair", "poor"]["status"] != "settled"
    more = rows["fair", "poor"]["more_conversations"]
    assert more > 0
    of_bots = sum(row["more_annotations"] for row in own["pairs"])
    assert of_bots <= own["more"]["annotations"] <= of_bots * 4 / 3 + 1
    assert own["more"]["hours"] > own["more"]["annotations"] * 36 / 3600
    assert own["more"]["cost"] == pytest.approx(10 * own["more"]["hours"], rel=0.01)
    assert own["design"]["looks"] == 2
    assert re.search(r"[123] of 3 pairs (is|are) not settled", out)
    assert "settled: p below .025, for pairs are tested 2 times" in out
    assert "settled: p below" not in run(capsys, study=str(pilot.path), looks=1, out=str(pilot.path / "other.json"))
    assert str(path) in out
    before = path.read_bytes()
    run(capsys, study=str(pilot.path), wage=10.0, difference=0.3)
    assert path.read_bytes() == before


def test_an_unknown_source_is_named(capsys, pilot):
    with pytest.raises(SystemExit):
        SpotbotPlan.main(study=str(pilot.path), source="humans")
    assert "--source humans: no judgements of it" in capsys.readouterr().err
    assert not (pilot.analysis_path("spot_the_bot") / "plan.json").exists()


@pytest.mark.parametrize("survey", ["abc_eval", "spot_the_user", "nuc"])
def test_a_pilot_whose_answers_rank_no_pairs_is_an_error_that_says_so(capsys, pilot, survey):
    with pytest.raises(SystemExit):
        SpotbotPlan.main(study=str(pilot.path), survey=survey)
    err = capsys.readouterr().err
    assert f"no pilot of {survey} is planned on, because its answers rank no pairs." in err
    assert "Plan with --bots, and the pilot's spread, correlations and seconds as options." in err
