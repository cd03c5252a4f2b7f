"""Personal links of in-house annotators: one signed link each, in links.csv. A bare name opens nothing.

A link can be revoked, at once and for pages that are open too; its annotator may be given another one. What became of
whose link is in links.jsonl, which the doors of all tasks read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.crowdsourcing.platforms.tokens import in_house_link
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, csv_rows

HEADER = ("annotator", "link", "state")
MOST = 10_000
REVOKED, RENEWED = "revoked", "renewed"
"""What may become of a link, as links.jsonl says it."""


@dataclass(frozen=True)
class LinkState:
    """An annotator's link: the `number` of the one that counts (from 0), and whether it is revoked."""

    number: int = 0
    revoked: bool = False


class LinkStates:
    """States of links, from links.jsonl; read again when it has grown, as another command may write to it."""

    def __init__(self, path: Path):
        self.path = Path(path)
        self._size = -1
        self._states: dict[str, LinkState] = {}

    def of(self, annotator: str) -> LinkState:
        """Return the state of this annotator's link."""
        size = self.path.stat().st_size if self.path.exists() else 0
        if size != self._size:
            states: dict[str, LinkState] = {}
            for name, event in checksums.read_journal(self.path, _row):
                before = states.get(name, LinkState())
                if event == RENEWED:
                    states[name] = LinkState(before.number + 1)
                elif event == REVOKED:
                    states[name] = replace(before, revoked=True)
            self._states, self._size = states, size
        return self._states.get(annotator, LinkState())

    def note(self, annotator: str, event: str) -> None:
        """Write down what becomes of a link; it is so at once for every door."""
        row = {"time": datetime.now(UTC).isoformat(timespec="minutes"), "annotator": annotator, "event": event}
        checksums.verify(self.path)
        with checksums.Journal(self.path) as journal:
            journal.append(row)
        self.path.chmod(0o600)


def _row(row: dict, where: str) -> tuple[str, str]:
    name, event = (files.field(row, key, str, where) for key in ("annotator", "event"))
    return name, event


def wanted_names(annotators: str | int | None, default: int, group: str = "") -> list[str]:
    """The names that are asked for: so many numbered ones, or those of a file, one a line.

    Without being asked, `default` numbered ones. Numbered ones bear the name of their `group`, so that those of two
    groups are not one person. Raises `UserError` on what is neither a number nor a readable file.
    """
    if annotators is None:
        annotators = default
    text = str(annotators).strip()
    if text.isdecimal():
        if not 1 <= int(text) <= MOST:
            raise UserError(f"--annotators {text}: expected a number from 1 to {MOST}, or a file.", "Correct it.")
        return ["-".join(filter(None, ("annotator", group, str(number)))) for number in range(1, int(text) + 1)]
    path = Path(text)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as err:
        why = getattr(err, "strerror", None) or "not a text file in UTF-8"
        raise UserError(
            f"--annotators {text}: neither a number nor a file that can be read ({why}).",
            "Give a number, or a file with a name a line.",
        ) from None
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise UserError(f"{path}: '{name}' stands there twice.", "Each annotator needs a name of their own.")
    if not names:
        raise UserError(f"{path}: no name in it.", "Write one name a line.")
    return names


def known_names(path: Path) -> list[str]:
    """Return who has a link already, in order; [] where there is no file."""
    if not Path(path).exists():
        return []
    try:
        header, *rows = [row for _, row in csv_rows(path)] or [[]]
    except Malformed:
        header, rows = [], []
    if header[:2] != list(HEADER[:2]) or not all(row[0] for row in rows):
        raise UserError(f"{path}: not the list of links that a launch writes.", "Remove it: the links are made again.")
    return [_name(row[0]) for row in rows]


def _name(cell: str) -> str:
    """The name in a cell, without the mark that keeps spreadsheets from computing it."""
    return cell[1:] if files.cell(cell[1:]) == cell else cell


def write_links(path: Path, names: list[str], base: str, secret: bytes, states: LinkStates) -> dict[str, str]:
    """Write the links of `names`, after those that are known already, for the server at `base`.

    Returns the links that open the page.
    """
    everybody = dict.fromkeys([*known_names(path), *names])
    links, rows = {}, []
    for name in everybody:
        state = states.of(name)
        if not state.revoked:
            links[name] = in_house_link(base, secret, name, state.number)
        rows.append((name, links.get(name, ""), REVOKED if state.revoked else ""))
    files.write_text(path, files.csv_text(HEADER, rows))
    path.chmod(0o600)
    return links


def revoke(path: Path, name: str, states: LinkStates) -> None:
    """Revoke the link of `name`, which must be in links.csv at `path`; once more changes nothing."""
    _check_name(path, name)
    if not states.of(name).revoked:
        states.note(name, REVOKED)


def renew(path: Path, name: str, states: LinkStates) -> None:
    """Give `name` another link instead of the one they have, which opens nothing from now on."""
    _check_name(path, name)
    states.note(name, RENEWED)


def _check_name(path: Path, name: str) -> None:
    names = known_names(path)
    if name not in names:
        remedy = nearest(name, names) if names else "Launch first: links are made then."
        raise UserError(f"{path}: nobody called '{name[:80]}' has a link.", remedy)
