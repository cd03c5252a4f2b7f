"""Names of contestants: letters of any script, digits, spaces and a few signs; and what files call them."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

STEM = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")
"""What may be part of a file's name anywhere; judges and conversations have no other names."""

SIGNS = frozenset(" /.:-_+()@")
JOINERS = frozenset("\u200c\u200d")
"""Without width; some scripts write words with them."""

LONGEST = 100
CONFUSABLE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԚԜаеѕіјһкорсухԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυ", "ABESIJKMHOPCTYXQWaesijhkopcyxdqwABEZHIKMNOPTYXaikvopu"
)
"""Cyrillic and Greek letters, and the Latin ones that look like them."""

RULE = f"Use letters of any script, digits, spaces and / . : - _ + ( ) @, {LONGEST} at most, a letter or digit first."


def _allowed(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LMN" or sign in SIGNS or sign in JOINERS


def is_name(text: str) -> bool:
    """Return whether a contestant can have this name."""
    return 0 < len(text) <= LONGEST and (bool(STEM.match(text)) or text == clean_name(text))


def clean_name(text: str) -> str:
    """Return the name that is nearest to a text: in NFC, "-" for what names can't have; "" if none is."""
    composed = unicodedata.normalize("NFC", text)
    signs = "".join(sign if _allowed(sign) else " " if sign.isspace() else "\0" for sign in composed)
    text = re.sub(" +", " ", re.sub(" *\0[\0 ]*", "-", signs))
    first = next((place for place, sign in enumerate(text) if unicodedata.category(sign)[0] in "LN"), len(text))
    return text[first:].rstrip(" -:/")


def plain(text: str) -> str:
    """Return a text with "-" for what a file's name can't have anywhere."""
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", text)


def alike(name: str) -> str:
    """Return what names have in common that a reader may take for one: compatible or like letters, of either case."""
    return " ".join(_folded(name).split())


def _folded(text: str) -> str:
    """Return a text in which compatible and like letters, of either case, are one."""
    plain = unicodedata.normalize("NFKC", text).replace('"', "").replace("\\", "")  # of a quote that isn't closed
    return plain.translate(CONFUSABLE).casefold()


def those_alike(names: Sequence[str]) -> list[str]:
    """Return the names of which another one is `alike`; of hundreds of thousands at once."""
    lines = _folded("\n".join(names)).split("\n")
    each = [" ".join(line.split()) for line in lines]
    if len(each) != len(names):  # one has a line break
        each = [*map(alike, names)]
    counts = Counter(each)
    return [name for name, common in zip(names, each, strict=True) if counts[common] > 1]


def stem_of(name: str) -> str:
    """Return what files call a contestant: its name where any system takes that, else what is left and a checksum."""
    if STEM.match(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8")).hexdigest()[:12]
    letters = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:40]
    return f"{letters or 'bot'}+{digest}"
