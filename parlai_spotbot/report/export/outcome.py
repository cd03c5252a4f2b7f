"""What came of an export: where it is, what was taken out, what is to be looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot.report.export.rows import ExportCounts


@dataclass
class Export:
    """What was written: `path`, what was taken out, and where something looks personal."""

    path: Path
    counts: ExportCounts
    annotators: int = 0
    personal: list[str] = field(default_factory=list)
    texts: bool = False

    def said(self) -> str:
        """What the command prints."""
        took = self.counts
        lines = [
            f"copy for publication: {self.path}",
            f"annotators under new names: {self.annotators}",
            f"left out: {took.free_texts + took.extra} free-text answers, {took.comments} comments, "
            f"{took.human_turns} turns of people",
        ]
        if self.texts:
            lines.append(
                "warning: it holds comments and free-text answers as they were written. People name themselves and "
                "others in such texts: read every one before publishing."
            )
        if self.personal:
            some = ", ".join(self.personal[:5])
            more = f" and {len(self.personal) - 5} more" if len(self.personal) > 5 else ""
            lines.append(f"warning: something looks like an e-mail address or a telephone number in {some}{more}")
        lines.append(f"before publishing: {self.path / 'README.md'} says what is left to do, the licence among it")
        return "\n".join(lines)
