"""The points of the game (paper, appendix B): being right counts, and every further exchange opened costs.

The page explains them, the desk counts them, and the analysis lists them: all by this one function.
"""

from parlai_spotbot.surveys.survey import GameRules

UNSURE = "unsure"


def points(game: GameRules, truth: str, answer: str, opened: int) -> float:
    """Points for one entity.

    `truth` is "human" or "bot", `answer` one of these or "unsure"; `opened` exchanges were open when it was decided,
    from 1 up. `game.right` if they are the same, `game.wrong` if not, 0 if unsure; less `game.penalty` for every
    exchange beyond the first.
    """
    if opened < 1:
        raise ValueError(f"opened is {opened}, expected a number of exchanges from 1 up")
    earned = game.wrong
    if answer == UNSURE:
        earned = 0.0
    elif answer == truth:
        earned = game.right
    return earned - game.penalty * (opened - 1)
