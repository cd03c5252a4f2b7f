"""How long annotating takes."""

from parlai_spotbot.findings import costs
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Finding

FINDING = Finding("time", FORM, costs.compute_time, costs.tell_time, costs.time_rows, place=81, options=("wage",))
