"""The pages that people read, and the blocks of code on them: what each is, so that none is overlooked."""

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import yaml

ROOT = Path(__file__).parent.parent.parent
FENCE = re.compile(r"\s*```(\S*)")
COMMAND = re.compile(r"(\.venv/bin/)?(parlai|spotbot|python3?|make|npm|cd|Rscript|transformers) |\.ci/\w+ |printf ")
FILE = re.compile(r"# (\w+\.(yaml|py))\b")
ROOMS = ("agents", "crowdsourcing", "docs", "parlai_spotbot", "projects", "tasks", "tests/reference")
"""Where pages stand, beside the front ones; those of tests/goldens are written by our own commands."""
NO_PAGES = {"node_modules", "made", "_build"}


@dataclass(frozen=True)
class Block:
    """Code on a page, from `line` on. `kind`: commands, python, yaml, contents (of Sphinx), or "" for what is neither:
    a drawing, a program's answer."""

    kind: str
    text: str
    line: int

    @property
    def file(self) -> str:
        """The name of the file that it is said to be, if any."""
        found = FILE.match(self.text) if self.kind in ("yaml", "python") else None
        return found[1] if found else ""


def pages() -> list[str]:
    """All pages of the repository, as their places in it."""
    found = [*ROOT.glob("*.md"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.md"))]
    return sorted(path.relative_to(ROOT).as_posix() for path in found if not NO_PAGES & set(path.parts))


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(text: str) -> list[Block]:
    """The blocks of a page in order: between fences, or indented by four blanks after an empty line; the parts of one
    that is indented are blocks of their own."""
    found, language, own, before = [], None, [], ""
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if fence := FENCE.match(line):
            if language is not None:
                found.append(_block(language, own, number))
            language, own = (fence[1], []) if language is None else (None, [])
        elif language is not None:
            own.append(line)
        elif line.startswith("    ") and (own or not before.strip()):
            own.append(line[4:])
        elif own:
            found.append(_block("", own, number))
            own = []
        before = line
    return found


LANGUAGES = {"python": "python", "sh": "commands", "yaml": "yaml", "{toctree}": "contents"}


def _block(language: str, lines: list[str], end: int) -> Block:
    text = dedent("\n".join(lines) + "\n")
    return Block(LANGUAGES.get(language, "") if language else _kind(text), text, end - len(lines))


def _kind(text: str) -> str:
    if COMMAND.match(text):
        return "commands"
    try:
        return "yaml" if isinstance(yaml.safe_load(text), dict) else ""
    except yaml.YAMLError:
        return ""


def commands(text: str) -> list[str]:
    """The commands of a page in order."""
    return [command for block in blocks(text) if block.kind == "commands" for command in commands_of(block)]


def commands_of(block: Block) -> list[str]:
    """Its commands: lines that end in a backslash are one with the next, a remark after two blanks and # is none of it,
    nor is one alone on its line."""
    found, before = [], ""
    for line in block.text.splitlines():
        whole = before + re.sub(r"(^|\s{2,})#.*", "", line.strip()).removeprefix("$ ")
        before = whole.removesuffix("\\") if whole.endswith("\\") else ""
        if whole and not before:
            found += [part.strip() for part in whole.split("&&")]
    return found
