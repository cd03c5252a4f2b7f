"""Building the task: the page comes with the package, so what is left is to see that it is there, and which it is."""

from __future__ import annotations

import hashlib
from pathlib import Path

from mephisto.abstractions.blueprint import TaskBuilder

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.mephisto_task import setup
from parlai_spotbot.errors import UserError

RECORD = "page.json"


def fingerprint(page: Path) -> dict[str, str]:
    """{file: SHA-256} of a built page; `UserError` where it isn't built."""
    if not (page / "index.html").is_file():
        raise UserError(f"{page}: the page is not built.", "Run: spotbot setup (it needs npm); or install the wheel.")
    parts = sorted(path for path in page.rglob("*") if path.is_file())
    return {str(path.relative_to(page)): hashlib.sha256(path.read_bytes()).hexdigest() for path in parts}


class SpotbotTaskBuilder(TaskBuilder):
    """Writes down which page a run shows; the server reads it from the package."""

    def build_in_dir(self, build_dir: str) -> None:
        page = Path(self.args.blueprint.get("page") or setup.PAGE)
        files.write_json(Path(build_dir) / RECORD, fingerprint(page))
