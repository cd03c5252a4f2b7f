"""Time: Table 4 of the paper, section 5.3's comparison of effort, and closed forms."""

import numpy as np
import pandas as pd
import pytest
import yaml

from parlai_spotbot.analysis.time import compare_effort, seconds_table, time_summary
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.projects.spot_the_bot_2020.dump import read_dump, select
from tests.annotated import annotations_frame
from tests.outside_data import SPOT_THE_BOT, released_data

# Table 4 (medians, though the paper calls them means), the means that leave out annotations without a clock, and the
# annotations a pair, in the released data.
TABLE_4 = yaml.safe_load("""
dailydialog: [25.8, 53, 270, [23.116, 25.6215, 29.988]]
empathetic: [18.3, 39, 246, [14.733, 19.533, 23.879]]
convai2: [24.3, 53, 266, null]
""")


def test_time_and_cost(made_up):
    rows = annotations_frame(*made_up(sources=("human",))).frame
    said = time_summary(rows, wage=12.0)
    assert said["median"] == pytest.approx(np.median(rows["seconds"]))
    assert said["mean"] == pytest.approx(rows["seconds"].mean())
    assert said["cost"] == pytest.approx(12 * rows["seconds"].sum() / 3600)
    half = rows.assign(seconds=rows["seconds"].where(rows.index % 2 == 0))
    assert time_summary(half)["hours"] == pytest.approx(half["seconds"].mean() * len(rows) / 3600)
    assert time_summary(half)["cost"] is None
    judge = time_summary(rows.assign(seconds=np.nan), wage=12.0)
    assert judge["median"] is judge["hours"] is judge["cost"] is None


@pytest.mark.parametrize("domain", list(TABLE_4))
def test_seconds_of_the_released_data(domain):
    path = released_data(SPOT_THE_BOT)
    median, mean, per_pair, by_length = TABLE_4[domain]
    data = read_dump(path, domain)
    rows = select(data)
    table = seconds_table(rows, Clusters.by(np.arange(len(rows))))
    assert table["median"][0] == pytest.approx(median, abs=0.051)
    assert table["mean"][0] == pytest.approx(mean, abs=0.51)
    assert table["k"].tolist() == ["all", *map(str, data.domain.segments)]
    if by_length:
        everything = data.annotations.assign(seconds=data.annotations["elapsed"])  # as they were counted
        counted = seconds_table(everything, Clusters.by(np.arange(len(everything))))["median"][1:]
        assert counted.to_numpy() == pytest.approx(by_length, abs=1e-4)
    pairs = len(data.domain.bots) * (len(data.domain.bots) - 1) / 2
    own = (rows["a"] != "human").sum() / pairs
    assert own == pytest.approx(per_pair, abs=0.5)
    effort = compare_effort(
        len(data.domain.bots),
        seconds=table["mean"][0],
        conversations_per_pair=45,
        annotations_per_conversation=own / 45,
        human_annotations=(rows["a"] == "human").sum(),
    )
    assert effort.hours == pytest.approx(table["mean"][0] * len(rows) / 3600)
    if domain == "convai2":
        assert effort.hours == pytest.approx(73, abs=0.6)


def test_the_papers_comparison():
    """40 annotations of 24 seconds are 16 minutes a pair; 51 systems take as long as 100 dialogues of 4 minutes."""
    paper = compare_effort(51, seconds=24, conversations_per_pair=40, annotations_per_conversation=1)
    assert paper.minutes_per_pair == 16
    assert paper.minutes_per_system == 400
    assert paper.break_even == pytest.approx(51)
    assert paper.ratio == pytest.approx(1)
    real = compare_effort(6, seconds=53, conversations_per_pair=45, annotations_per_conversation=266 / 45)
    assert real.minutes_per_pair / 60 == pytest.approx(3.9, abs=0.05)
    assert real.hours > real.other_hours


def test_intervals_are_near_those_of_resampled_times():
    rng = np.random.default_rng(0)
    seconds = rng.gamma(2, 10, 401)
    rows = pd.DataFrame({"k": 2, "seconds": seconds})
    draws = rng.integers(0, 401, (2000, 401))
    row = seconds_table(rows, Clusters.by(np.arange(401))).iloc[0]
    for name, statistic in (("median", np.median), ("mean", np.mean)):
        low, high = np.quantile(statistic(seconds[draws], axis=1), [0.025, 0.975])
        assert row[f"{name}_low"] == pytest.approx(low, abs=0.3)
        assert row[f"{name}_high"] == pytest.approx(high, abs=0.3)
    # Every time three times over, in clusters of three, says no more.
    three = pd.concat([rows] * 3, ignore_index=True)
    same = seconds_table(three, Clusters.by(np.tile(np.arange(401), 3))).iloc[0]
    ends = ["median_low", "median_high", "mean_low", "mean_high"]
    np.testing.assert_allclose(same[ends].astype(float), row[ends].astype(float), atol=0.1)
    alone = seconds_table(three, Clusters.by(np.zeros(1203))).iloc[0]
    assert alone[ends].isna().all()
