"""The papers' tables stay what they are: checksums of all CSV files that the commands make of the released data.

`python -m tests.projects.test_tables_stay` writes them anew, for a change that CHANGELOG.md announces.
"""

import hashlib
import importlib
import json
import re
import tempfile
from pathlib import Path

import pytest

from tests.outside_data import ABC_EVAL, SPOT_THE_BOT, released_data

TABLES = Path(__file__).with_name("tables.json")
PROJECTS = {"spot_the_bot_2020": (SPOT_THE_BOT, "--domain", "all"), "abc_eval": (ABC_EVAL,)}
LONG = re.compile(r"-?\d+\.\d{9,}(e-?\d+)?")
"""Digits that depend on the processor."""


def checksums(project: str, out: Path) -> dict[str, str]:
    data, *more = PROJECTS[project]
    main = importlib.import_module(f"parlai_spotbot.projects.{project}.__main__").main
    main(["--data", str(released_data(data)), *more, "--out", str(out)])
    texts = {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in out.rglob("*.csv")}
    rounded = {name: LONG.sub(lambda number: f"{float(number[0]):.7g}", text) for name, text in texts.items()}
    return {name: hashlib.sha256(rounded[name].encode()).hexdigest()[:16] for name in sorted(rounded)}


@pytest.mark.parametrize("project", PROJECTS)
def test_every_table_is_the_same(project, tmp_path):
    assert checksums(project, tmp_path) == json.loads(TABLES.read_text())[project]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        found = {project: checksums(project, Path(folder, project)) for project in PROJECTS}
    TABLES.write_text(json.dumps(found, indent=1) + "\n")
