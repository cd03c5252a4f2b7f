"""Units in which people chat with two contestants: balanced whatever grows, and nothing that is packed changes."""

from collections import Counter
from itertools import combinations

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.empty_study import begin
from parlai_spotbot.selfplay.plan import SelfPlayRequest as Wanted
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.surveys.packing.partners import partner_units, partners_of
from tests.case_tables import cases
from tests.spoken import bots_of

SURVEY = get_survey("interactive")
BOTS = ("ada", "bert", "carl", "dora")


def study_of(path, *names, seed=0):
    return Study.create(path, Plan("invented", bots_of(names, "{}"), seed=seed))


@pytest.mark.parametrize("comparisons", [7])
def test_every_pair_comes_equally_often_and_either_comes_first_as_often(comparisons):
    units = partner_units(SURVEY, BOTS, comparisons, seed=3)
    ordered = Counter(map(partners_of, units))
    for a, b in combinations(BOTS, 2):
        assert ordered[a, b] + ordered[b, a] == comparisons
        assert abs(ordered[a, b] - ordered[b, a]) <= 1
    assert len({unit.unit_id for unit in units}) == len({unit.block_id for unit in units}) == len(units)
    for round_ in range(comparisons):  # a collection that ends early is balanced too
        pairs = [frozenset(partners_of(unit)) for unit in units[6 * round_ : 6 * round_ + 6]]
        assert len(set(pairs)) == 6


def test_what_is_packed_stays_when_more_is_asked_for_and_when_contestants_come(tmp_path):
    study = study_of(tmp_path / "s", *BOTS[:3])
    path = study.units_path("interactive")
    assert pack_study(study, "interactive", comparisons=2)["added_units"] == 6
    first = path.read_bytes()
    assert pack_study(study, "interactive")["added_units"] == 0
    assert path.read_bytes() == first
    assert pack_study(study, "interactive", comparisons=3)["added_units"] == 3
    study.extend(contestants={"dora": {"model": "dora"}})
    summary = pack_study(study, "interactive")
    assert summary["added_units"] == 9
    assert path.read_bytes().startswith(first)
    assert study.plan.surveys[-1] == "interactive"
    assert study.units("interactive")[0].items[0].partners


@cases(
    "options says",
    """
- [{comparisons: 0}, '--comparisons 0']
- [{sources: [self]}, '--source']
- [{segments: [2, 3]}, '--segments']
- [{unit_size: 5}, '--unit-size']
- [{leave_out: [loop]}, '--leave-out']
""",
)
def test_options_that_mean_nothing_here_are_errors(tmp_path, options, says):
    study = study_of(tmp_path / "s", *BOTS)
    with pytest.raises(UserError, match=says):
        pack_study(study, "interactive", **options)
    assert not study.units_path("interactive").exists()


def test_fewer_units_than_there_are_and_one_contestant_alone_are_errors(tmp_path):
    study = study_of(tmp_path / "s", *BOTS)
    pack_study(study, "interactive", comparisons=3)
    with pytest.raises(UserError, match="expected 3 or more"):
        pack_study(study, "interactive", comparisons=2)
    plan = Plan("invented", {"ada": Contestant("ada", model="ada")}, meetings="self")
    with pytest.raises(UserError, match="one contestant"):
        pack_study(Study.create(tmp_path / "one", plan), "interactive")


def test_a_study_begins_without_a_conversation_and_is_extended_by_contestants(tmp_path):
    rules = read_pool("rules")
    two = {name: rules[name] for name in ("eliza", "tfidf")}
    said = []
    study = begin(tmp_path / "s", Wanted(contestants=two), said.append)
    assert not study.conversations_path.exists()
    assert list(Study.open(study.path).plan.contestants) == ["eliza", "tfidf"]
    assert begin(study.path, Wanted(contestants=two), said.append).extensions == []
    assert list(begin(study.path, Wanted(contestants=rules), said.append).plan.contestants) == [
        "eliza",
        "tfidf",
        "alice",
    ]
    assert len(said) == 2
    with pytest.raises(UserError, match="other options"):
        begin(study.path, Wanted(domain="convai2"), said.append)
