"""Spot The Bot as a game: annotators open a dialogue exchange by exchange and decide when they are sure.

Paper, appendix B. Being right earns points, every further exchange costs some, and whoever leads in the end is paid a
bonus. The authors found it hard to tune: some decided at once, others opened everything.
"""

from parlai_spotbot.surveys.shipped import data, shipped
from parlai_spotbot.surveys.survey import GameRules

NAME = "spot_the_bot_game"
BASE = data("spot_the_bot")

SURVEY = shipped(
    NAME,
    questions=[BASE["questions"][0] | data(NAME)["questions"][0], *BASE["questions"][1:]],
    features=BASE["features"] | data(NAME)["features"],
    about=BASE["about"] | data(NAME)["about"],
    **{name: BASE[name] for name in ("example", "onboarding")},
)
GAME = GameRules(**data(NAME)["game"])
