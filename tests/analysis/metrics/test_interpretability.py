"""Agreement on each metric: against the krippendorff package, and against what ABC-Eval's authors published."""

import json

import krippendorff
import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.metrics import Metric
from parlai_spotbot.analysis.metrics.interpretability import interpretability
from tests.case_tables import cases
from tests.outside_data import ABC_EVAL, released_data


def turns(values, name="label", kind="rate", scale="nominal"):
    """A metric of turns that two people judged: values (turns, 2), NaN where only one did."""
    rows = [
        (f"c{turn // 5}", "bot", f"c{turn // 5}\t{turn}", f"w{who}", f"a{turn // 5}-{who}", value)
        for turn, own in enumerate(values)
        for who, value in enumerate(own)
        if np.isfinite(value)
    ]
    columns = ["conversation_id", "bot", "unit", "worker_id", "annotation_id", "value"]
    return Metric("m", name, kind, "m", scale, pd.DataFrame(rows, columns=columns))


@cases("kind scale levels", "[[rate, nominal, 2], [mean, ordinal, 5]]")
def test_alpha_as_the_krippendorff_package_has_it(kind, scale, levels):
    rng = np.random.default_rng(4)
    first = rng.integers(levels, size=100)
    second = np.where(rng.random(100) < 0.6, first, rng.integers(levels, size=100)).astype(float)
    second[60:] = np.nan
    values = np.column_stack([first.astype(float), second])
    (found,) = interpretability([turns(values, kind=kind, scale=scale)])
    known = krippendorff.alpha(values.T, level_of_measurement=scale)
    assert found["alpha"] == pytest.approx(known)
    assert found["ci"][0] < known < found["ci"][1]
    assert (found["n"], found["conversations"]) == (60, 12)
    assert found["alike"] == pytest.approx(np.mean(values[:60, 0] == values[:60, 1]))


def test_the_authors_alphas_of_nine_labels():
    folder = released_data(ABC_EVAL)
    talks = json.loads((folder / "behavior-classification-results.json").read_text())
    published = pd.read_csv(folder / "paper_tables" / "surge_agreements.csv").set_index(["category", "label"])
    metrics = {}
    for talk, exchanges in talks.items():
        for turn, exchange in enumerate(exchanges):
            for label, said in exchange["behaviors"].items():
                for who, value in enumerate(said["human"]):
                    row = (
                        talk,
                        talk.rsplit("_")[-1],
                        f"{talk}\t{turn}",
                        f"w{who}",
                        f"{talk}-{label}-{who}",
                        float(value),
                    )
                    metrics.setdefault(label, []).append(row)
    columns = ["conversation_id", "bot", "unit", "worker_id", "annotation_id", "value"]
    made = [
        Metric("abc_eval", label, "rate", "abc_eval", "nominal", pd.DataFrame(rows, columns=columns))
        for label, rows in metrics.items()
    ]
    assert len(made) == 9
    for row in interpretability(made):
        known = published.loc["behavior", row["name"]]
        assert round(row["alpha"], 3) == pytest.approx(known["Krippendorff's alpha"], abs=1e-9), row["name"]
        assert row["n"] == known["n"]
        # Theirs draws turns, ours conversations: turns of one are correlated, so ours is no narrower by much.
        assert row["ci"][1] - row["ci"][0] > 0.75 * (known["CI high"] - known["CI low"])
