"""What people's labels show of a judge: its agreement with them, whom it favours, and for which uses it will do."""

from parlai_spotbot.analysis.certificate.assess import assess
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts, labelled_verdicts
from parlai_spotbot.analysis.certificate.uses import CRITERIA, USES

__all__ = ["CRITERIA", "USES", "LabelledVerdicts", "assess", "labelled_verdicts"]
