"""Takes out of settings and provenance what leads to machines, accounts or people: paths, addresses, hosts, keys.

It is for what programs wrote (options, versions, accounts of judges), never for what people or bots said.
"""

import contextlib
import getpass
import re
import socket
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from parlai_spotbot.secrecy import masked

REMOVED = "(removed)"

PRIVATE_KEY = re.compile(
    r"(?i)(^|[_\-. ])(api|keys?|apikey|token|secret|passwd|passw(or)?d|credentials?|auth(orization)?|cookie|server|"
    r"urls?|uri|base|host(name)?|address|proxy|headers?|endpoint|contact|e?mail|paths?|dir|directory|folder|home|cwd|user(name)?|"
    r"env|environ(ment)?|variable|machine|platform|argv|command|pid|place|log|extra|cache|account|organi[sz]ation|"
    r"project|started|ended|created|finished|date|time|at|when|timestamp)([_\-. ]|$)"
)
"""Names of options and fields that are left out whole, whatever they hold."""

KEPT = frozenset({"turn_timeout", "load_timeout", "base_model", "at_most", "seconds_per_annotation", "per_annotator"})

ADDRESS = re.compile(r"(?i)[a-z0-9+.-]{0,30}://[^\s\"'<>]+")
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
PATH = re.compile(
    r"(?<![\w/.:~])(?:~[\w-]*|\.{1,2})?/(?:[\w.+@=-]+/)*([\w.+@=-]*)|\b[A-Za-z]:\\(?:[^\\\s]+\\)*([^\\\s]*)"
)
MACHINE = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?![\w.])|(?i:\blocalhost(?::\d+)?\b)")
HOST = re.compile(
    r"(?i)(?<![\w.-])[\w.-]*[\w-]\."
    r"(?:internal|local|lan|intra|corp|com|org|net|edu|cloud|gov|io|ai|dev|ch|de|at|eu|uk|fr|es)(?::\d+)?(?![\w.-])"
)


@cache
def own_names() -> tuple[str, ...]:
    """Return what this machine and its user are called, where that is telling."""
    names = {socket.gethostname(), socket.gethostname().split(".")[0]}
    with contextlib.suppress(OSError, KeyError):
        names.add(getpass.getuser())
    return tuple(sorted((name for name in names if len(name) > 3 and name not in ("root", "user")), key=len)[::-1])


@lru_cache(maxsize=1 << 16)
def text(value: str) -> str:
    """A text without addresses, hosts and secrets; of a path only the last part stays."""
    value = masked(value)
    for pattern in (ADDRESS, EMAIL, MACHINE, HOST):
        value = pattern.sub(REMOVED, value)
    value = PATH.sub(lambda match: match[1] or match[2] or REMOVED, value)
    for name in own_names():
        value = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", REMOVED, value)
    return value


@lru_cache(maxsize=1 << 12)
def private(key: str) -> bool:
    """Return whether a field of this name is left out whole."""
    return key not in KEPT and PRIVATE_KEY.search(key) is not None


def scrub(value: Any) -> Any:
    """The value, JSON, without private fields and with its texts cleaned, keys too."""
    if isinstance(value, Mapping):
        return {text(str(key)): scrub(inner) for key, inner in value.items() if not private(str(key))}
    if isinstance(value, (list, tuple)):
        return list(map(scrub, value))
    if isinstance(value, str):
        return text(value)
    return value
