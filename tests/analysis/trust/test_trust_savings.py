"""What a judge saves: closed forms, and simulated people who differ on the same item beside judges of known worth."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.planning import judge_savings as model
from parlai_spotbot.analysis.trust.draws import Draws
from parlai_spotbot.analysis.trust.savings import savings, savings_of_ratings
from parlai_spotbot.findings.savings_words import savings_in_words
from parlai_spotbot.findings.verdict import saving_sentence

D = np.array([0.1, 0.0, 0.25])
V = np.array([0.49, 0.5, 0.6])
N = np.full(3, 200.0)
NONE = np.zeros(1)


def square(beta):
    return np.array([beta**2])


def worth(beta, w, m, bias=0.0, error=0.0):
    """Of one rating, in annotations."""
    return model.information(square(beta), D, w, m, np.array([bias]), np.array([error])) * V / m


# -- the model ---------------------------------------------------------------------------------------------------------
def test_difference_and_variance_of_answers():
    gap, variance = model.moments(np.array([300_000.0, 500_000, 200_000]))
    assert gap == pytest.approx(0.1)
    assert variance == pytest.approx(0.5 - 0.01, abs=1e-4)
    gap, variance = model.moments(np.array([3.0, 0, 0]))
    assert gap == 1
    assert variance > 0.3  # never 0, however alike the few answers are


def test_a_judge_as_good_as_a_person_is_worth_one_person():
    assert worth(1.0, V, N) == pytest.approx(np.ones(3))
    assert model.saved(square(1.0), D, (V, N), (V, N), NONE, NONE) == pytest.approx(1, abs=1e-5)


def test_without_ties_and_with_known_errors_it_is_the_closed_form():
    """A judge that errs with probability e: its ratings count for p q (1 - 2 e)² / (r (1 - r)), r = e + (1 - 2 e) p."""
    e, p = 0.2, 0.6
    r = e + (1 - 2 * e) * p
    expected = p * (1 - p) * (1 - 2 * e) ** 2 / (r * (1 - r))
    found = model.information(square(1 - 2 * e), np.array([2 * p - 1]), 4 * r * (1 - r), np.array([50.0]), NONE, NONE)
    assert found * 4 * p * (1 - p) / 50 == pytest.approx(expected)


def test_a_judge_that_says_what_most_people_say_is_worth_more_than_one_person():
    """Half the items are 0.8 to 0.2 for one, half the other way: people vary by chance, it doesn't."""
    item = np.array([0.6, -0.6])  # means of people
    beta = (item * np.sign(item)).mean() / (item**2).mean()
    assert beta == pytest.approx(1 / 0.6)
    assert (worth(beta, np.ones(3), N) > 1).all()


def test_at_chance_and_without_ratings_nothing_is_saved():
    for beta, m in ((0.0, N), (0.0, N * np.inf), (0.7, 0 * N)):
        assert model.saved(square(beta), D, (V, N), (V, m), NONE, NONE) == pytest.approx(0, abs=1e-5)


def test_what_is_to_be_learnt_and_what_it_likes_bound_what_is_saved():
    def endless(bias, error):
        return model.saved(square(0.7), D, (V, N), (V, N * np.inf), np.array([bias]), np.array([error]))

    assert endless(0, 0) > 0.99999
    assert 1 > endless(0.005, 0.02) > endless(0.02, 0.02) > endless(0.1, 0.02) > endless(0.1, 0.2) > 0
    # With a liking alone each pair is known from the judge with precision β² / τ².
    assert endless(0.1, 0) == pytest.approx((0.49 / 0.1 * V / N).mean(), abs=1e-5)
    # What is kept of people's annotations, and what the judge learnt from these gives, are as much as all of them.
    kept = 1 - endless(0.02, 0.2)
    assert kept + (0.49 / (0.02 + D**2 * 0.2 / kept) * V / N).mean() == pytest.approx(1, abs=1e-4)


def rated(score, judged, items=40):
    """Ratings of two contestants by twelve people, and a judge's of the same items and as many further ones."""
    item = np.arange(2 * items)
    rows = pd.DataFrame({"item_id": item.astype(str), "place": 0, "conversation_id": item, "worker_id": item % 12})
    rows = rows.assign(contestant=np.where(item % 2, "x", "y"), worker_id=rows["worker_id"].astype(str))
    return rows[:items].assign(score=score), rows.assign(score=judged)


@pytest.mark.parametrize("varying", ["nobody", "the judge", "people of the other contestant"])
@pytest.mark.parametrize("value", [1.0, 3.0, 4.0, 5.0])
def test_equal_ratings_get_an_exact_bound_from_the_scale_and_no_interval_without_one(value, varying):
    people, judge = rated(value, 4.0)
    if varying == "the judge":
        judge["score"] = 1.0 + np.arange(len(judge)) % 5
    if varying == "people of the other contestant":
        people.loc[people["contestant"] == "y", "score"] = 2.0 + np.arange(20) % 3
    for bounds in ((1.0, 5.0), None):
        found = savings_of_ratings(people, judge, bounds)["prediction_powered"]
        same = next(row for row in found["means"] if row["contestant"] == "x")
        for name in ("people", "both"):
            low, high = same[f"{name}_ci"]
            if bounds is None:
                assert np.isnan([low, high]).all()
                assert "the range that answers can have is not known" in same["why"]
            else:  # of 12 annotators none gave another rating: another would with a chance of at most p
                p = 1 - 0.025 ** (1 / same_clusters(people))
                assert (low, high) == pytest.approx((value - p * (value - 1), value + p * (5 - value)))
        for entry in found["saved"].values():
            assert entry["ci"][0] < entry["ci"][1] or varying == "people of the other contestant"


def same_clusters(people):
    size = people[people["contestant"] == "x"].groupby("worker_id").size()
    return size.sum() ** 2 / (size**2).sum()


def test_fiellers_interval():
    rng = np.random.default_rng(0)
    covariance = np.array([[0.01, 0.004], [0.004, 0.008]])
    ends = [model.fieller(*rng.multivariate_normal([0.3, 0.5], covariance), covariance) for _ in range(4000)]
    assert np.mean([low <= 0.6 <= high for low, high in ends]) == pytest.approx(0.95, abs=0.012)
    low, high = model.fieller(0.3, 0.5, covariance * 1e-6)
    assert (low, high) == pytest.approx((0.6, 0.6), abs=1e-3)
    assert model.fieller(0.3, 0.15, covariance) == (-np.inf, np.inf)  # 0.15 is less than 1.96 errors above 0
    assert model.fieller(0.3, -0.9, covariance) == (-np.inf, np.inf)


# -- people who differ, and judges whose worth is known ----------------------------------------------------------------
SAYS = np.array([1, 0, -1])
BLUR = np.array([0.3, 0.4, 0.3])


def chances(pairs, seed=5):
    """Of each pair, how often people say win, tie, loss: (pairs, 3)."""
    return np.random.default_rng(seed).dirichlet([4, 3, 4], pairs)


def drawn(share, rng):
    """One answer (...) by its chances (..., 3)."""
    return SAYS[(rng.random(share.shape[:-1])[..., None] > share.cumsum(axis=-1)).sum(axis=-1).clip(0, 2)]


def judged(kind, share, rng):
    """What a judge says of items with people's chances `share` (pairs, items, 3)."""
    own, blur = drawn(share, rng), drawn(np.broadcast_to(BLUR, share.shape), rng)
    chance = rng.random(own.shape)
    side = np.where(np.arange(len(own)) % 2, 1, -1)[:, None]
    return {
        "person": own,
        "noisy": np.where(chance < 0.6, own, blur),
        "chance": blur,
        "contrary": -own,
        "oracle": SAYS[share.argmax(axis=-1)],
        "biased": np.where(chance < 0.3, side, own),
    }[kind]


def world(kind, seed, pairs=10, n=60, each=2, alone=0):
    """Contests of people, `n` a pair and `each` an item, and of a judge; each item has chances of its own."""
    rng = np.random.default_rng(seed)
    items = n // each
    share = np.stack([rng.dirichlet(2 * p, items + alone) for p in chances(pairs)])
    pair, item = (x.ravel() for x in np.indices(share.shape[:2]))
    name = pd.Series([f"{p}-{i}" for p, i in zip(pair, item, strict=True)])
    turned = item % 2 == 1
    frame = pd.DataFrame({"item_id": name, "conversation_id": "c" + name})
    ends = [letter + pd.Series(pair).astype(str) for letter in "ab"]
    frame["a"], frame["b"] = ends[0].where(~turned, ends[1]), ends[1].where(~turned, ends[0])
    sign = np.where(turned, -1, 1)
    judge = frame.assign(worker_id="v", annotation_id="j" + name, outcome=sign * judged(kind, share, rng).ravel())
    workers = rng.random((len(frame), 12)).argsort(axis=1)[:, :each]
    people = [
        frame.assign(
            worker_id=[f"w{w}" for w in workers[:, k]],
            annotation_id=f"p{k}-" + name,
            outcome=sign * drawn(share, rng).ravel(),
        )
        for k in range(each)
    ]
    return pd.concat([rows[item < items] for rows in people], ignore_index=True), judge


def said(found):
    return saving_sentence(savings_in_words(found))


def estimated(people, judge, seed=0, replicates=100):
    draws = Draws(judge["conversation_id"], people, rng=np.random.default_rng(seed), replicates=replicates)
    return savings(people, judge, draws)


def several(kind, rounds=6, **more):
    return [estimated(*world(kind, seed, **more)) for seed in range(rounds)]


def mean(found, of):
    return float(np.mean([of(one) for one in found]))


def worth_of_100(one):
    return one["worth_of_100"]["estimate"]


def endless(one):
    return one["saved"]["endless"]["estimate"]


def safely_endless(one):
    return endless(one["prediction_powered"])


@pytest.fixture(scope="module")
def as_people():
    return several("person", n=160)


def test_one_more_person_as_judge_is_worth_about_one_person(as_people):
    """Rather less: that it answers as a person does has to be learnt, and that it likes nobody is never quite known."""
    assert mean(as_people, lambda one: one["slope"]) == pytest.approx(1, abs=0.1)
    assert {one["beside"] for one in as_people} == {"people in general"}
    assert 75 < mean(as_people, worth_of_100) < 120
    assert all(one["worth_of_100"]["ci"][0] < 100 < one["worth_of_100"]["ci"][1] for one in as_people)
    assert mean(as_people, lambda one: one["effects"]["people"]) < 1.25  # nothing hangs together here


def test_a_judge_that_answers_by_chance_at_times_is_worth_less(as_people):
    """Six times of ten as a person: 100 ratings are worth some 36 annotations, less what it takes to learn that."""
    found = several("noisy", n=160)
    assert mean(found, lambda one: one["slope"]) == pytest.approx(0.6, abs=0.08)
    assert 25 < mean(found, worth_of_100) < 45
    assert mean(found, worth_of_100) < mean(as_people, worth_of_100)


def test_one_that_says_what_most_people_say_is_worth_more_than_a_person(as_people):
    found = several("oracle", n=160)
    assert mean(found, lambda one: one["slope"]) > 1.25
    assert mean(found, worth_of_100) > mean(as_people, worth_of_100) + 20


def test_one_that_likes_some_contestants_saves_little_however_much_it_rates(as_people):
    found = several("biased", n=160)
    assert mean(found, lambda one: one["spread"]) == pytest.approx(0.3, abs=0.06)
    assert mean(found, endless) < 0.1 < 0.7 < mean(as_people, endless)


def test_at_chance_and_against_people_nothing_is_saved_and_it_is_said():
    """By its 95 % interval one in forty is taken for better than chance; of 12 more than two hardly ever."""
    found = several("chance", 12, n=60)
    assert sum(endless(one) > 0 for one in found) <= 2
    assert sum(safely_endless(one) > 0 for one in found) <= 2
    found += several("contrary", 2)
    for one in found:
        assert all(entry["ci"][0] >= 0 and entry["estimate"] >= 0 for entry in one["saved"].values())
        if one["slope_ci"][0] <= 0:
            assert {entry["estimate"] for entry in one["saved"].values()} == {0.0}
            assert one["notice"] == "unrelated"
            assert "saves nothing that can be counted on" in savings_in_words(one)["notice"]
        assert ("would be idle" in said(one)) == (one["prediction_powered"]["slope_ci"][0] <= 0)
        if one["slope_ci"][1] > 0:  # what can't be ruled out is in the interval
            assert one["saved"]["endless"]["ci"][1] > 0
        else:
            assert one["saved"]["endless"]["ci"] == [0.0, 0.0]
    assert all(one["slope_ci"][1] < 0 and safely_endless(one) == 0 for one in found[12:])


def test_with_one_person_an_item_it_is_a_lower_bound():
    """People's differing can't be told from the judge's errors, so that even a person as judge comes out below 1."""
    found = several("person", 3, each=1, n=160)
    assert {one["beside"] for one in found} == {"one person"}
    assert 0.15 < mean(found, lambda one: one["slope"]) < 0.7
    assert mean(found, worth_of_100) < 50
    assert all("lower bound" in said(one) for one in found)
    assert all(said(one).index("assumes nothing") < said(one).index("A model") for one in found)


def test_where_people_do_not_agree_it_is_a_lower_bound_as_well():
    people, judge = world("person", 0)
    people["outcome"] = np.random.default_rng(1).permutation(people["outcome"])
    assert estimated(people, judge)["beside"] == "one person"
    ties = estimated(people.assign(outcome=0), judge)
    assert "hardly ever say" in ties["why"]


def test_all_that_is_told():
    people, judge = world("noisy", 1, alone=60)
    found = estimated(people, judge)
    assert (found["people"], found["judge"], found["judge_alone"]) == (600, 900, 600)
    low, high = found["slope_ci"]
    assert low < found["slope"] < high
    saved = found["saved"]
    for entry in saved.values():
        assert 0 <= entry["ci"][0] <= entry["estimate"] <= entry["ci"][1] <= 1
        assert entry["annotations"] == pytest.approx(600 * entry["estimate"])
    assert 0 < saved["as_many"]["estimate"] < saved["ten_times"]["estimate"] <= saved["endless"]["estimate"]
    assert saved["at_hand"]["estimate"] == pytest.approx(saved["as_many"]["estimate"])
    assert said(found).startswith("An estimate, used nowhere else")
    one = found["corrected"][0]
    assert one.keys() == {"a", "b", "n_people", "n_judge_alone", "people", "both", "both_error"}
    truth = chances(10)[:, 0] - chances(10)[:, 2]
    errors = np.array([[row["people"], row["both"]] for row in found["corrected"]]) - truth[:, None]
    assert np.sqrt((errors[:, 1] ** 2).mean()) < np.sqrt((errors[:, 0] ** 2).mean()) + 0.02


def test_whoever_is_called_the_first_changes_nothing():
    people, judge = world("noisy", 2, pairs=4)
    turned = [frame.assign(a=frame["b"], b=frame["a"], outcome=-frame["outcome"]) for frame in (people, judge)]
    first, second = estimated(people, judge), estimated(*turned)
    assert first["saved"] == second["saved"]


def test_people_and_judge_together_are_as_exact_as_is_said():
    """Over simulated studies, β learnt in each: no bias, the spread that precisions give, intervals that hold."""
    rng = np.random.default_rng(0)
    rounds, n, m = 600, 120, 240
    p = chances(8)
    d, v = p[:, 0] - p[:, 2], p[:, 0] + p[:, 2] - (p[:, 0] - p[:, 2]) ** 2
    q = 0.6 * p + 0.4 * BLUR
    w = q[:, 0] + q[:, 2] - (q[:, 0] - q[:, 2]) ** 2
    slopes, seen, rated = [], [], []
    for _ in range(rounds):
        share = np.stack([rng.dirichlet(2 * row, n) for row in p])
        first, second, y = drawn(share, rng), drawn(share, rng), judged("noisy", share, rng)
        slopes.append(((first + second) * y / 2).mean() / (first * second).mean())
        seen.append(first.mean(axis=1))
        rated.append(drawn(np.broadcast_to(q[:, None], (8, m, 3)), rng).mean(axis=1))
    slopes = np.array(slopes)
    assert slopes.mean() == pytest.approx(0.6, abs=0.02)
    own = model.information(square(0.6), d, w, np.full(8, float(m)), NONE, np.array([slopes.var()]))
    found = [model.combined(s, v / n, r, slope, own) for s, r, slope in zip(seen, rated, slopes, strict=True)]
    both, error = np.array([one[0] for one in found]), found[0][1]
    assert both.mean(axis=0) == pytest.approx(d, abs=0.02)
    assert both.std(axis=0) == pytest.approx(error, rel=0.12)
    assert 0.92 < (np.abs(both - d) < 1.96 * error).mean() < 0.975
    assert (error < 0.9 * np.sqrt(v / n)).all()


def covered(kind, beta, n, rounds):
    """How often intervals hold the truth: of β and what is saved; β's true variance is that of its estimates."""
    pairs = 10
    p = chances(pairs)
    q = beta * p + (1 - beta) * BLUR
    d = p[:, 0] - p[:, 2]
    v, w = (x[:, 0] + x[:, 2] - (x[:, 0] - x[:, 2]) ** 2 for x in (p, q))
    found = [estimated(*world(kind, seed, n=n), seed=seed) for seed in range(1000, 1000 + rounds)]
    error = np.array([np.var([one["slope"] for one in found])])
    number = np.full(pairs, float(n))
    hits = {"slope": np.mean([one["slope_ci"][0] <= beta <= one["slope_ci"][1] for one in found])}
    for name, times in (("as_many", 1), ("ten_times", 10)):
        true = model.saved(square(beta), d, (v, number), (w, times * number), NONE, error)
        ends = np.array([one["saved"][name]["ci"] for one in found])
        hits[name] = np.mean((ends[:, 0] <= true) & (true <= ends[:, 1]))
    few = np.full(pairs, 100 / pairs)
    true = (model.information(square(beta), d, w, few, NONE, error) * v).sum()
    ends = np.array([one["worth_of_100"]["ci"] for one in found])
    return hits | {"worth": np.mean((ends[:, 0] <= true) & (true <= ends[:, 1]))}


def test_intervals_hold_the_truth():
    """In 16 studies: at least 13 of them, which a true 95 % misses once in a hundred times."""
    hits = covered("noisy", 0.6, 60, 16)
    assert min(hits.values()) >= 13 / 16, hits


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "beta"), [("person", 1.0), ("noisy", 0.6)])
@pytest.mark.parametrize("n", [60, 160])
def test_intervals_hold_the_truth_in_many_studies(kind, beta, n):
    """Of 100 studies at least 89, which a true 95 % misses once in two hundred times; they may hold more often."""
    hits = covered(kind, beta, n, 100)
    assert min(hits.values()) >= 0.89, hits
