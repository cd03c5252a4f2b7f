"""Spot The Bot: who of the two is human, then which of them is more fluent, sensible and specific.

Paper, section 3.1 (annotation in two steps, three features by preference) and appendix A (the definitions). The numbers
for planning are from the paper's data; those of other surveys are round.
"""

from parlai_spotbot.surveys.shipped import shipped

SURVEY = shipped("spot_the_bot")
CONSENT = SURVEY.consent
