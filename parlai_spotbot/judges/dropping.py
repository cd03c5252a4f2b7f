"""Takes a judge's answers out of a study; they are kept beside it, in ``surveys/NAME/dropped/JUDGE-N/``."""

from __future__ import annotations

import itertools

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.judges.run import summary_path
from parlai_spotbot.reading import parse_json
from parlai_spotbot.study import Study


def drop_judge(study: Study, survey: str, judge: str) -> str:
    """Take all answers of `judge` and its files out; return a sentence on it. The caller holds the study's lock.

    If no answer stays, the analysis goes too. Interrupted at any point, the same call ends what was begun.

    Raises
    ------
    UserError
        If the survey has nothing of such a judge.
    """
    about, path = summary_path(study, survey, judge), study.judgements_path(survey)
    lines: list[tuple[str, str]] = []
    if path.exists():
        whole = path.read_bytes().decode().split("\n")[:-1]  # a line torn by a crash is left out
        lines = [(f"{line}\n", _source(line, f"{path}, line {n}")) for n, line in enumerate(whole, start=1)]
    judge_lines = [line for line, source in lines if source == f"judge:{judge}"]
    others = [line for line, source in lines if source != f"judge:{judge}"]
    judge_names = {source.removeprefix("judge:") for _, source in lines if source.startswith("judge:")}
    judge_names |= {path.stem for path in about.parent.glob("*.json")}
    if judge not in judge_names:
        raise UserError(
            f"--drop {judge}: survey {survey} of {study.path} has no such judge.",
            nearest(judge, judge_names) or "It has none.",
        )
    dropped = study.survey_path(survey) / "dropped"
    folder = next(place for n in itertools.count(1) if not (place := dropped / f"{judge}-{n}").exists())
    if judge_lines:
        files.write_text(folder / path.name, "".join(judge_lines))
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
    options = study.provenance().get("judge", {})
    if options.get(survey, {}).pop(judge, None) is not None:
        study.record("judge", options)
    kept = f"{len(others):,} of others stay"
    return f"judge {judge}: {len(judge_lines):,} answers are dropped, {kept}\nwhat was dropped: {folder}"


def _source(line: str, where: str) -> str:
    try:
        return files.field(parse_json(line), "source", str, where)
    except ValueError:
        raise UserError(f"{where}: not valid JSON.", "Correct that line.") from None
