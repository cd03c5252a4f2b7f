"""Next-Utterance Classification: people pick, among candidates, what was really said next (Lowe et al., 2016).

Section 4: 30 to 40 questions a person within 40 minutes, in versions with different questions, with attention checks of
which none may be missed. Beside the first choice a second one is asked for, so that people have a Recall@2, and in the
end a voluntary questionnaire (the paper's Table 1).
"""

from dataclasses import replace

from parlai_spotbot.surveys.shipped import shipped
from parlai_spotbot.surveys.survey import Option, Survey

CANDIDATES = 5
"""Candidates of a question, as in the paper."""

MOST_CANDIDATES = 10
"""Candidates of a question that people can be shown."""

SUBJECT = "conversations in writing, such as chats and forums"
"""Subject of the question about expertise, unless the study names another."""

TEMPLATE = shipped("nuc")


def with_candidates(survey: Survey, count: int, subject: str = SUBJECT) -> Survey:
    """Return the survey with `count` candidates a question, which asks about experience with `subject`."""
    options = tuple(Option(f"candidate:{place}", f"Reply {place + 1}") for place in range(count))
    questions = []
    for question in survey.questions:
        if question.of_candidates:
            question = replace(question, options=options)
        questions.append(question)
    return replace(
        survey,
        questions=tuple(questions),
        questionnaire=tuple(
            replace(one, wording=one.wording.replace("{subject}", subject)) for one in TEMPLATE.questionnaire
        ),
    )


SURVEY = with_candidates(TEMPLATE, CANDIDATES)
