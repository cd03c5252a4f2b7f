"""Every command that a command tells of works as it is printed, from a survey that isn't packed to its report."""

import re
import shlex

import pytest

import parlai_spotbot as sb
from parlai_spotbot.scripts.main import main
from tests.findings.scripted import always_first, answered, by_chance, rows_of, small_study

HINT = re.compile(r"parlai (spotbot_\w+ --study .*)")
SLOW = ("spot_the_bot_game", "comparative", "dialogue_likert", "turn_likert", "abc_eval")
BY_JUDGES = ["acute_eval", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]


@pytest.fixture
def study(tmp_path):
    """Conversations of bots, packed for one survey only; in the name of the folder there is a blank."""
    return small_study(tmp_path / "my study", "spot_the_bot")


def printed(words, capsys, code=0):
    """Run a command; the commands in what it prints, as words."""
    found = 0
    try:
        main(words)
    except SystemExit as end:
        found = end.code or 0
    shown = "".join(capsys.readouterr())
    assert found == code, shown
    assert "--study DIR" not in shown
    return [shlex.split(hint) for hint in HINT.findall(shown)]


def stood_for(words, server):
    """A server stands in for the user's language model."""
    if "--judge-url" not in words:
        return words
    return [*words, "--judge-url", server, "--judge-model", "parrot-1", "--yes"]


@pytest.mark.parametrize("survey", BY_JUDGES)
def test_from_the_first_error_to_the_report_by_hints_alone(study, survey, capsys, server):
    hints, ran = printed(["analyze", "--study", str(study.path), "--survey", survey], capsys, code=2), []
    while hints and len(ran) < 9:
        for words in hints:
            assert words[words.index("--survey") + 1] == survey
            assert words[words.index("--study") + 1] == str(study.path)
            ran.append(words[0].removeprefix("spotbot_"))
            found = printed(stood_for(words, server), capsys)
        hints = found
    assert ran == ["pack", "crowdsource", "judge", "analyze", "report"]
    assert study.report_path.exists()
    assert "There are no units yet" not in study.report_path.read_text()


@pytest.mark.parametrize("survey", BY_JUDGES)
def test_from_the_first_error_to_the_report_in_python(study, survey, server):
    """What a ValueError tells to run is run as it is, but for the user's own server."""
    ran, known = [], {"sb": sb, "study": sb.Study.open(study.path)}
    asked = f"sb.analyze(study, survey={survey!r}, bootstraps=20, progress=False)"
    while len(ran) < 5:
        try:
            eval(asked, known)
            break
        except ValueError as err:
            [told] = re.findall(r"Run: (sb\..*\))$", str(err))
        ran.append(told.partition("(")[0])
        eval(told.replace("http://127.0.0.1:8000/v1", server).replace("'NAME'", "'parrot-1', yes=True"), known)
    assert ran == ["sb.pack", "sb.judge_study"]
    assert sb.report(known["study"], survey).exists()


def test_surveys_that_no_judge_answers_hint_at_people(tmp_path, capsys):
    study = small_study(tmp_path / "s", "spot_the_bot")
    hints = printed(["pack", "--study", str(study.path), "--survey", "nuc"], capsys)
    assert [words[0] for words in hints] == ["spotbot_nuc", "spotbot_crowdsource"]
    printed(hints[-1], capsys)
    with_chats = ["--study", str(tmp_path / "c"), "--survey", "interactive", "--pool", "rules", "--comparisons", "2"]
    hints = printed(["pack", *with_chats], capsys)
    assert [words[0] for words in hints] == ["spotbot_crowdsource"]
    printed(hints[0], capsys)


# -- the report without a judge ----------------------------------------------------------------------------------------
@pytest.fixture
def judged(tmp_path):
    """Answered by people and by two judges."""
    study = small_study(tmp_path / "s", "spot_the_bot")
    rows = [rows_of(study, "spot_the_bot", by_chance, ["w1", "w2"])]
    rows += [rows_of(study, "spot_the_bot", always_first, ["v"], source=f"judge:{name}") for name in ("one", "other")]
    answered(study, "spot_the_bot", *rows)
    return study
