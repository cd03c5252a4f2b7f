"""Text of a launch's estimate, before anything is posted: units, annotators, money, hours, and pay per hour."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import Unit
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.workload import Workload, annotations_of, is_another_size, workload
from parlai_spotbot.wording import filled

LINES = own_data(__file__)
"""Templates of the text."""

MINIMUM_WAGE = 12.0
"""An hour: what Prolific recommends (it takes no less than 8)."""


def estimate(
    settings: LaunchSettings,
    survey: Survey,
    units: Sequence[Unit],
    seeds: Mapping[str, str] = MappingProxyType({}),
    done: Collection[str] = (),
    controls: int | None = None,
) -> Workload:
    """Return the work on the units that are not `done`, with its cost in the settings' currency; see `workload`."""
    work = workload(survey, units, seeds, done, controls)
    return work.paid(settings.pay, settings.platform_fee, bool(survey.game))


def text_of(workload: Workload, settings: LaunchSettings, survey: Survey) -> str:
    """Return the estimate in lines for the terminal, with warnings before going live."""
    limits = survey.limits
    keys = ["work"]
    if settings.pay:
        keys.append("pay")
        if workload.bonus:
            keys.append("bonus")
        keys.append("fee")
    if workload.units and settings.pay and workload.hourly < MINIMUM_WAGE:
        keys.append("low")
    if workload.units and workload.minutes_per_unit > limits.minutes_per_unit / 2:
        keys.append("slow")
    values = {
        "minutes": round(workload.minutes_per_unit),
        "seconds": round(workload.seconds),
        "wage": MINIMUM_WAGE,
        "enough": workload.fair_pay(MINIMUM_WAGE),
    }
    lines = [
        filled(LINES[key], found=workload, settings=settings, survey=survey, limits=limits, **values) for key in keys
    ]
    return "\n".join(lines)


def planned_text(plan: Mapping, units: Sequence[Unit]) -> str:
    """Return what the study's plan was, and a warning where all its `units` are many more or fewer annotations."""
    packed = annotations_of(units)
    lines = [filled(LINES["planned"], plan=plan)]
    if is_another_size(packed, plan["annotations"]):
        effect = "the power is less"
        if packed > plan["annotations"]:
            effect = "the cost is more"
        lines.append(filled(LINES["other_size"], plan=plan, packed=packed, effect=effect))
    return "\n".join(lines)
