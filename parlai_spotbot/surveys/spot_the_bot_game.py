"""Spot The Bot as a game: annotators open a dialogue exchange by exchange and decide when they are sure.

Paper, appendix B. Being right earns points, every further exchange costs some, and whoever leads in the end is paid a
bonus. The authors found it hard to tune: some decided at once, others opened everything; the analysis lists both.
"""

from dataclasses import replace

from parlai_spotbot.surveys import spot_the_bot
from parlai_spotbot.surveys.survey import GameRules, Survey

GAME = GameRules(right=10.0, wrong=-10.0, penalty=1.0)

INSTRUCTIONS = (
    "You will read conversations, each between two entities. An entity is a person or a bot, that is, a computer "
    "program that chats. What was said first is left out, and everything is in small letters, whoever wrote it. Both "
    "may be human, both may be bots, or one of each.\n\n"
    "At first you see one exchange: one turn of each. Whenever you like, open the next exchange, or decide for an "
    "entity whether it is a human or a bot. A decision is final. You may decide for one entity first and open more "
    "before you decide for the other. “Unsure” can be chosen only when the whole conversation is open.\n\n"
    f"Points: {GAME.right:g} for each entity that you call what it is, {GAME.wrong:g} for each that you call what it "
    f"is not, 0 for “unsure”; less {GAME.penalty:g} for every exchange beyond the first that was open when you decided "
    "for that entity. So it pays to decide as soon as you are sure, and no sooner: a guess costs as often as it earns. "
    "You see your points when a task is finished.\n\n"
    "When you have decided for both, say which of the two does better in three respects. These answers are about "
    "your opinion and earn or cost nothing."
).replace(" -", " −")

BONUS = (
    "Bonus: whoever has the most points when the collection ends is paid for one task more. Where several have the "
    "same points, each of them gets it. Points and places are shown to all who take part, under names that we make up."
)

PAID = 1 + next(i for i, paragraph in enumerate(spot_the_bot.CONSENT) if "{pay}" in paragraph)
"""After the paragraph on pay comes that on the bonus."""

FEATURES = replace(
    spot_the_bot.FEATURES,
    paragraph=INSTRUCTIONS.count("\n\n"),
    compare="When you have decided for both, say which of the two does better ({features}). These answers are about "
    "your opinion and earn or cost nothing.",
)

_NATURE = replace(
    spot_the_bot.SURVEY.question("nature"),
    help="Judge each entity on its own: both may be human, both may be bots. A decision is final. Unsure can be chosen "
    "once everything is open.",
)

SURVEY = Survey(
    name="spot_the_bot_game",
    title="Spot the bot: the game",
    instructions=INSTRUCTIONS,
    questions=(_NATURE, *(question for question in spot_the_bot.SURVEY.questions if question.name != "nature")),
    layout="opening",
    entities=spot_the_bot.SURVEY.entities,
    consent=(*spot_the_bot.CONSENT[:PAID], BONUS, *spot_the_bot.CONSENT[PAID:]),
    example=spot_the_bot.SURVEY.example,
    onboarding=spot_the_bot.SURVEY.onboarding,
    limits=spot_the_bot.SURVEY.limits,
    game=GAME,
    features=FEATURES,
    thanks=spot_the_bot.SURVEY.thanks,
    about=replace(
        spot_the_bot.SURVEY.about,
        title="Spot The Bot, the game",
        short="the game",
        in_text="Spot The Bot as a game",
        findings=("spotting",),
    ),
)
