"""Spot the user: a human or a simulated one began the conversation, as users do.

Spot The Bot with one side judged: simulated users (`role: user` in a pool) are the contestants, people who began a
conversation are the reference. Which bot the other speaker is, is not asked.
"""

from parlai_spotbot.surveys.shipped import shipped

SURVEY = shipped("spot_the_user")
