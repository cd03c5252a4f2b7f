"""ACUTE-Eval: two whole conversations side by side, one speaker in each, one choice between the two, and why.

Li, Weston & Roller (2019): the four questions and the texts of their options are the wordings that the authors found to
agree best (their table of questions). A unit holds few comparisons, and the first of an annotator is a control.
"""

from parlai_spotbot.surveys.shipped import shipped

SURVEY = shipped("acute_eval")
