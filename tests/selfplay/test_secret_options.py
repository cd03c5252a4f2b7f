"""Secrets among a contestant's options reach it, and nothing that is printed or written."""

import json

import pytest

from tests.in_process import spotbot

SECRETS = ("swordfish", "hunter22", "11ABCDEFG0")
POOL = """\
good: tests.selfplay.hostile_bots:good
mine:
  model: tests.selfplay.odd_agents:KeyedAgent
  environment: KEYED_WORKS
  opt:
    backend_token: tok-swordfish
    backend: '{"server": {"pw": "hunter22", "hub": "github_pat_11ABCDEFG0abcdefghijkl"}}'
"""


@pytest.mark.slow
def test_a_secret_reaches_its_contestant_and_no_file_and_the_study_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("KEYED_WORKS", str(tmp_path / "works"))
    (tmp_path / "pool.yaml").write_text(POOL)
    pool, study = ("--pool", tmp_path / "pool.yaml"), ("--study", tmp_path / "s")
    sizes = ("--conversations-per-pair", 2, "--segments", 2, "--human-conversations", 0)
    told = [spotbot("contestants", *pool), spotbot("selfchat", *pool, *study, *sizes, code=1)]
    assert "mine: exception: RuntimeError: no login with [key], pw=[key]" in told[1][0]
    (tmp_path / "works").touch()
    told.append(spotbot("selfchat", *study, code=2))
    assert "option 'backend_token' is secret, so the study doesn't hold it" in told[2][1]
    told.append(spotbot("selfchat", *study, *pool))
    told += [spotbot("contestants", *study), spotbot("check", *study), spotbot("contestants", *pool, "--try", "--json")]
    files = [path for path in (tmp_path / "s").rglob("*") if path.is_file()]
    texts = [path.read_text() for path in files] + [text for pair in told for text in pair]
    assert len(files) > 3
    assert not [secret for secret in SECRETS if any(secret in text for text in texts)]
    contestants = json.loads((tmp_path / "s" / "provenance.json").read_text())["selfplay"]["plan"]["contestants"]
    assert contestants["mine"]["opt"]["backend_token"] == "(not shown)"
