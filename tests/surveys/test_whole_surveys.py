"""The surveys that show whole conversations, as data: wordings, scales, exercises, which all surveys have."""

import math
import re

import pytest

from parlai_spotbot.surveys import dimensions, get_survey
from parlai_spotbot.texts.surface import normalise

WHOLE = ("acute_eval", "comparative", "dialogue_likert", "turn_likert")

ACUTE = {
    "engagingness": ("Who would you prefer to talk to for a long conversation?", "I would prefer to talk to {name}"),
    "humanness": ("Which speaker sounds more human?", "{name} sounds more human"),
    "interestingness": (
        "If you had to say one of these speakers is interesting and one is boring, who would you say is more "
        "interesting?",
        "{name} is more interesting",
    ),
    "knowledge": (
        "If you had to say that one speaker is more knowledgeable and one is more ignorant, who is more knowledgeable?",
        "{name} is more knowledgeable",
    ),
}
"""Li, Weston & Roller (2019), and the texts of options that ParlAI's acute_eval ships."""

EIGHT = (
    "consistency",
    "emotional_understanding",
    "engagingness",
    "grammaticality",
    "informativeness",
    "quality",
    "proactivity",
    "relevance",
)


def test_acute_evals_questions_are_worded_as_published():
    survey = get_survey("acute_eval")
    assert {q.name: (q.wording, {o.label for o in q.options}) for q in survey.main} == {
        name: (wording, {option}) for name, (wording, option) in ACUTE.items()
    }
    assert all([o.value for o in q.options] == ["conversation:0", "conversation:1"] for q in survey.main)
    reason = survey.question("reason")
    assert (reason.kind, reason.required, reason.after) == ("free_text", False, tuple(ACUTE))
    assert survey.asked == ("engagingness",)
    assert (survey.limits.units_per_annotator, survey.limits.control_mistakes, survey.control_first) == (1, 0, True)


@pytest.mark.parametrize(
    ("name", "kind", "targets", "values"),
    [
        ("comparative", "choice", ("pair",), ["conversation:0", "conversation:1", "neither"]),
        ("dialogue_likert", "scale", ("entity:0", "entity:1"), list("12345")),
        ("turn_likert", "scale", ("turn",), list("12345")),
    ],
)
def test_the_eight_dimensions_in_three_ways(name, kind, targets, values):
    survey = get_survey(name)
    assert tuple(q.name for q in survey.questions) == EIGHT == dimensions.NAMES
    for question in survey.questions:
        assert (question.kind, question.targets, [o.value for o in question.options]) == (kind, targets, values)
        assert len(question.help) > 30  # the definition stands at the question
        assert question.shuffle is (name != "turn_likert")
        if kind == "scale":
            assert [bool(o.definition) for o in question.options] == [True, False, False, False, True]
    assert len({q.help for q in survey.questions}) == len({q.wording for q in survey.questions}) == 8
    assert survey.spread == ("units" if name == "turn_likert" else "")


@pytest.mark.parametrize("name", WHOLE)
def test_the_page_learns_nothing_of_packing_and_controls(name):
    survey = get_survey(name)
    row = survey.to_json()
    assert {"packing", "spread", "asked", "unit_size", "control_first", "onboarding"}.isdisjoint(row)
    assert {"controls_per_unit", "control_mistakes"}.isdisjoint(row["limits"])
    text = " ".join(survey.consent)
    assert set(re.findall(r"{(\w+)", text)) == {"pay", "minutes", "units", "contact"}
    assert row["layout"] == {"dialogue_likert": "dialogue", "turn_likert": "turn_by_turn"}.get(name, "side_by_side")


@pytest.mark.parametrize("name", [*WHOLE, "spot_the_bot", "spot_the_user"])
def test_exercises_look_like_items_and_can_be_answered(name):
    survey = get_survey(name)
    assert len(survey.onboarding) == survey.limits.onboarding_attempts
    for exercise in (survey.example, *sum(survey.onboarding, ())):
        number, both = 2 if survey.packing == "pairs" else 1, name == "spot_the_bot"
        assert (len(exercise.transcripts), len(exercise.judged)) == (number, 0 if both else number)
        for turns in exercise.transcripts:
            assert [entity for entity, _ in turns] == [0, 1] * (len(turns) // 2)
            assert all(normalise(text) == text for _, text in turns)
        assert len(exercise.explanation) > 40
        named = re.findall(r"{(?!(?:entity|conversation|speaker):[01]})|{.*?}", exercise.explanation)
        assert not (named if exercise is survey.example else "{" in named)
        for question, target, accepted in exercise.key:
            values = [option.value for option in survey.question(question).options]
            assert set(accepted) <= set(values)
            allowed = {"pair"} if survey.packing == "pairs" else {f"entity:{e}" for e in exercise.judged}
            if name == "turn_likert":
                allowed = {f"turn:{i}" for i in range(exercise.judged[0], len(exercise.turns), 2)}
            assert target in (survey.question(question).targets if both else allowed)
        assert not both or {"entity:0", "entity:1"} <= {target for q, target, _ in exercise.key if q == "nature"}
        assert len({entry[:2] for entry in exercise.key}) == len(exercise.key)
        if name == "turn_likert":
            assert {target for _, target, _ in exercise.key} == allowed
            assert len({question for question, _, _ in exercise.key}) == 1


@pytest.mark.parametrize("name", [*WHOLE, "spot_the_user", "spot_the_bot"])
def test_every_round_of_exercises_is_new_and_stops_who_clicks_anything(name):
    survey = get_survey(name)
    rounds = [survey.example.transcripts, *([t for e in one for t in e.transcripts] for one in survey.onboarding)]
    said = [{text for _, text in turns} for one in rounds for turns in one]
    for i, one in enumerate(said):
        assert not any(one & other for other in said[:i])
    passed = []
    for exercises in survey.onboarding:
        right = [len(a) / len(survey.question(q).options) for e in exercises for q, _, a in e.key]
        passed.append(math.prod(right))
    assert max(passed) <= (0.01 if name == "spot_the_bot" else 1 / 8)
    if survey.packing == "pairs":  # neither side is always the right one
        for exercises in survey.onboarding:
            assert len({accepted for e in exercises for _, _, accepted in e.key}) > 1
