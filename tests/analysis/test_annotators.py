"""Annotators, segment lengths and time: the paper's numbers and made-up annotators of known kind."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from parlai_spotbot.analysis.annotators import annotator_table, summary
from parlai_spotbot.analysis.frames import annotations_frame, entities_frame, matches_frame
from parlai_spotbot.analysis.segments import by_length
from parlai_spotbot.analysis.time import time_summary


def frames(labels: dict[str, list[tuple[str, str, str]]]):
    """Annotations by worker: (nature of entity 0, of entity 1, who spoke)."""
    rows = [
        {"annotation_id": f"{worker}{i}", "source": "human", "worker_id": worker, "unit_id": "", "item_id": "",
         "conversation_id": f"c{i}", "a": who, "b": who if who == "human" else "other", "k": 2, "nature0": first,
         "nature1": second, "fluency": 0, "sensibleness": 0, "specificity": 0, "seconds": 10.0 + i}
        for worker, given in labels.items() for i, (first, second, who) in enumerate(given)
    ]  # fmt: skip
    annotations = pd.DataFrame(rows)
    return annotations, entities_frame(annotations)


def test_kinds_of_annotators():
    table = annotator_table(
        *frames({
            "always": [("bot", "bot", "x")] * 15 + [("bot", "bot", "human")] * 5,
            "perfect": [("bot", "bot", "x")] * 15 + [("human", "human", "human")] * 5,
            "wrong": [("human", "human", "x")] * 15 + [("bot", "bot", "human")] * 5,
            "unsure": [("unsure", "unsure", "x")] * 15 + [("unsure", "unsure", "human")] * 5,
            "nobots": [("human", "bot", "human")] * 4,
        })
    )  # fmt: skip
    assert table["balanced_accuracy"].to_dict() == pytest.approx(
        {"always": 0.5, "perfect": 1.0, "wrong": 0.0, "unsure": 0.5, "nobots": np.nan}, nan_ok=True
    )
    assert table.loc["always", "correct"] == 0.75  # the paper's measure rewards always saying "bot"
    assert np.isnan(table.loc["unsure", "correct"])
    assert table.loc["always", "sensitivity"] == pytest.approx(norm.ppf(30.5 / 31) - norm.ppf(10.5 / 11))
    assert table.loc["perfect", "sensitivity"] == pytest.approx(norm.ppf(30.5 / 31) - norm.ppf(0.5 / 11))
    assert table.loc["always", "bias"] < table.loc["perfect", "bias"]  # quicker to say "bot"
    assert table.loc["unsure", "sensitivity"] == pytest.approx(0)
    assert table.loc["always", "flags"] == ["always the same label"]
    assert table.loc["wrong", "flags"] == ["worse than guessing"]
    assert table.loc["nobots", "median_seconds"] == 11.5
    said = summary(table)
    assert said["n"] == 5
    assert said["share_worse_than_guessing"] == 0.25
    assert said["balanced_accuracy"] == pytest.approx(0.5)


def test_broken_limits_are_flagged():
    annotations, entities = frames({"w": [("bot", "human", "x")] * 3})
    twice = annotations.assign(conversation_id="c0")
    assert annotator_table(twice, entities).loc["w", "flags"] == ["same segment twice"]
    two = twice.assign(k=[2, 3, 5])
    assert annotator_table(two, entities).loc["w", "flags"] == ["two segments of one conversation"]
    assert annotator_table(two, entities, limits=False).loc["w", "flags"] == []


def test_annotators_of_the_released_data(released, reference):
    known = reference("paper_tables/dailydialog.json")["table9_annotators"]
    annotations = released("dailydialog")
    table = annotator_table(annotations, entities_frame(annotations))
    assert len(table) == known["n"]
    assert table["correct"].mean() == pytest.approx(known["avg_correct"], abs=5.1e-5)
    assert (table["correct"] < 0.5).mean() == pytest.approx(known["share_below_50"], abs=5.1e-5)


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_segment_lengths_of_the_released_data(released, reference, domain):
    known = reference(f"paper_tables/{domain}.json")["table8_segments"]["segments"]
    annotations = released(domain)
    bots = sorted(set(annotations["a"]) - {"human"})
    ours = by_length(matches_frame(annotations), entities_frame(annotations), bots)
    assert list(ours) == list(known)
    for k, expected in known.items():
        assert ours[k]["n"] == expected["n"]
        assert ours[k]["ties"] == pytest.approx(expected["ties"], abs=5.1e-5)
        for name, shares in expected["systems"].items():
            for column in ("win_rate", "human_share", "unsure_share"):
                assert ours[k]["systems"][name][column] == pytest.approx(shares[column], abs=5.1e-5)
        assert np.isnan(ours[k]["systems"]["human"]["win_rate"])


def test_time_and_cost(made_up):
    rows = annotations_frame(*made_up(sources=("human",))).frame
    said = time_summary(rows, wage=12.0)
    assert said["median"] == pytest.approx(np.median(rows["seconds"]))
    assert said["mean"] == pytest.approx(rows["seconds"].mean())
    assert said["cost"] == pytest.approx(12 * rows["seconds"].sum() / 3600)
    assert list(said["median_by_length"]) == ["2", "3", "5"]
    assert said["quantiles"]["0.5"] == said["median"]
    half = rows.assign(seconds=rows["seconds"].where(rows.index % 2 == 0))
    assert time_summary(half)["hours"] == pytest.approx(half["seconds"].mean() * len(rows) / 3600)
    assert time_summary(half)["cost"] is None
    judge = time_summary(rows.assign(seconds=np.nan), wage=12.0)
    assert judge["median"] is judge["hours"] is judge["cost"] is None
    with pytest.raises(ValueError, match="wage is -1"):
        time_summary(rows, wage=-1)
