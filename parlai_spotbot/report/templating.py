"""The templates of the report's pages, which escape everything, and their scripts, known to the pages by a hash."""

import base64
import functools
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from parlai_spotbot.findings.sections import Name
from parlai_spotbot.report import citations, downloads
from parlai_spotbot.report.parts import said

TEMPLATES = Path(__file__).parent / "templates"

SCRIPTS = ("page.js", "tables.js", "reading.js")
"""The page's scripts, each a function of its own that runs at once; they go into one element, in this order."""


@functools.cache
def environment() -> Environment:
    """Templates that escape everything they are given, each compiled once a process."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["said"] = said
    env.filters |= {"cited": citations.short}
    env.filters["links"] = downloads.links
    env.tests["name"] = lambda value: isinstance(value, Name)
    return env


def script() -> dict[str, Any]:
    """The scripts of the page, and the hash by which its policy knows them."""
    text = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return {"script": Markup(text), "script_hash": base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}
