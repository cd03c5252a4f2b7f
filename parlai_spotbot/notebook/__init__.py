"""For notebooks and programs: the answers of a study, and what they say, as objects that show themselves.

Nothing is computed here that a report doesn't tell: each function asks one finding (`findings`) of one survey.
"""

from parlai_spotbot.notebook.page import report
from parlai_spotbot.notebook.playing import openai, selfplay
from parlai_spotbot.notebook.study_answers import Study, StudyAnswers, demo
from parlai_spotbot.notebook.survey_results import SurveyResults, agreement, rank, survival, trust
from parlai_spotbot.notebook.votes import Votes, read_votes

__all__ = [
    "Study",
    "StudyAnswers",
    "SurveyResults",
    "Votes",
    "agreement",
    "demo",
    "openai",
    "rank",
    "read_votes",
    "report",
    "selfplay",
    "survival",
    "trust",
]
