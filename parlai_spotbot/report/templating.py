"""The templates of the report's pages, which escape everything, and their scripts, known to the pages by a hash."""

import base64
import functools
import hashlib
import re
from pathlib import Path
from types import MappingProxyType

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from parlai_spotbot import files
from parlai_spotbot.findings.audit import SIGNS
from parlai_spotbot.findings.sections import Name
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import citations, downloads
from parlai_spotbot.report.charts.axes import Looks, label_text
from parlai_spotbot.report.drawing import PALETTE, SETTINGS, VARIABLES
from parlai_spotbot.report.parts import caution_of, source_title
from parlai_spotbot.wording import counted

TEMPLATES = Path(__file__).parent / "templates"

SCRIPTS = ("page.js", "tables.js", "figures.js", "reading.js")
"""The page's scripts, each a function of its own that runs at once; they go into one element, in this order."""


LONG = 32
TOGETHER = 60
"""More letters of a name, and of the long names in it, make a sentence hard to read."""

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?: [\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*")


@functools.cache
def environment() -> Environment:
    """Templates that escape everything they are given, each compiled once a process; the scripts, and the hash by
    which their policy knows them."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "said": source_title,
        "caution": caution_of,
        "cited": citations.short,
        "links": downloads.links,
        "sentence": sentence,
        "short": lambda name, looks: label_text(Name(name), looks),
    }
    env.tests["name"] = lambda value: isinstance(value, Name)
    script = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS)
    script = re.sub(r"^ +(//.*\n)?|^//.*\n", "", script, flags=re.MULTILINE)  # without indents and comments
    env.globals |= {
        "script": Markup(script),
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "palette": list(enumerate(PALETTE)),
        "shapes": SETTINGS["markers"].values(),
        "light": files.dumps({css.removeprefix("var(--")[:-1]: colour for colour, css in VARIABLES.items()}),
        "human": HUMAN,
        "counted": counted,
        "signs": SIGNS,
    }
    return env


def sentence(text: str, looks: Looks = MappingProxyType({})) -> Markup:
    """Return a sentence in which no line ends within a command's option, or between a number and its per cent sign, and
    what is written from right to left (Hebrew, Arabic, …) leaves numbers and signs beside it in their places; long
    names of contestants that have `looks` are short, and whole to whoever points at them."""
    whole = re.sub(r"(\d) %", "\\1\N{NO-BREAK SPACE}%", escape(text))
    whole = RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", whole)
    whole = re.sub(r"(?<!\S)\(?--[a-z-]+", r"<span class=option>\g<0></span>", whole)
    long = sorted((name for name in looks if len(name) > LONG), key=len, reverse=True)
    if sum(len(name) * whole.count(name) for name in long) > TOGETHER:
        span = '<span title="{0}">{1}</span>'  # names need no escapes
        names = "|".join(map(re.escape, long))
        whole = re.sub(names, lambda name: span.format(name[0], label_text(Name(name[0]), looks)), whole)
    return Markup(whole)


def write_text(path: Path, text: str) -> None:
    """Write a file; a lone surrogate in a conversation is no text that it can hold."""
    files.write_text(path, text.encode("utf-8", "replace").decode("utf-8"))
