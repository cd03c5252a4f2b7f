"""Agreement of judge and people: against the krippendorff package, counts by hand, and judges whose worth is known."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from parlai_spotbot.analysis.trust import trust_part
from parlai_spotbot.analysis.trust.draws import Draws
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.trust import in_words

COLUMNS = ["item_id", "conversation_id", "worker_id", "annotation_id", "question", "target", "answer"]


def frame(answers, question="q", source="w"):
    """From {item: [answer of the first, of the second, …]}."""
    rows = [
        (item, f"c-{item}", f"{source}{i}", f"{source}{i}-{item}", question, "pair", answer)
        for item, given in answers.items()
        for i, answer in enumerate(given)
        if answer
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def part(people, judge, **more):
    return Frames.from_tables(in_words(trust_part(people, judge, rng=np.random.default_rng(0), replicates=50, **more)))


def of_question(found, question):
    (row,) = (row for row in found.rows("agreement") if row["question"] == question)
    return row


def drawn(letters, items, people, seed):
    """Answers with gaps, so that items have from one answer up."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(len(letters), size=items)
    given = np.where(
        rng.random((items, people)) < 0.6, truth[:, None], rng.integers(len(letters), size=(items, people))
    )
    kept = rng.random((items, people)) < 0.7
    kept[:, 0] = True
    return {
        f"i{i}": [letters[x] if k else "" for x, k in zip(*row, strict=True)]
        for i, row in enumerate(zip(given, kept, strict=True))
    }


@pytest.mark.parametrize("measure", ["nominal", "ordinal"])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_that_of_the_krippendorff_package(measure, seed):
    answers = drawn("12345", 40, 4, seed)
    scales = {"q": list("12345")} if measure == "ordinal" else {}
    judge = {item: [given[0]] for item, given in answers.items()}
    people = {item: given[1:] for item, given in answers.items()}
    own = part(frame(people), frame(judge, source="v"), scales=scales).one("agreement")
    assert own["measure"] == measure
    table = np.array([[float(x) if x else np.nan for x in given] for given in people.values()])
    theirs = krippendorff.alpha(table.T, level_of_measurement=measure)
    assert own["people_alpha"] == pytest.approx(theirs, abs=1e-9)
    pairs = [(float(judge[item][0]), float(x)) for item, given in people.items() for x in given if x]
    theirs = krippendorff.alpha(np.array(pairs).T, level_of_measurement=measure)
    assert own["alpha"] == pytest.approx(theirs, abs=1e-9)
    assert own["difference"] == pytest.approx(own["alpha"] - own["people_alpha"])


def test_confusion_shares_and_habits_counted_by_hand():
    people = frame({"1": ["a", "a"], "2": ["a", "b"], "3": ["b"], "4": ["c"]})
    judge = frame({"1": ["a"], "2": ["b"], "3": ["b", "a"], "4": ["b"]}, source="v")
    own = part(people, judge).one("agreement")
    assert own["answers"] == ["a", "b", "c"]
    # Down: the judge's; across: people's. Of item 3 the judge's two answers count half each.
    assert own["confusion"] == [[2, 0.5, 0], [1, 1.5, 1], [0, 0, 0]]
    assert own["agree"] == pytest.approx((2 + 1.5) / 6)
    assert (own["n"], own["pairs"], own["people_pairs"]) == (6, 7, 2)
    assert own["people_agree"] == pytest.approx(0.5)


def test_variants_do_not_weigh():
    people = frame({"1": ["a"], "2": ["b"]})
    judge = frame({"1": ["a", "b", "b"], "2": ["b"]}, source="v")
    own = part(people, judge)
    assert own.one("agreement")["agree"] == pytest.approx((1 / 3 + 1) / 2)


def test_the_error_of_a_mean_is_the_two_way_clustered_one():
    """Against Cameron, Gelbach & Miller's formula for a mean."""
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"conversation_id": rng.integers(80, size=1500), "worker_id": rng.integers(30, size=1500)})
    y = rng.normal(size=80)[rows["conversation_id"]] + rng.normal(size=30)[rows["worker_id"]] + rng.normal(size=1500)
    rows["conversation_id"] = rows["conversation_id"].astype(str)
    draws = Draws(rows["conversation_id"], rows, rng=rng, replicates=1000)
    mean = draws.sums(rows, np.zeros(1500), 1, y, ["worker_id"]) / draws.sums(
        rows, np.zeros(1500), 1, np.ones(1500), ["worker_id"]
    )
    rest = pd.Series(y - y.mean())
    both = [
        rest.groupby(rows[key].to_list() if isinstance(key, str) else [rows[k] for k in key]).sum()
        for key in ("conversation_id", "worker_id", ["conversation_id", "worker_id"])
    ]
    variance = sum(sign * (sums**2).sum() for sign, sums in zip((1, 1, -1), both, strict=True)) / 1500**2
    found = draws.estimate("mean", mean[:, 0], (-1000, 1000))
    people = 1500**2 / (rows["worker_id"].value_counts() ** 2).sum()
    half = (found["mean_high"] - found["mean_low"]) / 2
    assert half == pytest.approx(t.ppf(0.975, people - 1) * np.sqrt(variance), rel=0.1)


# -- judges whose worth is known ---------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def own(world):
    return world.make(bots=4, per_pair=16, seed=5)


def test_one_of_the_people_as_judge_is_not_told_from_people(world, trusted):
    many = world.make(bots=4, per_pair=30, seed=5)
    found = trusted(many, world.as_judge(many.people), people=world.others(many.people))
    assert not found.one("whole")["warning"]
    more = world.make(bots=4, per_pair=16, seed=5, each=3)
    found = trusted(more, world.as_judge(more.people), people=world.others(more.people))
    assert found.one("whole")["verdict"] in ("unclear", "level")
    better = of_question(found, "better")
    assert better["difference_low"] < 0 < better["difference_high"]


def test_a_judge_that_always_says_bot_is_unmasked(own, world, trusted):
    judge = world.as_judge(own.people)
    judge["answer"] = np.where(judge["question"] == "nature", "bot", "no_difference")
    found = trusted(own, judge)
    assert found.one("whole")["verdict"] == "constant"
    assert found.one("whole")["warning"]
    entry = of_question(found, "nature")
    assert entry["alpha"] <= 0
    assert (entry["judge_constant"], entry["people_constant"]) == ("bot", None)
    (nature,) = (row for row in found.rows("ranks") if row["criterion"] == "nature")
    assert nature["tau"] is None  # it ranks nobody


def test_a_shuffled_judge_comes_out_at_chance(own, world, trusted):
    """Answers exchanged at random between items: over many shuffles each test errs about as often as it may.

    Of 12 a test at 5 % errs more than twice once in fifty times.
    """
    judge, rng = world.as_judge(own.people), np.random.default_rng(8)
    hits = {"alpha": 0, "warned": 0}
    for seed in range(12):
        mixed = judge.copy()
        mixed["answer"] = mixed.groupby("question")["answer"].transform(rng.permutation)
        found = trusted(own, mixed, seed=seed, replicates=100)
        nature = of_question(found, "nature")
        hits["alpha"] += nature["alpha_low"] <= 0 <= nature["alpha_high"]
        hits["warned"] += found.one("whole")["warning"]
    assert min(hits.values()) >= 10, hits


def test_a_judge_below_people_is_warned_of(world, trusted):
    """It goes by what there is to see, but errs far more than people, who hardly err."""
    own = world.make(bots=4, per_pair=30, noise=0.05, seed=2)
    judge, rng = world.as_judge(own.people), np.random.default_rng(0)
    wrong = rng.random(len(judge)) < 0.45
    judge.loc[wrong, "answer"] = judge[wrong].groupby("question")["answer"].transform(rng.permutation)
    found = trusted(own, judge)
    assert set(found["agreement"]["verdict"]) == {"below"}


@pytest.mark.slow
def test_the_interval_of_the_difference_covers(world):
    """A person as judge beside two others: the true difference is 0, whatever people are like."""
    hits = 0
    for seed in range(150):
        own = world.make(bots=3, per_pair=20, people=12, seed=100 + seed, each=3)
        found = trust_part(
            world.others(own.people), world.as_judge(own.people), rng=np.random.default_rng(seed), replicates=200
        )
        nature = found["agreement"].set_index("question").loc["nature"]
        hits += nature["difference_low"] <= 0 <= nature["difference_high"]
    assert hits >= 136  # 95 % of 150 are 142; fewer than 136 come once in a hundred
