"""For notebooks and programs: the answers of a study, and what they say, as objects that show themselves.

Nothing is computed here that a report doesn't tell: each function asks one finding (`findings`) of one survey.
"""
