"""The plugin as ParlAI and its users see it: every command listed, helped and visible when broken; names resolved."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import parlai_spotbot
from parlai_spotbot import plugin, scripts
from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts import main as spotbot
from tests import in_process

# The commands so far. Each is a module of scripts/; that no other is forgotten is tested below.
PROMISED = (
    "spotbot_analyze",
    "spotbot_judge",
    "spotbot_pack",
    "spotbot_report",
    "spotbot_selfchat",
    "spotbot_tournament",
)


def test_promised_commands_exist():
    assert set(PROMISED) <= set(scripts.COMMANDS)
    assert sorted(scripts.load(scripts.COMMANDS)) == scripts.COMMANDS


def test_parlai_lists_every_command():
    out, err = in_process.parlai("--help")
    assert err == ""
    listed = dict(line.split(maxsplit=1) for line in out.splitlines() if line.startswith("  spotbot_"))
    assert sorted(listed) == scripts.COMMANDS
    assert all(listed.values())


def test_spotbot_lists_only_ours_and_begins_with_what_one_learns_first(capsys):
    spotbot.main(["--help"])
    text = capsys.readouterr().out.partition("Exit codes:")[0]
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted([*(name.removeprefix("spotbot_") for name in scripts.COMMANDS), "mephisto"])
    chain = ["tournament", "contestants", "selfchat", "pack", "judge", "analyze", "report", "check"]
    assert [name for name in listed if name in chain] == chain
    assert "train_model" not in text


@pytest.mark.parametrize("name", scripts.COMMANDS)
@pytest.mark.parametrize("prefix", ["spotbot_", ""])
def test_help_of_each_command_shows_an_example(name, prefix, capsys):
    with pytest.raises(SystemExit) as ended:
        spotbot.main([prefix + name.removeprefix("spotbot_"), "--help"])
    text = capsys.readouterr().out
    assert ended.value.code == 0
    examples = text.partition("Examples:")[2]
    assert any(f"{called} " in examples for called in (f"parlai {name}", name.replace("_", " ")))
    assert text.rstrip().endswith(f"more: {name.replace('_', ' ')} --help-all")


@pytest.mark.parametrize("name", scripts.COMMANDS)
def test_help_through_parlai_exits_well(name, capsys):
    from parlai.core.script import superscript_main

    with pytest.raises(SystemExit) as ended:
        superscript_main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.endswith(f" {name} --help-all\n")


def test_unknown_command_and_option(capsys):
    with pytest.raises(SystemExit) as ended:
        spotbot.main(["tornament"])
    assert ended.value.code == 2
    assert "Did you mean 'tournament'?" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        spotbot.main(["judge", "--study", "x", "--no-such-option", "1"])
    assert ended.value.code == 2
    assert "unknown option --no-such-option" in capsys.readouterr().err


def test_version(capsys):
    spotbot.main(["--version"])
    assert capsys.readouterr().out == f"parlai_spotbot {parlai_spotbot.__version__}\n"


def test_a_broken_command_is_named_and_the_others_go_on(tmp_path):
    """ParlAI swallows ImportErrors, so a command that cannot be imported would vanish without a word."""
    copy = tmp_path / "parlai_spotbot"
    shutil.copytree(Path(parlai_spotbot.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "scripts" / "spotbot_broken.py").write_text("import a_package_that_nobody_has\n\nCOMMAND = None\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "parlai", "--help"]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=environment)
    assert outcome.returncode == 0
    [line] = outcome.stderr.splitlines()
    assert "spotbot_broken" in line
    assert "ModuleNotFoundError: No module named 'a_package_that_nobody_has'" in line
    listed = [line.split()[0] for line in outcome.stdout.splitlines() if line.startswith("  spotbot_")]
    assert listed == scripts.COMMANDS


def test_plug_ins_are_listed_unread_and_found_by_name(tmp_path, monkeypatch):
    room = tmp_path / "room_of_plug_ins"
    (room / "folder").mkdir(parents=True)
    (room / "__init__.py").write_text("")
    (room / "one.py").write_text("from __future__ import annotations\n\nSURVEY: dict = {'one': 1}\n")
    (room / "folder" / "__init__.py").write_text("import a_package_that_nobody_has\n\nSURVEY = 2\n")
    (room / "helper.py").write_text("SURVEYS = 3\nif True:\n    SURVEY = 4\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert plugin.names("room_of_plug_ins", "SURVEY") == ["folder", "one"]
    assert plugin.names("room_of_plug_ins", "JUDGE") == []
    assert plugin.find("room_of_plug_ins", "SURVEY", "one", "--survey") == {"one": 1}
    with pytest.raises(UserError, match=r"--survey onne: unknown survey\. Did you mean 'one'\? Known: folder, one\."):
        plugin.find("room_of_plug_ins", "SURVEY", "onne", "--survey")


@pytest.mark.parametrize("order", [1, -1])
def test_the_format_of_a_project_goes_before_another_packages(order, monkeypatch):
    values = ("parlai_spotbot.projects.abc_eval.import_format:FORMAT", "theirs:FORMAT")
    points = [EntryPoint("abc_eval", value, plugin.GROUPS["FORMAT"]) for value in values]
    monkeypatch.setattr(plugin, "entry_points", lambda group: points[::order])
    assert plugin._outside.__wrapped__("parlai_spotbot.importers", "FORMAT") == {"abc_eval": points[0]}


def names_in(room: str) -> list[str]:
    """The names that ParlAI should find in a room: its folders that hold a module `agents`."""
    package = importlib.import_module(f"parlai_spotbot.{room}")
    folders = [module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg]
    return [name for name in folders if importlib.util.find_spec(f"parlai_spotbot.{room}.{name}.agents")]


def test_parlai_finds_our_tasks():
    from parlai.core.loader import load_teacher_module

    plugin.register()
    tasks = names_in("tasks")
    assert "chitchat" in tasks
    for name in tasks:
        assert load_teacher_module(f"spotbot:{name}").__module__ == f"parlai_spotbot.tasks.{name}.agents"


def test_parlai_finds_our_agents():
    from parlai.core.agents import Agent
    from parlai.core.loader import load_agent_module

    plugin.register()
    agents = names_in("agents")
    assert {"alice", "eliza", "minilm", "smollm2", "tfidf"} <= set(agents)
    for name in agents:
        assert issubclass(load_agent_module(f"spotbot:{name}"), Agent)


def test_parlai_finds_our_zoo(tmp_path, monkeypatch):
    """``zoo:spotbot/NAME/model`` imports ``parlai.zoo.spotbot.NAME`` and lets it download."""
    from parlai.core.build_data import modelzoo_path

    plugin.register()
    zoo = importlib.import_module("parlai.zoo.spotbot")
    assert Path(zoo.__file__).parent == Path(parlai_spotbot.__file__).parent / "zoo" / "spotbot"
    (tmp_path / "tiny.py").write_text(
        "from pathlib import Path\n"
        "def download(datapath):\n"
        "    model = Path(datapath, 'models/spotbot/tiny/model')\n"
        "    model.parent.mkdir(parents=True)\n"
        "    model.write_text('weights')\n"
    )
    monkeypatch.setattr(zoo, "__path__", [*zoo.__path__, str(tmp_path)])
    path = modelzoo_path(str(tmp_path), "zoo:spotbot/tiny/model")
    assert Path(path).read_text() == "weights"


def test_registering_twice_changes_nothing():
    import parlai.zoo
    from parlai.core.loader import REGISTERED_REPOS

    plugin.register()
    before = list(parlai.zoo.__path__), dict(REGISTERED_REPOS)
    plugin.register()
    assert (list(parlai.zoo.__path__), dict(REGISTERED_REPOS)) == before
