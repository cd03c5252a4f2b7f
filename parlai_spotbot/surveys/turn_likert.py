"""Turn Likert: every turn of one speaker of a conversation rated from 1 to 5, in one dimension a task.

ABC-Eval (2022, sections 4.1 and 6): eight tasks of one dimension each, so that annotators keep to one. As in that study
a unit is one conversation in one dimension, and a quarter of them goes to a second annotator.
"""

from parlai_spotbot.surveys.dimensions import of_turns
from parlai_spotbot.surveys.shipped import shipped

SURVEY = shipped("turn_likert", questions=of_turns())
