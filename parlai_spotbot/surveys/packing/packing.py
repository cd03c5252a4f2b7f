"""The request of a user for units, and the base of all kinds of packing: what is written of units, and printed."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from parlai_spotbot.errors import UserError
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.pack_request import PackRequest
from parlai_spotbot.surveys.packing.units_file import Packed, blocks_of, write_units
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.wording import counted, filled

SURFACE_TITLE = "told from people by surface (AUC, 0.5 is blind)"
SURFACE_COLUMNS = (("as said", "before"), ("as shown", "after"))

UNITS = (
    "{units:unit} ({added_units} new) in {blocks:block}, of {smallest_unit} to {largest_unit:item}; "
    "{annotations:annotation}"
)

COMMON = ("unit_size", "annotators_per_segment", "leave_out")
"""Options of every kind of packing that shows conversations."""
WHOLE = ("sources", "ask", "people", "repeated")
"""Options where whole conversations are shown."""
OPTIONS = (*COMMON, *WHOLE, "segments", "comparisons", "pairs", "same", "nuc_questions", "versions", "groups")
"""Options that some kinds of packing don't take."""
FLAGS = {"sources": "source", "people": "without-people", "annotators_per_segment": "annotators-per-item"}
"""Options of spotbot_pack that are not called as here."""


class Packing(ABC):
    """A kind of packing, under the `name` by which a survey asks for it.

    Of what its items show: `of_conversations` of the study; `cuts` them to segments; `compares` two of them; `chats`:
    contestants that people talk to; `grouped`: units are for groups of people. With `comes_in` units come with their
    answers from elsewhere. `takes` are the options, of `OPTIONS`, that it has.
    """

    name: ClassVar[str]
    of_conversations: ClassVar[bool] = True
    cuts: ClassVar[bool] = False
    compares: ClassVar[bool] = False
    chats: ClassVar[bool] = False
    grouped: ClassVar[bool] = False
    comes_in: ClassVar[bool] = False
    takes: ClassVar[tuple[str, ...]] = OPTIONS

    def check(self, survey: Survey, request: PackRequest) -> None:
        """Raise `UserError` where something is wanted that means nothing to this kind."""
        for name in OPTIONS:
            if name not in self.takes and getattr(request, name) not in (None, "", (), []):
                option = FLAGS.get(name, name).replace("_", "-")
                raise UserError(f"--{option}: means nothing for survey {survey.name}.", "Leave it out.")

    @abstractmethod
    def packed(self, data: SurveyFiles, survey: Survey, request: PackRequest) -> Packed:
        """Pack the units of a survey of a study, of which nothing is written yet.

        Raises
        ------
        UserError
            On wishes that can't be carried out, and where units packed in another way have judgements already.
        """

    def pack(self, data: SurveyFiles, survey: Survey, request: PackRequest) -> dict:
        """Write the units of a survey and return the summary, ready for JSON; the caller holds the study's lock."""
        packed = self.packed(data, survey, request)
        sizes = [len(unit.items) for unit in packed.units]
        summary = {
            "packing": self.name,
            "units": len(sizes),
            "blocks": len(blocks_of(packed.units)),
            "smallest_unit": min(sizes, default=0),
            "largest_unit": max(sizes, default=0),
            "annotations": sum(sizes),
            "tables": packed.tables,
            "left_out": list(packed.left_out),
            "warnings": list(packed.warnings),
        }
        write_units(data, packed, {"options": packed.options, **summary})
        return {**summary, "surface": packed.surface, "added_units": len(packed.added)}

    def as_packed(self, survey: Survey, recorded: Mapping) -> Survey:
        """Return the survey as units put it that were packed with these options; {} where none were packed."""
        return survey

    def as_asked(self, survey: Survey, recorded: Mapping) -> Survey:
        """Return the survey, whatever its language, without what isn't asked; `ask` tells where all was imported."""
        return survey


def summary_text(summary: Mapping) -> str:
    """Return a summary as lines for the terminal."""
    import pandas as pd  # who only launches doesn't wait for it

    lines = [filled(UNITS, **summary)]
    tables = dict(summary["tables"])
    contestants = summary["surface"].get("contestants")
    if contestants:
        tables[SURFACE_TITLE] = {name: _surface_cells(row) for name, row in contestants.items()}
    for title, rows in tables.items():
        table = pd.DataFrame.from_dict(rows, orient="index", dtype=object).fillna("")
        lines.append(f"\n{title}\n{table.to_string()}")
    lines.append("")
    for row in summary["left_out"]:
        lines.append(f"left out: {counted(row['count'], row['what'].removesuffix('s'))}: {row['reason']}")
    return "\n".join([*lines, *(f"warning: {warning}" for warning in summary["warnings"])]).rstrip()


def _surface_cells(row: Mapping) -> dict[str, str]:
    """Return what a contestant's row of the surface report says in the table."""
    cells = {}
    for title, when in SURFACE_COLUMNS:
        cells[title] = "too few"
        if row[when] is not None:
            cells[title] = f"{row[when]:.2f}"
    return cells


def seed_of(plan: Plan, request: PackRequest) -> int:
    """Return the seed that is wanted, else the study's."""
    return given_or(request.seed, plan.seed)


def given_or(value: Any, otherwise: Any) -> Any:
    """Return an option, or what stands for one that isn't given."""
    if value is None:
        return otherwise
    return value
