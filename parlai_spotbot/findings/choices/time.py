"""Time of annotations."""

from parlai_spotbot.findings import costs
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Finding

FINDING = Finding(
    "time",
    FORM,
    costs.compute_time,
    tables={"time": costs.TIME},
    summarise=costs.summarise_time,
    heading="Time",
    place=81,
    options=("wage",),
)
