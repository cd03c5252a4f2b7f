"""Conversations between people in which each takes up the other's words."""

from parlai_spotbot.records import HUMAN, Conversation
from tests.spoken import spoken

TOPICS = ("violin", "bakery", "harbour", "glacier", "tractor", "lantern", "orchard", "sailing", "pottery", "beehive")


def chat(number: int, exchanges: int = 5, name: str = "") -> Conversation:
    """Two people who take up each other's words: every turn names a thing that the one before named."""
    said = ["Hello there.", "Hi."]
    for turn in range(2 * exchanges):
        topic = TOPICS[(number + turn // 2) % len(TOPICS)]
        said.append(f"On day {number}-{turn} we went past the {topic} near our old place, remember?")
    return spoken(name or f"chat-{number:02d}", (HUMAN, HUMAN), said, number, seed_id=f"s{number}")
