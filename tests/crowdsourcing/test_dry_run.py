"""The dry run's figures, against sums done by hand and against a brute-force assignment of units to annotators."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlai_spotbot.crowdsourcing.dry_run import estimate, planned_text, text_of
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.records import Item, Unit, Utterance
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.survey import GameRules
from parlai_spotbot.surveys.workload import annotators_needed
from tests.case_tables import cases

SURVEY = get_survey("spot_the_bot")


def unit(name, conversations, block=None):
    shown = ((Utterance(0, "hi"), Utterance(1, "ho")),)
    items = tuple(Item(f"{name}-{c}", (c,), 1, shown) for c in conversations)
    return Unit(name, "spot_the_bot", block or name, 0, 0, items)


def survey(name="spot_the_bot", **limits):
    about = get_survey(name)
    return replace(about, onboarding=(), limits=replace(about.limits, **limits))


def test_money_and_hours_are_the_sums():
    """50 seconds an annotation, as Spot The Bot's annotators took."""
    units = [unit(f"u{i}", [f"c{i}-{j}" for j in range(18)]) for i in range(6)]
    settings, about = LaunchSettings(provider="mturk", pay=5.0), survey(units_per_annotator=3, controls_per_unit=2)
    found = estimate(settings, about, units)
    assert (found.units, found.annotations, found.controls, found.annotators) == (6, 108, 12, 2)
    assert found.hours == pytest.approx((120 * 50 + 2 * 3 * 60) / 3600)
    assert found.minutes_per_unit == pytest.approx(20 * 50 / 60)
    assert (found.pay, found.fee, found.cost) == pytest.approx((30, 6, 36))
    assert found.hourly == pytest.approx(30 / found.hours)
    practised = estimate(settings, replace(about, onboarding=((None, None, None),)), units)
    assert practised.hours - found.hours == pytest.approx(2 * 3 * 50 / 3600)
    text = text_of(found, settings, about)
    for words in ("6 to do", "108 in them, and 12 of controls", "20.0%", "36.00 USD", "17 minutes a unit"):
        assert words in text
    assert "warning" not in text


def test_what_is_done_is_neither_paid_nor_counted_again_and_a_winner_is_paid_for_one_unit_more():
    units = [unit(f"u{i}", [f"c{i}"]) for i in range(4)]
    settings = LaunchSettings(provider="prolific", completion_code="C", pay=2.0, fee=0.5)
    found = estimate(settings, survey(), units, done={"u0", "u3"})
    assert (found.units, found.done, found.cost) == (2, 2, pytest.approx(6))
    game = replace(survey(), layout="opening", game=GameRules())
    assert estimate(settings, game, units, done={"u0", "u3"}).cost == pytest.approx(9)
    nothing = estimate(settings, survey(), units, done={u.unit_id for u in units})
    assert (nothing.units, nothing.hours, nothing.cost, nothing.hourly) == (0, 0, 0, 0)


def test_little_pay_and_a_time_limit_that_slow_annotators_would_miss_are_said():
    units = [unit("u", [f"c{i}" for i in range(20)])]
    about, settings = survey(controls_per_unit=0, minutes_per_unit=15), LaunchSettings(pay=1.0)
    text = text_of(estimate(settings, about, units), settings, about)
    enough = 12 * (20 * 50 + 180) / 3600
    assert f"is less than 12.00; pay {enough + 0.005:.2f} a unit" in text
    assert "minutes_per_unit" in text
    fair, calm = replace(settings, pay=4.0), survey(controls_per_unit=0, minutes_per_unit=60)
    assert "warning" not in text_of(estimate(fair, calm, units), fair, calm)


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 9), min_size=1, max_size=2), st.integers(0, 3)), max_size=12),
    st.integers(1, 3),
)
def test_annotators_take_one_after_the_other_the_first_units_that_fit(rows, allowance):
    units = [unit(f"u{i}", [f"c{c}" for c in sorted(shows)], f"b{block}") for i, (shows, block) in enumerate(rows)]

    def shared(row):
        """Marks in common with all other units."""
        common = sum(len(row[0] & other[0]) + (row[1] == other[1]) for other in rows)
        return common - len(row[0]) - 1  # without the unit itself

    left, annotators = sorted(rows, key=shared, reverse=True), 0
    while left:
        taken, seen, blocks = [], set(), set()
        for row in left:
            if len(taken) < allowance and row[1] not in blocks and not row[0] & seen:
                taken.append(row)
                seen, blocks = seen | row[0], blocks | {row[1]}
        for row in taken:
            left.remove(row)
        annotators += 1
    assert annotators_needed(units, {}, allowance) == annotators


def test_ten_thousand_units_are_planned_at_once():
    units = [unit(f"u{i}", [f"c{i // 3}-{c}" for c in range(20)], f"b{i // 9}") for i in range(10_002)]
    began = time.process_time()
    assert annotators_needed(units, {}, 3) == 3339
    assert time.process_time() - began < 5
    units = [unit(f"u{i}", [f"c{i}"]) for i in range(10)]
    assert annotators_needed(units, {f"c{i}": "one" for i in range(10)}, 3) == 10  # one seed


@cases("name took", "[[comparative, 264], [turn_likert, 149.25], [acute_eval, 120]]")
def test_whole_conversations_take_what_papers_say_or_a_guess(name, took):
    units = [replace(unit(f"u{n}", [f"c{n}"]), survey=name) for n in range(4)]
    found = estimate(LaunchSettings(), survey(name, units_per_annotator=2), units)
    assert found.seconds == pytest.approx(took)
    assert (found.annotators, found.controls) == (2, 2)  # a control for each annotator, not for each unit
    assert found.hours == pytest.approx((6 * took + 2 * 180) / 3600)


@cases(
    "planned says",
    """
- [3, '']
- [4, '3 annotations are packed, not the 4 that were planned: the power is less']
- [2, '3 annotations are packed, not the 2 that were planned: the cost is more']
""",
)
def test_a_dry_run_says_what_was_planned(planned, says):
    plan = {"annotations": planned, "workers": 1, "hours": 0.25, "power": 0.8}
    text = planned_text(plan, [unit("u", ["a", "b"]), unit("v", ["c"])])
    first, _, warning = text.partition("\n")
    assert first == f"planned      {planned} annotations by 1 annotator or more in 0.2 hours, for 80% power"
    assert warning.removeprefix("warning: ") == says
