"""The game of appendix B as a survey: its points, what it says of them, and packing each conversation once."""

import re

import pytest

from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import missed_by, truth
from parlai_spotbot.surveys.controls.segments import NATURES
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
from parlai_spotbot.surveys.packing.units_file import blocks_of
from parlai_spotbot.surveys.survey import GameRules

NAME = "spot_the_bot_game"


@pytest.mark.parametrize(
    ("truth", "answer", "opened", "earned"),
    [
        ("bot", "bot", 1, 10),
        ("bot", "bot", 4, 7),
        ("human", "human", 2, 9),
        ("bot", "human", 1, -10),
        ("human", "bot", 5, -14),
        ("human", "unsure", 5, -4),
        ("bot", "unsure", 1, 0),
    ],
)
def test_points(truth, answer, opened, earned):
    assert points(GameRules(), truth, answer, opened) == earned


def test_points_are_the_games_own_and_nothing_is_open_before_the_first_exchange():
    assert points(GameRules(right=3, wrong=-1, penalty=0.5), "bot", "bot", 3) == 2
    with pytest.raises(ValueError, match="opened is 0"):
        points(GameRules(), "bot", "bot", 0)


def test_the_survey_explains_its_points_and_its_bonus():
    survey, plain = get_survey(NAME), get_survey("spot_the_bot")
    assert survey.layout == "opening"
    assert (survey.game.right, survey.game.wrong, survey.game.penalty) == (10, -10, 1)
    for number in ("10 for each entity", "−10 for each", "1 point for every exchange after the first"):
        assert number in survey.instructions
    paid = [i for i, paragraph in enumerate(survey.consent) if "{pay}" in paragraph]
    assert survey.consent[paid[0] + 1].startswith("Bonus:")
    assert [p for p in survey.consent if not p.startswith("Bonus:")] == list(plain.consent)
    assert set(re.findall(r"{(\w+)}", " ".join(survey.consent))) == {"pay", "minutes", "contact", "units"}
    assert [q.name for q in survey.questions] == [q.name for q in plain.questions]
    assert survey.questions[1:] == plain.questions[1:]
    assert "once everything is open" in survey.question("nature").help
    assert survey.onboarding == plain.onboarding


def test_each_conversation_is_packed_once_at_its_longest_segment(pool, make_conversation):
    conversations = pool(bots=4, per_pair=10, people=20)
    conversations += [make_conversation(f"short{k}", ("bot0", "bot1"), f"short{k}", k) for k in (1, 2, 4)]
    options = PackOptions(survey=NAME, longest=True)
    units = pack(conversations, options)
    fills = {c.conversation_id: c.exchanges for c in conversations}
    longest = {name: max((k for k in (2, 3, 5) if k <= n), default=0) for name, n in fills.items()}
    shown = [(u.block_id, u.replicate, i.conversation_ids[0], i.exchanges) for u in units for i in u.items]
    assert all(k == longest[name] for _, _, name, k in shown)
    assert len(shown) == len(set(shown))
    assert {u.rotation for u in units} == {0}
    assert {name for _, _, name, _ in shown if not name.startswith("people")} == {
        name for name in fills if longest[name] and not name.startswith("people")
    }
    assert len(units) == 2 * len(blocks_of(units))


def test_options_as_recorded_are_those_of_earlier_studies():
    """What was packed before there was a game must not look as if it were packed otherwise."""
    assert set(PackOptions().recorded()) == {
        "survey",
        "segments",
        "unit_size",
        "humans_per_unit",
        "annotators_per_segment",
        "seed",
        "surface",
    }


@pytest.mark.parametrize(
    ("control", "natures", "missed"),
    [
        ("known_human", ("bot", "bot"), True),
        ("known_human", ("bot", HUMAN), False),
        ("known_human", ("unsure", "bot"), False),
        ("known_bot:0", ("bot", HUMAN), False),
        ("known_bot:0", ("unsure", "bot"), True),
        ("known_bot:1", ("bot", HUMAN), True),
        ("known_bot:1", ("bot", "bot"), False),
    ],
)
def test_known_segments(control, natures, missed):
    assert missed_by(control, dict(zip(NATURES, natures, strict=True))) is missed
    assert [t == "bot" for t in truth(control)] == [control == f"known_bot:{e}" for e in (0, 1)]
