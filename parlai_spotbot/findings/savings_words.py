"""What an estimate of a judge's savings assumes, and what there is to beware of, in words."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.trust.savings import ONLY_CONTESTS

ASSUMES = (
    "the judge errs alike on all pairs of contestants, and what it holds for or against a pair is as likely for as "
    "against and has nothing to do with who is better"
)
POWERED_ASSUMES = (
    "people were given their items at random among all that the judge rated; nothing is assumed of its errors"
)

NOTICES = {
    "": "",
    "unrelated": "it is not shown to go with people at all, so it saves nothing that can be counted on",
    "lower_bound": "a lower bound, as two people are not shown to agree about the same item",
    "few_pairs": "with {pairs} pairs of contestants it is hardly known how far the judge favours some of them",
    "same_of_all": "it says the same of all items of a mean, so it saves nothing",
    "too_few": "too few conversations or annotators to tell whether it goes with people, so it saves nothing",
}


def savings_in_words(found: Mapping) -> dict:
    """What `savings` or `savings_of_ratings` tells of one criterion, with what it assumes, its notices in words."""
    powered = {"assumes": POWERED_ASSUMES, **_noticed(found["prediction_powered"])}
    counts = {key: found[key] for key in ("people", "judge")}
    model = {} if found.get("why") == ONLY_CONTESTS else {"assumes": ASSUMES}
    return counts | model | _noticed({**found, "prediction_powered": powered})


def _noticed(found: Mapping) -> dict:
    if "notice" not in found:
        return dict(found)
    return {**found, "notice": NOTICES[found["notice"]].format(pairs=len(found.get("corrected", ())))}
