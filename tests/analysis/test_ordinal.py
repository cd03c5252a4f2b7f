"""Krippendorff's alpha on scales against the package, a hand-made case, and the released labels of ABC-Eval."""

import json
import os
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.ordinal import ordinal_alpha


@pytest.mark.parametrize("metric", ["ordinal", "interval", "nominal"])
def test_alpha_is_that_of_the_package_with_answers_missing(metric):
    rng = np.random.default_rng(0)
    table = np.clip(np.round(rng.normal(3, 1, 80) + rng.normal(0, 0.8, (4, 80))), 1, 5)
    table[rng.random(table.shape) < 0.4] = np.nan
    units, answers = zip(
        *[(u, table[r, u]) for u in range(80) for r in range(4) if np.isfinite(table[r, u])], strict=True
    )
    found = ordinal_alpha(units, answers, units, rng=rng, replicates=300, metric=metric)
    assert found["alpha"] == pytest.approx(krippendorff.alpha(reliability_data=table, level_of_measurement=metric))
    assert found["ci"][0] < found["alpha"] < found["ci"][1]
    assert found["units"] == int((np.isfinite(table).sum(axis=0) > 1).sum())


def test_a_case_by_hand():
    # Two answers each about (1, 2), (1, 1), (2, 2): given 1 three times, 2 three times; a 1 and a 2 are 3 apart.
    found = ordinal_alpha([0, 0, 1, 1, 2, 2], [1, 2, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], rng=np.random.default_rng(0))
    assert found["alpha"] == pytest.approx(1 - (2 * 9 / 6) / (18 * 9 / 30))
    assert found["alike"] == pytest.approx(2 / 3)


def test_nothing_judged_twice_and_answers_all_alike_have_no_alpha():
    rng = np.random.default_rng(0)
    alone = ordinal_alpha([0, 1, 2], [1, 2, 3], [0, 1, 2], rng=rng)
    assert np.isnan(alone["alpha"])
    assert alone["why"] == "nothing was judged twice"
    assert "the same" in ordinal_alpha([0, 0], [4, 4], [0, 0], rng=rng)["why"]
    assert ordinal_alpha([0, 0, 1, 1], [4, 4, 2, 2], [0, 0, 1, 1], rng=rng, replicates=50)["alpha"] == 1.0


def test_alphas_of_the_released_abc_eval_labels():
    folder = Path(os.environ.get("SPOTBOT_SHARED", "/nowhere")) / "data" / "abc_eval"
    if not folder.exists():
        pytest.skip("needs $SPOTBOT_SHARED/data/abc_eval")
    dialogues = json.loads((folder / "behavior-classification-results.json").read_text())
    known = pd.read_csv(folder / "paper_tables" / "all_agreements.csv")
    known = known[(known["round"] == 2) & (known["category"] == "behavior")].set_index("label")
    rows = [
        (label, f"{d} {t}", d, answer)
        for d, turns in dialogues.items() for t, turn in enumerate(turns)
        for label, given in turn["behaviors"].items() for answer in given["human"]
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["label", "turn", "dialogue", "answer"])
    assert frame["label"].nunique() == 9
    for label, own in frame.groupby("label"):
        found = ordinal_alpha(own["turn"], own["answer"], own["dialogue"], rng=np.random.default_rng(0), replicates=200)
        assert found["units"] == 1634
        assert found["alpha"] == pytest.approx(known.loc[label, "Krippendorff's alpha"], abs=6e-4), label
        assert found["ci"] == pytest.approx(known.loc[label, ["CI low", "CI high"]].tolist(), abs=0.09), label
