"""The section that sets methods side by side, from stored analyses: what it says, and what it refuses to say."""

import shutil

import pytest

from parlai_spotbot import files
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.contents import read_contents
from parlai_spotbot.report.parts import Page
from parlai_spotbot.report.side_by_side import section
from parlai_spotbot.study import Study

BOTS = ("smollm2", "minilm", "alice", "eliza")
SOURCES = (HUMAN, "judge:spotter")


def acute(order, won, n=40, seconds=60.0):
    """Stored analyses of choices in which each one wins `won` of n against every one behind it."""
    pairs = [
        {"a": a, "b": b, "wins_a": won, "wins_b": n - won, "ties": 0, "n": n, "effective": float(n),
         "estimate": won / n, "ci": [won / n - 0.1, won / n + 0.1], "p": 0.01, "p_adjusted": 0.02}
        for i, a in enumerate(order) for b in order[i + 1 :]
    ]  # fmt: skip
    score = {name: 0.8 - 0.2 * place for place, name in enumerate(order)}
    ranking = {
        "order": list(order), "clusters": {name: [i, i] for i, name in enumerate(order, 1)},
        "criterion": "share of wins", "question": "engagingness",
        "score": score, "score_ci": {n: [s - 0.05, s + 0.05] for n, s in score.items()},
        "pairs": pairs, "n": n * len(pairs), "bootstrap": {"replicates": 50, "resample": "conversations"},
    }  # fmt: skip
    return ranking, {"n": 1, "mean": seconds, "median": seconds, "hours": None if seconds is None else 4.0}


@pytest.fixture
def pages(study, tmp_path):
    """Makes the pages of a study with Spot The Bot and ACUTE-Eval."""

    def make(order=BOTS, won=30, sources=SOURCES):
        path = tmp_path / "study"
        shutil.copytree(study.path, path, ignore=shutil.ignore_patterns("report"))
        own = Study.open(path)
        found = {source: acute(order, won, seconds=60.0 if source == HUMAN else None) for source in sources}
        made_by = {"used": dict.fromkeys(sources, 240)}
        for place, stem in enumerate(("ranking", "time")):
            by_source = {source: stems[place] for source, stems in found.items()}
            files.write_json(own.analysis_path("acute_eval") / f"{stem}.json", {"by_source": by_source,
                                                                               "made_by": made_by})  # fmt: skip
        contents = [read_contents(own, name) for name in ("spot_the_bot", "acute_eval")]
        both = [Page(one, f"{one.survey}-" if place else "") for place, one in enumerate(contents)]
        for page in both:
            page.pages = both
        return both

    return make


def test_a_study_of_one_survey_has_no_such_section(study):
    assert section(Page(read_contents(study, "spot_the_bot"))) == []


def test_people_and_judges_are_compared_by_themselves(pages):
    people, judge = section(pages()[0])
    assert (people.source, judge.source) == SOURCES
    assert (people.caution, bool(judge.caution)) == ("", True)
    assert [figure.title for figure in people.figures] == [
        "Do the methods rank alike?", "Places by each method", "Which method finds more for the same hours?"
    ]  # fmt: skip
    assert len(judge.figures) == 2
    assert any(text.startswith("No times are known of Spot The Bot and ACUTE-Eval") for text in judge.text)
    assert [table.title for table in judge.tables] == ["Agreement of orders, by criterion"]


def test_a_source_of_one_survey_is_left_out(pages):
    assert [part.source for part in section(pages(sources=(HUMAN,))[0])] == [HUMAN]


def test_an_hour_buys_more_by_the_method_that_tells_bots_apart(pages):
    part = section(pages(won=34)[0])[0]
    table = next(table for table in part.tables if table.title == "What does an hour buy?")
    rows = {row[0]: row for row in table.rows}
    assert rows["ACUTE-Eval"][1:4] == ("60", "60", "one pair")
    assert "most often by ACUTE-Eval" in table.sentence
    used, matches = 192, 144  # with the segments of people's conversations, and without: all of them cost time
    assert float(rows["Spot The Bot"][1]) == pytest.approx(37.5 * used / matches, rel=0.1)


def test_orders_that_differ_are_told_by_both_methods(pages):
    part = section(pages(order=("newbot", *BOTS[::-1]))[0])[0]
    first = next(figure for figure in part.figures if figure.title == "Places by each method")
    assert "by ACUTE-Eval" in first.sentence
    table = part.tables[0]
    assert table.rows[0][:4] == ("main question", "Spot The Bot", "ACUTE-Eval", "4")  # newbot is in one only
    assert table.rows[0][4].startswith("−")


def test_the_same_files_give_the_same_section(pages):
    page = pages()[0]
    first, second = section(page), section(page)
    assert [part.text for part in first] == [part.text for part in second]
    assert [part.tables for part in first] == [part.tables for part in second]
    assert [f.sentence for part in first for f in part.figures] == [f.sentence for part in second for f in part.figures]
