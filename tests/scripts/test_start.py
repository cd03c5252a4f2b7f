"""Commands that need no model start without ParlAI and torch, which take seconds to import, or aren't there at all.

They run as in a light installation: without any package that it doesn't bring.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
import yaml

from parlai_spotbot import scripts
from parlai_spotbot.models.chat.server_options import ServerOptions
from parlai_spotbot.scripts.option_parser import OptionParser
from parlai_spotbot.scripts.spotbot_selfchat import SpotbotSelfchat
from tests.case_tables import cases
from tests.light_packages import beyond_light

ROOT = Path(__file__).parents[2]
WITHOUT = """
import contextlib, json, sys
from importlib.machinery import PathFinder
import yaml

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, *more):
        return None if name.partition(".")[0] in json.loads(sys.argv[2]) else super().find_spec(name, *more)

sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
from parlai_spotbot.scripts.main import main

for words in json.loads(sys.argv[1]):
    with contextlib.suppress(SystemExit):
        main(words)
print(" ".join(sorted(sys.modules)))
"""


def run(*commands, folder, without=()):
    told = [sys.executable, "-c", WITHOUT, json.dumps(commands), json.dumps(without or beyond_light())]
    done = subprocess.run(told, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    *out, modules = done.stdout.splitlines()
    return "\n".join(out), done.stderr, set(modules.split())


def test_help_and_wrong_options_import_nothing_heavy(tmp_path):
    each = [[name, "--help"] for name in scripts.COMMANDS]
    shutil.copytree(ROOT / "tests" / "goldens" / "studies" / "people", tmp_path / "study")
    wrong = yaml.safe_load("""
        - [judge]
        - [pack, --no-such-option]
        - [pack, --study, nowhere]
        - [pack, --study, study, --survey, nowhere]
        - [collect, --study, study, --survey, nowhere]
        - [check, nowhere]
        - [import, --format, nowhere, --data, nowhere, --study, new]
        - [import, --format, votes, --data, nowhere.csv, --study, new]
        - [selfchat, --pool, nowhere.yaml]
        - [tournament, --pool, nowhere.yaml]
        - [compare, nowhere/a, nowhere/b]
    """)
    out, err, modules = run(["--help"], ["--version"], *each, *wrong, folder=tmp_path)
    assert out.count("usage: ") == 1 + len(scripts.COMMANDS)
    assert "warning" not in err
    assert err.count("error: ") == len(wrong)
    assert not {"numpy", "pandas", "scipy"} & modules


def test_what_goes_on_with_a_study_needs_no_parlai(tmp_path):
    shutil.copytree(ROOT / "tests" / "goldens" / "studies" / "people", tmp_path / "study")
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\na,b,model_a\nb,a,tie\n")
    given, arena = ["--study", "study"], ["--study", "arena"]
    server = ["--judge-url", "http://127.0.0.1:1", "--judge-model", "m"]
    out, err, modules = run(
        ["pack", *given, "--survey", "comparative"],
        ["judge", *given, "--judges", "language_model", *server, "--dry-run"],
        ["report", *given, "--export", "exported"],
        ["plan", "--bots", "3", "--simulations", "0"],
        ["import", "--format", "votes", "--data", "votes.csv", *arena],
        ["analyze", *arena, "--survey", "votes", "--bootstraps", "20"],
        ["report", *arena],
        folder=tmp_path,
    )
    assert "error: " not in err
    assert not any(name.startswith("parlai_spotbot.analysis.metrics") for name in modules)  # nobody asked for them
    assert "study/surveys/comparative/units.jsonl" in out
    assert (tmp_path / "exported").is_dir()
    assert (tmp_path / "arena" / "report" / "index.html").exists()


def test_what_needs_more_says_what_installs_it(tmp_path):
    shutil.copytree(ROOT / "tests" / "goldens" / "studies" / "people", tmp_path / "study")
    wanting = yaml.safe_load("""
        - [selfchat, --study, other, --pool, rules]
        - [tournament, --study, other, --pool, rules]
        - [compare, spotbot:eliza, spotbot:alice]
        - [judge, --study, study, --judges, spotter]
        - [nuc, --out, other, --pool, rules]
        - [contestants, --pool, rules]
    """)
    _, err, _ = run(*wanting, folder=tmp_path)
    needs = r"error: this needs \w+, which isn't installed.\n  Run: \S*spotbot setup\n"
    assert len(re.findall(needs, err)) == err.count("error: ") == len(wanting), err


def test_who_launches_waits_for_no_statistics(tmp_path):
    pytest.importorskip("itsdangerous", reason="a launch needs what `spotbot setup` installs")
    shutil.copytree(ROOT / "tests" / "goldens" / "studies" / "people", tmp_path / "study")
    controls = tmp_path / "study" / "surveys" / "spot_the_bot" / "controls.jsonl"
    controls.unlink(missing_ok=True)
    out, err, modules = run(
        ["crowdsource", "--study", "study", "--dry-run"], folder=tmp_path, without=["torch", "parlai"]
    )
    assert "nothing was posted" in out, err
    assert controls.exists()
    assert not {"sklearn", "scipy.optimize", "scipy.stats"} & modules


@cases("words", "[[check, study], [--help], [pack, --help-all]]")
def test_who_reads_no_further_gets_no_traceback(words):
    study = str(ROOT / "tests" / "goldens" / "studies" / "people")
    words = [study if word == "study" else word for word in words]
    code = f"from parlai_spotbot.scripts.main import main; main({words})"
    with subprocess.Popen([sys.executable, "-c", code], stdout=PIPE, stderr=PIPE, cwd=ROOT / "tests") as process:
        process.stdout.close()  # as `head` does
        assert process.stderr.read() == b""
        assert process.wait() == 130


def test_words_are_read_as_parlai_reads_them():
    parser = SpotbotSelfchat.setup_args()
    told = ["--contestant", "a=m", "--conversations_per_pair", "3", "--paired-seeds", "--domain=x_y", "--self"]
    found = parser.parse_args(told)
    assert (found.contestants, found.conversations_per_pair, found.paired_seeds) == (["a=m"], 3, True)
    assert (found.domain, found.self_chats) == ("x_y", True)


@pytest.mark.parametrize("name", scripts.COMMANDS)
def test_help_shows_what_matters_most_and_help_all_everything(name):
    parser = scripts.load([name])[name].setup_args()
    parser.prog = name
    short, whole = parser.short_help(), parser.format_help()
    assert len(parser.first) <= 6
    assert len(short.splitlines()) <= 50
    listed = short.partition("\noptions:\n")[2].partition("Examples:")[0]
    assert all(re.search(rf"{name}[ ,\n]", listed) for name in parser.first)
    assert all(f"  {action.option_strings[0]}" in whole for action in parser._actions if action.option_strings)


@pytest.mark.parametrize("name", ["spotbot_contestants", "spotbot_selfchat", "spotbot_judge"])
def test_help_names_the_time_limit_of_servers(name):
    limit = ServerOptions().timeout
    assert f"has {limit:g} s for an answer" in " ".join(scripts.load([name])[name].setup_args().format_help().split())


@cases(
    "words says",
    """
- [--surface keep --surfase keep, "unknown option --surfase. Did you mean '--surface'?"]
- [--surf keep, "unknown option --surf. Did you mean '--surface'?"]
- [keep, "'keep' belongs to no option."]
- [--seed one, "--seed: invalid int value: 'one'."]
- [--flag perhaps, "--flag: expected yes or no."]
- [--engine locl, "--engine locl: unknown. Did you mean 'local'? Known: local, ray."]
- [--engine, "--engine: expected one argument."]
- [--budget 3, unknown option --budget.]
""",
)
def test_a_wrong_option_is_one_error_that_names_the_nearest(words, says, capsys):
    parser = OptionParser("a command")
    parser.add_argument("--surface")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--flag", type="bool")
    parser.add_argument("--engine", choices=("local", "ray"))
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(words.split())
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: {says}\n")


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("a file.csv", "'a file.csv' belongs to no option. Did you mean --data 'a file.csv'?"),
        ("study", "'study' belongs to no option. Did you mean --study study?"),
        ("none.csv", "'none.csv' belongs to no option."),
    ],
)
def test_a_path_without_its_option_names_the_option(word, says, tmp_path, monkeypatch, capsys):
    (tmp_path / "a file.csv").write_text("a,b\n")
    (tmp_path / "study").mkdir()
    monkeypatch.chdir(tmp_path)
    parser = OptionParser("a command")
    parser.add_argument("--study")
    parser.add_argument("--data")
    with pytest.raises(SystemExit):
        parser.parse_args([word])
    assert capsys.readouterr().err.startswith(f"error: {says}\n")
