"""spotbot_crowdsource, and the launch script beside it: options reach the launch, bad input is one error."""

import subprocess
import sys

import pytest

from parlai_spotbot.crowdsourcing import launch as launching
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.spot_the_bot.run import run
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.spoken import spoken


@pytest.fixture
def study(tmp_path):
    """Two bots, six conversations, two of people; nothing packed yet."""
    from parlai_spotbot import checksums

    plan = Plan("chitchat", {name: Contestant(name, model="spotbot:eliza") for name in ("one", "two")}, 6)
    study = Study.create(tmp_path / "study", plan)
    rows = []
    for number, pair in enumerate([("one", "two")] * 6 + [(HUMAN, HUMAN)] * 2):
        texts = (f"turn {i} of {number}" for i in range(12))
        rows.append(spoken(f"{pair[0]}-{number}", pair, texts, number, seed_exchanges=1, seed_id=f"seed {number}"))
    checksums.write_jsonl(study.conversations_path, rows)
    return study


def test_options_reach_the_launch_and_bad_input_is_one_error(monkeypatch, study, tmp_path):
    seen = []
    monkeypatch.setattr(launching, "launch", lambda request: seen.append(request) or 0)
    spotbot("crowdsource", "--study", study.path, "--task", "x", "--annotators", "7", "--port", "8123", "--live")
    assert seen == [LaunchRequest(str(study.path), part="x", annotators="7", port=8123, live=True)]
    monkeypatch.undo()
    for words, says in (
        ([], "--study missing"),
        (["--study", study.path, "--provider", "mturkk"], "found 'mturkk'"),
        (["--study", study.path, "--config", "none.yaml"], "none.yaml: no such file"),
        (["--study", study.path, "--task", "knowledge"], "--task knowledge"),
        (["--study", study.path, "--revoke", "ann"], "unknown option --revoke"),
    ):
        assert says in spotbot("crowdsource", *words, code=2)[1]


def test_a_dry_run_packs_what_is_missing_and_says_the_cost(study, tmp_path):
    config = tmp_path / "pay.yaml"
    config.write_text("pay: 1\nlanguage: de\n", encoding="utf-8")
    out, _ = spotbot("crowdsource", "--study", study.path, "--config", config, "--language", "en", "--dry-run")
    assert "packed: 6 units" in out
    assert "6.00 USD: 1.00 a unit" in out
    assert "is less than 12.00" in out
    assert not (study.survey_path("spot_the_bot") / "crowdsourcing").exists()


def script(folder, *arguments):
    """What came of the launch script, started in the folder."""
    return subprocess.run(
        [sys.executable, "-m", "parlai_spotbot.crowdsourcing.spot_the_bot.run", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_script_takes_the_same_by_name_and_leaves_nothing_where_it_is_started(study, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    (here / "pay.yaml").write_text(
        "provider: mturk_sandbox\npay: 3\nlimits: {controls_per_unit: 1}\n", encoding="utf-8"
    )
    more = ("settings.pay=2", "settings.limits.units_per_annotator=1")
    done = script(here, f"study={study.path}", "config=pay.yaml", "url=https://x.org", "dry_run=true", *more)
    assert done.returncode == 0, done.stderr
    assert "12.00 USD: 2.00 a unit" in done.stdout
    assert "recruiting: mturk_sandbox" in done.stdout
    assert "6 or more, at most 1 unit each" in done.stdout
    assert "and 6 of controls" in done.stdout
    assert [path.name for path in here.iterdir()] == ["pay.yaml"]


@cases(
    "says words",
    """
- ['error: study is missing', []]
- ['nowhere: no study here', [study=nowhere]]
- ["'completion_code' is missing", [study=nowhere, settings.provider=prolific]]
- ['+x=1: expected NAME=VALUE', [study=nowhere, +x=1]]
- ["Did you mean 'survey'?", [study=nowhere, survy=nuc]]
- ['port: expected a valid integer', [study=nowhere, port=here]]
- ['error: study=[1,2: cannot be read', ['study=[1,2']]
- ['settings=3: expected single settings', [study=nowhere, settings=3]]
- ["unknown key 'mephisto'", [study=nowhere, mephisto.task.task_reward=3]]
""",
)
def test_bad_input_to_the_script_is_one_error(says, words):
    with pytest.raises(UserError) as caught:
        run(words)
    assert says in f"error: {caught.value}"
