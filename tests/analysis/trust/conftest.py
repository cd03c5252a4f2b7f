"""A world of contestants whose strengths are known, of people who see them with some noise, and of judges by rule."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.trust import trust_part
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.trust import in_words

SIDES = {1: "entity:0", 0: "no_difference", -1: "entity:1"}
VALUE = {answer: value for value, answer in SIDES.items()}


def make(bots=4, per_pair=10, people=8, noise=0.35, seed=0, each=2):
    """Frames of people's answers to "nature" (by entity) and "better" (of the pair), and what belongs to them.

    Bot i is taken for human with probability .1 + .8 i / bots; a noisy answer is drawn again for each person.
    """
    rng = np.random.default_rng(seed)
    names = [f"bot{i}" for i in range(bots)]
    casts, rows = {}, []
    for a, b in itertools.combinations(range(bots), 2):
        for n in range(per_pair):
            item = f"{a}-{b}-{n}"
            cast = (a, b) if n % 2 else (b, a)
            casts[item] = tuple(names[i] for i in cast)
            seen = [rng.random() < 0.1 + 0.8 * i / bots for i in cast]
            for worker in rng.choice(people, each, replace=False):
                rows += _answers(item, f"w{worker}", seen, noise, rng)
    about = ["item_id", "conversation_id", "worker_id", "annotation_id", "question", "target", "answer"]
    frame = pd.DataFrame(rows, columns=about)
    return SimpleNamespace(people=frame, casts=casts, names=names, **_makers(casts))


def _answers(item, worker, seen, noise, rng):
    said = [not s if rng.random() < noise / 2 else s for s in seen]
    labels = ["unsure" if rng.random() < 0.1 else "human" if passed else "bot" for passed in said]
    about = (item, f"c{item}", worker, f"{item}/{worker}")
    for entity, label in enumerate(labels):
        yield (*about, "nature", f"entity:{entity}", label)
    yield (*about, "better", "pair", SIDES[int(said[0]) - int(said[1])])


def _makers(casts):
    def contests(answers):
        own = answers[answers["question"] == "better"].reset_index(drop=True)
        outcome = own["answer"].map(VALUE)
        own = own[["annotation_id", "worker_id", "item_id", "conversation_id"]].assign(criterion="better")
        cast = [casts[item] for item in own["item_id"]]
        return own.assign(a=[c[0] for c in cast], b=[c[1] for c in cast], outcome=outcome)

    def ratings(answers):
        own = answers[answers["question"] == "nature"].reset_index(drop=True)
        place = own["target"].str[-1].astype(int)
        score = own["answer"].map({"human": 1.0, "unsure": 0.5, "bot": 0.0})
        names = [casts[item][p] for item, p in zip(own["item_id"], place, strict=True)]
        own = own[["annotation_id", "worker_id", "item_id", "conversation_id"]]
        return own.assign(criterion="nature", place=place, contestant=names, score=score)

    return {"contests": contests, "ratings": ratings}


def as_judge(people, variant="v"):
    """One person's answers to each item, as if a judge had given them."""
    first = people.drop_duplicates("item_id")["annotation_id"]
    own = people[people["annotation_id"].isin(set(first))]
    return own.assign(worker_id=variant, annotation_id="j" + own["annotation_id"]).reset_index(drop=True)


def others(people):
    """People's answers without those that `as_judge` gives."""
    first = people.drop_duplicates("item_id")["annotation_id"]
    return people[~people["annotation_id"].isin(set(first))].reset_index(drop=True)


@pytest.fixture(scope="session")
def world():
    return SimpleNamespace(make=make, as_judge=as_judge, others=others, sides=SIDES)


@pytest.fixture(scope="session")
def trusted():
    """trust.json of a judge in a world, with few draws."""

    def part(own, judge, people=None, replicates=200, seed=1, **more):
        people = own.people if people is None else people
        found = trust_part(
            people,
            judge,
            contests=own.contests,
            ratings=own.ratings,
            rng=np.random.default_rng(seed),
            replicates=replicates,
            **more,
        )
        return Frames.from_tables(in_words(found))

    return part
