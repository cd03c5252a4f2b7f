"""What text may stand in a question: anonymous, neither offensive nor personal.

As the paper did (section 4.2), words beginning with @ become @user; mail addresses, telephone numbers and links get a
placeholder as well. A turn that is offensive, or personal beyond that, is no candidate, and no question holds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from parlai_spotbot.errors import UserError

OFFENSIVE, PERSONAL = "offensive", "personal"
REASONS = (OFFENSIVE, PERSONAL)
"""Why a turn is left out."""

USER, EMAIL, PHONE, LINK = "@user", "[email]", "[phone]", "[link]"

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(r"(?:https?://|www\.)\S+|\b[\w-]{1,63}\.(?:com|org|net|edu|io|gov|ly|tv)\b(?:/\S*)?", re.IGNORECASE)
_PHONE = re.compile(
    r"\+\d[\d ().-]{6,}\d"  # with the code of a country
    r"|(?<![\w.])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}\b"
    r"|(?<![\w.-])\d{3}[-.]\d{4}\b(?![-.]\d)"
    r"|(?<![\w.,])\d{7,}\b"
)
_USER = re.compile(r"(?<!\S)(?P<before>[^\w\s@]*)@\w+")
_PLACEHOLDER = re.compile(r"@user|\[(?:email|phone|link)\]")


def anonymise(text: str) -> str:
    """`text` in one line, with placeholders for mail, links, telephone numbers and words beginning with @."""
    text = _EMAIL.sub(EMAIL, " ".join(text.split()))
    text = _PHONE.sub(PHONE, _LINK.sub(LINK, text))
    return _USER.sub(rf"\g<before>{USER}", text)


Rule = Callable[[str], str | None]
"""Says of an anonymous text why it is left out (one of `REASONS`), or None."""


def rule(words: Path | str | None = None) -> Rule:
    """What is left out.

    By default by the rules and the list of the task ``spotbot:chitchat``. `words` names a file with a word or phrase a
    line, looked for beside them by ParlAI's `OffensiveStringMatcher`, with endings and prefixes. Raises `UserError`
    where there is no such file, or nothing in it.
    """
    return partial(_offence, _matcher(Path(words)) if words else None)


def _offence(matcher: object, text: str) -> str | None:
    from parlai_spotbot.tasks.chitchat import cleaning

    if cleaning.profane(text) or (matcher is not None and text in matcher):
        return OFFENSIVE
    return PERSONAL if cleaning.personal(_PLACEHOLDER.sub("so", text)) else None


def _matcher(path: Path) -> object:
    from parlai.utils.safety import OffensiveStringMatcher

    try:
        listed = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(f"{path}: can't be read as a list of offensive words: {err}.", "Name a text file.") from None
    if not listed:
        raise UserError(f"{path}: holds no word.", "Write a word or phrase a line, or leave the option out.")
    if path.suffix != ".txt":
        raise UserError(f"{path}: ParlAI reads lists of words from files that end in .txt.", "Rename it.")
    return OffensiveStringMatcher(str(path))
