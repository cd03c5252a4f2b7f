"""HTML of objects in a notebook: sentences and tables, as in the report."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from parlai_spotbot.wording import templates

Table = tuple[str, Sequence[str], Sequence[Sequence[object]]]
"""Title, column heads and rows, of which the first `MOST_ROWS` are shown."""

MOST_ROWS = 20


def shown(sentences: Iterable[str], tables: Iterable[Table], picture: str = "", note: str = "") -> str:
    """Return paragraphs, the first in bold, then an SVG `picture` (base64, "" for none), tables, and a `note`."""
    template = templates(Path(__file__).parent).get_template("in_html.html")
    return template.render(sentences=sentences, tables=tables, picture=picture, note=note, most=MOST_ROWS)
