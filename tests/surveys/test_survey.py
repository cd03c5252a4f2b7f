"""Surveys as data."""

import re

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey, survey_names
from parlai_spotbot.surveys.survey import Option, Question, Survey


def test_spot_the_bot_asks_for_the_nature_of_both_and_then_for_three_features():
    survey = get_survey("spot_the_bot")
    assert [q.name for q in survey.questions] == ["nature", "fluency", "sensibleness", "specificity"]
    nature = survey.question("nature")
    assert nature.targets == ("entity:0", "entity:1")
    assert [o.value for o in nature.options] == ["human", "bot", "unsure"]
    for question in survey.questions[1:]:
        assert question.after == ("nature",)
        assert question.targets == ("pair",)
        assert [o.value for o in question.options] == ["entity:0", "entity:1", "no_difference"]
    assert all(question.required for question in survey.questions)


@pytest.mark.parametrize("name", ["spot_the_bott", "packing", "surface", ""])
def test_an_unknown_survey_suggests_what_there_is(name):
    with pytest.raises(UserError, match="spot_the_bot"):
        get_survey(name)
    assert name not in survey_names()


CHOICE = {"kind": "choice", "targets": ("pair",), "wording": "?", "options": (Option("a", "A"),)}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"targets": ("entity:2",)}, "entity:2"),
        ({"options": ()}, "options"),
        ({"targets": ()}, "targets"),
        ({"kind": "free_text"}, "free_text"),
        ({"options": (Option("a", "A"), Option("a", "B"))}, "options"),
    ],
)
def test_questions_that_cannot_be(change, named):
    Question("q", **CHOICE)
    with pytest.raises(ValueError, match=named):
        Question("q", **{**CHOICE, **change})


def test_questions_follow_earlier_ones_only():
    one, two = Question("one", **CHOICE), Question("two", **CHOICE, after=("one",))
    assert Survey("s", "S", "", (one, two)).question("two") is two
    with pytest.raises(ValueError, match="two"):
        Survey("s", "S", "", (two, one))
    with pytest.raises(ValueError, match="twice"):
        Survey("s", "S", "", (one, one))
    with pytest.raises(ValueError, match="'three'"):
        Survey("s", "S", "", (one,)).question("three")


@pytest.mark.parametrize(
    "shown", [{"packing": "pairs"}, {"packing": "dialogues", "layout": "side_by_side"}, {"layout": "opening"}]
)
def test_what_is_packed_in_a_way_is_shown_in_one_that_fits(shown):
    with pytest.raises(ValueError, match="expected"):
        Survey("s", "S", "", (Question("one", **CHOICE),), **shown)


def test_every_consent_says_what_is_kept_and_how_to_withdraw():
    for survey in map(get_survey, survey_names()):
        text = " ".join(survey.consent)
        assert not text or ("may be published" in text and re.search("withdraw.*{contact}", text)), survey.name


def test_every_round_of_exercises_has_people_bots_and_a_feature():
    for exercises in get_survey("spot_the_bot").onboarding:
        assert 3 <= len(exercises) <= 4
        keys = [{(q, t): accepted for q, t, accepted in exercise.key} for exercise in exercises]
        natures = {(key["nature", "entity:0"], key["nature", "entity:1"]) for key in keys}
        assert natures >= {(("human", "unsure"), ("human", "unsure")), (("bot",), ("bot",))}
        assert sum(len(key) > 2 for key in keys) == 1  # a feature is asked for
        for same in ("human", "bot", "unsure"):
            assert any(same not in accepted for key in keys for (q, _), accepted in key.items() if q == "nature")
