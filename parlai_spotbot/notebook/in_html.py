"""What a notebook shows of an object: sentences and tables, as the report has them."""

import html
from collections.abc import Iterable, Sequence

MOST_ROWS = 20


def sentences(lines: Iterable[str]) -> str:
    """Return paragraphs."""
    return "\n".join(f"<p>{html.escape(line)}</p>" for line in lines)


def table(head: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> str:
    """Return a table of at most `MOST_ROWS` rows."""
    cells = ["".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) for row in rows[:MOST_ROWS]]
    body = "\n".join(f"<tr>{row}</tr>" for row in cells)
    if len(rows) > MOST_ROWS:
        body += f'\n<tr><td colspan="{len(head)}">… {len(rows) - MOST_ROWS:,} more</td></tr>'
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    shown = f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table>"
    if title:
        return f"{sentences([title])}\n{shown}"
    return shown
