"""Comparative: two whole conversations side by side, and in each of eight dimensions whose responses fit it better.

ABC-Eval (2022, section 4.1): all eight in one task, in an order drawn again; "neither" only where the two can't be told
apart. As in that study a unit is one pair, and a quarter of them goes to a second annotator.
"""

from parlai_spotbot.surveys.dimensions import of_pairs
from parlai_spotbot.surveys.shipped import shipped

SURVEY = shipped("comparative", questions=of_pairs())
