"""A page as readers take it in: its text in reading order, one block a line, a table row a line.

Also what the texts of charts say, and attributes that users read. What hangs on the version of the library is replaced.
"""

import re
from html.parser import HTMLParser

import yaml

import parlai_spotbot

READ = ("aria-label", "alt", "title", "placeholder", "download")
"""Attributes that users read, or hear."""
SKIPPED = ("script", "style")
CELLS = ("td", "th")
INLINE = yaml.safe_load("""
[a, b, bdi, code, em, i, s, span, strong, small, sub, sup, tspan, abbr, mark, button, time, u, var,
br, wbr, use, path, g, defs, rect, circle, line]
""")
"""All other elements begin and end a line; in a row of a table, none but the row does."""


class _Text(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.now: list[str] = []
        self.skipped = self.kept = self.rows = 0

    def flush(self) -> None:
        text = " ".join("".join(self.now).split())
        self.now = []
        text = re.sub(r"(?: \|)+$", "", text)
        if text:
            self.lines.append(text)

    def handle_starttag(self, tag, attrs):
        if tag in SKIPPED:
            self.skipped += 1
            return
        if tag == "tr":
            self.flush()
            self.rows += 1
        elif tag not in INLINE and not self.rows:
            self.flush()
        elif tag not in INLINE and tag not in CELLS:
            self.now.append(" ")
        given = dict(attrs)
        if tag in ("section", "h2", "h3") and given.get("id"):
            self.now.append(f"#{given['id']} ")
        span = [f"{name}={given[name]}" for name in ("rowspan", "colspan") if tag in CELLS and given.get(name)]
        said = [f"{name}: {given[name]}" for name in READ if given.get(name)]
        if tag in ("input", "option") and given.get("value"):
            said.append(f"value: {given['value']}")
        if tag == "input":
            said.append(f"type: {given.get('type', 'text')}")
        for part in said + span:
            self.now.append(f" [{part}] ")
        self.kept += tag == "pre"

    def handle_endtag(self, tag):
        if tag in SKIPPED:
            self.skipped -= 1
            return
        self.kept -= tag == "pre"
        if tag == "tr":
            self.flush()
            self.rows -= 1
        elif tag in CELLS:
            self.now.append(" | ")
        elif tag not in INLINE and not self.rows:
            self.flush()
        elif tag not in INLINE:
            self.now.append(" ")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag in SKIPPED:
            self.skipped -= 1
        self.kept -= tag == "pre"

    def handle_data(self, data):
        if self.skipped:
            return
        if not self.kept:
            self.now.append(data)
            return
        first, *more = data.split("\n")
        self.now.append(first)
        for line in more:
            self.flush()
            self.now.append(line)


def page_text(page: str) -> str:
    """The text of an HTML page, normalised."""
    parser = _Text()
    parser.feed(page)
    parser.close()
    parser.flush()
    return normal("\n".join(parser.lines) + "\n")


def normal(text: str) -> str:
    """Text without the version of the library."""
    return text.replace(f"parlai_spotbot {parlai_spotbot.__version__}", "parlai_spotbot VERSION")
