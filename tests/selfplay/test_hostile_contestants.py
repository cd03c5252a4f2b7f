"""Contestants that do harm: the run ends, the others' conversations are there, and what went wrong is counted."""

import json
import time
from pathlib import Path

import pytest
import yaml

from parlai_spotbot import files
from parlai_spotbot.outside import MOST_OF_A_TURN
from parlai_spotbot.records import indexed
from parlai_spotbot.study import Study
from tests.in_process import spotbot

ROWS = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))["bots"]
BOUND = 120
"""Seconds for a run: a hanging contestant is set aside after three turns of three seconds."""


@pytest.fixture
def played(tmp_path, monkeypatch):
    """``played(bots, code)``: the study that they have played with two that are well, twice by the same command."""
    monkeypatch.setenv("HOSTILE_STUDY", str(tmp_path / "s"))

    def play(bots, code):
        limits = {"turn_timeout": 3, "load_timeout": 90}
        entries = {
            name: {"model": f"tests.selfplay.hostile_bots:{name}", "environment": "HOSTILE_STUDY", **limits}
            for name in bots
        }
        pool = {"good": "tests.selfplay.hostile_bots:good", "kind": "tests.selfplay.hostile_bots:kind", **entries}
        (tmp_path / "pool.yaml").write_text(yaml.safe_dump(pool, sort_keys=False))
        words = ["selfchat", "--study", tmp_path / "s", "--pool", tmp_path / "pool.yaml", "--segments", "2"]
        words += ["--conversations-per-pair", 2, "--human-conversations", 0]
        for _ in range(2):
            start = time.monotonic()
            out, err = spotbot(*words, code=code)
            assert time.monotonic() - start < BOUND
            assert "Traceback" not in out + err
            assert (out + err).replace("\n", "").isprintable()
            print(out)
        return Study.open(tmp_path / "s")

    return play


def check(study, row):
    """Check what is kept of one contestant, and that of the others everything is."""
    rows = indexed(study.conversations())
    assert {"good:kind:0000", "good:kind:0001"} <= rows.keys()
    bot, kind = row["bot"], row.get("kind")
    failures = [failure for failure in study.failures() if failure["contestant"] == bot]
    turns = [turn.text for c in rows.values() for turn in c.shown if turn.speaker == bot]
    if kind:
        assert failures, "its failures are counted"
        assert kind in {failure["kind"] for failure in failures}
        assert any(row["says"] in failure["message"] for failure in failures)
        assert all(len(failure["message"]) <= 2000 for failure in failures)
    else:
        assert not failures
        assert turns
        assert all(row["turn"] in turn and len(turn) <= MOST_OF_A_TURN for turn in turns)
    about = study.provenance()["selfplay"]["contestants"].get(bot, {})
    used = [one.get("usage", {}).get("left_out_of_turns", {}) for one in (about, *about.get("earlier", ()))]
    assert row.get("left_out") in {None, *(kind for kinds in used for kind in kinds)}
    json.dumps(study.provenance(), allow_nan=False).encode()
    spotbot("check", "--study", study.path)


def test_many_at_once(played):
    rows = [row for row in ROWS if row.get("fast")]
    study = played([row["bot"] for row in rows], code=1)
    for row in rows:
        check(study, row)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=[row["bot"] for row in ROWS])
def test_one_alone(played, row):
    check(played([row["bot"]], code=1 if row.get("kind") else 0), row)


@pytest.mark.parametrize("bot", ["removes_study", pytest.param("replaces_study", marks=pytest.mark.slow)])
def test_a_study_that_is_removed_or_replaced_ends_the_run_before_more_is_paid_for(tmp_path, monkeypatch, bot):
    monkeypatch.setenv("HOSTILE_STUDY", str(tmp_path / "s"))
    words = [
        "--contestant",
        f"bad=tests.selfplay.hostile_bots:{bot},environment=HOSTILE_STUDY",
        "--contestant",
        "good=tests.selfplay.hostile_bots:good",
    ]
    _, err = spotbot("selfchat", "--study", tmp_path / "s", *words, "--conversations-per-pair", 4, code=2)
    assert "turns.journal.jsonl: the file, or its folder, was removed or replaced." in err
    assert len(err.splitlines()) == 2
    left = tmp_path / "s" / "turns.journal.jsonl"
    assert not left.exists() or len(files.read_jsonl(left, lambda row, where: row)) < 4
