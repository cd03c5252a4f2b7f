"""The section that sets methods side by side, from stored analyses: what it says, and what it refuses to say."""

import shutil

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.findings import render
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.whole_study import methods
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import CAUTION, build_report
from parlai_spotbot.study import Study

BOTS = ("smollm2", "minilm", "alice", "eliza")
SOURCES = (HUMAN, "judge:spotter")


def told(study):
    results = methods.read(study, ["spot_the_bot", "acute_eval"])
    return {source: render.tell(methods.FINDING, Result(source, own)) for source, own in results.items()}


def acute(order, won, n=40, seconds=60.0):
    """Stored analyses of choices in which each one wins `won` of n against every one behind it."""
    pairs = [
        {
            "a": a,
            "b": b,
            "wins_a": won,
            "wins_b": n - won,
            "ties": 0,
            "n": n,
            "effective": float(n),
            "estimate": won / n,
            "ci": [won / n - 0.1, won / n + 0.1],
            "p": 0.01,
            "p_adjusted": 0.02,
        }
        for i, a in enumerate(order)
        for b in order[i + 1 :]
    ]
    score = {name: 0.8 - 0.2 * place for place, name in enumerate(order)}
    ranking = {
        "order": list(order),
        "clusters": {name: [i, i] for i, name in enumerate(order, 1)},
        "criterion": "share of wins",
        "question": "engagingness",
        "score": score,
        "score_ci": {n: [s - 0.05, s + 0.05] for n, s in score.items()},
        "pairs": pairs,
        "n": n * len(pairs),
        "bootstrap": {"replicates": 50, "resample": "conversations"},
    }
    return ranking, {"n": 1, "mean": seconds, "median": seconds, "hours": None if seconds is None else 4.0}


@pytest.fixture
def both(study, tmp_path):
    """Makes what is said of a study with Spot The Bot and ACUTE-Eval, by source."""

    def make(order=BOTS, won=30, sources=SOURCES):
        path = tmp_path / "study"
        shutil.copytree(study.path, path, ignore=shutil.ignore_patterns("report"))
        own = Study.open(path)
        found = {source: acute(order, won, seconds=60.0 if source == HUMAN else None) for source in sources}
        made_by = {"used": dict.fromkeys(sources, 240)}
        for place, stem in enumerate(("ranking", "time")):
            by_source = {source: stems[place] for source, stems in found.items()}
            checksums.write_json(
                own.analysis_path("acute_eval") / f"{stem}.json", {"by_source": by_source, "made_by": made_by}
            )
        methods.write(own)
        return told(own)

    return make


def test_a_study_of_one_survey_has_no_such_section(study):
    assert methods.read(study, ["spot_the_bot"]) == {}


def test_people_and_judges_are_compared_by_themselves(both):
    found = both()
    assert tuple(found) == SOURCES
    people, judge = found.values()
    for own in (people, judge):
        assert [table.title for table in own.tables] == ["Agreement of orders"]
        assert own.chart.data["columns"] == ["Spot The Bot", "ACUTE-Eval"]


def test_a_source_of_one_survey_is_left_out(both):
    assert list(both(sources=(HUMAN,))) == [HUMAN]


def test_orders_that_differ_are_told_by_both_methods(both):
    own = both(order=("newbot", *BOTS[::-1]))[HUMAN]
    assert own.text[0] == "First, apart from all others: nobody by Spot The Bot; newbot by ACUTE-Eval."
    (row,) = own.tables[0].rows
    assert row[:4] == ("–", "Spot The Bot", "ACUTE-Eval", "4")  # newbot is in one only
    assert row[4].startswith("−")


def test_the_page_says_it_of_people_and_with_a_caution_of_judges(both, tmp_path):
    both()
    study = Study.open(tmp_path / "study")
    page = build_report(study).read_text(encoding="utf-8")
    section = page.split('name="sections" id="methods"')[1].split('name="sections"')[0]
    people, judge = section.split('<div class="part judge"')
    assert CAUTION not in people
    assert judge.count(CAUTION) == 1  # at its name, for all its figures and tables


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ({"x": (1, 1), "y": (1, 1)}, "First, apart from all others: a by Spot The Bot and ACUTE-Eval."),
        ({"x": (1, 1), "y": (1, 2)}, "First, apart from all others: a by Spot The Bot; nobody by ACUTE-Eval."),
        ({"x": (1, 2), "y": (1, 2)}, "By no method is one contestant first, apart from all others."),
    ],
)
def test_who_is_first_is_said_where_it_is_apart_from_others(clusters, said):
    names = dict(zip("xy", ("spot_the_bot", "acute_eval"), strict=True))
    main = {names[key]: {"order": ["a", "b"], "clusters": {"a": ends}} for key, ends in clusters.items()}
    assert methods._first(main) == said
