"""The spotter never sees what it judges, is better than chance on it, and knows when it can't say."""

import shutil

import numpy as np
import pytest

from parlai_spotbot import files
from parlai_spotbot.domains import get_domain
from parlai_spotbot.judges import get_judge
from parlai_spotbot.judges.spotter import examples
from parlai_spotbot.judges.spotter.detector import folds
from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

SURVEY = "spot_the_bot"


def test_the_same_seed_gives_the_same_bytes(prepared, judged):
    study = judged[0]
    prepared.open(study.load(SURVEY))
    rows = [row.to_json() for unit in study.units(SURVEY) for row in prepared.answer(unit)]
    assert "".join(files.dumps(row) + "\n" for row in rows) == study.judgements_path(SURVEY).read_text("utf-8")


def test_it_answers_what_is_asked_of_features_and_no_more(prepared, judged, monkeypatch, tmp_path):
    study = Study.open(shutil.copytree(judged[0].path, tmp_path / "study"))
    options = {"options": {"ask": ["specificity"]}}
    study.record("pack", {SURVEY: options})
    monkeypatch.setattr(prepared, "features", prepared.features)
    unit = study.units(SURVEY)[0]
    whole = prepared.answer(unit)
    prepared.open(study.load(SURVEY))
    rows = prepared.answer(unit)
    assert rows == [row for row in whole if row.question in ("nature", "specificity")]
    assert len(rows) == sum(prepared.answers_to(item) for item in unit.items) == 3 * len(unit.items)
    assert prepared.is_answered(unit, rows)


def test_a_model_never_saw_the_bots_it_judges(prepared):
    for key in prepared.keys:
        rows = prepared._rows(key)
        assert not {prepared.examples[i].who for i in rows} & set(key)
        speakers = {e for i in rows for e in prepared.entities.get(prepared.examples[i].conversation, ())}
        assert not speakers & set(key)  # nor as the partner of another bot


def test_no_model_saw_the_human_pool(prepared):
    assert any("quokkaish" in text for example in prepared.examples for text in example.texts)  # it is judged
    judged_rows = set(prepared.row_of.values())
    assert not any(judged_rows & set(prepared._rows(key)) for key in prepared.keys)


def test_people_in_training_are_the_judges_fold(prepared):
    folds = {fold: {e.episode_id for e in get_domain("chitchat").episodes(fold)} for fold in ("judges", "humans")}
    trained = {example.conversation for example in prepared.people}
    assert len(trained) == 60
    assert trained <= folds["judges"]
    assert not trained & folds["humans"]


def test_better_than_chance_on_bots_and_people_it_never_saw(judged):
    assert judged[1]["variants"]["spotter"]["balanced_accuracy"] > 0.55


def test_held_out_speakers_are_in_no_part_of_the_training(prepared):
    rows = prepared._rows(prepared.keys[0])
    chosen = [prepared.examples[i] for i in rows]
    splits = folds(chosen)
    assert sorted(i for _, held in splits for i in held) == list(range(len(chosen)))
    for train, held in splits:
        out = {chosen[i].speaker for i in held}
        conversations = {chosen[i].conversation for i in train}
        assert not {e.speaker for e in chosen if e.conversation in conversations} & out
        assert {chosen[i].who == HUMAN for i in train} == {True, False}


def test_stated_shares_are_unsure_and_without_difference(prepared):
    for key, model in prepared.models.items():
        bots = [prepared.examples[i] for i in prepared._rows(key) if prepared.examples[i].who != HUMAN]
        pairs = list(zip(bots[::2], bots[1::2], strict=True))
        answers = [model.preferences(a, b) for a, b in pairs]
        for feature in ("fluency", "specificity"):
            assert {answer[feature] for answer in answers} == {"entity:0", "entity:1", "no_difference"}
            share = np.mean([answer[feature] == "no_difference" for answer in answers])
            assert share >= 0.29, (key, feature)
        assert 0 <= model.unsure < 0.5  # 0 where the others' bots taught nothing: then all is one half, and unsure


def test_preferences_turn_with_the_entities(prepared):
    swap = {"entity:0": "entity:1", "entity:1": "entity:0", "no_difference": "no_difference"}
    for model in list(prepared.models.values())[:4]:
        for item in list(prepared.items)[:20]:
            a, b = (prepared.examples[prepared.row_of[item, entity]] for entity in (0, 1))
            there, back = model.preferences(a, b), model.preferences(b, a)
            assert there == {feature: swap[answer] for feature, answer in back.items()}


def test_people_are_judged_by_models_drawn_by_the_seed(prepared):
    keys = prepared.keys
    drawn = [examples.assign(keys, f"human:human:{i:04d}", 0) for i in range(300)]
    assert set(drawn) == set(keys)
    assert drawn == [examples.assign(keys, f"human:human:{i:04d}", 0) for i in range(300)]
    assert drawn != [examples.assign(keys, f"human:human:{i:04d}", 1) for i in range(300)]


def test_the_same_model_under_another_name_is_left_out_too():
    same = {"model": "hugging_face/gpt2", "model_file": ""}
    pool = {
        "a": Contestant("a", **same),
        "a2": Contestant("a2", **same, opt={"beam_size": 5}),
        "b": Contestant("b", model="spotbot:eliza"),
    }
    plan = Plan("chitchat", pool)
    assert examples.kin(plan, ("a",)) == {"a", "a2"}
    assert examples.kin(plan, ("b",)) == {"b"}
    assert examples.kin(plan, ("not in the plan",)) == {"not in the plan"}


@pytest.mark.slow
def test_with_few_other_bots_shipped_ones_stand_in(new_study, learns_little, tmp_path, monkeypatch):
    learns_little(monkeypatch)
    study = new_study(tmp_path / "s", names=("eliza", "rude"), people=2, models={"eliza": "spotbot:eliza"})
    judge = get_judge("spotter")(seed=0)
    judge.open(study.load(SURVEY))
    judge.prepare(study.load(SURVEY), progress=False)
    (key,) = judge.keys
    used = judge.describe()["trained_on"]["leaving_out"]["eliza and rude"]
    assert used["conversations"] == 0
    assert used["stand_in_conversations"] > 0
    assert used["bots"]
    # Eliza is one of the judged: its stand-in is left out, in whatever role.
    assert all(name.startswith("stand-in.") and "eliza" not in name for name in used["bots"])
    learnt = [judge.examples[i] for i in judge._rows(key)]
    assert {example.who for example in learnt if not example.origin} == {HUMAN, *used["bots"]}
    assert {row.answer for unit in study.units(SURVEY) for row in judge.answer(unit)} <= {
        "human",
        "bot",
        "unsure",
        "entity:0",
        "entity:1",
        "no_difference",
    }
