"""What contestants used up of a server is counted, whatever stops a run."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay import account_journal
from parlai_spotbot.selfplay.account_journal import AccountJournal, killed_runs
from tests.agents.chat_servers import ChatServer
from tests.case_tables import case_table

SPOTBOT = Path(sys.executable).parent / "spotbot"


def test_accounts_of_killed_runs_are_found_and_forgotten_once_recorded(tmp_path):
    path = tmp_path / "accounts.jsonl"
    for run in (1, 2):  # both killed: neither forgets
        with AccountJournal(path) as accounts:
            accounts.note("one", {"usage": {"requests": run}})
            accounts.note("one", {"usage": {"requests": 10 * run}})
            accounts.note("two", {})
    with open(path, "ab") as journal:
        journal.write(b'{"name": "one", "ab')
    with AccountJournal(path) as accounts:
        runs = accounts.runs({"one": {"usage": {"requests": 5}}, "three": {}})
        assert [run["usage"]["requests"] for run in runs["one"]] == [10, 20, 5]
        assert runs["three"] == []
        accounts.forget()
    assert not path.exists()
    assert killed_runs(path) == {}


def test_the_file_stays_small(tmp_path, monkeypatch):
    monkeypatch.setattr(account_journal, "LARGEST", 1000)
    path = tmp_path / "accounts.jsonl"
    with AccountJournal(path) as accounts:
        for number in range(500):
            accounts.note("one", {"usage": {"requests": number}})
            assert path.stat().st_size < 1300
    assert killed_runs(path) == {"one": [{"usage": {"requests": 499}}]}


@case_table(__file__, "damaged")
def test_a_damaged_journal_is_named(tmp_path, rows, says):
    files.write_jsonl(tmp_path / "accounts.jsonl", rows)
    with pytest.raises(UserError, match=says):
        killed_runs(tmp_path / "accounts.jsonl")


@pytest.mark.slow
def test_requests_of_a_killed_run_stand_in_provenance(tmp_path):
    def say(body):
        time.sleep(0.05)
        return f"{len(body['messages'])}: {body['messages'][-1]['content'][:30]}"

    with ChatServer(say) as server:
        pool = tmp_path / "pool.yaml"
        opt = {"openai_url": server.url, "openai_model": "parrot-1"}
        pool.write_text(json.dumps({name: {"model": "spotbot:openai_chat", "opt": opt} for name in ("one", "two")}))
        words = ["selfchat", "--pool", pool, "--conversations-per-pair", 16, "--study", tmp_path / "s", "--quiet"]
        with subprocess.Popen([SPOTBOT, *map(str, words)], start_new_session=True) as process:
            server.kill_after(process, 80)
        subprocess.run([SPOTBOT, *map(str, words)], check=True)
        asked = len(server.bodies)
    about = files.read_json(tmp_path / "s" / "provenance.json")["selfplay"]["contestants"]
    runs = [run["usage"] for own in about.values() for run in (own, *own["earlier"])]
    assert len(runs) == 4
    # Of the killed run eight of each may have been under way, and as many not been told yet.
    assert asked - 4 * 8 <= sum(run["requests"] for run in runs) <= asked
    assert not (tmp_path / "s" / "accounts.journal.jsonl").exists()
