"""Votes of an arena (Zheng et al. 2023; Chiang et al. 2024).

People put a question to two contestants at once and say which answer is better, or that it is a tie, or that both are
bad.
They come in from elsewhere (`spotbot_import --format votes`), without texts: nothing is packed, asked or judged here.
"""

from parlai_spotbot.surveys.shipped import shipped

SURVEY = shipped("votes")
PREFERENCE = SURVEY.questions[0].name
