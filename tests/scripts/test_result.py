"""What commands leave to scripts: --json with the same keys everywhere, --quiet, and exit codes."""

import json
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from parlai_spotbot import scripts
from parlai_spotbot.scripts import result
from parlai_spotbot.scripts.command import Command
from parlai_spotbot.scripts.main import main
from tests.in_process import spotbot
from tests.sealing import sealed

PEOPLE = Path(__file__).parents[1] / "goldens" / "studies" / "people"
KEYS = [own.name for own in fields(result.Outcome)]
NOWHERE = yaml.safe_load("""
check: [nowhere]
compare: [nowhere/a, nowhere/b]
contestants: [--study, nowhere]
import: [--study, nowhere, --format, votes, --data, nowhere.csv]
nuc: [--pool, nowhere.yaml]
plan: [--study, nowhere]
selfchat: [--pool, nowhere.yaml]
tournament: [--pool, nowhere.yaml]
""")
"""What names something that isn't there; other commands get a study that isn't."""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sealed(study := Path(shutil.copytree(PEOPLE, "study")))
    return study


def told(*words, code=0):
    """The object that a command leaves on stdout, which holds nothing else."""
    out, err = spotbot(*words, "--json", code=code)
    found = json.loads(out)
    assert list(found) == KEYS
    assert found["exit_code"] == code
    return found, err


@pytest.mark.parametrize("name", [name.removeprefix("spotbot_") for name in scripts.COMMANDS])
def test_what_is_not_there_is_an_error_with_code_2_in_json_too(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name in ("doctor", "setup"):
        return  # they ask for nothing
    found, err = told(name, *NOWHERE.get(name, ["--study", "nowhere"]), code=2)
    assert found["command"] == name
    assert found["error"]["problem"] in err
    assert not any(tmp_path.iterdir())


def test_each_step_says_what_it_found_where_it_is_and_what_comes_next(study):
    packed, _ = told("pack", "--study", study, "--survey", "comparative")
    assert packed["said"].startswith("60 units")
    assert packed["written"] == {"units": "study/surveys/comparative/units.jsonl"}
    assert packed["figures"]["units"] == 60
    assert packed["next"].startswith("parlai spotbot_judge --study study --survey comparative")
    analysed, err = told("analyze", "--study", study, "--bootstraps", 20)
    assert analysed["said"] == "The bots can't be told apart by these data."
    assert analysed["next"] == "parlai spotbot_report --study study --survey spot_the_bot"
    assert "annotations" in err  # what the terminal would get
    ranking = json.loads((study / "surveys" / "spot_the_bot" / "analysis" / "ranking.json").read_text())["tables"]
    assert analysed["figures"] == {"ranking": {"spot_the_bot": ranking}}
    reported, _ = told("report", "--study", study)
    assert Path(reported["written"]["report"]).exists()
    assert reported["said"] == analysed["said"]
    assert reported["figures"]["ranking"]["spot_the_bot"] == ranking
    planned, _ = told("plan", "--bots", 3, "--simulations", 0)
    assert planned["said"].startswith("With 222 conversations a pair")
    assert planned["figures"]["plan"]
    pool, _ = told("contestants", "--pool", "rules")
    assert [entry["name"] for entry in pool["figures"]["contestants"]] == ["tfidf", "alice", "eliza"]


@pytest.mark.slow
def test_quiet_prints_the_result_alone(study):
    out, err = spotbot("analyze", "--study", study, "--bootstraps", 20, "--quiet")
    assert out.splitlines() == [
        "The bots can't be told apart by these data.",
        "analysis: study/surveys/spot_the_bot/analysis",
        "next: parlai spotbot_report --study study --survey spot_the_bot",
    ]
    assert err == ""
    out, err = spotbot("analyze", "--study", "nowhere", "--quiet", code=2)
    assert out == ""
    assert err.startswith("error: nowhere")


def test_an_error_says_what_comes_next(study):
    found, err = told("analyze", "--study", study, "--survey", "comparative", code=2)
    assert found["next"].endswith(f"spotbot_pack --study {study} --survey comparative")
    assert found["error"]["remedy"] == f"Run: {found['next']}"
    assert found["next"] in err


def test_what_other_processes_print_is_no_part_of_the_json(tmp_path):
    noisy = "import os; from parlai_spotbot.scripts import spotbot_plan, main\n"
    noisy += "old = spotbot_plan.SpotbotPlan.execute\n"
    noisy += "spotbot_plan.SpotbotPlan.execute = lambda own: (os.system('echo noise'), old(own))[1]\n"
    noisy += "main.main(['plan', '--bots', '3', '--simulations', '0', '--json'])"
    done = subprocess.run([sys.executable, "-c", noisy], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout)["command"] == "plan"
    assert "noise" in done.stderr


def test_exit_codes_are_those_that_help_lists(monkeypatch, capsys):
    class Stopped(Command):
        """One that is stopped."""

        add_options = classmethod(lambda cls, parser: None)

        def execute(self):
            raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        Stopped.main("--json")
    assert ended.value.code == result.STOPPED == 130
    assert json.loads(capsys.readouterr().out)["exit_code"] == 130
    main(["--help"])
    text = capsys.readouterr().out.partition("Exit codes:")[2]
    assert [int(line.split()[0]) for line in text.splitlines() if line] == list(result.EXIT_CODES)
