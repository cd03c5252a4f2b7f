"""Accuracy and work of each annotator, and results without some of them.

Appendix G and Table 9 of the paper. Identity is known here, so correctness can be measured: no consensus of labels is
needed, and none is made, for it would erase the disagreement that a good bot causes (section 5.1).
"""

from parlai_spotbot.analysis.annotators.detection import detection, pooled_detection
from parlai_spotbot.analysis.annotators.table import annotator_table, rankings_without, summary

__all__ = ["annotator_table", "detection", "pooled_detection", "rankings_without", "summary"]
