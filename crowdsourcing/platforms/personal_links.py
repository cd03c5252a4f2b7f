"""Personal links of in-house annotators: one signed link each, in links.csv. A bare name opens nothing."""

from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.platforms.tokens import in_house_link
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, csv_rows, whole_text

HEADER = ["annotator", "link"]
MOST = 10_000


def wanted_names(annotators: str | int | None, default: int, group: str = "") -> list[str]:
    """Return the names of the annotators: numbered ones (`annotators`, else `default`), or those of a file, one a line.

    Numbered ones bear the name of their `group`, so that those of two groups are not one person.
    """
    text = str(default if annotators is None else annotators).strip()
    if text.isdecimal() and 1 <= int(text) <= MOST:
        return ["-".join(filter(None, ("annotator", group, str(number)))) for number in range(1, int(text) + 1)]
    try:
        lines = whole_text(text).splitlines()
    except (OSError, Malformed):
        raise UserError(
            f"--annotators {text}: neither a number from 1 to {MOST} nor a text file in UTF-8.",
            "Give a number, or a file with a name a line.",
        ) from None
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not names or len(set(names)) < len(names):
        raise UserError(f"{text}: expected names, each once.", "Write one name a line.")
    return names


def known_names(path: Path) -> list[str]:
    """Return the names that have a link, in order; [] where there is no file."""
    if not path.exists():
        return []
    try:
        header, *rows = [row for _, row in csv_rows(path)] or [[]]
    except Malformed:
        header = []
        rows = []
    if header[:2] != HEADER or not all(row[0] for row in rows):
        raise UserError(f"{path}: not the list of links that a launch writes.", "Remove it: the links are made again.")
    return [_name(row[0]) for row in rows]


def _name(cell: str) -> str:
    """The name in a cell, without the mark that keeps spreadsheets from computing it."""
    return cell[1:] if files.cell(cell[1:]) == cell else cell


def write_links(path: Path, names: list[str], base: str, secret: bytes) -> dict[str, str]:
    """Write and return the links of `names`, after those that have one already, for the server at `base`."""
    links = {name: in_house_link(base, secret, name) for name in dict.fromkeys([*known_names(path), *names])}
    files.write_text(path, files.csv_text(HEADER, links.items()))
    path.chmod(0o600)
    return links


def remove_link(path: Path, name: str) -> None:
    """Take a name and its link out of the list, if it is there."""
    if name in known_names(path):
        rows = [row for _, row in csv_rows(path) if _name(row[0]) != name]
        files.write_text(path, files.csv_text(rows[0], rows[1:]))
        path.chmod(0o600)
