"""Sample size of a study, before it and after a pilot: conversations and annotations, hours and pay.

The arithmetic is that of `analysis.planning`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pandas as pd

from parlai_spotbot import __version__, checksums, files
from parlai_spotbot.analysis import planning
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.findings.plans import pilot, words
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.about import Planning
from parlai_spotbot.terminal import Bar, Say

__all__ = ["PlanRequest", "SizePlan", "plan"]

PAIR = ("a", "b", "status", "conversations", "more_conversations", "more_annotations")
"""Columns of the table of pairs."""

CURVE = ("hours", "power", "needed", "conversations", "annotations", "workers", "cost")
"""Columns of the curve of significance: Li, Weston & Roller (2019, ACUTE-EVAL, "Comparison to Likert") plot for one
pair the chance that it is significant by the hours of annotation; here it is the power, corrected for all pairs."""

PARTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0)
"""Parts of the conversations needed at which it is computed."""

DIFFERENCES = {"matches": (0.1, 0.2, 0.3, 0.5), "choices": (0.1, 0.2, 0.3, 0.5), "ratings": (0.25, 0.5, 0.75, 1.0)}
"""Shown side by side with the one that is asked for."""

SIMULATIONS = 80
LARGE = 20_000
"""Simulated studies that a plan is calibrated by, half of them in each round, and then checked by; by default only
plans of matches with at most so many annotations of bots."""

SAID = ("difference", "wage", "looks", "simulations")
"""The options that a written plan repeats."""


@dataclass(frozen=True)
class SizePlan:
    """A plan: `text` for the terminal, and its numbers; of a pilot's `source`, with what they are `made_by`. `path` is
    where it is written by default; None for nowhere."""

    text: str
    numbers: Mapping
    source: str = ""
    made_by: Mapping = field(default_factory=dict)
    path: Path | None = None

    def to_json(self) -> dict:
        if self.source:
            return {"by_source": {self.source: self.numbers}, "made_by": self.made_by}
        return {"plan": self.numbers, "made_by": self.made_by}

    def write(self, path: Path) -> None:
        """Write the plan as JSON, and as CSV beside it the curve of significance, or a pilot's pairs of matches."""
        checksums.write_json(path, self.to_json())
        if "curve" in self.numbers:
            curve = pd.DataFrame(self.numbers["curve"])[[*CURVE]]
            files.write_text(path.with_suffix(".csv"), files.frame_csv(curve))
        if any("annotations" in row for row in self.numbers.get("pairs", [])):
            files.write_text(path.with_suffix(".csv"), files.frame_csv(pd.DataFrame(self.numbers["pairs"])[[*PAIR]]))


def plan(request: PlanRequest, study: Study | None = None, progress: bool = True, say: Say | None = None) -> SizePlan:
    """Plan how many conversations and annotations a study needs, or how many more a pilot, `study`.

    `say` is told the closed form's number before studies are simulated. Raises `UserError` where an option is wrong or
    the pilot holds nothing to go by.
    """
    own = request.planning(study)
    request = request.with_defaults(own)
    options = {name: getattr(request, name) for name in SAID}
    made_by = {"package": f"parlai_spotbot {__version__}", "options": options, "seed": request.seed}
    try:
        if study is None:
            numbers, design = _before(request, own, progress, say)
            return SizePlan(words.before_text(numbers, design, own.of), numbers, made_by=made_by)
        numbers = pilot.after(study.remaining(), request, own)
    except ValueError as err:
        raise UserError(f"{err}.", "Change that option.") from err
    path = study.analysis_path(request.survey) / "plan.json"
    return SizePlan(words.after_text(numbers), numbers, numbers.pop("source"), made_by, path)


def _before(request: PlanRequest, own: Planning, progress: bool, say: Say | None) -> tuple[dict, planning.Design]:
    """Return the need, the same for other differences, and a check by simulated studies; and the design."""
    if request.bots is None:
        raise UserError("--bots missing.", "Say how many bots there are, or name a pilot with --study.")
    if (request.simulations or 0) < 0:
        raise UserError(f"--simulations {request.simulations}: expected a number from 0 up.", "0 leaves them out.")
    unit = own.of
    difference = request.least_difference(own)
    design = request.design(own, request.bots)
    costs = {"sd": None, "questions": request.questions, "seconds": request.seconds, "wage": request.wage}
    if unit == "ratings":
        costs["sd"] = request.rating_sd
    if request.seconds is None:
        costs["seconds"] = own.seconds
    planned = planning.plan(design, difference, **costs)
    simulation = None
    studies = request.simulations
    if studies is None and unit == "matches" and (planned["annotations"] or 0) <= LARGE:
        studies = SIMULATIONS
    if studies and planned["needed"] and unit != "ratings":
        if say is not None:
            say(words.closed_form_text(planned))
        design, simulation = _simulated(design, difference, studies, request.seed, progress)
        planned = planning.plan(design, difference, **costs)
    rows = [planning.plan(design, apart, **costs) for apart in sorted({*DIFFERENCES[unit], difference})]
    numbers = {"asked": planned, "differences": rows, "design": asdict(design), "simulation": simulation}
    if planned["needed"]:
        sizes = sorted({max(2, round(part * planned["needed"])) for part in PARTS})
        numbers["curve"] = [planning.plan(design, difference, needed=size, **costs) for size in sizes]
    return numbers, design


def _simulated(
    design: planning.Design, difference: float, studies: int, seed: int, progress: bool
) -> tuple[planning.Design, dict]:
    """Return the design calibrated by simulated studies, and a check of its plan by so many `studies`."""
    rate = 0.5 + difference / 2
    half = max(2, studies // 2)
    with Bar("simulated studies", planning.ROUNDS * half + studies, shown=progress) as bar:
        design = planning.calibrated(design, rate, half, seed=seed + 1, progress=bar.advance)
        needed = planning.plan(design, difference)["needed"]
        return design, planning.simulated_power(
            rate, needed, design, repetitions=studies, seed=seed, progress=bar.advance
        )
