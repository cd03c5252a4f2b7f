"""Personal links of in-house annotators: one signed link each, in links.csv. A bare name opens nothing."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.tokens import in_house_link
from parlai_spotbot.errors import UserError

HEADER = ("annotator", "link")
MOST = 10_000


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
    """Who has a link already, in order; [] where there is no file."""
    if not Path(path).exists():
        return []
    with open(path, encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    if any(not row.get("annotator") for row in rows):
        raise UserError(f"{path}: not the list of links that a launch writes.", "Remove it: the links are made again.")
    return [row["annotator"] for row in rows]


def write_links(path: Path, names: list[str], base: str, secret: bytes) -> dict[str, str]:
    """Write the links of `names`, after those that are known already, for the server at `base`; returns all of them."""
    everybody = dict.fromkeys([*known_names(path), *names])
    links = {name: in_house_link(base, secret, name) for name in everybody}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(links.items())
    files.write_text(path, out.getvalue())
    path.chmod(0o600)
    return links
