"""Interface of an import format: other people's data of one kind become a study. Each is found by its module's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.imported_study import ImportedStudy, write_study
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.wording import counted


@dataclass(frozen=True)
class ImportRequest:
    """Record of what is to be imported: the options of `spotbot_import`, of which a format reads those that it has.

    A format counts in `unusable` what it could not use, by reason: faults of the data, not what options or the format's
    rules leave out. It shows in the exit code.
    """

    opt: Mapping[str, Any]
    unusable: Counter[str] = field(default_factory=Counter)

    def __getitem__(self, name: str) -> Any:
        return self.opt[name]

    @property
    def paths(self) -> list[str]:
        """The files that --data names."""
        return [part for part in self["data"].split(",") if part]

    @property
    def segments(self) -> tuple[int, ...] | None:
        """The lengths that --segments names."""
        return None if self["segments"] is None else check_segments(self["segments"], "--segments")

    def pairs(self, name: str) -> dict[str, str]:
        """Return what ``--columns``, ``--names`` or ``--answers`` says: ``a=b,c=d``."""
        option, text = f"--{name}", self[name]
        result: dict[str, str] = {}
        for part in (text or "").split(","):
            left, equals, right = (side.strip() for side in part.partition("="))
            if not part.strip():
                continue
            if not equals or not left or not right:
                raise UserError(
                    f"{option} {text}: '{part.strip()}' is not of the form A=B.", f"Write {option} a=b,c=d."
                )
            if left in result:
                raise UserError(f"{option} {text}: '{left}' is there twice.", "Name each once.")
            result[left] = right
        return result


@dataclass(frozen=True)
class FileWords:
    """Description of how a file calls things, where it isn't as we do.

    `columns`: our field -> the file's column; `answers`: the file's answer -> ours; `names`: the file's name of a
    contestant -> ours.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Format:
    """`bring` puts what is requested into its study and returns what is said in the terminal."""

    bring: Callable[[ImportRequest], str]


def summary(imported: ImportedStudy) -> str:
    """Return what was imported, and every oddity with its count and what was done about it."""
    units = counted(len(imported.units), "unit")
    lines = [f"{counted(len(imported.conversations), 'conversation')} of {', '.join(imported.plan.contestants)}"]
    if imported.judgements:
        people = len({judgement.worker_id for judgement in imported.judgements if judgement.source == HUMAN})
        answers = counted(imported.about["annotations"], "annotation")
        lines[0] += f"; {units}; {answers}, {counted(people, 'annotator')}"
    lines += [f"note: {note}" for note in imported.about.get("notes", [])]
    rows = imported.about.get("oddities", [])
    if rows:
        lines.append(f"\n{'count':>6} {'of':>6}  what, and what is done about it")
        lines += [f"{row['count']:>6} {row['of']:>6}  {row['what']}: {row['rule']}" for row in rows if row["count"]]
    return "\n".join(lines)


def study_format(
    read: Callable[[ImportRequest], ImportedStudy], summary: Callable[[ImportedStudy], str] = summary
) -> Format:
    """A format whose data become a study of their own."""

    def bring(request: ImportRequest) -> str:
        imported = read(request)
        request.unusable.update(imported.about.get("unusable", {}))
        new = write_study(request["study"], imported)
        answered = imported.judgements or imported.lines
        step = "analyze" if answered else "crowdsource" if imported.units else "pack"
        survey = "" if imported.survey == "spot_the_bot" else imported.survey
        return "\n".join(
            (
                summary(imported),
                f"\n{'written' if new else 'there already, nothing changed'}: {request['study']}",
                *(f"also: {len(rows)} judgements of survey {name}" for name, rows in imported.others.items()),
                f"next: {hints.command(step, request['study'], survey)}",
            )
        )

    return Format(bring)
