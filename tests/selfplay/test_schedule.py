"""Who plays whom from which seed: balanced, without replacement, and stable under extensions."""

import contextlib
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay.schedule import Seed, schedule
from parlai_spotbot.study_plan import Plan, extended
from tests.spoken import bots_of


def seeds(n):
    return [Seed(f"s{i}", (f"opening {i}", f"answer {i}")) for i in range(n)]


def plan(names="abcd", **options):
    contestants = bots_of(names, "m")
    return Plan("chitchat", contestants, **{"conversations_per_pair": 10, **options})


def test_every_pair_gets_its_conversations_and_who_speaks_first_is_balanced():
    jobs, how = schedule([plan(conversations_per_pair=9)], seeds(60))
    assert how.startswith("drawn without replacement over the whole study")
    assert Counter(job.pair for job in jobs) == dict.fromkeys(plan().all_pairs(), 9)
    assert len({job.seed.seed_id for job in jobs}) == len(jobs) == 54
    for pair in plan().all_pairs():
        first = Counter(job.entities[0] for job in jobs if job.pair == pair)
        assert abs(first[pair[0]] - first[pair[1]]) == 1


def test_too_few_seeds_for_the_study_are_drawn_within_each_pair():
    jobs, how = schedule([plan()], seeds(15))
    assert "within each pair" in how
    for pair in plan().all_pairs():
        assert len({job.seed.seed_id for job in jobs if job.pair == pair}) == 10


USERS = {"u": {"model": "m", "role": "user"}, "v": {"model": "m", "role": "user"}}
OTHERS = {"a": {"model": "m"}, "b": {"model": "m"}}


@pytest.mark.parametrize("meetings", ["pairs", "both"])
def test_simulated_users_speak_first_and_with_others_only(meetings):
    own = Plan.from_json({"domain": "chitchat", "contestants": {**OTHERS, **USERS}, "meetings": meetings}, "here")
    assert Plan.from_json(own.to_json(), "here") == own
    met = [("u", "a"), ("u", "b"), ("v", "a"), ("v", "b"), *([("a", "a"), ("b", "b")] if meetings == "both" else [])]
    assert {job.entities for job in schedule([own], seeds(300))[0]} == set(met)
    assert own.all_pairs() == met
    for added, error in ((OTHERS | {"c": {"model": "m"}}, ""), ({"a": USERS["u"]}, "'a' is in the study with other")):
        with contextlib.nullcontext() if not error else pytest.raises(UserError, match=error):
            assert ("u", "c") in extended(own, {"contestants": added}, "here").all_pairs()
    with pytest.raises(UserError, match="role: user"):
        extended(plan(), {"contestants": USERS}, "here")


@settings(max_examples=150, deadline=None)
@example(0, 3, 1, "", 6, False, 1)  # the extension would fit the study's seeds, had the pairs not drawn them already
@given(
    st.integers(0, 5),
    st.integers(1, 6),
    st.integers(0, 4),
    st.sampled_from(["", "d", "de"]),
    st.integers(6, 80),
    st.booleans(),
    st.integers(1, 7),
)
def test_an_extension_keeps_every_earlier_conversation(seed, per_pair, more, names, n_seeds, paired, batchsize):
    base = plan("abc", seed=seed, conversations_per_pair=per_pair, paired_seeds=paired, batchsize=batchsize)
    add = {"contestants": {name: {"model": "m"} for name in names}, "conversations_per_pair": per_pair + more}
    if per_pair + more > n_seeds:
        return
    before, _ = schedule([base], seeds(n_seeds))
    after, _ = schedule([base, extended(base, add, "here")], seeds(n_seeds))
    kept = {job.conversation_id: job for job in after}
    assert all(kept[job.conversation_id] == job for job in before)
    for pair in {job.pair for job in after}:
        drawn = [job.seed.seed_id for job in after if job.pair == pair]
        assert len(drawn) == len(set(drawn)) == per_pair + more
    for place in (0, 1):
        assert max(Counter((job.group, job.entities[place]) for job in after).values()) <= batchsize
