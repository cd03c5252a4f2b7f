"""Agreement between annotators: on labels, by Krippendorff's alpha, and in the orders that their answers make."""

from parlai_spotbot.analysis.agreement.alpha import METRICS, alpha_of, krippendorff_alpha
from parlai_spotbot.analysis.agreement.labels import LABELS, alike_table, both_given_one, labelled_alike
from parlai_spotbot.analysis.agreement.orders import kendall, order_agreements

__all__ = [
    "LABELS",
    "METRICS",
    "alike_table",
    "alpha_of",
    "both_given_one",
    "kendall",
    "krippendorff_alpha",
    "labelled_alike",
    "order_agreements",
]
