"""spotbot_crowdsource: options reach the launch, bad input is one error."""

import pytest

from parlai_spotbot.crowdsourcing import launch as launching
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
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
