"""Spot The Bot's features can be chosen: what isn't asked is gone from questions, exercises and texts."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.features import features_of, with_features
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.case_tables import cases

FEATURES = ("fluency", "sensibleness", "specificity")
SURVEYS = ("spot_the_bot", "spot_the_bot_game")


def packed(study) -> dict:
    return study.provenance()["pack"]["spot_the_bot"]["options"]


@pytest.mark.parametrize("name", SURVEYS)
def test_who_asks_all_three_gets_the_survey_as_it_is(name):
    survey = get_survey(name)
    assert features_of(survey) == FEATURES
    assert with_features(survey, FEATURES) == survey
    assert features_of(get_survey("acute_eval")) == ()


@pytest.mark.parametrize("name", SURVEYS)
@pytest.mark.parametrize("asked", [(), ("fluency", "sensibleness")])
def test_what_is_not_asked_is_spoken_of_nowhere(name, asked):
    whole = get_survey(name)
    survey = with_features(whole, asked)
    assert [q.name for q in survey.questions] == ["nature", *asked]
    exercises = [survey.example, *sum(survey.onboarding, ())]
    assert {name for own in exercises for name, _, _ in own.key} <= {"nature", *asked}
    assert len(survey.onboarding) == 2
    assert all(len(own) >= 3 for own in survey.onboarding)
    told = " ".join([survey.instructions, *survey.consent, *(own.explanation for own in exercises)]).lower()
    stems = {"fluency": ("fluen",), "sensibleness": ("sensib", "make sense"), "specificity": ("specific", "anywhere")}
    for feature in set(FEATURES) - set(asked):
        assert not [stem for stem in stems[feature] if stem in told], feature
    for feature in asked:
        assert survey.question(feature).heading in survey.instructions
    assert "three respects" not in survey.instructions
    assert survey.instructions.count("\n\n") == whole.instructions.count("\n\n") - (not asked)
    assert ("compar" in told or "which of the two" in told) == bool(asked)


def test_a_choice_is_recorded_and_stands_until_another_one_is_made(study):
    pack_study(study, ask=("specificity", "fluency"))
    assert packed(study)["ask"] == ["fluency", "specificity"]
    assert features_of(survey_of(study.load("spot_the_bot"))) == ("fluency", "specificity")
    before = study.units_path("spot_the_bot").read_bytes()
    assert pack_study(study)["added_units"] == 0
    assert packed(study)["ask"] == ["fluency", "specificity"]
    pack_study(study, ask=("none",))
    assert packed(study)["ask"] == []
    assert [q.name for q in survey_of(study.load("spot_the_bot")).questions] == ["nature"]
    pack_study(study, ask=FEATURES)
    assert "ask" not in packed(study)
    assert survey_of(study.load("spot_the_bot")) == get_survey("spot_the_bot")
    assert study.units_path("spot_the_bot").read_bytes() == before  # what is asked isn't in the units


@cases(
    "ask says",
    """
- [[fluensy], '--ask fluensy: survey spot_the_bot has no such feature.*Did you mean ''fluency''']
- [[nature], '--ask nature: .* who is human it asks always']
- [[none, fluency], '--ask none,fluency: none and others']
""",
)
def test_a_wrong_choice_is_named_before_anything_is_written(study, ask, says):
    with pytest.raises(UserError, match=f"(?s){says}"):
        pack_study(study, ask=ask)
    assert not study.units_path("spot_the_bot").exists()
