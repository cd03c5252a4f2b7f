"""Items to label next: known chances that lead where judges differ, and weights that undo them."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.judges.certificate.label_budget import inclusion, next_labels, systematic
from parlai_spotbot.judges.certificate.of_study import judged_items
from tests.in_process import spotbot
from tests.judges.certificate.labelled_study import SURVEY, labelled_demo


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return labelled_demo(tmp_path_factory.mktemp("budget") / "demo", share=0.3)


def test_chances_add_up_and_are_kept_by_the_draws():
    size = np.random.default_rng(1).exponential(1, 40) + 0.01
    chance = inclusion(size, 15)
    assert chance.sum() == pytest.approx(15)
    assert chance.max() <= 1
    free = chance < 1
    assert np.ptp(chance[free] / size[free]) < 1e-12
    draws = np.array([systematic(chance, np.random.default_rng(seed)) for seed in range(4000)])
    assert set(draws.sum(axis=1)) == {15}
    assert np.abs(draws.mean(axis=0) - chance).max() < 0.04
    assert inclusion(size, 90).tolist() == [1] * 40
    assert systematic(np.ones(3), np.random.default_rng(0)).all()


def test_items_that_nobody_labelled_are_drawn_by_doubt(study):
    items = judged_items(study.load(SURVEY))
    labelled = set(items.labelled["item"].str.partition("\t")[0])
    table = next_labels(items, 20)
    assert len(table) == 20
    assert labelled.isdisjoint(table["item"])
    assert table.equals(next_labels(judged_items(study.load(SURVEY)), 20))
    every = next_labels(items, 10_000)
    assert len(every) == items.unlabelled["item"].str.partition("\t")[0].nunique()
    assert (every["weight"] == 1).all()
    unsure = {row.item_id for row in study.judgements(SURVEY) if row.answer == "unsure"}
    doubted = table["item"].isin(unsure)
    assert table["chance"][doubted].min() >= table["chance"][~doubted].max()


def test_the_command_prints_or_writes_them(study, tmp_path):
    out, _ = spotbot("plan", "--study", study.path, "--certify", 5)
    assert out.splitlines()[0] == "item,conversation,chance,weight"
    assert len(out.splitlines()) == 6
    spotbot("plan", "--study", study.path, "--certify", 5, "--out", tmp_path / "next.csv")
    assert len(pd.read_csv(tmp_path / "next.csv")) == 5
    _, err = spotbot("plan", "--certify", code=2)
    assert "--study missing" in err
    _, err = spotbot("plan", "--study", study.path, "--certify", 0, code=2)
    assert "--certify 0: expected a number of items from 1 up" in err
    nobody = labelled_demo(tmp_path / "nobody", share=0.0)
    assert len(next_labels(judged_items(nobody.load(SURVEY)), 7)) == 7
