"""Interface of an import format: other people's data of one kind become a study. Each is found by its module's name."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import joined_columns
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy, write_study
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import counted, filled

Format = Callable[[ImportRequest], str]
"""It puts the requested data into their study and returns the text for the terminal."""


def summary(imported: ImportedStudy) -> str:
    """Return the size of the study, and every oddity with its count and rule."""
    lines = [f"{counted(len(imported.conversations), 'conversation')} of {', '.join(imported.plan.contestants)}"]
    if imported.judgements:
        people = len({judgement.worker_id for judgement in imported.judgements if judgement.source == HUMAN})
        sizes = len(imported.units), imported.about["annotations"], people
        lines[0] += filled("; {:unit}; {:annotation}, {:annotator}", *sizes)
    if imported.summary:
        lines = [imported.summary]
    lines += [f"note: {note}" for note in imported.about.get("notes", [])]
    rows = [row for row in imported.about.get("oddities", []) if row["count"]]
    if rows:
        lines.append(f"\n{'count':>6} {'of':>6}  what, and what is done about it")
        lines += ["{count:>6} {of:>6}  {what}: {rule}".format(**row) for row in rows]
    return "\n".join(lines)


def _next_step(imported: ImportedStudy) -> str:
    """Return the command that goes on with a new study."""
    if imported.judgements or imported.lines or imported.survey == "spot_the_user":
        return "analyze"
    if imported.units:
        return "crowdsource"
    return "pack"


def study_format(read: Callable[[ImportRequest], ImportedStudy]) -> Format:
    """Return a format whose data become a study of their own."""

    def bring(request: ImportRequest) -> str:
        try:
            imported = read(request)
        except FileNotFoundError as err:
            raise UserError(f"--data {err.filename}: no such file.", "Correct its name.") from err
        joined = {file: files.sha256(Path(file)) for file, *_ in joined_columns(request.pairs("columns")).values()}
        if joined:
            imported.about["joined"] = joined
        request.left_out.counts |= Counter(imported.about.get("unusable", {}))
        request.left_out.check(request.data)
        if request.left_out.counts:
            imported.about["unusable"] = dict(request.left_out.counts)
        new = write_study(request.study, imported)
        done = "there already, nothing changed"
        if new:
            done = "written"
        lines = [summary(imported), *request.left_out.lines(), f"\n{done}: {request.study}"]
        lines += [f"also: {len(rows)} judgements of survey {name}" for name, rows in imported.others.items()]
        lines.append("next: ")
        survey = imported.survey
        if survey == "spot_the_bot":
            survey = ""
        return hints.Remedy("\n".join(lines), hints.command(_next_step(imported), request.study, survey))

    return bring
