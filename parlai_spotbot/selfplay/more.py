"""Further conversations of single pairs, as typed on the command line."""

from parlai_spotbot.errors import UserError


def more_asked(text: str | None) -> dict[str, int] | None:
    """Return how many more conversations ``A/B=N,…`` asks for, by pair "A/B"; None where nothing is given."""
    if text is None:
        return None
    counts: dict[str, int] = {}
    for part in text.split(","):
        pair, _, count = part.strip().rpartition("=")
        if pair.count("/") != 1 or not count.isdecimal() or int(count) < 1:
            raise UserError(f"--more {text}: {part.strip()!r} isn't A/B=N.", "Write for example --more tfidf/alice=22.")
        counts[pair] = counts.get(pair, 0) + int(count)
    return counts
