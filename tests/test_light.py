"""The light installation, from conversations to a report; `.ci/light` runs this where nothing else is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.metrics.regression import regress
from parlai_spotbot.analysis.ranking import trueskill_scores
from parlai_spotbot.errors import MissingPackage
from tests.in_process import spotbot

PEOPLE = Path(__file__).parent / "goldens" / "studies" / "people"
MATCHES = pd.DataFrame({"a": ["x"], "b": ["y"], "outcome": [1]})


def test_a_study_is_packed_judged_through_a_server_analysed_and_reported(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent / "agents")
    from tests.agents import chat_servers

    study = shutil.copytree(PEOPLE, tmp_path / "study")
    with chat_servers.ChatServer(chat_servers.answers_to) as server:
        few, served = ("--bootstraps", 20), ("--judge-url", server.url, "--judge-model", "parrot-1", "--yes")
        for words in (("pack",), ("judge", *served), ("analyze", *few), ("report",)):
            spotbot(*words, "--study", study, "--survey", "comparative")
    spotbot("analyze", "--study", study, *few)  # answers of people and of a judge
    spotbot("report", "--study", study, "--export", tmp_path / "exported")
    spotbot("check", "--study", study)
    assert (study / "report" / "index.html").exists()


def test_votes_are_ranked_and_a_study_is_planned(tmp_path):
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\n" + "a,b,model_a\nb,a,tie\n" * 20)
    spotbot("import", "--format", "votes", "--data", tmp_path / "votes.csv", "--study", tmp_path / "arena")
    for command in ("analyze", "report"):
        spotbot(command, "--study", tmp_path / "arena", "--survey", "votes")
    assert "conversations" in spotbot("plan", "--bots", "3", "--simulations", "0")[0]


@pytest.mark.skipif(sys.platform != "linux", reason="takes away what Linux has")
def test_votes_are_ranked_reported_and_exported_with_what_windows_has(tmp_path):
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\n" + "a,b,model_a\nb,a,tie\n" * 20)
    commands = [
        "import --format votes --data votes.csv --study arena",
        "analyze --study arena --survey votes",
        "report --study arena --survey votes --export exported",
        "check --study arena",
    ]
    like_windows = Path(__file__).with_name("like_windows.py")
    environment = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    subprocess.run([sys.executable, like_windows, *commands], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "exported" / "study.yaml").exists()


@pytest.mark.parametrize(
    ("package", "work"),
    [
        ("trueskill", lambda: trueskill_scores(MATCHES, ["x", "y"])),
        ("statsmodels", lambda: regress(np.eye(9)[:, :1], np.arange(9.0), "linear")),
    ],
)
def test_a_package_of_an_extra_is_named_with_its_command(package, work, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.api", None)
    with pytest.raises(MissingPackage, match=rf"needs {package}, which isn't installed. Run: \S*pip install {package}"):
        work()
