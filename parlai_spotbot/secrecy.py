"""Secrets (keys, passwords, tokens): told by their names and their forms, at any depth and in texts, and never shown.

A value that must reach a contestant or a server does so from the pool or the environment; whatever is printed or
written passes `shown` (options and accounts, as JSON) or `masked` (texts, errors) before.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

MARK = "[key]"
NOT_SHOWN = "(not shown)"

FORM = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk-|[sr]k_|gsk_|csk-|xai-|pplx-|nvapi-|r8_|tgp_|tvly-|lsv2_|sess-|whsec_|wandb_v1_|gh[pousr]_|github_pat_|glpat-|"
    r"xox[abeoprs]-|npm_|pypi-|dop_v1_)"
    r"(?=[A-Za-z0-9_-]{0,80}\d)[A-Za-z0-9_-]{16,}"
    r"|hf_[A-Za-z0-9]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|ya29\.[\w-]{20,}|AIza[\w-]{30,}|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])"
    r"|\d{8,10}:AA[\w-]{30,36}|(?<![\w-])eyJ[\w-]{8,999}\.eyJ[\w-]{4,}(?:\.[\w-]*)?)"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]+-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
    r"|\b[Bb]earer\s+(?!authori|authent)[^\s<$]{8,}"
    r"|(?<!uthorization:\s)(?:(?<=:\s)|(?<=[:\"']))(?:[Tt]oken|[Bb]asic|[Aa][Pp][Ii]-?[Kk]ey|[Kk]ey)\s+"
    r"(?=[^\s\"']{0,999}(?:\d|[a-z][A-Z]))(?=[^\s\"']{0,999}[A-Za-z])[^\s<$\"',;]{8,}"
    r"|(?<=://)[^\s/@:\"']*:[^\s/@\"']+(?=@)"
    r"|(?<=hooks\.slack\.com/services/)[\w/]+"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z0-9]{20,500}(?![A-Za-z0-9]))(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=(?:[A-Za-z]*\d+){3})"
    r"[A-Za-z0-9]*?(?:(?<![a-z])[a-z]{1,4}(?![a-z])|(?<![A-Z])[A-Z]{1,4}(?![A-Z])|(?<!\d)\d{1,4}(?!\d)){9,}[A-Za-z0-9]*"
)
"""How keys of the known services look, what an Authorization header says, user:password in an address, and words of 20
letters and digits or more whose small letters, capitals and digits alternate as at random. Of random words of 24, 32
and 40 that finds 69, 88 and 95 %, of 2,769 names in the code of torch and transformers 1 %."""

WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

SURE = re.compile(
    r"(?:^|_)(?:secrets?|pass_?(?:words?|wd|phrase|code)|passwort|pw|pwd|credentials?|bearer|cookies?|authorization|"
    r"(?:api|openai|anthropic|azure|access|private|subscription|service|auth|client|hub|hf|bearer|refresh|github|user)"
    r"_?(?:keys?|token))(?:_|$)(?!(?:\w{1,40}_)?(?:variable|env|name|header|file|path|length|count|size|policy|format)$)"
)
"""Names of secrets, in lower case with "_" between words: of whatever they hold."""

LIKELY = re.compile(
    r"^(?!(?:.*_)?(?:pad|eos|bos|end|start|stop|unk|unknown|null|sep|mask|cls|special|begin|turn|person|speaker|think|image|"
    r"cache|sort|primary|foreign|label|text|context|group|join|dict|index)_(?:key|token)$)"
    r"(?:.*_)?(?:keys?|token|auth|session|sig|signature|pass)$"
)
"""Names that may be those of secrets: of texts without blanks."""

IN_TEXT = re.compile(
    r"(?P<option>(?<![\w.-])--?[\w.-]{0,30}?)?"
    r"(?P<name>(?:key|token|secret|pass|pw|auth|bearer|cookie|session|sig|credential)[\w.-]{0,20})"
    r"(?P<is>\\*[\"']?\s{0,9}[=:]\s{0,9}|(?(option)(?:\s{1,9}|\\*[\"'],\s{0,9}(?=\\*[\"']))|(?!)))"
    r"(?:(?P<quote>\\*[\"'])(?P<quoted>[^\"'\\]*)(?P=quote)"
    r"|(?P<bare>(?:(?:Bearer|Basic|Token|Api-?Key|Key)\s+)?[^\s,;&\"'{}()\[\]\\]+(?:(?<==)\"[^\"]*\")?))",
    re.IGNORECASE,
)
"""The end of a name and its value in a text: JSON, an address, a header, an error, an option of a command."""

PROSE = re.compile(
    r"[-$<]|[A-Z]{1,40}(?:_[A-Z\d]{1,40}){0,9}(?![\w-])"
    r"|[a-z]{1,40}(?:[.!?:]|\s{1,9}(?:[a-z']{1,40}|[A-Z]{1,40})(?![^\s.,;!?)]))"
    r"|(?:an?|and|are|by|for|from|gives|has|in|is|may|means|must|names?|needs|not|of|or|the|to|was|with)\b"
)
"""What follows an option's name and is no value of it: a sentence, another option, the name of a variable."""

DEEPEST = 30


def is_mixed(word: str) -> bool:
    """Return True if a word has the small and capital letters, digits and length of a key, as hardly a name has."""
    return len(word) >= 20 and all(any(map(kind, word)) for kind in (str.islower, str.isupper, str.isdigit))


def is_named_secret(path: str, value: Any, sure: bool = False) -> bool:
    """Return True if what the names that lead to a value (``extra.headers.Authorization``) say is secret."""
    name = "_".join(WORDS.findall(path)).lower()
    if not value or isinstance(value, bool) or value in (MARK, NOT_SHOWN):
        return False
    if SURE.search(name) or (name.endswith("_variable") and is_mixed(str(value))):
        return True
    return not sure and isinstance(value, str) and bool(LIKELY.match(name)) and not re.search(r"\s|^\W|^__", value)


def named_values(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each single value of options, also of JSON in a text, with the names that lead to it."""
    data = _as_json(data)
    if isinstance(data, Mapping):
        for name, value in data.items():
            yield from named_values(value, f"{path}.{name}" if path else str(name))
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from named_values(value, path)
    else:
        yield path, data


def _as_json(value: Any) -> Any:
    """Return what a text that is a JSON object or list says; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            pass
    return value


def shown(value: Any, path: str = "", single: Callable[[Any], Any] = lambda value: value, depth: int = 0) -> Any:
    """Return options or an account as they may be shown and written, with marks in place of secrets.

    ``single(value)`` is then done to each single value and name.
    """
    data = _as_json(value)
    if depth > DEEPEST or (is_named_secret(path, value) and not isinstance(data, (Mapping, list, tuple))):
        return NOT_SHOWN
    if isinstance(value, Mapping):
        items = value.items()
        return {
            single(masked(name) if isinstance(name, str) else name): shown(one, f"{path}.{name}", single, depth + 1)
            for name, one in items
        }
    if isinstance(value, (list, tuple)):
        return [shown(one, path, single, depth + 1) for one in value]
    if data is not value:
        kept = shown(data, path, depth=depth + 1)
        value = value if kept == data else json.dumps(kept, ensure_ascii=False)
    return single(masked(value) if isinstance(value, str) else value)


def environment_secrets() -> dict[str, str]:
    """Return the secrets among the variables of the environment, by value, with their names.

    A value of letters alone is one only where the name is surely that of a secret.
    """
    return {
        value: name
        for name, value in os.environ.items()
        if len(value) >= 8 and (is_named_secret(name, value, sure=value.isalpha()) or FORM.fullmatch(value))
    }


def masked(text: str) -> str:
    """Return a text with marks in place of the secrets in it."""
    return IN_TEXT.sub(_without_value, FORM.sub(MARK, text))


def _without_value(match: re.Match) -> str:
    kind = "quoted" if match["bare"] is None else "bare"
    text = match.string
    begin = match.start("name")
    value = match[kind]
    blank = not re.search("[=:]", match["is"])
    # Ordinary words are only taken for secrets where the name is sure and no sentence goes on.
    is_word = kind == "bare" and not re.search(r"[\d\s=+/]", value)
    name = re.split(r"[^\w.-]", text[max(0, begin - 60) : begin])[-1] + match["name"]
    goes_on = PROSE.match(text, match.start("bare")) if blank and kind == "bare" else is_word and ":" in match["is"]
    if goes_on or not is_named_secret(name, value, sure=is_word and not blank):
        return match[0]
    return text[match.start() : match.start(kind)] + NOT_SHOWN + text[match.end(kind) : match.end()]
