"""Agreement on each metric: against the krippendorff package, and against what ABC-Eval's authors published."""

import json

import krippendorff
import numpy as np
import pandas as pd
import pytest
from outside_data import ABC_EVAL, released_data

from parlai_spotbot.analysis.metrics import Metric
from parlai_spotbot.analysis.metrics.interpretability import interpretability


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


@pytest.mark.parametrize(("kind", "scale", "levels"), [("rate", "nominal", 2), ("mean", "ordinal", 5)])
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


def test_choices_have_both_alphas_whatever_the_order_of_the_two():
    rng = np.random.default_rng(5)
    first = rng.choice([-1.0, 0.0, 1.0], 40, p=[0.4, 0.2, 0.4])
    second = np.where(rng.random(40) < 0.6, first, rng.choice([-1.0, 0.0, 1.0], 40))
    rows = []
    for pair in range(40):
        for who, value in enumerate((first[pair], second[pair])):
            turned = who == 1 and pair % 2  # the second annotator saw half of the pairs the other way round
            names = (f"x{pair}", f"y{pair}")[:: -1 if turned else 1]
            rows.append(
                (*names, "ada", "bob", "-".join(sorted(names)), f"w{who}", f"{pair}-{who}", -value if turned else value)
            )
    columns = ["conversation_a", "conversation_b", "a", "b", "unit", "worker_id", "annotation_id", "value"]
    metric = Metric("comparative", "quality", "choice", "comparative", "ordinal", pd.DataFrame(rows, columns=columns))
    (found,) = interpretability([metric])
    both = np.array([first, second])
    assert found["alpha"] == pytest.approx(krippendorff.alpha(both, level_of_measurement="ordinal"))
    assert found["alpha_nominal"] == pytest.approx(krippendorff.alpha(both, level_of_measurement="nominal"))
    assert found["alpha"] != pytest.approx(found["alpha_nominal"], abs=0.01)


def test_without_two_judgements_or_two_answers_there_is_none():
    once = turns(np.array([[1.0, np.nan]] * 10))
    same = turns(np.zeros((10, 2)))
    found = interpretability([once, same])
    assert [row["why"] for row in found] == ["nothing was judged twice", "all answers that could differ are the same"]
    assert all(np.isnan(row["alpha"]) for row in found)
    assert (found[0]["conversations"], found[1]["conversations"]) == (0, 2)


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


def test_the_published_alphas_of_choices_are_ordinal():
    path = released_data(f"{ABC_EVAL}/paper_tables/surge_agreements.csv")
    published = pd.read_csv(path)
    choices = published[published["category"] == "comparative"].set_index("label")
    labels = published[published["category"] == "behavior"].set_index("label")
    gap = (choices["Krippendorff's alpha"] - choices["Fleiss' kappa"]).abs()
    assert gap["grammatical"] > 0.15  # many answered "neither": a nominal alpha would be the kappa but for 1 / (2 n)
    assert (labels["Krippendorff's alpha"] - labels["Fleiss' kappa"]).abs().max() < 0.002
