"""What labels show of a judge: estimates against other solvers, intervals and statuses against made-up studies."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.certificate import CRITERIA, USES, assess
from parlai_spotbot.analysis.certificate.agreement import Measured
from parlai_spotbot.analysis.certificate.uses import LEAST, MARGIN, more_labels
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from tests.analysis.certificate.labelled_talks import made_up, truth
from tests.case_tables import cases


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def frame_of(verdicts: str, labels: str, **columns: list) -> pd.DataFrame:
    return pd.DataFrame({"verdict": list(verdicts), "label": list(labels), **columns})


def status(frame: pd.DataFrame, **more) -> dict[str, tuple[str, str]]:
    return {use.use: (use.status, use.reason) for use in assess(frame, **more).uses}


@pytest.mark.parametrize("scale", [None, "01234"])
def test_alpha_is_that_of_two_answers_about_each_row(scale):
    verdict = rng(1).integers(0, 5, 90)
    label = np.clip(verdict + rng(2).integers(-1, 2, 90), 0, 4)
    found = assess(frame_of("".join(map(str, verdict)), "".join(map(str, label))), scale)
    rows = np.tile(np.arange(90), 2)
    metric = "nominal" if scale is None else "ordinal"
    expected = krippendorff_alpha(rows, [*verdict, *label], Clusters.by(rows), metric)
    assert_allclose(found.agreement.estimate, expected["alpha"], rtol=1e-12)
    assert found.agreement.low <= expected["ci"][0] + 0.02
    assert found.agreement.high >= expected["ci"][1] - 0.02


def test_accuracy_is_the_mean_over_labels_and_confusion_has_verdicts_in_rows():
    found = assess(frame_of("aaab" + "bb" * 4, "aaaa" + "ab" * 4))
    assert found.table.levels == ("a", "b")
    assert found.confusion.tolist() == [[3, 0], [5, 4]]
    assert_allclose(found.accuracy.estimate, (3 / 8 + 1) / 2)
    assert_allclose([found.by_label["a"].estimate, found.by_label["b"].estimate], [3 / 8, 1])
    assert found.by_label["b"].low == pytest.approx(0.025 ** (1 / 4))  # Clopper & Pearson, 4 of 4
    assert found.chance == 1 / 2


def graded(rng: np.random.Generator, items: int, people: int, careless: float) -> pd.DataFrame:
    """Return labels from 1 to 5 of items each by one of `people`, a share of whom clicks as it comes, mostly on one
    answer; the judge is right about four of five easy items, and one of four hard ones."""
    quality = rng.normal(size=items)
    true = np.searchsorted([-1.2, -0.4, 0.4, 1.2], quality)
    chance = 1 / np.arange(1, people + 1)
    who = rng.choice(people, items, p=chance / chance.sum())
    clicks = rng.integers(0, 5, (items, 2))
    clicks[:, 0] = rng.integers(0, 5, people)[who]
    clicking = (rng.random(people) < careless)[who] & (rng.random(items) < 0.9)
    label = np.where(clicking, clicks[np.arange(items), rng.integers(0, 2, items)], true)
    right = rng.random(items) < np.where(rng.random(items) < 0.4, 0.25, 0.8)
    verdict = np.where(right, true, np.clip(true + rng.choice([-1, 1], items), 0, 4))
    return pd.DataFrame({"verdict": verdict.astype(str), "label": label.astype(str), "annotator": who})


def test_accuracy_is_less_sure_where_people_are_wrong_about_all_labels():
    frame = graded(rng(1), 300, 12, 0.3)
    lone = frame.assign(annotator=range(len(frame)))
    several, each = (assess(one, "01234").accuracy for one in (frame, lone))
    assert several.estimate == each.estimate
    assert several.high - several.low > 1.3 * (each.high - each.low)


@pytest.mark.slow
@pytest.mark.parametrize(("items", "people"), [(150, 150), (150, 30), (300, 10), (300, 20)])
def test_the_interval_of_accuracy_holds_the_true_one_where_people_are_careless(items, people):
    many = graded(rng(2), 300_000, 3000, 0.3).assign(annotator=0)
    right = (many["verdict"] == many["label"]).groupby(many["label"]).mean().mean()
    studies = 200
    found = [assess(graded(rng(study), items, people, 0.3), "01234").accuracy for study in range(studies)]
    held = sum(one.low <= right <= one.high for one in found)
    assert held >= 0.95 * studies - 2 * np.sqrt(0.05 * 0.95 * studies)


def test_people_are_compared_with_each_other_on_what_several_labelled():
    frame = made_up(rng(3), 60, 9, 3)
    found = assess(frame)
    clusters = Clusters.by(frame["conversation"], frame["annotator"])
    expected = krippendorff_alpha(frame["item"], frame["label"], clusters)
    assert (found.people.alpha.estimate, found.people.alpha.low) == (expected["alpha"], expected["ci"][0])
    assert found.people.items == 60
    assert found.people.difference.low < found.agreement.estimate - expected["alpha"] < found.people.difference.high


def test_order_and_names_of_rows_and_answers_change_nothing():
    frame = made_up(rng(4), 50, 6, 2)
    mixed = frame.sample(frac=1, random_state=1)
    swapped = frame.replace({"verdict": {"0": "yes", "1": "no"}, "label": {"0": "yes", "1": "no"}})
    first = assess(frame)
    for other in (assess(mixed), assess(swapped)):
        assert_allclose(
            [other.agreement.low, other.accuracy.high, other.people.difference.low],
            [first.agreement.low, first.accuracy.high, first.people.difference.low],
        )


def test_a_label_beside_verdicts_in_both_orders_counts_once():
    frame = made_up(rng(5), 60, 9, 2)
    both = pd.concat([frame.assign(order="ab"), frame.assign(order="ba")])
    once = assess(frame)
    twice = assess(both)
    assert twice.table.labels == once.table.labels == 120
    assert_allclose(twice.agreement.estimate, once.agreement.estimate, atol=0.01)
    assert_allclose(twice.agreement.low, once.agreement.low, atol=0.03)
    assert twice.flips | {"low": 0} == {"n": 60, "flips": 0, "estimate": 0, "low": 0, "high": twice.flips["high"]}


def test_weights_undo_how_rows_were_drawn():
    frame = made_up(rng(6), 4000, 400, 1)
    chance = np.where(frame["verdict"] == "1", 0.9, 0.2)
    drawn = rng(7).random(len(frame)) < chance
    weighted = assess(frame[drawn].assign(weight=1 / chance[drawn]))
    assert_allclose(weighted.accuracy.estimate, assess(frame).accuracy.estimate, atol=0.03)
    assert abs(assess(frame[drawn]).accuracy.estimate - assess(frame).accuracy.estimate) > 0.06


ALL = [f"c{i}" for i in range(40)]


@cases(
    "verdicts labels columns reason",
    """
- ["", "", {}, no_labels]
- [a, a, {}, same_labels]
- [ab, ab, {}, few_labels]
- [abababab, bbbbbbbb, {}, same_labels]
- [aabb, abab, {}, few_labels]
""",
)
def test_too_little_is_not_known(verdicts, labels, columns, reason):
    assert status(frame_of(verdicts, labels, **columns)) == dict.fromkeys(USES, ("not known", reason))


def test_extremes():
    labels = "ab" * 30
    perfect = frame_of(labels, labels)
    assert status(perfect) == dict.fromkeys(USES, ("valid", "above"))
    assert assess(perfect).agreement.high == 1
    opposite = frame_of("ba" * 30, labels)
    assert status(opposite) == dict.fromkeys(USES, ("not valid", "below"))
    constant = frame_of("a" * 60, labels)
    assert status(constant) == dict.fromkeys(USES, ("not valid", "below"))
    one_talk = perfect.assign(conversation="c")
    assert status(one_talk) == dict.fromkeys(USES, ("not known", "no_interval"))
    one_person = status(perfect.assign(annotator="w"))
    assert one_person == {"screen": ("valid", "above")} | dict.fromkeys(USES[1:], ("not known", "one_person"))
    rare = frame_of("a" * 50 + "b" * 10, "a" * 50 + "b" * 10)
    assert 0 < assess(rare).agreement.low < assess(perfect).agreement.low < 1  # as exact as the perfect one, but rarer


def test_a_judge_that_favours_a_bot_neither_ranks_nor_gates():
    frame = made_up(rng(8), 400, 40, 1, noise=0.2, judge=0.3, taste=0.0, bias=3.0)
    assert status(frame) == {"screen": ("valid", "above")} | dict.fromkeys(USES[1:], ("not valid", "bot"))
    worst = max(assess(frame).favours, key=lambda record: record["surely"])
    assert (worst["kind"], worst["group"], worst["answer"]) == ("bot", "b1", "0")
    family = frame.assign(family=frame["bot"] == "b1").drop(columns="bot")
    assert status(family)["rank"] == ("not valid", "family")
    lengths = frame.assign(length=np.where(frame["bot"] == "b1", 9.0, 4.0)).drop(columns="bot")
    assert status(lengths)["gate"] == ("not valid", "length")


def test_a_judge_whose_verdicts_follow_the_order_does_not_gate():
    frame = made_up(rng(9), 400, 40, 1, noise=0.1, judge=0.1, taste=0.0)
    other = frame["verdict"].map({"0": "1", "1": "0"})
    turned = frame.assign(order="ba", verdict=np.where(np.arange(400) % 5 < 2, other, frame["verdict"]))
    found = assess(pd.concat([frame.assign(order="ab"), turned]))
    assert found.flips["estimate"] == pytest.approx(0.4)
    assert {use.use: (use.status, use.reason) for use in found.uses}["gate"] == ("not valid", "flips")


def test_missing_values_name_their_column():
    frame = frame_of("ab", "ab", conversation=["c", None])
    with pytest.raises(ValueError, match="conversation: row 1 is missing"):
        assess(frame)
    with pytest.raises(ValueError, match="scale: lacks the answer 'b'"):
        assess(frame_of("ab", "ab"), ["a", "c"])
    with pytest.raises(ValueError, match="weight: one isn't above 0"):
        assess(frame_of("ab", "ab", weight=[1, 0]))


def test_more_labels_settle_what_is_near_its_limit():
    near, far = Measured(0.65, 0.45, 0.8), Measured(0.9, 0.7, 0.95)
    assert more_labels(100, near, 0.6) > 500
    assert more_labels(100, far, 0.6) == 1
    assert more_labels(100, Measured(0.6, 0.5, 0.7), 0.6) is None


SHAPES = {
    "a random judge": {"talks": 120, "people": 12, "each": 1, "judge": 60.0},
    "people agree little": {"talks": 60, "people": 8, "each": 2},
    "few people": {"talks": 80, "people": 3, "each": 2, "taste": 0.8},
    "one person": {"talks": 60, "people": 1, "each": 1, "taste": 0.0, "noise": 0.2},
    "rare": {"talks": 150, "people": 30, "each": 1, "cut": 2.2},
    "rare and exact": {"talks": 60, "people": 60, "each": 1, "cut": 1.8, "judge": 0.1, "noise": 0.1, "taste": 0.0},
    "clustered": {"talks": 15, "people": 30, "each": 1, "rows": 6, "judge": 1.8, "noise": 0.2, "taste": 0.0},
    "tiny": {"talks": 20, "people": 20, "each": 1, "judge": 1.2, "noise": 0.1},
    "below what people do": {"talks": 150, "people": 30, "each": 2, "judge": 1.5, "noise": 0.3},
    "50 labels of three": {"talks": 50, "people": 3, "each": 1},
    "150 labels of ten, clustered": {"talks": 30, "people": 10, "each": 1, "rows": 5, "judge": 0.3, "noise": 0.3},
    "300 labels of thirty": {"talks": 300, "people": 30, "each": 1},
    "as people do": {"talks": 150, "people": 30, "each": 3, "judge": 0.3, "noise": 0.3},
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
def test_a_certificate_is_wrong_in_one_of_twenty_at_most(shape):
    sizes = {name: shape[name] for name in ("talks", "people", "each", "rows") if name in shape}
    looks = {name: value for name, value in shape.items() if name not in sizes}
    judge, people = truth(**looks)
    studies = 100
    wrong = 0
    for study in range(studies):
        found = assess(made_up(rng(100 + study), **sizes, **looks))
        meets = {use: judge >= max(LEAST, min(CRITERIA[use], people - MARGIN)) for use in USES}
        told = {use.use: use.status for use in found.uses}
        wrong += any(told[use] == "valid" and not meets[use] for use in USES) or any(
            told[use] == "not valid" and meets[use] for use in USES
        )
    assert wrong <= 0.05 * studies + 2 * np.sqrt(0.05 * 0.95 * studies), (judge, people)
