"""Interactive: people chat with two contestants, rate each of them from 1 to 5 in eight dimensions, then compare them.

ABC-Eval (2022, section 3): a random pair of bots, at least 30 messages with each, the ratings after each chat, the
choices after both; 18 conversations (nine units) a person at most. The chats become conversations of the study, which
every other survey may show.
"""

from parlai_spotbot.surveys.dimensions import of_pairs, of_speakers
from parlai_spotbot.surveys.shipped import shipped

CHOICE = "_choice"
"""Ending of the names of the questions that compare the two partners."""

SURVEY = shipped("interactive", questions=[*of_speakers(["entity:1"]), *of_pairs(CHOICE)])
