"""Dialogue Likert: one whole conversation, one speaker of it rated from 1 to 5 in eight dimensions.

ABC-Eval (2022, section 4.1): all eight in one task, in an order drawn again. As in that study a unit is one
conversation, and a quarter of them goes to a second annotator.
"""

from parlai_spotbot.surveys.dimensions import of_speakers
from parlai_spotbot.surveys.shipped import shipped

SURVEY = shipped("dialogue_likert", questions=of_speakers())
