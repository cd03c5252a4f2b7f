"""Assessment of a judge by people's labels: its agreement with them, what it favours, and which uses it is fit for."""

from parlai_spotbot.analysis.certificate.assess import assess
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts, labelled_verdicts
from parlai_spotbot.analysis.certificate.uses import CRITERIA, USES

__all__ = ["CRITERIA", "USES", "LabelledVerdicts", "assess", "labelled_verdicts"]
