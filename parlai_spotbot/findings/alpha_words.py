"""What is to be noted of an alpha, in words."""

from __future__ import annotations

from collections.abc import Mapping

NOTES = {
    "few_annotators": "the interval is about these annotators alone: too few judged the same to say how far others "
    "would agree",
    "all_agree": "all answers agree: the lower end is an exact bound from {effective:.3g} independent clusters",
}


def alpha_in_words(found: Mapping) -> dict:
    """What `krippendorff_alpha` tells, its note in words."""
    kept = {key: value for key, value in found.items() if key not in ("note", "effective")}
    return kept | ({"note": NOTES[found["note"]].format(**found)} if "note" in found else {})
