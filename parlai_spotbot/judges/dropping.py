"""Takes a judge's answers out of a study; they are kept beside it, in ``surveys/NAME/dropped/JUDGE-N/``."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.judges.run import summary_path
from parlai_spotbot.reading import parse_json
from parlai_spotbot.study import Study

ANSWERS = "judgements.jsonl"


@dataclass(frozen=True)
class Dropped:
    """What was taken out: so many `answers` of a judge, which now lie in `folder`, and how many others `stay`."""

    judge: str
    answers: int
    stay: int
    folder: Path

    def said(self) -> str:
        return (
            f"judge {self.judge}: {self.answers:,} answers are dropped, {self.stay:,} of others stay\n"
            f"what was dropped: {self.folder}"
        )


def drop_judge(study: Study, survey: str, judge: str) -> Dropped:
    """Take all answers of `judge` to the survey out, and what it wrote of itself; the caller holds the study's lock.

    Where no answer stays, the analysis goes too, as there is nothing left that it is of. Interrupted at any point, the
    same call ends what was begun.

    Raises
    ------
    UserError
        Where the survey has nothing of such a judge.
    """
    about, path = summary_path(study, survey, judge), study.judgements_path(survey)
    lines = _lines(path)
    own = [line for line, source in lines if source == f"judge:{judge}"]
    others = [line for line, source in lines if source != f"judge:{judge}"]
    known = {source.removeprefix("judge:") for _, source in lines if source.startswith("judge:")}
    known |= {path.stem for path in about.parent.glob("*.json")}
    if judge not in known:
        raise UserError(
            f"--drop {judge}: survey {survey} of {study.path} has no such judge.",
            nearest(judge, known) or "It has none.",
        )
    folder = _free(study.survey_path(survey) / "dropped", judge)
    if own:
        files.write_text(folder / ANSWERS, "".join(own))
        if others:
            checksums.write_text(path, "".join(others))
        else:
            checksums.remove(path)
    folder.mkdir(parents=True, exist_ok=True)
    gone = [about, about.parent / f"{judge}_reasons.jsonl", about.parent / judge]
    for thing in [*gone, *([] if others else [study.analysis_path(survey)])]:
        if thing.exists():
            checksums.forget(thing)
            thing.rename(folder / thing.name)
    known_options = study.provenance().get("judge", {})
    if judge in known_options.get(survey, {}):
        left = {name: options for name, options in known_options[survey].items() if name != judge}
        study.record("judge", {**known_options, survey: left})
    return Dropped(judge, len(own), len(others), folder)


def _lines(path: Path) -> list[tuple[str, str]]:
    """The lines of the judgements file as they stand, each with its source; one torn by a crash is left out."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="\n") as file:
        whole = [line for line in file if line.endswith("\n")]
    return [(line, _source(line, f"{path}, line {n}")) for n, line in enumerate(whole, start=1)]


def _source(line: str, where: str) -> str:
    try:
        return files.field(parse_json(line), "source", str, where)
    except ValueError:
        raise UserError(f"{where}: not valid JSON.", "Mend that line.") from None


def _free(folder: Path, judge: str) -> Path:
    """The first folder of that judge that isn't there yet."""
    return next(path for n in itertools.count(1) if not (path := folder / f"{judge}-{n}").exists())
