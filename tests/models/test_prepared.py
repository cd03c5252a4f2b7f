"""What the package carries in place of training and embedding: whole, small, and what today's code asks for."""

import subprocess

import pytest

from parlai_spotbot import compat, plugin
from parlai_spotbot.agents.minilm.agents import MinilmAgent
from parlai_spotbot.domains import get_domain
from parlai_spotbot.judges import spotter
from parlai_spotbot.judges.spotter import feature_rows, standins, surprises
from parlai_spotbot.models import minilm
from parlai_spotbot.models.cache import SHIPPED
from parlai_spotbot.models.precision import has_bf16
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study_plan import Plan


def test_it_is_whole_and_small():
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=SHIPPED, check=True)
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*")) < 3_000_000


def test_it_is_what_is_asked_for(monkeypatch):
    """Else run .ci/prepared."""
    compat.install()
    plugin.register()
    taken = []
    for module in (minilm, feature_rows, standins):
        monkeypatch.setattr(module, "cached_folder", lambda name, build: taken.append(SHIPPED / name) or taken[-1])
    MinilmAgent({"datatype": "valid"})
    judge = spotter.Spotter(0)
    judge.conversations, judge.lengths, judge.surface, judge.keys = [], [2, 3, 5], "normalise", [("alice", "eliza")]
    judge._gather(Plan("chitchat", read_pool("rules")), get_domain("chitchat"))
    if not has_bf16():
        pytest.skip("spotter's entries are those of processors with bf16")
    rows = feature_rows.FeatureRows()
    assert all(
        len(rows.kept(examples)) == len(examples) for examples in (judge.people, judge.corrupted, judge.standins)
    )
    read = SHIPPED / surprises.cache_folder().name  # what is read of people in a study with the default seed
    assert {*taken, read} == {*SHIPPED.glob("*-*")}
