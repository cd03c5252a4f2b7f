"""The version of analyses, and what earlier ones have written."""

from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, hints
from parlai_spotbot.findings.frames import Frames, by_source
from parlai_spotbot.study import Study

VERSION = 8
"""It grows where the same judgements give other figures than before, and a report of an older analysis says so."""


def stored(path: Path, study: Study, survey: str, **options: Any) -> dict:
    """Return what a file of an analysis, made with such options, holds; {} where there is none."""
    if not path.exists():
        return {}
    remedy = hints.run("analyze", study.path, survey, **options)
    return study.once(path, lambda: checksums.read_json(path, "analysis file", remedy))


def stored_frames(path: Path, study: Study, survey: str) -> dict[str, Frames]:
    """Return by source what a file of an analysis by this version holds; {} where there is none."""
    value = stored(path, study, survey)
    if not value or value["made_by"].get("version") != VERSION:
        return {}
    return by_source(value["tables"])
