"""The commands as a user types them: bad input is one clear error, exit code 2, and leaves files as they were."""

import contextlib
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import in_process
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.sealing import sealed

SPOTBOT = Path(sys.executable).parent / "spotbot"
POOL = """\
alice: {model: spotbot:alice}
eliza: {model: spotbot:eliza}
fixed: {model: fixed_response, opt: {fixed_response: i see}}
"""


def in_a_process(*words, code=0, **kwargs):
    """Run a command in a process of its own; returns what it printed to stdout and to stderr."""
    done = subprocess.run(
        [SPOTBOT, *map(str, words)], capture_output=True, text=True, timeout=300, check=False, **kwargs
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr.replace("\n  ", " ")


def told(*words, code=0):
    """Run a command here; returns its errors, each in one line."""
    return spotbot(*words, code=code)[1].replace("\n  ", " ")


def fingerprint(folder: Path) -> dict:
    return {
        str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name != ".lock"
    }


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    path = tmp_path_factory.mktemp("pool") / "pool.yaml"
    path.write_text(POOL)
    return path


@pytest.fixture(scope="module")
def quick_judge(learns_little):
    """The judge learns from very few conversations in tournaments of this process."""
    with pytest.MonkeyPatch.context() as patch:
        learns_little(patch, episodes=10, per_kind=2, per_pair=2)
        yield


@pytest.fixture(scope="module")
def tournament(pool, quick_judge, tmp_path_factory):
    """A whole tournament of instant bots, run once."""
    folder = tmp_path_factory.mktemp("tournament") / "study"
    out, _ = spotbot("tournament", "--pool", pool, "--conversations-per-pair", 6, "--study", folder, "--bootstraps", 50)
    return folder, out


@pytest.fixture
def study(tournament, tmp_path):
    return Path(shutil.copytree(tournament[0], tmp_path / "study"))


def test_a_tournament_goes_from_pool_to_report(tournament):
    folder, out = tournament
    assert "18 of 18 conversations between bots, 6 between people" in out
    assert "no substitute for people" in out
    assert (folder / "report" / "index.html").read_text().lower().startswith("<!doctype html>")
    analysis = folder / "surveys" / "spot_the_bot" / "analysis"
    ranking = json.loads((analysis / "ranking.json").read_text())
    tables = ranking["tables"]
    judged = [row for row in tables["ranking"] if row["source"] == "judge:spotter"]
    assert {row["bot"] for row in judged if row["win_rate"] is not None} == {"alice", "eliza", "fixed"}
    assert sum(pair["n"] for pair in tables["pairs"] if pair["source"] == "judge:spotter") == 18 * 3
    curves = json.loads((analysis / "survival.json").read_text())["tables"]["curves"]
    assert {row["bot"] for row in curves if row["source"] == "judge:spotter"} == {"alice", "eliza", "fixed", "human"}
    assert ranking["made_by"]["seed"] == 0


def test_the_same_command_again_changes_nothing(tournament, pool):
    folder, _ = tournament
    before = fingerprint(folder)
    spotbot("tournament", "--pool", pool, "--conversations-per-pair", 6, "--study", folder, "--bootstraps", 50)
    assert fingerprint(folder) == before


@pytest.mark.slow
def test_the_same_seed_gives_the_same_study(tournament, pool, tmp_path):
    words = ["--pool", pool, "--conversations-per-pair", 6, "--study", tmp_path / "study", "--bootstraps", 50]
    spotbot("tournament", *words)
    assert fingerprint(tmp_path / "study") == fingerprint(tournament[0])


def test_parlai_displays_the_conversations(tournament):
    out, _ = in_process.parlai(
        "display_data", "-t", "jsonfile", "--jsonfile-datapath", tournament[0] / "conversations.jsonl", "-n", 3
    )
    assert "loaded 24 episodes" in out


ELIZA = "--self --contestant a=spotbot:eliza"


@cases(
    "options says",
    """
- [--pool nowhere.yaml, '--pool nowhere.yaml: no such file or pool']
- [--self --contestant a=spotbot:elisa, 'Did you mean ''spotbot:eliza''?']
- [--self --contestant a=nowhere/model, there is no file nowhere/model]
- ['--self --contestant a=spotbot:eliza,x=1', 'spotbot:eliza has no option ''x''']
- [ELIZA --domain chitchatt, 'Did you mean ''chitchat''?']
- [ELIZA --conversations-per-pair 0, 'conversations_per_pair: expected greater than or equal to 1, found ''0''']
- [ELIZA --conversations-per-pair -3, 'conversations_per_pair: expected greater than or equal to 1, found ''-3''']
- [ELIZA --exchanges 0, 'exchanges: expected greater than or equal to 1']
- ['ELIZA --segments 2,x', '--segments: invalid whole numbers (as in 2,3,5) value: ''2,x''']
- ['ELIZA --segments 2,9 --exchanges 4', 'asks for 9 exchanges, but']
- [ELIZA --conversations-per-pair 100000, 'seeds, and no pair may get one twice']
- [ELIZA --batchsize 0, 'batchsize: expected greater than or equal to 1']
- - --self --contestant a=tests.selfplay.faulty_agents:UnloadableAgent
  - 'could not be loaded: RuntimeError: the weights are missing'
""",
)
def test_bad_options_are_one_error_and_leave_nothing_behind(tmp_path, options, says):
    err = told("selfchat", "--study", tmp_path / "new", *options.replace("ELIZA", ELIZA).split(), code=2)
    assert says in err
    assert "Traceback" not in err
    assert not (tmp_path / "new").exists()


UNITS = "surveys/spot_the_bot/units.jsonl"
JUDGEMENTS = "surveys/spot_the_bot/judgements.jsonl"


@cases(
    "command name number line says",
    """
- [pack, conversations.jsonl, 3, '{', 'conversations.jsonl, line 3: not valid JSON']
- [pack, conversations.jsonl, 2, '{"conversation_id": "x"}', 'conversations.jsonl, line 2: field ''entities''']
- [judge, SURVEY/units.jsonl, 1, '{"unit_id": 3}', 'units.jsonl, line 1: field ''unit_id'' is 3, expected str']
- [analyze, SURVEY/judgements.jsonl, 5, '[]', 'judgements.jsonl, line 5: expected a JSON object']
- [analyze, SURVEY/judgements.jsonl, 5, 'judge:spotter -> robot', 'line 5: field ''source''']
- [selfchat, study.yaml, 2, 'domain: [', 'study.yaml: not valid YAML']
- [selfchat, study.yaml, 2, 'domian: chitchat', 'unknown key ''domian''. Did you mean ''domain''?']
""",
)
def test_a_malformed_file_is_named_by_line_and_left_as_it_was(study, command, name, number, line, says):
    path = study / name.replace("SURVEY", "surveys/spot_the_bot")
    lines = path.read_text().splitlines()
    old, changed, new = line.partition(" -> ")
    lines[number - 1] = lines[number - 1].replace(old, new) if changed else line
    path.write_text("\n".join(lines) + "\n")
    sealed(study)
    before = fingerprint(study)
    err = told(f"spotbot_{command}", "--study", study, code=2)
    assert says in err
    assert "Traceback" not in err
    assert fingerprint(study) == before


@pytest.mark.parametrize(
    ("command", "gone"),
    [("spotbot_pack", "conversations.jsonl"), ("spotbot_judge", UNITS), ("spotbot_analyze", JUDGEMENTS)],
)
def test_a_missing_step_is_named_with_the_command_to_run(study, command, gone):
    (study / gone).unlink()
    assert f"{gone}: changed since it was written: it is gone" in told(command, "--study", study, code=2)
    sealed(study)
    err = told(command, "--study", study, code=2)
    assert "Run: parlai spotbot_" in err


def test_a_study_made_with_other_options_is_left_as_it_was(study, pool):
    before = fingerprint(study)
    err = told("spotbot_selfchat", "--study", study, "--pool", pool, "--seed", 7, code=2)
    assert "seed: the study has 0, you asked for 7" in err
    assert fingerprint(study) == before


@pytest.mark.slow
def test_a_larger_pool_extends_a_study_and_keeps_what_is_there(study, pool, tmp_path):
    before = (study / "conversations.jsonl").read_text().splitlines()
    units = (study / UNITS).read_text()
    larger = tmp_path / "larger.yaml"
    larger.write_text(pool.read_text() + "repeat: {model: repeat_query}\n")
    out, _ = spotbot("tournament", "--study", study, "--pool", larger, "--bootstraps", 50)
    assert "36 of 36 conversations between bots" in out
    after = set((study / "conversations.jsonl").read_text().splitlines())
    assert set(before) <= after
    assert (study / UNITS).read_text().startswith(units)
    assert len((study / "history.jsonl").read_text().splitlines()) == 1
    ranking = json.loads((study / "surveys/spot_the_bot/analysis/ranking.json").read_text())
    assert ranking["made_by"]["study_extended"] == ["contestants added to the 3 there were: repeat"]
    assert "the study was extended: contestants added to the 3 there were: repeat" in out


def test_a_second_process_says_so_and_ends(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    words = [
        "spotbot_selfchat",
        "--study",
        tmp_path / "s",
        "--self",
        "--contestant",
        "slow=tests.selfplay.faulty_agents:SlowAgent",
        "--conversations-per-pair",
        400,
    ]
    first = subprocess.Popen(
        [SPOTBOT, *map(str, words)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 120
        while not (tmp_path / "s" / "study.yaml").exists():
            assert first.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        err = told(*words, code=2)
        assert f"in use by spotbot_selfchat (process {first.pid} on " in err
        first.send_signal(signal.SIGINT)
        assert first.wait(timeout=60) == 130
    finally:
        first.kill()
        first.wait()
    assert (tmp_path / "s" / "study.yaml").exists()


@pytest.mark.slow
def test_a_tournament_killed_again_and_again_ends_as_an_uninterrupted_one(pool, tmp_path):
    words = ["spotbot_tournament", "--pool", pool, "--conversations-per-pair", 6, "--bootstraps", 50]
    command = [SPOTBOT, *map(str, words), "--study", str(tmp_path / "study")]
    chance = random.Random(0)
    for _ in range(8):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=chance.uniform(3, 25))
        process.kill()
        process.wait()
    in_a_process(*words, "--study", tmp_path / "study")
    in_a_process(*words, "--study", tmp_path / "whole")
    assert fingerprint(tmp_path / "study") == fingerprint(tmp_path / "whole")


def test_a_full_disk_is_one_error_and_the_same_command_goes_on_once_there_is_room(tournament, pool, tmp_path):
    words = ["spotbot_selfchat", "--pool", pool, "--conversations-per-pair", 6, "--study", tmp_path / "study"]
    words += ["--batchsize", 2]  # three groups of six conversations, each contestant twice first and twice second

    whole = (tournament[0] / "conversations.jsonl").read_text()
    bots = sum(len(line.encode()) + 1 for line in whole.splitlines() if '"human:human' not in line)

    def small_disk():  # room for one or two of the three groups of six conversations
        resource.setrlimit(resource.RLIMIT_FSIZE, (bots * 6 // 10, resource.RLIM_INFINITY))

    _, err = in_a_process(*words, code=2, preexec_fn=small_disk)
    assert re.search(r"(turns|conversations)\.journal\.jsonl: cannot write", err)
    assert "Free some space" in err
    assert "Traceback" not in err
    turns, kept = ((tmp_path / "study" / f"{name}.journal.jsonl").read_text() for name in ("turns", "conversations"))
    assert turns.endswith("\n")
    assert kept.count("\n") in (0, 6, 12)
    assert kept.endswith("\n") or not kept
    out, _ = spotbot(*words)
    assert re.search(r"to play: \d+ of 180 turns \([1-9]\d* are there\)", out)  # what was kept isn't played again
    found = (tmp_path / "study" / "conversations.jsonl").read_text()
    assert set(kept.splitlines()) <= set(found.splitlines())
    assert found == whole
