"""Figures to be taken away: embedded in the page for download, and written beside it for those who typeset.

Both are in the colours of light ground: SVG, PDF and, from the page, PNG; and the data of the figure as CSV.
"""

import base64
from collections.abc import Iterable, Iterator
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.report.drawing import Drawing

TYPES = {"pdf": "application/pdf", "csv": "text/csv;charset=utf-8"}
FOLDER = "figures"


def _files(drawing: Drawing) -> Iterator[tuple[str, str, bytes]]:
    """Yield kind, name and content of each file of a drawing that has something in it."""
    for kind, data in drawing.files.items():
        if data.strip():
            yield kind, f"{drawing.name}.{kind}", data


def links(drawing: Drawing, *kinds: str) -> list[tuple[str, str, str]]:
    """Return what of a drawing can be saved from the page: what it is, the file's name, and a link that holds its
    bytes. SVG and PNG are made of the figure on the page (``figures.js``)."""
    return [
        (kind.upper(), name, f"data:{TYPES[kind]};base64,{base64.b64encode(data).decode()}")
        for kind, name, data in _files(drawing)
        if kind in kinds
    ]


def write(drawings: Iterable[Drawing], folder: Path) -> None:
    """Write each figure's files into `folder`; one that is there as it should be is left alone."""
    for drawing in drawings:
        for _, name, data in _files(drawing):
            path = folder / name
            if not path.exists() or path.read_bytes() != data:
                files.write_bytes(path, data)
