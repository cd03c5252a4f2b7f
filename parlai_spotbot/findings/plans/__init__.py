"""Sample size of a study, before it and after a pilot: conversations and annotations, hours and pay.

The sample size is that of `analysis.planning`, the work on it that of a launch (`surveys.workload`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from parlai_spotbot import __version__, checksums, files
from parlai_spotbot.analysis import planning
from parlai_spotbot.domains import get_domain
from parlai_spotbot.domains.custom import untrained
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.plan_request import DOMAIN, PlanRequest
from parlai_spotbot.findings.plans import kept_plan, pilot, words
from parlai_spotbot.findings.plans.launches import IN_HOUSE, LaunchTerms, StudyMaterial, StudySize, work_on
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.about import Planning
from parlai_spotbot.surveys.pack_request import PackRequest
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.terminal import Bar, Say

__all__ = ["PlanRequest", "SizePlan", "plan"]

PAIR = ("a", "b", "status", "conversations", "more_conversations", "more_annotations")
"""Columns of the table of pairs."""

CURVE = ("hours", "power", "needed", "conversations")
"""Columns of the curve of significance: Li, Weston & Roller (2019, ACUTE-EVAL, "Comparison to Likert") plot for one
pair the chance that it is significant by the hours of annotation; here it is the power, corrected for all pairs."""

PARTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0)
"""Parts of the conversations needed at which it is computed."""

DIFFERENCES = {
    "matches": (0.1, 0.2, 0.3, 0.5),
    "choices": (0.1, 0.2, 0.3, 0.5),
    "ratings": (0.25, 0.5, 0.75, 1.0),
    "shares": (0.05, 0.1, 0.15, 0.2),
    "taken": (0.05, 0.1, 0.15, 0.2),
    "recalls": (0.05, 0.1, 0.15, 0.2),
}
"""Shown side by side with the one that is asked for."""

SIMULATIONS = 160
LARGE = 20_000
"""Simulated studies that a plan is calibrated by; by default only plans of matches with at most so many annotations of
bots."""

UNREAD = "Domain {0} can't be read, so seeds and conversations of people are taken to suffice: {1}"

SAID = ("survey", "difference", "wage", "looks", "simulations", "domain", "segments", "annotators_per_segment", "ask")
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

    def keep(self, folder: Path | str) -> Path:
        """Keep a plan made before people answer in the study in a folder, or where the study will be; return the file.

        The study's methods text then says what was planned.
        """
        return kept_plan.keep(Path(folder), self.made_by["options"]["survey"], self.numbers, self.made_by)


def plan(
    request: PlanRequest,
    study: Study | None = None,
    progress: bool = True,
    say: Say | None = None,
    terms: LaunchTerms = IN_HOUSE,
) -> SizePlan:
    """Plan how many conversations and annotations a study needs, or how many more a pilot, `study`; where the request
    says how many bots there are, `study` is one that nobody has answered.

    `say` is told the closed form's number before studies are simulated. Raises `UserError` where an option is wrong or
    the pilot holds nothing to go by.
    """
    survey, planning = request.planned_survey(study)
    request, planning = request.with_defaults(planning)
    options = {name: getattr(request, name) for name in SAID}
    made_by = {"package": f"parlai_spotbot {__version__}", "options": options, "seed": request.seed}
    try:
        if study is None or request.bots is not None:
            if study is not None:
                kept_plan.check_place(study.path, request.survey)
            material = _material(request, study, say)
            text, numbers = _before(request, survey, planning, terms, material, progress, say)
            return SizePlan(text, numbers, made_by=made_by)
        data = SurveyData(study.remaining(), request.survey)
        numbers = pilot.after(data, request, survey, planning, terms)
    except ValueError as err:
        raise UserError(f"{err}.", "Change that option.") from err
    path = data.folder / "plan.json"
    return SizePlan(words.after_text(numbers), numbers, numbers.pop("source"), made_by, path)


def _before(
    request: PlanRequest,
    survey: Survey,
    own: Planning,
    terms: LaunchTerms,
    material: StudyMaterial,
    progress: bool,
    say: Say | None,
) -> tuple[str, dict]:
    """Return a text, and the need, the same for other differences, and the power by simulated studies."""
    bots = _check(request, survey)
    design = replace(request, segments=material.segments).design(survey, bots)
    difference = own.difference
    sd = None
    if own.of in words.RATED:
        sd = own.rating_sd
    design, simulation = _calibrated(request, own.of, design, difference, progress, say)
    size_of = partial(StudySize.of_need, request, survey, bots)
    row_by_difference = {}
    for apart in sorted({*DIFFERENCES[own.of], difference}):
        row = planning.plan(design, apart, sd=sd)
        row_by_difference[apart] = row | work_on(size_of(row["needed"]), material, terms, apart == difference)
    asked = row_by_difference[difference]
    rows = list(row_by_difference.values())
    numbers = {"asked": asked, "differences": rows, "design": asdict(design), "simulation": simulation}
    size = size_of(asked["needed"])
    if size is None:
        return words.before_text(numbers, design, own.of), numbers
    numbers["curve"] = _curve(design, asked, sd)
    texts = [words.before_text(numbers, design, own.of), words.launch_text(asked, own.of), *size.commands(terms)]
    return "\n".join([*texts, *size.lacking(material)]), numbers


def _material(request: PlanRequest, study: Study | None, say: Say | None) -> StudyMaterial:
    """Return what the conversations of a study, or of one that is to be, begin with; made up where that of the domain
    by default isn't installed."""
    if study is not None and study.conversations_path.exists():
        return StudyMaterial.of_study(SurveyData(study, request.survey))
    try:
        return StudyMaterial.of_domain(untrained(get_domain(request.domain or DOMAIN)), request.segments)
    except UserError as err:
        if request.domain is not None:
            raise
        if say is not None:
            say(UNREAD.format(DOMAIN, err.problem))
        return StudyMaterial.unknown(request.segments)


def _calibrated(
    request: PlanRequest, of: str, design: planning.Design, difference: float, progress: bool, say: Say | None
) -> tuple[planning.Design, dict | None]:
    """Return the design as simulated studies correct it, and its power; without for ratings and large studies."""
    if of in words.RATED:
        return design, None
    needed = planning.plan(design, difference)["needed"]
    studies = request.simulations
    if studies is None and of == "matches":
        studies = SIMULATIONS * ((needed or 0) * design.pairs * design.annotations_per_conversation <= LARGE)
    if not studies or not needed:
        return design, None
    if say is not None:
        say(words.closed_form_text(needed))
    return _simulated(design, difference, studies, request.seed, progress)


def _curve(design: planning.Design, row: Mapping, sd: float | None) -> list[dict]:
    """Return the power of smaller and larger studies than the one that is `asked` for."""
    curve = []
    for count in sorted({max(2, round(part * row["needed"])) for part in PARTS}):
        share = count / row["needed"]
        point = planning.plan(design, row["difference"], sd=sd, needed=count)
        curve.append(point | {name: share * row[name] for name in ("hours", "conversations")})
    return curve


def _check(request: PlanRequest, survey: Survey) -> int:
    """Return the number of bots; raise `UserError` for options that no formula checks."""
    if request.bots is None:
        raise UserError("--bots missing.", "Say how many bots there are, or name a pilot with --study.")
    if (request.simulations or 0) < 0:
        raise UserError(f"--simulations {request.simulations}: expected a number from 0 up.", "0 leaves them out.")
    pack = PackRequest(annotators_per_segment=request.annotators_per_segment, ask=request.ask)
    packing_of(survey).check(survey, pack)
    for option in ("seconds", "wage"):
        value = getattr(request, option)
        if value is not None and not value > 0:
            raise UserError(f"--{option} {value}: expected a number above 0.", "Correct it.")
    return request.bots


def _simulated(
    design: planning.Design, difference: float, studies: int, seed: int, progress: bool
) -> tuple[planning.Design, dict | None]:
    """Return the design calibrated by so many simulated `studies`, and what power they leave its plan."""
    rate = 0.5 + difference / 2
    first = max(2, studies // 4)
    rounds = (first, first, max(2, studies - 2 * first))
    with Bar("simulated studies", sum(rounds), shown=progress) as bar:
        design, error = planning.calibrated(design, rate, rounds, seed=seed, progress=bar.advance)
    needed = planning.plan(design, difference)["needed"]
    if needed is None:
        return design, None
    low, power, high = (
        planning.pair_power(rate, needed, replace(design, calibration=design.calibration * np.exp(errors * error)))
        for errors in (norm.ppf(0.975), 0, norm.ppf(0.025))
    )
    return design, {"power": power, "ci": [low, high], "repetitions": sum(rounds)}
