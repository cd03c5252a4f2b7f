"""For notebooks and programs: the answers of a study, and what they say, as objects that show themselves.

Nothing is computed here that a report doesn't tell: each function asks one finding (`findings`) of one survey.
"""

from parlai_spotbot.notebook.study_answers import StudyAnswers, answers, demo, read_votes
from parlai_spotbot.notebook.survey_results import SurveyResults, agreement, rank, survival, trust

__all__ = ["StudyAnswers", "SurveyResults", "agreement", "answers", "demo", "rank", "read_votes", "survival", "trust"]
