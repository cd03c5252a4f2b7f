"""The authors' whole project, on a small made-up file of its structure: from the file to a study and to the tables."""

import json
from collections import Counter

import krippendorff
import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.survey_data import checked_round
from parlai_spotbot.findings.survey_metrics import outcomes_of
from parlai_spotbot.projects.abc_eval.import_format import full
from parlai_spotbot.projects.abc_eval.reproduce import AbcEvalSettings, reproduce
from parlai_spotbot.scripts.main import main
from parlai_spotbot.study import Study
from tests.outside_data import ABC_EVAL, released_data
from tests.projects.made_up_project import BOTS, DIMENSIONS, TASKS, project, write


@pytest.fixture(scope="module")
def raw():
    return project(pairs=2, exchanges=3)


@pytest.fixture(scope="module")
def imported(raw, tmp_path_factory):
    return full(write(tmp_path_factory.mktemp("project") / "data.json", raw))


def annotations(stage, kind):
    """(dialogue, turn or None, annotation) of a stage, read by nothing of ours."""
    for identity, talk in stage["dialogues"].items():
        where = [(turn, n) for n, turn in enumerate(talk["turns"])] if kind.startswith("turn ") else [(talk, None)]
        for holder, n in where:
            for rows in holder[kind.removeprefix("turn ")].values():
                yield from ((identity, n, row) for row in rows)


def test_every_answer_becomes_a_judgement_of_its_survey(raw, imported):
    surge, chats = raw["surge_evaluation"], raw["dialogue_collection"]
    rows = {imported.survey: imported.judgements, **imported.others}
    counted = {
        "abc_eval": len(list(annotations(surge, "turn behavior_annotations"))),
        "turn_likert": len(list(annotations(surge, "turn likert_annotations"))),
        "dialogue_likert": len(list(annotations(surge, "likert_annotations"))),
        "comparative": len(list(annotations(surge, "comparative_annotations"))) // 2,
        "interactive": len(list(annotations(chats, "likert_annotations")))
        + len(list(annotations(chats, "comparative_annotations"))) // 2,
    }
    assert {name: len(own) for name, own in rows.items()} == counted
    assert len(imported.conversations) == len(surge["dialogues"])
    row = next(j for j in imported.judgements if j.question == "label_ignore" and j.target == "turn:5")
    given = surge["dialogues"][row.conversation_ids[0]]["turns"][2]["behavior_annotations"]["ignore"][0]
    assert row.answer == ("no", "yes")[given["score"]]
    assert row.seconds == surge["work_units"][given["work_unit_id"]]["time_to_complete_sec"]
    assert row.submitted_at == "2022-03-21T10:11:12"


def test_choices_are_kept_as_the_two_were_shown(raw, imported):
    stage, names = raw["surge_evaluation"], {"engagingness": "engaging", "quality": "quality"}
    units = dict(zip(stage["work_units"], range(1, len(stage["work_units"]) + 1), strict=True))
    checked = Counter()
    for row in imported.others["comparative"]:
        first, second = row.conversation_ids
        for given in stage["dialogues"][second]["comparative_annotations"].get(names.get(row.question), ()):
            if row.unit_id == f"surge-{units[given['work_unit_id']]:05d}":
                assert given["dialogue_compared_to_id"] == first
                assert {-1: "conversation:0", 1: "conversation:1", 0: "neither"}[given["score"]] == row.answer
                checked[row.answer] += 1
    assert sum(checked.values()) == sum(row.question in names for row in imported.others["comparative"])
    assert min(checked["conversation:0"], checked["conversation:1"]) > 3


def test_those_who_chatted_are_the_outcome(raw, imported):
    outcomes = outcomes_of(imported.others["interactive"], imported.conversations)
    chats = raw["dialogue_collection"]
    for row in outcomes.ratings.itertuples():
        given = chats["dialogues"][row.conversation_id]["likert_annotations"]["quality"][0]
        assert row.value == given["score"]
    for row in outcomes.choices.itertuples():
        given = chats["dialogues"][row.conversation_a]["comparative_annotations"]["quality"][0]
        assert row.value == given["score"]
    seconds = {c.conversation_id: c.provenance["seconds"] for c in imported.conversations}
    unit = next(iter(chats["work_units"].values()))
    assert [seconds[one] for one in unit["dialogue_ids"]] == [400.0, 500.0]


def test_the_training_of_every_group(raw, imported):
    rows = [checked_round(row, "row") for row in imported.training]
    found = {(row["task"], row["group"]): row for row in screened(rows).to_dict("records")}
    assert {group for _, group in found} == {"students", "mturkers", "surgers"}
    for task in TASKS:
        for stage, group, people in (("mturk_onboarding", "mturkers", 7), ("surge_onboarding", "surgers", 6)):
            last = raw[stage]["dialogues"][f"{task}_training_3"]["attempts"]
            own = found[task, group]
            assert own["annotators"] == own["decided"] == people
            assert own["passed"] == sum(one["passed"] for one in last)


def test_the_command_makes_one_study_of_five_surveys_without_anybodys_id(raw, tmp_path, capsys):
    path, study = write(tmp_path / "data.json", raw), tmp_path / "study"
    assert not main(["spotbot_import", "--format", "abc_eval", "--data", str(path), "--study", str(study)])
    assert "judgements of survey interactive" in capsys.readouterr().out
    opened = Study.open(study)
    for survey in ("abc_eval", "dialogue_likert", "turn_likert", "comparative", "interactive"):
        assert opened.judgements(survey)
    assert (study / "surveys/abc_eval/training.jsonl").exists()
    text = "".join(p.read_text() for p in study.rglob("*") if p.is_file())
    for person in ("student0", "surger1", "turker2", "unit7"):
        assert person not in text
    who = Counter(j.worker_id for j in opened.judgements("interactive"))
    assert all(name.startswith("person-") for name in who)


def spoil(data, *way, value):
    """Set (or, with `...`, remove) what the keys lead to; a tuple stands for the first key there is."""
    *way, last = way
    for key in way:
        data = data[key] if not isinstance(key, tuple) else next(iter(data.values()))
    if value is ...:
        del data[last]
    else:
        data[last] = value


FIRST = "(0,0)_blender2_3B"
DIALOGUE = ("surge_evaluation", "dialogues", FIRST)
TURN = (*DIALOGUE, "turns", 1)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ((*TURN, "behavior_annotations", {"ingore": [{}]}), f"surge_evaluation, dialogue '{FIRST}': not as released"),
        ((*TURN, "behavior_annotations", "ignore", 0, "score", 2), "KeyError: 2"),
        ((*TURN, "likert_annotations", "quality", 0, "work_unit_id", "x"), "KeyError: 'x'"),
        ((*DIALOGUE, "comparative_annotations", "quality", 0, "dialogue_compared_to_id", "x"), "compared to 'x'"),
        (("surge_evaluation", "work_units", ("first",), "worker_id", ...), "KeyError: 'worker_id'"),
        (("surge_onboarding", "work_units", ("first",), "task", "grammar"), "KeyError: 'grammar'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path, raw, keys, said):
    data = json.loads(json.dumps(raw))
    spoil(data, *keys[:-1], value=keys[-1])
    with pytest.raises(UserError) as err:
        full(write(tmp_path / "data.json", data))
    assert said in err.value.problem
    assert "data.json" in err.value.problem


def test_oddities_are_counted_and_survived(tmp_path, raw):
    data = json.loads(json.dumps(raw))
    unit = next(iter(data["surge_evaluation"]["work_units"].values()))
    unit["completion_date"], unit["time_to_complete_sec"] = "yesterday", float("nan")
    data["surge_evaluation"]["dialogues"][FIRST]["turns"][0]["user_turn"] = "other words"
    choice = data["surge_evaluation"]["dialogues"][FIRST]["comparative_annotations"]["quality"][0]
    choice["score"] = -choice["score"] or 1
    imported = full(write(tmp_path / "data.json", data))
    odd = {row["what"]: row["count"] for row in imported.about["oddities"]}
    assert odd["dialogues with other words where they were annotated"] == 1
    assert any(what.startswith("times of another form") for what in odd)
    assert any(j.seconds is None for j in imported.others["comparative"])
    assert odd["choices that read otherwise from the other dialogue"] == 1


@pytest.mark.slow
def test_all_tables_of_a_whole_file(tmp_path, cell):
    tables = released_data(f"{ABC_EVAL}/paper_tables")
    data = project()
    path = write(tmp_path / "data.json", data)
    made = reproduce([tables, path], tmp_path / "out", AbcEvalSettings(replicates=40))["whole"]
    assert set(made) == {"agreement", "rates", "table5", "figure2", "figure3", "table9", "table10", "screening"}
    stage = data["surge_evaluation"]

    twice = [
        [one["score"] for one in turn["behavior_annotations"]["ignore"]]
        for talk in stage["dialogues"].values()
        for turn in talk["turns"]
    ]
    both = [
        [one["score"] for one in talk["comparative_annotations"]["quality"]] for talk in stage["dialogues"].values()
    ]
    for name, given in (("ignore (abc eval)", twice), ("quality (comparative)", both)):
        pairs = np.array([scores for scores in given if len(scores) == 2])
        alpha = krippendorff.alpha(pairs.T, level_of_measurement="ordinal")
        assert cell(made["agreement"], name, "alpha").ours == pytest.approx(alpha, abs=1e-9)
    assert cell(made["agreement"], "ignore (abc eval)", "alpha").paper == 0.571

    units = pd.DataFrame(stage["work_units"].values())
    known = units[units["task"] == "empathy"]["time_to_complete_sec"].median()
    assert cell(made["table9"], "abc_eval:empathy", "seconds").ours == pytest.approx(known)
    assert cell(made["table9"], "abc_eval:empathy", "seconds").paper == 120.01
    own = units[units["task"].isin(list(TASKS))].assign(home=lambda f: [d[0] for d in f["dialogue_ids"]])
    own = own.assign(again=own.groupby(["home", "task"]).cumcount())
    sums = own.groupby(["home", "again"])["time_to_complete_sec"].sum() / 60
    assert cell(made["table10"], "abc_eval", "TI").ours == pytest.approx(sums.median())
    assert cell(made["table10"], "dialogue collection", "TI").paper == 8.08

    chats = len(data["dialogue_collection"]["dialogues"])
    for label, sign in (("empathetic", 1), ("ignore", -1)):
        found = cell(made["figure2"], f"{label} (abc eval)", "rating coef")
        assert np.sign(found.ours) == sign
        assert f"n {chats}" in found.definition
    steps = [
        c.ours for c in made["figure3"].cells if c.row.startswith("abc eval") and "rating" in c.row and c.column == "R²"
    ]
    assert len(steps) == 16
    assert all(np.diff(steps) <= 1e-9)
    counts = [c for c in made["table5"].cells if c.column == "0.1" and c.ours is not None]
    assert len(counts) == 16 + 3 * len(DIMENSIONS)
    assert max(c.ours for c in counts) <= len(BOTS) * (len(BOTS) - 1) / 2
    passed = cell(made["screening"], "surgers, transitions", "passed")
    last = data["surge_onboarding"]["dialogues"]["transitions_training_3"]["attempts"]
    assert passed.ours == sum(one["passed"] for one in last)
    assert passed.paper == 22
