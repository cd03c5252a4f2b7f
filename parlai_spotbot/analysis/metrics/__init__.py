"""ABC-Eval's study of metrics (Finch, Finch & Choi 2022, section 7), for any study with several surveys.

How far people agree on each metric, how much of people's quality judgements it explains, how many bots it tells apart,
what it adds to the others, and what it costs.
"""

from parlai_spotbot.analysis.metrics.frame import Metric, Outcomes
from parlai_spotbot.analysis.metrics.whole_study import STEMS, StudyEvidence, Wishes, analyze

__all__ = ["STEMS", "StudyEvidence", "Metric", "Outcomes", "Wishes", "analyze"]
