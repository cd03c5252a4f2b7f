"""Figures to be taken away: embedded in the page for download, and written beside it for those who typeset.

Both are the same bytes: SVG and PDF in the colours of light ground, and the data of the figure as CSV.
"""

import base64
from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from parlai_spotbot import files
from parlai_spotbot.report.drawing import Drawing
from parlai_spotbot.report.parts import SourcePart

TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "csv": "text/csv;charset=utf-8"}
FOLDER = "figures"


def links(drawing: Markup) -> list[tuple[str, str, str]]:
    """Return what of a drawing can be saved from the page: what it is, the file's name, and a link that holds its
    bytes."""
    exported = getattr(drawing, "files", {})
    return [
        (kind.upper(), f"{drawing.name}.{kind}", f"data:{TYPES[kind]};base64,{base64.b64encode(data).decode()}")
        for kind, data in exported.items()
        if data.strip()
    ]


def drawings(parts: Iterable[SourcePart]) -> list[Drawing]:
    """All figures of some parts, in their order."""
    return [part.figure.drawing for part in parts if part.figure]


def write(found: Iterable[Drawing], folder: Path) -> None:
    """Write each figure's files into `folder`; one that is there as it should be is left alone."""
    for drawing in found:
        for kind, data in drawing.files.items():
            path = folder / f"{drawing.name}.{kind}"
            if data.strip() and not (path.exists() and path.read_bytes() == data):
                files.write_bytes(path, data)
