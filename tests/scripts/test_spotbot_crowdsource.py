"""spotbot_crowdsource, and the launch script beside it: options reach the launch, bad input is one error."""

import subprocess
import sys

import pytest

from parlai_spotbot.crowdsourcing import launch as launching
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Turn
from parlai_spotbot.scripts.spotbot_crowdsource import SpotbotCrowdsource
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan


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


def test_options_and_settings_reach_the_launch(asked, study, tmp_path):
    config = tmp_path / "pay.yaml"
    config.write_text("pay: 2.5\nprovider: mturk\nlanguage: en\n", encoding="utf-8")
    SpotbotCrowdsource.main(
        study=str(study.path),
        config=str(config),
        provider="in_house",
        annotators="7",
        port=8123,
        live=True,
        language="de",
        url="https://x.org",
    )
    (one,) = asked
    assert (one.study, one.survey, one.annotators, one.port, one.host) == (
        str(study.path),
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
        ({"provider": "mturkk"}, "found 'mturkk'"),
        ({"config": "none.yaml"}, "none.yaml: no such file"),
    ],
)
def test_bad_input_is_one_error(capsys, study, options, says):
    if "host" not in options:
        options = {"study": str(study.path), **options}
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
    assert "6 or more, at most 1 units each" in done.stdout
    assert "and 6 of controls" in done.stdout
    assert [path.name for path in here.iterdir()] == ["pay.yaml"]


def test_the_script_takes_mephistos_groups_and_configurations(study, tmp_path):
    (tmp_path / "hydra_configs" / "conf").mkdir(parents=True)
    (tmp_path / "hydra_configs" / "conf" / "mine.yaml").write_text(
        "defaults: [_self_, {/mephisto/blueprint: spotbot}, {/mephisto/provider: mturk_sandbox}]\n"
        "mephisto: {task: {task_reward: 2.0, maximum_units_per_worker: 1}}\n",
        encoding="utf-8",
    )
    more = ("mephisto.blueprint.public_url=https://x.org", "mephisto/architect=spotbot", "dry_run=true")
    done = script(tmp_path, f"study={study.path}", "conf=mine", "mephisto.task.task_reward=3", *more)
    assert done.returncode == 0, done.stderr
    assert "18.00 USD: 3.00 a unit" in done.stdout
    assert "recruiting: mturk_sandbox" in done.stdout
    assert "6 or more, at most 1 units each" in done.stdout


BAD = [
    ([], 2, "error: study is missing"),
    (["study=nowhere"], 2, "nowhere: no study here"),
    (["study=nowhere", "settings.provider=mturkk"], 2, "found 'mturkk'"),
    (["study=nowhere", "settings.provider=prolific"], 2, "'completion_code' is missing"),
    (["study=nowhere", "config=none.yaml"], 2, "none.yaml: no such file"),
    (["study=nowhere", "+x=1"], 2, "+x=1: expected NAME=VALUE"),
    (["study=nowhere", "survy=nuc"], 2, "Did you mean 'survey'?"),
    (["study=nowhere", "port=here"], 2, "port: expected a valid integer"),
    (["study=[1,2"], 2, "error: study=[1,2: cannot be read"),
    (["study=${nope}"], 2, "Interpolation key 'nope' not found"),
    (["study=nowhere", "settings=3"], 2, "settings=3: expected single settings"),
    (["study=nowhere", "mephisto/architect=heroku"], 2, "architect._architect_type=heroku: this task cannot honour it"),
    (["study=nowhere", "mephisto.task.submission_timeout=3"], 2, "task.submission_timeout=3: this task cannot honour"),
    (["study=nowhere", "conf=none"], 2, "conf=none: no such file"),
]


def some(rows):
    """Every seventh in a quick test: each starts Mephisto in a process of its own."""
    return [pytest.param(*row, marks=[pytest.mark.slow] if place % 7 else []) for place, row in enumerate(rows)]


@pytest.mark.parametrize(("arguments", "code", "says"), some(BAD))
def test_bad_input_to_the_script_is_one_error(tmp_path, arguments, code, says):
    done = script(tmp_path, *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr
