"""The dry run's figures, against sums done by hand and against a brute-force assignment of units to annotators."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlai_spotbot.crowdsourcing import dry_run
from parlai_spotbot.crowdsourcing.dry_run import Workload
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.records import Item, Judgement, Unit, Utterance
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.survey import GameRules

SURVEY = get_survey("spot_the_bot")


def unit(name, conversations, block=None):
    shown = ((Utterance(0, "hi"), Utterance(1, "ho")),)
    items = tuple(Item(f"{name}-{c}", (c,), 1, shown) for c in conversations)
    return Unit(name, "spot_the_bot", block or name, 0, 0, items)


def needed(units, seeds, allowance):
    return dry_run.annotators_needed(units, seeds, allowance)


def survey(**limits):
    return replace(SURVEY, onboarding=(), limits=replace(SURVEY.limits, **limits))


def test_money_and_hours_are_the_sums():
    units = [unit(f"u{i}", [f"c{i}-{j}" for j in range(18)]) for i in range(6)]
    settings = LaunchSettings(provider="mturk", pay=5.0, seconds_per_annotation=30, reading_minutes=6)
    found = dry_run.estimate(settings, survey(units_per_annotator=3, controls_per_unit=2), Workload(units))
    assert (found.units, found.annotations, found.controls, found.annotators) == (6, 108, 12, 2)
    assert found.hours == pytest.approx((120 * 30 + 2 * 6 * 60) / 3600)
    assert found.minutes_per_unit == pytest.approx(10)
    assert (found.pay, found.fee, found.cost) == pytest.approx((30, 6, 36))
    assert found.hourly == pytest.approx(30 / 1.2)


def test_onboarding_is_work_of_every_annotator():
    units = [unit("u", ["c"])]
    settings = LaunchSettings(seconds_per_annotation=60, reading_minutes=0)
    one = dry_run.estimate(settings, replace(survey(), onboarding=((None, None, None),)), Workload(units))
    none = dry_run.estimate(settings, survey(), Workload(units))
    assert one.hours - none.hours == pytest.approx(3 / 60)


def test_what_is_done_is_neither_paid_nor_counted_again():
    units = [unit(f"u{i}", [f"c{i}"]) for i in range(4)]
    found = dry_run.estimate(LaunchSettings(pay=1.0), survey(), Workload(units, done={"u0", "u3"}))
    assert (found.units, found.done, found.pay) == (2, 2, 2.0)
    nothing = dry_run.estimate(LaunchSettings(pay=1.0), survey(), Workload(units, done={u.unit_id for u in units}))
    assert (nothing.units, nothing.hours, nothing.cost, nothing.hourly) == (0, 0, 0, 0)


def test_the_winner_of_a_game_is_paid_for_one_unit_more_and_the_platform_takes_its_part_of_it():
    units = [unit("u", ["c"]), unit("v", ["d"])]
    settings = LaunchSettings(provider="prolific", completion_code="C", pay=2.0, fee=0.5)
    assert dry_run.estimate(settings, survey(), Workload(units)).cost == pytest.approx(6)
    assert dry_run.estimate(settings, replace(survey(), game=GameRules()), Workload(units)).cost == pytest.approx(9)


def judgement(number, seconds, source="human"):
    return Judgement(
        f"j{number}", f"a{number}", "s", "u", "i", ("c",), 1, "pair", "fluency", "x", "w", source, seconds=seconds
    )


def test_the_studys_own_seconds_take_the_place_of_the_papers_once_there_are_enough():
    units = [unit("u", ["c"])]

    def seconds(rows, **settings):
        return dry_run.estimate(LaunchSettings(**settings), survey(), Workload(units, judgements=rows)).seconds

    own = [judgement(i, 10 + i % 3) for i in range(dry_run.ENOUGH)]
    assert seconds([]) == 50.0
    assert seconds(own[:-1]) == 50.0
    assert seconds(own) == pytest.approx(11)
    assert seconds([replace(row, source="judge:spotter") for row in own]) == 50.0
    assert seconds(own, seconds_per_annotation=99) == 99


def test_too_little_pay_is_said_with_the_pay_that_would_do():
    units = [unit("u", [f"c{i}" for i in range(20)])]
    limits = survey(controls_per_unit=0, minutes_per_unit=60)
    poor = LaunchSettings(pay=1.0, seconds_per_annotation=30, reading_minutes=0, minimum_wage=12)
    found = dry_run.estimate(poor, limits, Workload(units))
    (warning,) = dry_run.warnings(found, poor, limits)
    assert "6.00 USD an hour is less than minimum_wage (12.00)" in warning
    assert "pay 2.00 a unit" in warning
    fair = replace(poor, pay=2.0)
    assert not dry_run.warnings(dry_run.estimate(fair, limits, Workload(units)), fair, limits)


def test_a_time_limit_that_slow_annotators_would_miss_is_said():
    units = [unit("u", [f"c{i}" for i in range(20)])]
    tight = survey(controls_per_unit=0, minutes_per_unit=15)
    found = dry_run.estimate(LaunchSettings(seconds_per_annotation=30), tight, Workload(units))
    assert "minutes_per_unit" in dry_run.warnings(found, LaunchSettings(), tight)[0]


def test_the_lines_say_all_of_it():
    units = [unit("u", [f"c{i}" for i in range(18)])]
    settings = LaunchSettings(provider="mturk", pay=5.0, seconds_per_annotation=30)
    text = dry_run.said(dry_run.estimate(settings, survey(), Workload(units)), settings, survey())
    for words in ("1 to do", "18 in them, and 2 of controls", "20.0%", "6.00 USD", "an hour", "10 minutes a unit"):
        assert words in text


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 9), min_size=1, max_size=2), st.integers(0, 3)), max_size=12),
    st.integers(1, 3),
)
def test_they_are_those_of_whom_one_after_the_other_takes_the_first_units_that_fit(rows, allowance):
    units = [unit(f"u{i}", [f"c{c}" for c in sorted(shows)], f"b{block}") for i, (shows, block) in enumerate(rows)]
    left, annotators = list(rows), 0
    while left:
        taken, seen, blocks = [], set(), set()
        for row in left:
            if len(taken) < allowance and row[1] not in blocks and not row[0] & seen:
                taken.append(row)
                seen, blocks = seen | row[0], blocks | {row[1]}
        for row in taken:
            left.remove(row)
        annotators += 1
    assert needed(units, {}, allowance) == annotators


def test_ten_thousand_units_are_planned_at_once():
    units = [unit(f"u{i}", [f"c{i // 3}-{c}" for c in range(20)], f"b{i // 9}") for i in range(10_002)]
    began = time.process_time()
    assert needed(units, {}, 3) == 3339
    assert time.process_time() - began < 5


def test_annotators_of_units_that_never_clash_do_their_whole_allowance():
    units = [unit(f"u{i}", [f"c{i}"]) for i in range(10)]
    assert needed(units, {}, 3) == 4
    assert needed(units, {f"c{i}": "one" for i in range(10)}, 3) == 10
    assert needed([unit(f"u{i}", [f"c{i}"], "block") for i in range(4)], {}, 3) == 4


@pytest.mark.parametrize(("name", "took"), [("comparative", 264), ("dialogue_likert", 168), ("turn_likert", 149.25)])
def test_whole_conversations_take_what_papers_say_or_a_guess(name, took):
    units = [replace(unit(f"u{n}", [f"c{n}"]), survey=name) for n in range(4)]

    def found(name, **limits):
        about = get_survey(name)
        limits = replace(about.limits, **limits)
        return dry_run.estimate(LaunchSettings(), replace(about, onboarding=(), limits=limits), Workload(units))

    guessed = found("acute_eval")
    assert (guessed.seconds, guessed.annotators, guessed.controls) == (dry_run.GUESS, 4, 4)
    assert "a guess" in guessed.seconds_from
    assert found(name).seconds == pytest.approx(took)
    few = found(name, units_per_annotator=2)  # a control for each annotator, not for each unit
    assert (few.annotators, few.controls) == (2, 2)
    assert few.hours == pytest.approx((6 * took + 2 * 60 * LaunchSettings().reading_minutes) / 3600)
