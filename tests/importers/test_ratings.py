"""Ratings without conversations: what is read from files, and what `spotbot_analyze` makes of it."""

import re

import pytest

from parlai_spotbot.importers.votes import MODEL
from parlai_spotbot.study import Study
from tests.case_tables import case_table
from tests.in_process import spotbot


@pytest.fixture
def bring(run, tmp_path):
    """Import a file of ratings; returns the exit code and what is said."""

    def command(text, name, words, bot=""):
        path = tmp_path / (name or "ratings.csv")
        path.write_text(text)
        data = f"{bot}={path}" if bot else path
        code, out, err = run("--format", "ratings", "--data", data, "--study", tmp_path / "study", *(words or ()))
        return code, " ".join((out + err).split())

    return command


@case_table(__file__, "read")
def test_read(text, name, words, named, means, says, code, bring, tmp_path):
    ended, said = bring(text, name, words, named)
    assert ended == (code or 0), said
    assert (says or "") in said
    values = {}
    study = Study.open(tmp_path / "study")
    for row in study.judgements("ratings"):
        bot = row.conversation_ids[0].rpartition(":")[0]
        values.setdefault(f"{bot} {row.question}", []).append(float(row.answer))
    found = {name: sum(numbers) / len(numbers) for name, numbers in values.items()}
    assert found == pytest.approx(means)
    assert {name.partition(" ")[0] for name in means} == {*study.plan.contestants}
    assert {talk.turns for talk in study.conversations()} == {()}


@case_table(__file__, "refused")
def test_refused(text, words, says, bring, tmp_path):
    code, said = bring(text, None, words)
    assert code == 2
    assert says in said
    assert not (tmp_path / "study").exists()


def ratings_of(levels, items=30):
    """A table of ratings by eight annotators, two of each answer."""
    lines = ["question_id,rater,system,quality"]
    for item in range(items):
        for place, (system, level) in enumerate(levels.items()):
            for rater in (item % 8, (item + 1 + place) % 8):
                lines.append(f"q{item},w{rater},{system},{level + (item + rater) % 2}")
    return "\n".join(lines) + "\n"


def test_the_analysis_clusters_by_item_and_annotator(bring, tmp_path):
    """Who is rated higher is ahead; ratings of one question are a cluster, and so are an annotator's."""
    assert bring(ratings_of({"ada": 4, "bob": 2, "cleo": 1}), None, None)[0] == 0
    out, _ = spotbot("analyze", "--study", tmp_path / "study", "--survey", "ratings")
    assert re.search(r"ada is ahead of all others, with a mean of .*, on these 30 items", out)
    assert "8 annotators" in out
    assert "have the same text" not in out


def test_a_model_that_rates_is_a_judge(bring, tmp_path):
    assert MODEL.match("gpt-4o")
    assert bring("model,judge,rating\nada,gpt-4o,4\nbob,gpt-4o,2\n", None, None)[0] == 0
    assert {row.source for row in Study.open(tmp_path / "study").judgements("ratings")} == {"judge:gpt-4o"}


def test_two_files_are_two_systems(run, tmp_path):
    for name, value in (("ada", 4), ("bob", 2)):
        (tmp_path / f"{name}.csv").write_text(f"id,quality\n1,{value}\n2,{value}\n")
    data = f"ada={tmp_path / 'ada.csv'},bob={tmp_path / 'bob.csv'}"
    assert run("--format", "ratings", "--data", data, "--study", tmp_path / "study")[0] == 0
    study = Study.open(tmp_path / "study")
    assert {(talk.seed_id, talk.entities[0]) for talk in study.conversations()} == {
        (item, bot) for item in "12" for bot in ("ada", "bob")
    }
    assert len(study.judgements("ratings")) == 4


def test_judgements_without_a_study_say_what_to_import_first(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("conversation_id,worker_id,quality\nc,w,1\n")
    code, _, err = run("--format", "judgements", "--data", path, "--study", tmp_path / "new")
    assert code == 2
    for name in ("messages", "ratings"):
        assert f"import --study {tmp_path / 'new'} --format {name} --data {path}" in err
    assert "selfchat" not in err


def test_what_is_not_known_is_not_said(bring, tmp_path):
    """Nobody is counted as an annotator whom the file doesn't name; texts that aren't there are no conversations."""
    lines = [f"{system},{level + number % 3}" for system, level in (("ada", 3), ("bob", 1)) for number in range(20)]
    assert bring("\n".join(["system,quality", *lines]), None, None)[0] == 0
    study = tmp_path / "study"
    out, _ = spotbot("analyze", "--study", study)

    assert re.search(r"ada is ahead of all others, with a mean of .*, if nobody answered often\.", out)
    assert "It isn't known who answered." in out
    assert "annotators;" not in out
    spotbot("report", "--study", study)
    methods = (study / "report" / "appendix" / "methods.md").read_text()
    page = (study / "report" / "index.html").read_text()
    assert "We analysed ratings of 40 texts by 2 chatbots" in methods
    assert "People whose number isn't known gave 40 annotations" in methods
    assert "texts as clusters" in methods
    for text in ("with itself", "It shows", "crossed", "40 people"):
        assert text not in methods + page
