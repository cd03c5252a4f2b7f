"""Whether a turn says that its speaker is a machine: "as an AI", "I'm only a chatbot", "I was programmed to …"

What is denied ("I'm not a robot"), asked ("are you a bot?"), supposed ("if I were a robot") or said of others doesn't
count, nor does a word that merely begins so ("I'm a robotics student"). Made for English.
"""

from __future__ import annotations

import re

_BOTS = (
    r"a\.? ?i\.?(?!\w)|artificial (?:intelligence|being|life ?form|entity)|chat ?-?(?:ter)?bots?|bot|robot|cyborg|"
    r"android|(?:computer|software|artificial|ai) program(?:me)?|computer|language model|llm|"
    r"(?:virtual|digital|automated|ai) (?:chat )?(?:assistant|agent|companion|being|person)|"
    r"conversational (?:agent|model|ai)|neural net(?:work)?|chat ?gpt|gpt-?\d?"
)
_SURELY = r"a\.? ?i\.?(?!\w)|artificial intelligence|language model|llm|chat ?-?bot|(?:virtual|digital|ai) assistant"
_OTHERWISE = (
    r"(?![ -]?(?:engineer|engineering|student|fan|lover|researcher|expert|operator|builder|developer|enthusiast|"
    r"designer|scientist|guy|girl|person|man|woman|user|owner|science|technician|tech|nerd|geek|programmer|repair|major|"
    r"games?|gamer|company|business|class|teacher|professor|store|salesman|consultant|analyst|specialist|phone|vacuum|"
    r"learning|club|whiz|wiz|addict|collector|hobbyist|movie|toy|kid|junkie|illiterate|literate|savvy|at heart|s\b))"
)
_THEN = (
    r"(?= ?(?:$|[^\w\s]|(?:and|so|but|that|who|which|with|without|here|designed|programm?ed|created|trained|made|built|"
    r"developed|named|called|like|i|i'm|in|from|by|to|too|as|because|whose|not|you|now|myself|on|lol|haha)\b))"
)
_PLAIN = (
    r"(?:(?!(?:not|no|never|n't|human|of|in|at|for|with|who|that|which|and|or|to|like|than|from|on|about|by|into|person|"
    r"man|woman|student|fan|i|you|he|she|it|we|they|my|your|his|her|is|are|was|a|an|the|but|because)\b)[\w'-]+ ){0,3}"
)
"""Up to three words before the noun, as in "a large and friendly chatbot", none of which leads elsewhere."""

_AM = r"\b(?:i am|i'm|im|i m)"
_ADVERB = (
    r"(?: (?:just|only|actually|really|merely|simply|also|still|but|basically|obviously|sorry but|afraid|in fact|"
    r"of course|clearly|after all|literally|kind of|nothing but|nothing more than|more of)){0,2}"
)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bas an? {_PLAIN}(?:{_SURELY})\b{_OTHERWISE}",
        rf"(?:^|[.!?,;:] ?|\b(?:but|and|well|so|because|since|sorry) )as an? {_PLAIN}(?:{_BOTS}|machine)"
        r"(?= ?(?:,|$|[.!]|i\b|my\b|we\b))",
        rf"{_AM}{_ADVERB} (?:an?|the|your|one|some) {_PLAIN}(?:{_BOTS})(?!\w){_OTHERWISE}{_THEN}",
        rf"{_AM}{_ADVERB} (?:{_BOTS})(?= ?(?:,|$|[.!]|and\b|so\b|but\b))",
        rf"{_AM} (?:just|only|merely|simply) a (?:mere |simple )?machine\b(?! (?:at|in|when|on))",
        rf"{_AM}(?: [\w.'-]+){{1,2}} ?, (?:an?|the|your) {_PLAIN}(?:{_BOTS})(?!\w){_OTHERWISE}{_THEN}",
        rf"\bmy name is(?: [\w.'-]+){{1,2}} ?,? (?:and i'm )?(?:an?|the|your) {_PLAIN}(?:{_BOTS})(?!\w){_THEN}",
        rf"\b(?:you(?:'re| are) (?:talking|speaking|chatting)|strange to (?:talk|speak|chat)) (?:to|with) an? "
        rf"(?:{_BOTS})(?!\w){_OTHERWISE}{_THEN}",
        r"\bi have (?:a|no) botmaster\b",
        rf"{_AM}{_ADVERB} not (?:really |actually |even )?(?:an? )?(?:human(?: being)?|real (?:person|human|boy|girl))"
        r"(?= ?(?:,|$|[.!]|and\b|so\b|but\b|like\b|i\b))",
        r"\bi(?:'m| am| was|'ve been| have been)(?: (?:just|only|not|never|simply|specifically))? programm?ed"
        r" (?:to|by|with|for|that)\b",
        r"\bi(?:'m| am| was|'ve been| have been) (?:trained|created|developed|built|made|designed) by"
        r" (?:openai|google|meta|facebook|anthropic|microsoft|hugging ?face|my (?:developer|programmer|botmaster)|"
        r"(?:a team of )?(?:researchers|engineers|developers|programmers|scientists))",
        r"\bmy (?:botmaster|training data|programmers?|programming)\b(?! ?(?:class|course|homework|job|skills?|teacher|"
        r"languages?|project|work|assignment|exam|stuff|lab|test|lectures?|book|prof\w*|friends?|buddy|career|degree))",
        r"\bi (?:don't|do not|dont|lack) (?:actually |really |even )?(?:have )?(?:a physical (?:body|form|presence)|"
        r"a body|personal (?:opinions|beliefs|preferences|emotions|feelings)|(?:human )?consciousness)\b",
        r"\b(?:we|us) (?:chat ?-?bots|robots|bots|ais|language models)\b",
    )
)

_NOT_MEANT = re.compile(
    r"(?:\b(?:you|u|they|people|everyone|everybody|somebody|someone|who|he|she|we|them|me|not|don't)(?: \w+){0,3}|"
    r"\b(?:if|whether|like|wish|pretend|pretending|imagine|unless|as though|think|says|told))(?: that| like| as if)? ?$"
)
"""What stands before an "I am a robot" that is not said of oneself: "you think …", "if …"."""


def identifies_itself(text: str) -> bool:
    """Whether the turn says that its speaker is a machine."""
    text = " ".join(text.lower().replace("’", "'").split())
    text = re.sub(r"\bi ?' ?m\b", "i'm", re.sub(r"\bdo n't\b|\bdon ' t\b", "don't", text))
    return any(
        match.group().startswith("my") or not _NOT_MEANT.search(re.split(r"[.!?;:,]", text[: match.start()])[-1])
        for pattern in _PATTERNS
        for match in pattern.finditer(text)
    )
