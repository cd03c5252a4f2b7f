"""spotbot_crowdsource, and the same by hydra: options reach the launch, bad input is one error and exit code 2."""

import subprocess
import sys

import pytest
import yaml

from parlai_spotbot.crowdsourcing import launch as launching
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Turn
from parlai_spotbot.scripts.spotbot_crowdsource import SpotbotCrowdsource
from parlai_spotbot.study import Plan, Study


@pytest.fixture
def study(tmp_path):
    """Two bots, six conversations, two of people; nothing packed yet."""
    from parlai_spotbot import files

    plan = Plan("chitchat", {name: Contestant(name, model="spotbot:eliza") for name in ("one", "two")}, 6)
    study = Study.create(tmp_path / "study", plan)
    rows = []
    for number, pair in enumerate([("one", "two")] * 6 + [(HUMAN, HUMAN)] * 2):
        turns = tuple(Turn(pair[i % 2], f"turn {i} of {number}") for i in range(12))
        name = f"{pair[0]}-{number}"
        rows.append(Conversation(name, "chitchat", pair, number, pair, turns, 1, f"seed {number}").to_json())
    files.write_jsonl(study.conversations_path, rows)
    return study


@pytest.fixture
def asked(monkeypatch):
    """What the launch was asked for, in place of launching."""
    seen = []
    monkeypatch.setattr(launching, "launch", lambda asked: seen.append(asked) or 0)
    return seen


def test_options_and_settings_reach_the_launch(asked, tmp_path):
    config = tmp_path / "pay.yaml"
    config.write_text("pay: 2.5\nprovider: mturk\nlanguage: en\n", encoding="utf-8")
    SpotbotCrowdsource.main(
        study="studies/x", config=str(config), provider="in_house", annotators="7", port=8123, live=True, language="de",
        url="https://x.org",
    )  # fmt: skip
    (one,) = asked
    assert (one.study, one.survey, one.annotators, one.port, one.host) == (
        "studies/x",
        "spot_the_bot",
        "7",
        8123,
        "127.0.0.1",
    )
    assert (one.settings.provider, one.settings.pay, one.settings.language) == ("in_house", 2.5, "de")
    assert (one.live, one.dry_run, one.close, one.open_browser, one.url) == (True, False, False, False, "https://x.org")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"host": "127.0.0.1"}, "--study missing"),
        ({"study": "nowhere"}, "nowhere: no study here"),
        ({"study": "nowhere", "provider": "mturkk"}, "Did you mean 'mturk'?"),
        ({"study": "nowhere", "config": "none.yaml"}, "none.yaml: no such file"),
    ],
)
def test_bad_input_is_one_error(capsys, options, says):
    with pytest.raises(SystemExit) as error:
        SpotbotCrowdsource.main(**options)
    assert error.value.code == 2
    err = capsys.readouterr().err
    assert says in err
    assert "Traceback" not in err


def test_a_dry_run_packs_what_is_missing_and_says_the_cost(capsys, study, tmp_path):
    config = tmp_path / "pay.yaml"
    config.write_text("pay: 1\nseconds_per_annotation: 60\nminimum_wage: 100\n", encoding="utf-8")
    SpotbotCrowdsource.main(study=str(study.path), config=str(config), dry_run=True)
    out = capsys.readouterr().out
    assert "packed: 6 units" in out
    assert "6.00 USD: 1.00 a unit" in out
    assert "less than minimum_wage (100.00)" in out
    assert not (study.survey_path("spot_the_bot") / "crowdsourcing").exists()


def hydra(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "parlai_spotbot.crowdsourcing.spot_the_bot.run", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_hydra_launches_the_same_and_leaves_nothing_where_it_is_started(study, tmp_path):
    here = tmp_path / "here"
    (here / "mine" / "conf").mkdir(parents=True)
    row = {"settings": {"provider": "mturk_sandbox", "pay": 3}, "url": "https://x.org"}
    (here / "mine" / "conf" / "cheap.yaml").write_text("# @package _global_\n" + yaml.safe_dump(row), encoding="utf-8")
    before = sorted(here.rglob("*"))
    done = hydra(here, "--config-dir", "mine", "conf=cheap", f"study={study.path}", "dry_run=true", "settings.pay=2")
    assert done.returncode == 0, done.stderr
    assert "12.00 USD: 2.00 a unit" in done.stdout
    assert "recruiting: mturk_sandbox" in done.stdout
    missing = hydra(here, "conf=prolific", f"study={study.path}", "dry_run=true")
    assert missing.returncode == 2
    assert "'completion_code' is missing" in missing.stderr
    assert "Traceback" not in missing.stderr
    assert sorted(here.rglob("*")) == before


def test_every_configuration_of_hydra_is_one_that_settings_take(tmp_path):
    from parlai_spotbot.crowdsourcing.settings import PROVIDERS, parse_settings
    from parlai_spotbot.crowdsourcing.spot_the_bot.run import CONFIGS
    from parlai_spotbot.surveys import survey_names

    paths = sorted((CONFIGS / "conf").glob("*.yaml"))
    rows = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in paths}
    assert {row["settings"]["provider"] for row in rows.values()} == set(PROVIDERS)
    for name, row in rows.items():
        parse_settings({**row["settings"], "completion_code": "C"}, name)
        assert row["survey"] in survey_names()
