"""Time efficiency (section 5.3 of the paper): bots judged from talking to each other, or by people who talk to them.

With b bots, conversations between people and bots cost b · c · t, c conversations per bot of t seconds; annotations
cost b (b - 1) / 2 · n · s, n annotations per pair of s seconds. The one grows with b, the other with its square, so
they cross at b = 1 + 2 c t / (n s).
"""

from __future__ import annotations

PAPER = {"annotations_per_pair": 40, "seconds": 24.0, "conversations_per_bot": 100, "seconds_per_conversation": 240.0}
"""What section 5.3 reckons with. The released data hold 270, 246 and 266 annotations a pair, at means of 39 to 53 s."""


def time_efficiency(
    bots: int,
    annotations_per_pair: float,
    seconds: float,
    *,
    conversations_per_bot: float = PAPER["conversations_per_bot"],
    seconds_per_conversation: float = PAPER["seconds_per_conversation"],
) -> dict:
    """Hours of people's time by both ways.

    Returns
    -------
    dict
        ``annotation_hours`` and ``annotation_minutes_per_pair``; ``conversation_hours`` and
        ``conversation_minutes_per_bot``; ``ratio`` (how many times longer the conversations take); ``break_even_bots``:
        up to this many bots annotation takes less time.
    """
    asked = {
        "annotations_per_pair": annotations_per_pair,
        "seconds": seconds,
        "conversations_per_bot": conversations_per_bot,
        "seconds_per_conversation": seconds_per_conversation,
    }
    for name, value in asked.items():
        if not value > 0:
            raise ValueError(f"{name} is {value}, expected a number above 0")
    if bots < 2:
        raise ValueError(f"bots is {bots}, expected a whole number from 2 up")
    pair, bot = annotations_per_pair * seconds / 60, conversations_per_bot * seconds_per_conversation / 60
    annotation, conversation = bots * (bots - 1) / 2 * pair / 60, bots * bot / 60
    return {
        "annotation_minutes_per_pair": pair,
        "annotation_hours": annotation,
        "conversation_minutes_per_bot": bot,
        "conversation_hours": conversation,
        "ratio": conversation / annotation,
        "break_even_bots": 1 + 2 * bot / pair,
    }
