"""What is known of a control segment by its kind: who is a bot in it, and when an annotator missed it.

Both the server, which grades while people work, and the analysis, which lists who failed, go by this.
"""

from __future__ import annotations

from collections.abc import Sequence

KNOWN_HUMAN, KNOWN_BOT = "known_human", ("known_bot:0", "known_bot:1")
KINDS = (KNOWN_HUMAN, *KNOWN_BOT)


def missed(control: str | None, natures: Sequence[object]) -> bool:
    """Whether two answers, about entity 0 and entity 1, miss a control of this kind.

    Known people are missed if both are called bots, a known bot if it is called anything but a bot. Another kind is a
    `ValueError`.
    """
    if _checked(control) == KNOWN_HUMAN:
        return list(natures) == ["bot", "bot"]
    return natures[KNOWN_BOT.index(control)] != "bot"


def truth(control: str | None) -> tuple[str, str]:
    """What the two entities of a control of this kind are: "human" or "bot"."""
    if _checked(control) == KNOWN_HUMAN:
        return ("human", "human")
    return ("bot", "human") if control == KNOWN_BOT[0] else ("human", "bot")


def _checked(control: str | None) -> str:
    if control not in KINDS:
        raise ValueError(f"control is {control!r}, expected one of {', '.join(KINDS)}")
    return control
