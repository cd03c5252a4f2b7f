"""Stability of Spot The Bot's ranking, as the report reads it: the sound way, the paper's under its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from parlai_spotbot.analysis.annotators.controls import lost
from parlai_spotbot.surveys.controls.failures import failed_people
from parlai_spotbot.analysis.frames import annotations_frame
from parlai_spotbot.analysis.methods.common import made_by
from parlai_spotbot.analysis.values import generator, plain
from parlai_spotbot.analysis.stability import conversation_matches, default_sizes, pair_counts, stability
from parlai_spotbot.records import HUMAN, Conversation, Judgement

if TYPE_CHECKING:
    from parlai_spotbot.surveys.survey import Survey

REPETITIONS = {"model": 500, "paper": 1000}
"""Of each way, and as many bootstrap replicates in each: the sound way takes longer, and its curve is smooth."""


def analyze_stability(
    judgements: Sequence[Judgement],
    conversations: Sequence[Conversation],
    *,
    bots: Sequence[str] = (),
    seed: int = 0,
    repetitions: dict[str, int] | None = None,
    survey: Survey | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict:
    """What stands in stability.json: ``{"by_source": {source: …}, "made_by": …}``.

    A source has what `stability` returns for new conversations from the fitted model (``whole``, ``leave_one_out``, …),
    and under ``paper`` what it returns for the paper's way; or ``why`` there is nothing.

    Parameters
    ----------
    bots : sequence of str
        The contestants in the order of the plan; any further ones that occur follow, sorted.
    survey : Survey, optional
        Says how many controls people may miss; who missed more is left out.
    progress : callable (done, all), optional
        Called after each point of a curve.
    """
    repetitions = REPETITIONS | (repetitions or {})
    found = annotations_frame(judgements, conversations)
    if found.frame.empty:
        raise ValueError(f"judgements: no complete annotation to analyse (left out: {found.left_out or 'none'})")
    failed = failed_people(judgements, survey)
    out = (found.frame["source"] == HUMAN) & found.frame["worker_id"].isin(list(failed))
    if out.any():
        found.left_out[HUMAN] = found.left_out.get(HUMAN, {}) | lost(found.frame[out], failed)
    sources = {
        name: conversation_matches(rows.reset_index(drop=True))
        for name, rows in found.frame[~out].groupby("source", sort=True)
    }
    steps = sum(_steps(matches, variant) for matches in sources.values() for variant in repetitions)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, steps)

    result = {name: _source(matches, bots, seed, name, repetitions, advance) for name, matches in sources.items()}
    used = {name: len(matches) for name, matches in sources.items()}
    about = made_by({"repetitions": repetitions}, seed, used, found.left_out, unit="one match a conversation")
    return {"by_source": plain(result), "made_by": about}


def _names(matches: pd.DataFrame, bots: Sequence[str]) -> list[str]:
    seen = set(matches["a"]) | set(matches["b"])
    return [bot for bot in bots if bot in seen] + sorted(seen - set(bots))


def _steps(matches: pd.DataFrame, variant: str) -> int:
    """How many points the curves of a source have."""
    if matches.empty:
        return 0
    names = _names(matches, ())
    first, second, counts = pair_counts(matches, names)
    left = [((first != bot) & (second != bot)).any() for bot in range(len(names))] if len(names) > 2 else []
    return (1 + sum(left)) * len(default_sizes(int(counts.sum(axis=1).min()), variant))


def _source(
    matches: pd.DataFrame,
    bots: Sequence[str],
    seed: int,
    source: str,
    repetitions: dict[str, int],
    advance: Callable[[], None],
) -> dict:
    if matches.empty:
        return {"why": "no match between two different bots"}
    curves = {
        variant: stability(
            matches, _names(matches, bots), variant=variant, repetitions=times, replicates=times, leave_one_out=True,
            seed=int(generator(seed, source, "stability").integers(2**31)), progress=advance,
        )
        for variant, times in repetitions.items()
    }  # fmt: skip
    return {**curves["model"], "paper": curves["paper"]}


def stability_table(result: dict) -> pd.DataFrame:
    """One row a source, way, pool and size: share, its interval, same_again, order, the ranking as text."""
    rows = []
    for source, own in result["by_source"].items():
        for variant, part in (("model", own), ("paper", own.get("paper", {}))):
            pools = {"": part["whole"], **part["leave_one_out"]} if "whole" in part else {}
            for out, curve in pools.items():
                for i, size in enumerate(curve["sizes"]):
                    rows.append({
                        "source": source, "variant": variant, "without": out, "conversations_per_pair": size,
                        "share": curve["share"][i], "share_low": curve["share_ci"][i][0],
                        "share_high": curve["share_ci"][i][1], "same_again": curve["same_again"][i],
                        "order": curve["order"][i] if "order" in curve else None,
                        "ranking": " > ".join(" = ".join(cluster) for cluster in curve["ranking"][i]),
                    })  # fmt: skip
    return pd.DataFrame(rows)
