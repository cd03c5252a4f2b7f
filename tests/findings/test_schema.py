"""Tables of findings: read from frames by their schema, and all outputs that are derived from them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from parlai_spotbot.findings import findings_of, render
from parlai_spotbot.findings.finding import Finding, Result, tables_of
from parlai_spotbot.findings.frames import Frames, by_source, frame_of, stored_form
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey

DATA = Frames.from_tables(
    {
        "ranking": frame_of(
            yaml.safe_load("""
            - {bot: ann, cluster_first: 1, cluster_last: 1, score: 0.614, score_low: 0.52, score_high: 0.7}
            - {bot: bob, cluster_first: 2, cluster_last: 2, score: null}
            """)
        ).assign(skill=[1.5, None], skill_low=[1.0, None], skill_high=[2.0, None]),
        "pairs": frame_of([{"a": "ann", "b": "bob", "rate": 0.7, "p": 0.0004, "of": ["x", "y"]}]),
    }
)
RANKING = Table(
    columns={
        "bot": Column("name", "Bot"),
        "cluster": Column("places", "Places"),
        "score": Column("share", "Score", ci=True),
        "skill": Column("number", "Skill", ci=True, digits=1),
        "unknown": Column("text", "Never known"),
    },
    title="Ranking",
    method="By hand.",
    cite=("deriu2020",),
    name="ranking",
)
PAIRS = Table(
    columns={"a": Column("name", "A"), "b": Column("name", "B"), "rate": Column("share", "Rate"), "p": Column("p", "p")}
    | {"of": Column("text", "Of")},
    title="Pairs",
    name="pairs",
)


def finding(**more):
    sentences = [Fact.from_text("Made", "By hand."), Caution("Take care."), "", "Third.", "Fourth."]
    options = {"tables": {"ranking": RANKING, "pairs": PAIRS}, "summarise": lambda result: sentences, **more}
    return Finding("ranking", None, lambda own: DATA, heading="Who?", bars=("score",), **options)


def test_a_table_is_its_frame():
    frame = RANKING.read(DATA)
    assert frame.columns.tolist() == [
        *("bot", "cluster_first", "cluster_last", "score", "score_low", "score_high"),
        *("skill", "skill_low", "skill_high", "unknown"),
    ]
    assert frame.iloc[0].tolist() == ["ann", 1, 1, 0.614, 0.52, 0.7, 1.5, 1.0, 2.0, None]
    assert RANKING.cells(frame) == [["ann", "1", "61% [52%, 70%]", "1.5 [1.0, 2.0]"], ["bob", "2", "–", "–"]]
    assert PAIRS.cells(PAIRS.read(DATA)) == [["ann", "bob", "70%", "< .001", "x y"]]
    assert RANKING.read(Frames()).empty


def test_differences_are_in_points_and_some_values_have_names_of_their_own():
    lead = Column("points", "Lead", ci=True)
    assert lead.show(0.034, (-0.07, 0.12)) == "+3 [−7, +12]"
    assert lead.show(0.0) == "0"
    fault = Column("term", "Fault", words={"copied": "Partner’s words"})
    assert [fault.show(kind) for kind in ("copied", "new_fault")] == ["Partner’s words", "new fault"]


@pytest.mark.parametrize(
    ("digits", "value", "ends", "shown"),
    [
        (None, 3.456, (3.1, 3.8), "3.46 [3.10, 3.80]"),
        (None, 73.456, (68.2, 79.12), "73.5 [68.2, 79.1]"),
        (None, 9.5, (8.2, 10.12), "9.5 [8.2, 10.1]"),
        (None, -12.345, (), "−12.3"),
        (2, 73.456, (), "73.46"),
    ],
)
def test_a_number_of_tens_has_a_digit_less_with_its_interval(digits, value, ends, shown):
    assert Column("number", digits=digits).show(value, ends) == shown


def test_a_result_is_the_same_in_its_file():
    """Numbers and their types, lists, what is missing, frames without rows."""
    found = {
        "human": DATA,
        "judge:j": Frames.from_tables({"ranking": pd.DataFrame({"n": np.array([1, 2]), "p": [np.nan, 1]})}),
    }
    kept = json.loads(json.dumps(stored_form({"by_source": found, "made_by": {}}), allow_nan=False))
    assert kept["tables"]["ranking"][0]["source"] == "human"
    read = by_source(kept["tables"])
    assert {source: {name: frames.rows(name) for name in frames} for source, frames in read.items()} == {
        source: {name: frames.rows(name) for name in frames} for source, frames in found.items()
    }
    assert read["judge:j"].rows("ranking") == [{"n": 1, "p": None}, {"n": 2, "p": 1.0}]
    assert Frames.from_tables({"none": pd.DataFrame(columns=["a"])}) == {}
    assert Frames().one("none") == {}


def test_page_csv_terminal_and_first_screen_are_derived():
    own, result = (
        finding(chart=Chart("grid", "pairs", x="b", y="a", value="rate", caption="Who beats whom.")),
        Result(HUMAN, DATA),
    )
    section = render.tell(own, result)
    assert section.text == ["By hand.", "Take care.", "Third."]
    assert (section.how, section.careful) == ((("Made", "By hand."),), ("Take care.",))
    assert [table.title for table in section.tables] == ["Ranking", "Pairs"]
    assert section.tables[0].head == ("Bot", "Places", "Score", "Skill")  # what is never known has no column
    assert section.chart.data["texts"] == [["70%"]]
    found = tables_of([own], {"ranking": {"by_source": {HUMAN: DATA}}})
    assert list(found) == ["ranking", "ranking_pairs"]
    assert found["ranking_pairs"].iloc[0].tolist() == [HUMAN, "ann", "bob", 0.7, 0.0004, "x y"]
    told = render.lines(own, result)
    assert told[0] == "  By hand."  # the answer, then the table
    assert told[6] == "  ann  1       61% [52%, 70%]  1.5 [1.0, 2.0]"
    card = render.card(own, result)
    assert card.text[0] == "By hand."
    assert card.clusters[0][1][0][2][0].text == "61% [52%, 70%]"


@pytest.mark.parametrize(
    ("kind", "options", "seen"),
    [
        ("forest", {"table": "ranking", "x": "score", "y": "bot"}, lambda d: [r["estimate"] for r in d["rows"]]),
        ("curve", {"table": "ranking", "x": "skill", "y": "score"}, lambda d: d["series"][0]["y"]),
    ],
)
def test_each_kind_of_chart_draws_its_columns(kind, options, seen):
    section = render.tell(finding(chart=Chart(kind, caption="Read so.", **options)), Result(HUMAN, DATA))
    assert seen(section.chart.data) == [0.614, None]


@pytest.mark.parametrize(
    ("lows", "said"),
    [
        ([0.52, None], "Points of each, with 95% intervals; read so."),
        ([None, None], "Points of each; read so. No interval is known."),
    ],
)
def test_a_caption_promises_no_interval_that_no_value_has(lows, said):
    frames = Frames(DATA | {"ranking": DATA["ranking"].assign(score_low=lows, score_high=lows)})
    chart = Chart("forest", "ranking", x="score", y="bot", caption="Points of each, with 95% intervals; read so.")
    assert render.tell(finding(chart=chart), Result(HUMAN, frames)).chart.caption == said


GOLDENS = Path(__file__).parents[1] / "goldens" / "expected"
SURVEYS = sorted({path.parents[1].name for path in GOLDENS.glob("*/surveys/*/analysis/*.json")})


RARE = {"group", "note", "why", "cost", "differ", "of", "accuracy", "ability"}
"""Columns that no small study fills: groups that never met, costs, models that need many answers."""
ABSENT = {("stability", "paper", "order"), ("trust", "means", "contestant")}
"""Columns that the paper's way does not compute, and means that need 30 ratings of people and judge."""


def test_every_column_of_every_table_is_filled_by_some_study():
    """A path or key that leads nowhere would be an empty column."""
    filled: dict[tuple, bool] = {}
    for survey in SURVEYS:
        for own in findings_of(get_survey(survey)):
            paths = GOLDENS.glob(f"*/surveys/{survey}/analysis/{own.name}.json")
            results = [data for path in paths for data in by_source(json.loads(path.read_text())["tables"]).values()]
            for name, table in own.tables.items():
                for frame in filter(len, map(table.read, results)):
                    for column in table.frame_columns:
                        key = own.name, name, column
                        filled[key] = filled.get(key, False) or bool(frame[column].notna().any())
    assert len(filled) > 100
    assert not [key for key, known in filled.items() if not known and key[-1] not in RARE and key not in ABSENT]
