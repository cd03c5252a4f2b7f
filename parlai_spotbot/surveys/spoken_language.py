"""The language of a study's conversations, as far as their words show it."""

from collections.abc import Iterable
from itertools import islice

from parlai_spotbot.records import Conversation
from parlai_spotbot.surveys.controls.segments import is_english
from parlai_spotbot.texts.characters import mostly_not_latin

ENGLISH = "en"

UNDETERMINED = "und"
"""The code of a language that is not known."""

TURNS = 2000
"""Number of turns that are enough."""


def spoken_language(talks: Iterable[Conversation]) -> str:
    """Return the code of English, of an unknown language in another script than Latin, or "" where nothing shows it."""
    turns = list(islice((turn.text.lower() for talk in talks for turn in talk.turns), TURNS))
    if is_english(turns):
        return ENGLISH
    if mostly_not_latin("".join(turns)):
        return UNDETERMINED
    return ""
