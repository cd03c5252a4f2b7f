"""Why a judge answered as it did: ``surveys/NAME/judges/JUDGE_reasons.jsonl``, one row for each entity it judged.

A row holds the judge's probability that the entity is a person, its logit, and what the most telling features added to
it; `base`, the `reasons` and `others` together are the logit. The file is written whole, after the last answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from parlai_spotbot import files
from parlai_spotbot.judges import Judge
from parlai_spotbot.judges.calibration import DEFINITIONS, calibration
from parlai_spotbot.records import HUMAN, Conversation, Unit
from parlai_spotbot.study import Study


def reasons_path(study: Study, survey: str, judge: str) -> Path:
    return study.survey_path(survey) / "judges" / f"{judge}_reasons.jsonl"


def checksum(path: Path) -> str:
    """Of the file of reasons; empty where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def read_rows(study: Study, survey: str, judge: str) -> list[dict]:
    """The rows as they stand in the file; none where the judge left no reasons."""
    path = reasons_path(study, survey, judge)
    if not path.exists():
        return []
    return files.read_jsonl(path, _row, "file of a judge's reasons", "Run spotbot_judge again: it makes it anew.")


def _row(row: dict, where: str) -> dict:
    for name in ("annotation_id", "target"):
        files.field(row, name, str, where)
    for reason in files.field(row, "reasons", list, where):
        for name, kind in (("feature", str), ("text", str), ("contribution", (int, float))):
            files.field(reason if isinstance(reason, dict) else {}, name, kind, where)
    return row


def reasons(study: Study, survey: str, judge: str = "spotter") -> dict[tuple[str, str], list[tuple[str, str, float]]]:
    """(annotation_id, target) -> (feature, its value in words, contribution), the most telling first.

    A contribution is in logits: positive speaks for a person, negative for a bot.
    """
    return {
        (row["annotation_id"], row["target"]): [(r["feature"], r["text"], r["contribution"]) for r in row["reasons"]]
        for row in read_rows(study, survey, judge)
    }


def stand(study: Study, survey: str, judge: str) -> bool:
    """Whether the file is the one that JUDGE.json speaks of: neither missing, nor torn, nor of other answers."""
    about = files.read_json(study.survey_path(survey) / "judges" / f"{judge}.json").get("reasons") or {}
    return about.get("sha256") == checksum(reasons_path(study, survey, judge))


def keep(study: Study, survey: str, judge: Judge, units: Sequence[Unit], measured: dict[str, dict]) -> dict:
    """Write the reasons of all `units`, put their calibration into `measured`; returns what JUDGE.json says."""
    rows, path = judge.reasons(units), reasons_path(study, survey, judge.name)
    files.write_jsonl(path, rows)
    for worker, found in calibrations(rows, study.conversations()).items():
        measured.setdefault(worker, {})["calibration"] = found
    return {
        "reasons": {"file": path.name, "rows": len(rows), "sha256": checksum(path)},
        "calibration_definitions": DEFINITIONS,
    }


def calibrations(rows: Iterable[dict], conversations: Iterable[Conversation]) -> dict[str, dict]:
    """Per worker_id the calibration of its probabilities; controls and other studies' conversations are left out."""
    entities = {c.conversation_id: c.entities for c in conversations}
    by_worker: dict[str, list[dict]] = {}
    for row in rows:
        if not row["control"] and row["conversation_id"] in entities:
            by_worker.setdefault(row["worker_id"], []).append(row)
    found = {}
    for worker, own in sorted(by_worker.items()):
        who = [entities[r["conversation_id"]][int(r["target"].removeprefix("entity:"))] for r in own]
        found[worker] = calibration(
            np.array([r["probability"] for r in own]),
            np.array([name == HUMAN for name in who]),
            [r["conversation_id"] for r in own],
            np.array([r["answer"] == "unsure" for r in own]),
        )
    return found
