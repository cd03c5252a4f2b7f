"""What the first screen says of whom nobody judged, of ratings and of chats; by length people come last."""

import random

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.chapters import chapter_of
from parlai_spotbot.report.first_screen import first_screen
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.study import Study
from tests.in_process import spotbot
from tests.projects.made_up_project import project, write

SURVEY = "spot_the_bot"


def screen_of(study, survey):
    return first_screen(chapter_of(SurveyView(load(study, survey))))


@pytest.mark.parametrize("left", [(), ("eliza",), ("alice", "eliza")])
def test_contestants_that_nobody_judged_are_named(new_study, tmp_path, left):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    kept = [row for row in study.judgements(SURVEY) if not any(bot in row.conversation_ids[0] for bot in left)]
    checksums.write_jsonl(study.judgements_path(SURVEY), kept)
    study = Study.open(study.path)
    analyze(study, SURVEY, bootstraps=20)
    said = [text for text in screen_of(study, SURVEY).uncertain if text.startswith("Nobody has judged")]
    assert said == ([f"Nobody has judged {' and '.join(left)} yet."] if left else [])


def test_after_one_conversation_more_are_to_be_collected_and_not_its_order_turned(new_study, tmp_path):
    screen = screen_of(new_study(tmp_path / "s", bots=("ada", "bob"), per_pair=1, people=0, sources=(HUMAN,)), SURVEY)
    assert screen.answer == "Too little was answered to say who is better."
    assert screen.step.text.startswith("Collect at least 17 conversations of each pair, each judged by 2 annotators")


def test_by_length_people_come_last(study):
    frame = load(study, SURVEY).of("segments", HUMAN)["segments"]
    for _, rows in frame.groupby("exchanges"):
        assert list(rows["bot"]) == ["smollm2", "minilm", "alice", "eliza", HUMAN]


def test_who_leads_by_ratings_leads_by_how_much(tmp_path):
    rng = random.Random(1)
    lines = ["model,annotator,item,rating"]
    for item in range(30):
        for model, mean in (("ada", 80), ("bob", 50)):
            lines += [f"{model},u{(item + one) % 9},q{item},{round(rng.gauss(mean, 8))}" for one in range(3)]
    (tmp_path / "ratings.csv").write_text("\n".join(lines))
    spotbot("import", "--format", "ratings", "--data", tmp_path / "ratings.csv", "--study", tmp_path / "study")
    spotbot("analyze", "--study", tmp_path / "study", "--survey", "ratings")
    answer = screen_of(Study.open(tmp_path / "study"), "ratings").answer
    start, interval = answer.split(" (95% interval ")
    assert start.startswith("ada is ahead of all others, with a mean of ")
    low, high = map(float, interval.split(")")[0].split(" to "))
    assert low < float(start.split()[-1]) < high


def test_chats_show_a_typical_one_with_each_of_two_bots(tmp_path):
    data = write(tmp_path / "data.json", project())
    spotbot("import", "--format", "abc_eval", "--data", data, "--study", tmp_path / "study")
    study = Study.open(tmp_path / "study")
    analyze(study, "interactive", bootstraps=20)
    screen = screen_of(study, "interactive")
    ranking = load(study, "interactive").ranking(HUMAN)
    rated = {
        (row.conversation_ids[0], row.answer) for row in study.judgements("interactive") if row.question == "quality"
    }
    assert len(screen.why.shown) == 2
    for example in screen.why.shown:
        [(bot, said)] = example.labels
        rating = said.removeprefix("quality ")
        assert bot in example.title
        assert (example.talks[0][0], rating) in rated
        assert abs(float(rating) - ranking.contestants[bot]["score"]) <= 0.5
        assert {name for _, name, _ in example.talks[0][1]} == {HUMAN, bot}
