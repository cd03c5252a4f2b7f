"""A study of votes on the page: no conversations, both bad apart from ties; its copy, and several of them."""

import random

import pytest
import yaml

from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.votes import votes
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.studies import standings_table
from parlai_spotbot.study import Study
from tests import report_sentences


def made(path, seed=0, bots=4, count=300):
    rng = random.Random(seed)
    words = ("model_a", "model_b", "tie", "tie (bothbad)")
    rows = []
    for n in range(count):
        a, b = rng.sample(range(bots), 2)
        word = rng.choices(words, [3, 1, 1, 1] if a < b else [1, 3, 1, 1])[0]
        rows.append(f"q{n},bot{a},bot{b},{word},user-number-{n % 40},English")
    data = path.with_suffix(".csv")
    data.write_text("question_id,model_a,model_b,winner,judge,language\n" + "\n".join(rows) + "\n")
    write_study(path, votes(data, "arena"))
    return Study.open(path)


ODD = yaml.safe_load("""
only ties: {'a,b,tie': 9, 'b,c,tie': 9, 'a,c,tie': 9}
only both bad: {'a,b,tie (bothbad)': 9, 'b,c,tie (bothbad)': 9}
winless and unbeaten: {'a,b,model_a': 9, 'b,c,model_a': 9, 'b,c,model_b': 9, 'c,d,model_a': 9, 'b,d,model_a': 9}
never met: {'a,b,model_a': 18, 'a,b,model_b': 4, 'c,d,model_a': 12, 'c,d,model_b': 7}
a circle: {'a,b,model_a': 20, 'b,c,model_a': 20, 'a,c,model_b': 20}
two: {'a,b,model_a': 1, 'a,b,model_b': 1, 'a,b,tie': 1}
a common failure: {'a,b,model_a': 9, 'b,c,tie (bothbad)': 9}
""")


@pytest.mark.parametrize("case", ODD)
def test_what_is_said_of_odd_votes_is_true(case, tmp_path):
    study = report_sentences.analysed_votes(tmp_path, ODD[case])
    told = report_sentences.check(study)
    assert f"Judged by: people whose number isn't known ({sum(ODD[case].values())} votes)" in told["second screen"]
    if case == "only ties":
        assert told["first screen"][0] == "Almost all answers are ties: nobody is ahead."
    if case == "only both bad":
        assert not any("never compared" in text for texts in told.values() for text in texts)


@pytest.fixture
def study(tmp_path):
    found = made(tmp_path / "study")
    analyze(found, "votes")
    return found


def test_the_page_has_no_empty_sections_of_conversations(study):
    page = build_report(study).read_text()
    for said in (
        "Votes of an arena: whose answer is better?",
        "Who is preferred?",
        "40 annotators voted up to 8 times each",
    ):
        assert said in page
    for absent in (
        "<h2>Conversations</h2>",
        'href="#examples"',
        "<h2>Failures of self-play</h2>",
        "<h2>Hygiene</h2>",
        "conversations of bots",
        "Not computed yet",
        "conversations a pair planned",
    ):
        assert absent not in page
    assert build_report(study).read_text() == page
    folder = study.report_path.parent / "appendix"
    text = (folder / "methods.md").read_text()
    assert "We analysed votes on 4 chatbots" in text
    assert "40 people gave 300 votes" in text


def test_studies_of_votes_are_compared(study, tmp_path):
    other = made(tmp_path / "other", seed=1)
    analyze(other, "votes")
    table = standings_table([study.path, other.path])
    assert "bot3" in set(table["contestant"])
    assert set(table["annotations"]) == {300}
