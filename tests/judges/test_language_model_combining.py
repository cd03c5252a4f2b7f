"""One answer out of many, by hand: means over orders, ties, medians, and flips between the orders."""

import pytest

from parlai_spotbot.judges.language_model import combining
from parlai_spotbot.judges.language_model.answer_journal import RawAnswer
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.survey import Option, Question
from tests.judges.small_study import MANY

NATURE = get_survey("spot_the_bot").question("nature")
PLACE = ("item", "nature", "entity:0")


def raw(order, *chances, ranking=(), text=""):
    return RawAnswer("k", "item", "q", "pair", order, chances=chances, ranking=ranking, text=text)


def answer(question, *raws, seed=0, place=PLACE):
    return combining.combined(question, raws, seed, place)


def test_a_tie_is_the_neutral_option_else_drawn_by_the_seed():
    assert answer(NATURE, raw("first", 1, 0, 0), raw("second", 0, 1, 0)) == "unsure"
    assert answer(NATURE, raw("first", 0.6, 0.4, 0), raw("second", 0.1, 0.9, 0)) == "bot"
    plain = MANY.question("odd")
    drawn = [answer(plain, raw("first", 1, 0), raw("second", 0, 1), seed=seed) for seed in range(40)]
    assert set(drawn) == {"yes", "no"}
    assert drawn == [answer(plain, raw("first", 1, 0), raw("second", 0, 1), seed=seed) for seed in range(40)]


def one_hot(i):
    return [float(i == j) for j in range(5)]


def test_a_scale_is_the_median():
    rate = MANY.question("rate")
    assert answer(rate, raw("first", *one_hot(1)), raw("second", *one_hot(3))) == "3"
    assert answer(rate, raw("first", 0.3, 0.3, 0.4, 0, 0), raw("second", 0.3, 0.3, 0.4, 0, 0)) == "2"
    assert answer(rate, raw("first", *one_hot(0)), raw("second", *one_hot(4))) == "3"
    halves = {answer(rate, raw("first", *one_hot(1)), raw("second", *one_hot(2)), seed=seed) for seed in range(30)}
    assert halves == {"2", "3"}


def test_boxes_are_ticked_at_more_than_one_half():
    boxes = MANY.question("why_odd")
    assert answer(boxes, raw("first", 0.9, 0.2), raw("second", 0.2, 0.9)) == ["rude", "off"]
    assert answer(boxes, raw("first", 0.9, 0.2), raw("second", 0.2, 0.3)) == ["rude"]
    assert answer(boxes, raw("first", 0.1, 0.4), raw("second", 0.1, 0.3)) == ["off"]  # required: the likeliest
    optional = Question("b", "checkboxes", ("pair",), "?", (Option("x", "X"), Option("y", "Y")), required=False)
    assert answer(optional, raw("first", 0.1, 0.4), raw("second", 0.1, 0.3)) is None


def test_rankings_go_by_the_mean_rank_and_texts_by_the_first():
    order = MANY.question("order")
    one, two = ("red", "blue", "green"), ("blue", "red", "green")
    assert answer(order, raw("first", ranking=one), raw("second", ranking=one)) == list(one)
    assert answer(order, raw("first", ranking=one), raw("second", ranking=two))[2] == "green"
    assert answer(MANY.question("reason"), raw("first", text="so")) == "so"


def test_flips_are_counted_with_conversations_as_clusters():
    rows = [(f"c{i}", "x", "y" if i < 3 else "x") for i in range(10)] + [("c0", 1, 1)]
    found = combining.position(rows)
    assert (found["n"], found["flips"], found["rate"]) == (11, 3, pytest.approx(3 / 11))
    low, high = found["ci"]
    assert 0 < low < 3 / 11 < high < 1
    repeated = combining.position(rows * 10)  # more answers about the same conversations tell no more
    assert repeated["ci"] == pytest.approx(found["ci"], abs=0.03)
    assert combining.position([])["rate"] is None
