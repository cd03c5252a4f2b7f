"""Accuracy and work of each annotator, and results without some of them.

Appendix G and Table 9 of the paper. Identity is known here, so correctness can be measured: no consensus of labels is
needed, and none is made, for it would erase the disagreement that a good bot brings about (section 5.1).
"""

from parlai_spotbot.analysis.annotators.detection import Detection, detection, pooled_detection
from parlai_spotbot.analysis.annotators.removal import ALL_RULES, Marked, rankings_without, remove
from parlai_spotbot.analysis.annotators.rules import ANSWERS, Rules, each_rule
from parlai_spotbot.analysis.annotators.table import annotator_table, limits_broken, summary

__all__ = [
    "ALL_RULES",
    "ANSWERS",
    "Detection",
    "Marked",
    "Rules",
    "annotator_table",
    "detection",
    "each_rule",
    "limits_broken",
    "pooled_detection",
    "rankings_without",
    "remove",
    "summary",
]
