"""What is played in step: batches that are full whatever the partner, and no more contestants than fit."""

import hashlib
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.selfplay.schedule import Seed, schedule
from parlai_spotbot.study_plan import Plan
from tests.spoken import bots_of


def plan_of(contestants, **options):
    names = [f"c{i:02d}" for i in range(contestants)]
    return Plan("made-up", bots_of(names, "m"), **options)


def jobs_of(plan):
    return schedule([plan], [Seed(f"s{i}", (f"opening {i}", f"answer {i}")) for i in range(60)])[0]


def batches(jobs):
    """The sizes of all batches: who answers in a step are the first speakers of a group, or the second ones."""
    return [n for place in (0, 1) for n in Counter((job.group, job.entities[place]) for job in jobs).values()]


def loads(jobs, most):
    """How many contestants are loaded in all where those not needed leave as soon as room is short."""
    needs = {}
    for job in jobs:
        needs.setdefault(job.group, set()).update(job.entities)
    loaded, count = set(), 0
    for group in sorted(needs):
        count += len(needs[group] - loaded)
        loaded = needs[group] if len(loaded | needs[group]) > most else loaded | needs[group]
    return count


def test_every_model_has_full_batches_whatever_the_partner():
    jobs = jobs_of(plan_of(6, conversations_per_pair=45, batchsize=32))
    sizes = batches(jobs)
    assert max(sizes) <= 32
    # 225 conversations of each contestant, half of them as the first: four batches for each place at best.
    assert len(sizes) == 6 * 2 * 4
    before = jobs_of(plan_of(6, conversations_per_pair=45, batchsize=32, grouping="consecutive"))
    assert sum(sizes) / len(sizes) > 1.9 * sum(batches(before)) / len(batches(before))


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.integers(1, 12), st.integers(1, 9), st.integers(2, 10))
def test_no_group_needs_more_than_may_be_loaded_nor_has_larger_batches(contestants, per_pair, batchsize, most):
    jobs = jobs_of(plan_of(contestants, conversations_per_pair=per_pair, batchsize=batchsize, max_loaded=most))
    for group in {job.group for job in jobs}:
        assert len({name for job in jobs if job.group == group for name in job.entities}) <= most
    assert max(batches(jobs)) <= batchsize
    assert sorted({job.group for job in jobs}) == list(range(1 + max(job.group for job in jobs)))


def test_the_groups_of_a_plan_never_change():
    """What is batched together is part of what studies rest on: another order here would be another study's bytes."""
    found = {}
    for most in (0, 4):
        jobs = jobs_of(plan_of(7, conversations_per_pair=9, batchsize=5, max_loaded=most))
        text = "\n".join(f"{job.conversation_id} {job.group}" for job in jobs)
        found[most] = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert found == EXPECTED


EXPECTED = {0: "a1ba729882854096", 4: "2ba07e3eafa53412"}
