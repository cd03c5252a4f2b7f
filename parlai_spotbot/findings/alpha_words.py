"""Notes on an alpha."""

from collections.abc import Mapping

NOTES = {
    "few_annotators": "the interval is about these annotators alone: too few judged the same to say how far others "
    "would agree",
    "all_agree": "all answers agree: the lower end is an exact bound from {effective:.3g} independent clusters",
}


def alpha_in_words(data: Mapping) -> dict:
    """Return what `krippendorff_alpha` tells, its note in words."""
    kept = {key: value for key, value in data.items() if key not in ("note", "effective")}
    return kept | ({"note": NOTES[data["note"]].format(**data)} if "note" in data else {})
