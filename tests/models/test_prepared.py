"""What the package carries in place of training and embedding: whole, small, and what today's code asks for."""

import hashlib
from types import SimpleNamespace

import pytest

from parlai_spotbot import compat, plugin
from parlai_spotbot.agents.minilm.agents import MinilmAgent
from parlai_spotbot.judges import spotter
from parlai_spotbot.judges.spotter import feature_rows, standins
from parlai_spotbot.models import minilm
from parlai_spotbot.models.cache import SHIPPED
from parlai_spotbot.models.precision import has_bf16
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study_plan import Plan

MOST = 3_000_000


def test_it_is_whole_and_small():
    sums = dict(line.split("  ")[::-1] for line in (SHIPPED / "SHA256SUMS").read_text("utf-8").splitlines())
    made = {path for path in SHIPPED.rglob("*") if path.is_file()} - {SHIPPED / "SHA256SUMS"}
    assert {str(path.relative_to(SHIPPED)): hashlib.sha256(path.read_bytes()).hexdigest() for path in made} == sums
    assert sum(path.stat().st_size for path in made) < MOST


def test_it_is_what_is_asked_for(tmp_path, monkeypatch):
    """Else run .ci/prepared."""
    compat.install()
    plugin.register()
    taken = []
    for module in (minilm, feature_rows, standins):
        monkeypatch.setattr(module, "cached_folder", lambda name, build: taken.append(SHIPPED / name) or taken[-1])
    MinilmAgent({"datatype": "valid"})
    judge = spotter.Spotter(0)
    judge.conversations, judge.lengths, judge.surface, judge.keys = [], [2, 3, 5], "normalise", [("alice", "eliza")]
    judge._gather(SimpleNamespace(path=tmp_path, plan=Plan("chitchat", read_pool("rules"))))
    if not has_bf16():
        pytest.skip("spotter's entries are those of processors with bf16")
    rows = feature_rows.FeatureRows()
    for examples in (judge.people, judge.corrupted, judge.standins):
        assert len(rows.kept(examples)) == len(examples) > 0
    assert {path.name for path in taken} == {path.name for path in SHIPPED.glob("*-*")}
