"""Pages over several studies, as a reader and a second run meet them: what moved, what is left out, what differs."""

import html
import json
import re
import shutil

import pytest

from parlai_spotbot import files
from parlai_spotbot.analysis.study_comparison import Z
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import study_moves
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.records import Contestant
from parlai_spotbot.report.studies import open_studies, write_compare, write_leaderboard
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

SURVEY = "spot_the_bot"
BOTS = ("smollm2", "minilm", "alice", "eliza")


def ranking(rates, half=0.04, source="human", n=100):
    """A ranking.json of made-up mean win rates, with all pairs' rates and intervals of one width."""
    order = sorted(rates, key=lambda bot: -rates[bot])
    pairs = []
    for i, a in enumerate(order):
        for b in order[i + 1 :]:
            rate = min(max(0.5 + (rates[a] - rates[b]) / 2, 0.0), 1.0)
            pairs.append(
                {
                    "a": a,
                    "b": b,
                    "wins_a": 5,
                    "wins_b": 5,
                    "ties": 0,
                    "n": 10,
                    "rate_a": rate,
                    "rate_ci": [rate - half, rate + half],
                    "p": 0.5,
                    "p_adjusted": 1.0,
                }
            )
    own = {
        "order": order,
        "win_rate": rates,
        "win_rate_ci": {bot: [rate - half, rate + half] for bot, rate in rates.items()},
        "pairs": pairs,
        "clusters": {bot: [place, place] for place, bot in enumerate(order, start=1)},
        "human_share": {},
        "human_reference": {"human_share": 0.8, "ci": [0.7, 0.9], "n": 10},
    }
    made = {
        "package": "parlai_spotbot 0.1.0",
        "options": {"bootstraps": 50, "resample": "conversations"},
        "used": {source: n},
    }
    return {"by_source": {source: own}, "made_by": made}


def bare(path, rates, like, source="human", **more):
    """A study whose ranking is given; conversations and answers are those of `like`."""
    bots = list(rates)
    study = Study.create(path, Plan("chitchat", {b: Contestant(b, model=f"spotbot:{b}") for b in bots}, 4, **more))
    rows = [c.to_json() for c in like.conversations()]
    for row in rows:
        row["dialog"][1][0]["text"] += f" ({path.name})"  # else the studies would share conversations
    files.write_jsonl(study.conversations_path, rows)
    own = [j.to_json() for j in like.judgements(SURVEY) if j.source == "human"]
    files.write_jsonl(study.judgements_path(SURVEY), [{**row, "source": source} for row in own])
    files.write_json(study.analysis_path(SURVEY) / "ranking.json", ranking(rates, source=source))
    return study


UP = {"smollm2": 0.8, "minilm": 0.6, "alice": 0.4, "eliza": 0.2}
DOWN = {"smollm2": 0.2, "minilm": 0.4, "alice": 0.6, "eliza": 0.8}


def text_of(path):
    page = path.read_text(encoding="utf-8")
    page = re.sub(r"<style>.*?</style>|<script>.*?</script>|<svg.*?</svg>", " ", page, flags=re.S)
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page).split()))


@pytest.fixture
def pair(study, tmp_path):
    return bare(tmp_path / "one", UP, study, seed=1), bare(tmp_path / "two", DOWN, study, seed=2)


def test_a_ranking_turned_round_is_beyond_chance_and_says_of_whom(pair, tmp_path):
    path = write_compare([s.path for s in pair])
    assert path == tmp_path / "compared" / "compare.html"
    text = text_of(path)
    assert "the ranking changed by more than chance would have it: in its order, and in single scores" in text
    assert "4 of the 4 contestants in common changed rank: Kendall's tau-b is −1.00" in text
    assert "smollm2 down, 80% to 20%" in text
    assert "eliza up, 20% to 80%" in text
    assert "smollm2 – eliza" in text


def test_a_ranking_that_stayed_is_not_said_to_have_changed(study, tmp_path):
    one, two = bare(tmp_path / "one", UP, study, seed=1), bare(tmp_path / "two", {**UP, "alice": 0.41}, study, seed=2)
    text = text_of(write_compare([one.path, two.path]))
    assert "nothing changed by more than chance would have it; that does not show that nothing changed" in text
    assert "0 of the 4 contestants in common changed rank" in text


def test_the_test_of_a_change_is_that_of_the_stored_intervals(pair):
    one, two = (standings(s.contents(SURVEY))[0] for s in open_studies([p.path for p in pair]))
    own = study_moves.with_holm([study_moves.step("one", one, "two", two)])[0]
    row = own.tests.set_index("name").loc["minilm"]
    assert row["difference"] == pytest.approx(-0.2)
    assert row["se"] == pytest.approx(2**0.5 * 0.04 / Z)
    assert (own.tests["p_adjusted"] >= own.tests["p"]).all()


def test_other_pools_are_compared_against_opponents_in_common_only(study, tmp_path):
    one = bare(tmp_path / "one", UP, study)
    two = bare(tmp_path / "two", {"alice": 0.7, "eliza": 0.3, "newbot": 0.5}, study)
    first, second = (standings(s.contents(SURVEY))[0] for s in open_studies([one.path, two.path]))
    own = study_moves.step("one", first, "two", second)
    assert own.common == ("alice", "eliza")
    assert own.first.score.tolist() == pytest.approx([0.6, 0.4])
    assert own.second.score.tolist() == pytest.approx([0.7, 0.3])
    text = text_of(write_compare([one.path, two.path]))
    assert "Left out, only in one: smollm2 and minilm; only in two: newbot" in text
    assert "against the contestants in common only" in text
    board = text_of(write_leaderboard([one.path, two.path]))
    assert "figures of different columns can't be compared where the pools differ" in board


def test_people_are_never_compared_with_judges(study, tmp_path):
    one = bare(tmp_path / "one", UP, study)
    two = bare(tmp_path / "two", DOWN, study, source="judge:spotter")
    text = text_of(write_compare([one.path, two.path]))
    assert "tau-b is" not in text
    assert text.count("Only one of the studies has this, so there is nothing to compare") == 2


def test_what_differs_between_plans_is_listed_and_what_is_the_same_too(pair):
    text = text_of(write_compare([s.path for s in pair]))
    assert re.search(r"Seed 1 2", text)
    assert "domain: chitchat" in text


def test_shared_conversations_and_other_options_are_warned_of(study, tmp_path):
    one, two = bare(tmp_path / "one", UP, study), bare(tmp_path / "two", UP, study)
    shutil.copy(one.conversations_path, two.conversations_path)
    plan = two.plan_path.read_text(encoding="utf-8")
    files.write_text(
        two.plan_path, plan.replace("model: spotbot:alice", "model: spotbot:alice\n    persona: I like tea.")
    )
    text = text_of(write_compare([one.path, two.path]))
    assert "one and two share 24 conversations, word for word" in text
    assert "In one and two alice has different options" in text


def test_three_studies_go_step_by_step_with_holm_over_all_steps(pair, study, tmp_path):
    three = bare(tmp_path / "three", UP, study)
    path = write_compare([*(s.path for s in pair), three.path])
    text = text_of(path)
    for step in ("From one to two", "From two to three", "one – three"):
        assert step in text
    assert path.read_text(encoding="utf-8").count("<svg") == 1


def test_the_same_studies_give_the_same_bytes_wherever_they_are_called_from(pair, tmp_path, monkeypatch):
    first = write_compare([s.path for s in pair]).read_bytes()
    monkeypatch.chdir(tmp_path)
    assert write_compare(["one", "two"]).read_bytes() == first


def test_links_lead_to_the_studies_own_reports(pair, tmp_path):
    files.write_text(pair[0].report_path, "<p>report</p>")
    page = write_leaderboard([s.path for s in pair], tmp_path / "a page" / "deep").read_text(encoding="utf-8")
    assert 'href="../../one/report/index.html"' in page
    assert "it has no report yet" in page


def test_the_leaderboard_holds_everybody_people_and_annotations(pair):
    text = text_of(write_leaderboard([s.path for s in pair]))
    assert "#1 · 80% [76%, 84%]" in text
    assert "80% [70%, 90%] taken for people" in text
    assert "annotations 100 100" in text


def test_where_studies_share_contestants_one_model_ranks_all(study, tmp_path):
    shutil.copytree(study.path, tmp_path / "copy")
    text = text_of(write_leaderboard([study.path, tmp_path / "copy"], tmp_path / "out"))
    assert "One ranking over all studies" in text
    assert "supposes that a contestant is equally strong wherever it plays" in text
    assert "automatic judge" in text


def test_an_analysis_that_is_missing_names_the_command_that_makes_it(pair):
    (pair[1].analysis_path(SURVEY) / "ranking.json").unlink()
    with pytest.raises(UserError, match="not analysed yet") as caught:
        write_compare([s.path for s in pair])
    assert f"parlai spotbot_analyze --study {pair[1].path} --survey spot_the_bot" in caught.value.remedy


def test_studies_without_a_common_survey_are_refused_with_what_each_has(pair):
    shutil.move(pair[1].survey_path(SURVEY), pair[1].survey_path("acute_eval"))
    with pytest.raises(UserError, match="share no survey") as caught:
        write_compare([s.path for s in pair])
    assert "one: spot_the_bot; two: acute_eval" in caught.value.problem
    with pytest.raises(UserError, match="--survey acute_evil"):
        write_compare([s.path for s in pair], survey="acute_evil")
    with pytest.raises(UserError, match="--survey nuc: it ranks nobody"):
        write_compare([s.path for s in pair], survey="nuc")


def test_one_study_twice_is_one_study(pair):
    with pytest.raises(UserError, match="two different studies"):
        write_compare([pair[0].path, pair[0].path])


def test_a_generic_survey_with_criteria_is_compared_too(study, tmp_path):
    """The results of a further survey: scores, intervals and pairs under the names that all surveys share."""
    made = []
    for name, shift in (("one", 0.0), ("two", 2.0)):
        score = {"smollm2": 3.0 + shift, "alice": 2.0, "eliza": 4.0}
        own = {
            "order": sorted(score, key=lambda bot: -score[bot]),
            "clusters": {bot: [1, 3] for bot in score},
            "criterion": "mean rating",
            "score": score,
            "score_ci": {b: [v - 0.2, v + 0.2] for b, v in score.items()},
            "pairs": [],
        }
        made.append(bare(tmp_path / name, UP, study))
        target = made[-1].survey_path("dialogue_likert")
        shutil.copytree(made[-1].survey_path(SURVEY), target)
        value = {"by_source": {"human": {**own, "criteria": {"relevance": own}}}, "made_by": {"used": {"human": 3}}}
        (target / "analysis" / "ranking.json").write_text(json.dumps(value))
    path = write_compare([s.path for s in made], survey="dialogue_likert")
    text = text_of(path)
    assert "smollm2 up, 3.00 to 5.00" in text
    assert "People: relevance" in text
    assert "Spot The Bot" not in text


@pytest.mark.parametrize("width", [1200, 390])
def test_the_pages_in_a_browser_ask_for_nothing_and_fit(pair, chromium, width):
    paths = [write_compare([s.path for s in pair]), write_leaderboard([s.path for s in pair])]
    page = chromium.new_page(viewport={"width": width, "height": 900})
    seen = []
    page.on("console", lambda message: seen.append(message.text))
    page.on("request", lambda request: seen.append(request.url) if not request.url.startswith("file:") else None)
    for path in paths:
        page.goto(f"file://{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator("th button").nth(1).click()
        assert page.locator("[aria-sort]").count() == 1
    page.close()
    assert seen == []
