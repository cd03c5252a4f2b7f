"""Features that a survey asks about next to "human or bot?": all, some or none of its own (paper, section 3.1).

A feature is a question of both entities, answered by one of them or by "no difference". What isn't asked is gone from
the questions, the example, the exercises and the texts, in every language that says how (`FeatureTexts`).
"""

from collections.abc import Sequence
from dataclasses import replace

from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.surveys.survey import Exercise, Question, Survey

ANSWERS = ("entity:0", "entity:1", "no_difference")
"""Answers to the question of a feature."""


def features_of(survey: Survey) -> tuple[str, ...]:
    """Return the names of the features that a survey asks about, in its order; () for a survey of another kind."""
    if not survey.spots:
        return ()
    return tuple(question.name for question in survey.questions if is_feature(question))


def is_feature(question: Question) -> bool:
    """Return True if a question is of a feature; further questions that a launch adds are none."""
    values = tuple(option.value for option in question.options)
    return question.targets == ("pair",) and values == ANSWERS and not question.name.startswith(ADDITIONAL)


def with_features(survey: Survey, features: Sequence[str]) -> Survey:
    """Return the survey narrowed to some of its features, or none.

    Exercises whose key names a feature that isn't asked are left out, and so are mentions in the texts; where all are
    asked for which the texts are written, they stay as they are.
    """
    gone = set(features_of(survey)) - set(features)
    questions = tuple(_without(question, gone) for question in survey.questions if question.name not in gone)
    rounds = []
    for exercises in survey.onboarding:
        kept_exercises = tuple(one for one in exercises if not _asks(one, gone))
        if kept_exercises:
            rounds.append(kept_exercises)
    survey = replace(survey, questions=questions, onboarding=tuple(rounds))
    if set(features) == set(survey.features.own):
        return survey
    return _texts_of_features(survey, features)


def _without(question: Question, gone: set[str]) -> Question:
    """Return the question without conditions on questions that aren't asked."""
    after = tuple(name for name in question.after if name not in gone)
    return replace(
        question, after=after, when=tuple(condition for condition in question.when if condition.question not in gone)
    )


def _asks(exercise: Exercise, gone: set[str]) -> bool:
    return any(name in gone for name, _, _ in exercise.key)


def _texts_of_features(survey: Survey, features: Sequence[str]) -> Survey:
    """Return the survey with texts that mention these features alone."""
    texts = survey.features
    paragraphs = survey.instructions.split("\n\n")
    consent = list(survey.consent)
    if texts.compare:
        paragraphs[texts.paragraph] = ""
    if texts.compare and features:
        names = ", ".join(survey.question(name).heading for name in features)
        paragraphs[texts.paragraph] = texts.compare.format(features=names)
    if texts.consent and not features:
        consent[0] = texts.consent
    example = survey.example
    if example:
        key = tuple(entry for entry in example.key if entry[0] == "nature" or entry[0] in features)
        example = replace(example, key=key)
    if example and texts.example:
        shown = dict(texts.shown)
        text = " ".join([texts.example, *(shown[name] for name in features if name in shown)])
        example = replace(example, explanation=text)
    return replace(
        survey,
        instructions="\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        consent=tuple(consent),
        example=example,
    )
