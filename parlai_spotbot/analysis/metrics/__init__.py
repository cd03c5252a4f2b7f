"""Which metric is worth its money? The study of the metrics themselves, for any study with several surveys.

ABC-Eval (Finch, Finch & Choi 2022), section 7: how far people agree on each metric, how much of what people thought of
a conversation it knows, how many bots it tells apart, what it adds to the others, and what it costs.
"""

from parlai_spotbot.analysis.metrics.frame import Metric, Outcomes
from parlai_spotbot.analysis.metrics.tables import tables
from parlai_spotbot.analysis.metrics.whole_study import STEMS, Evidence, Wishes, analyze, recommendation

__all__ = ["STEMS", "Evidence", "Metric", "Outcomes", "Wishes", "analyze", "recommendation", "tables"]
