"""Rules for texts of questions: anonymous, neither offensive nor personal.

As the paper did (section 4.2), words beginning with @ become @user; mail addresses, telephone numbers and links get a
placeholder as well. A turn that is offensive, or personal beyond that, is no candidate, and no question holds it.
"""

from __future__ import annotations

import re

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
    """Return `text` in one line, with placeholders for mail, links, telephone numbers and words beginning with @."""
    text = _EMAIL.sub(EMAIL, " ".join(text.split()))
    text = _PHONE.sub(PHONE, _LINK.sub(LINK, text))
    return _USER.sub(rf"\g<before>{USER}", text)


def fault_of(text: str) -> str | None:
    """Return why an anonymous text is left out (one of `REASONS`), by the rules of ``spotbot:chitchat``; else None."""
    from parlai_spotbot.tasks.chitchat import cleaning

    if cleaning.profane(text):
        return OFFENSIVE
    return PERSONAL if cleaning.personal(_PLACEHOLDER.sub("so", text)) else None
