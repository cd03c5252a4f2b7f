"""The statistics of votes (Chiang et al. 2024): whose answer is better, a tie, or both bad, without conversations.

The ranking is by contrasts of Davidson's model over all votes but those for both bad; what else there is comes from
counts. Votes are read as a table of codes (`judgement_table`), since there may be millions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import parlai_spotbot
from parlai_spotbot.analysis.methods.common import VERSION
from parlai_spotbot.analysis.methods.core_tables import summary
from parlai_spotbot.analysis.methods.core_tables import tables as core_tables
from parlai_spotbot.analysis.methods.votes_parts import Ballots, ranked, votes_part
from parlai_spotbot.analysis.methods.votes_sections import sections
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.records import ADDITIONAL, HUMAN, Item

__all__ = ["OPTIONS", "PARTS", "TABLE", "WANTS", "analyze", "sections", "summary", "tables"]

OPTIONS = ("resample",)
WANTS = ("items",)
OWN_CONVERSATIONS = False
TABLE = True
"""Judgements are handed over as a table."""
PARTS = ("ranking", "votes")
PREFERENCE = "preference"
"""The question."""
OUTCOMES = {"a": 1, "b": -1, "tie": 0, "both_bad": 0}


def analyze(
    judgements: pd.DataFrame,
    conversations: Sequence = (),
    *,
    items: Sequence[Item],
    bots: Sequence[str] = (),
    seed: int = 0,
    resample: str = "conversations_workers",
    progress: Callable[[str, str], None] | None = None,
) -> dict[str, dict]:
    """Compute everything of votes.

    Parameters
    ----------
    judgements : DataFrame
        As `judgement_table` reads them: source, item_id, target, question, answer, language, day (categories),
        conversation, worker, annotation (codes).
    items : sequence of Item
        A pair of contestants each, in `partners`.
    bots : sequence of str
        The contestants in the order of the plan; any further ones that occur follow, sorted.
    resample : str
        What another study would have other ones of: see `Clusters.of`.

    Returns
    -------
    dict
        File stem -> ``{"by_source": {source: …}, "made_by": …}``.

    Raises
    ------
    ValueError
        Names the first judgement (numbered from 1) whose item or answer is not known.
    """
    rows, left_out = _checked(judgements)
    partners = {item.item_id: item.partners for item in items}
    sources = {}
    for source, own in rows.groupby("source", observed=True, sort=True):
        sources[str(source)] = _ballots(own, partners, tuple(bots), str(source) == HUMAN, resample)
    made_by = {
        "package": f"parlai_spotbot {parlai_spotbot.__version__}",
        "version": VERSION,
        "options": {"resample": resample},
        "seed": seed,
        "used": {name: len(own.a) for name, own in sources.items()},
        "left_out": left_out,
    }
    result: dict[str, dict] = {stem: {"by_source": {}, "made_by": plain(made_by)} for stem in PARTS}
    how = "the estimates' covariance, which knows votes of one prompt or annotator to be alike"
    with threadpool_limits(limits=1):
        for source, own in sources.items():
            main = ranked(own)
            found = {"ranking": {**main, "question": PREFERENCE, "criteria": {PREFERENCE: main},
                                 "bootstrap": {"resample": resample, "level": 0.95, "how": how}}}  # fmt: skip
            found["votes"] = votes_part(own)
            for stem, part in found.items():
                result[stem]["by_source"][source] = plain(part)
                if progress is not None:
                    progress(source, stem)
    return result


def _checked(judgements: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, dict[str, int]]]:
    """The votes, each annotation's first, and by source what is left out, and why."""
    left_out: dict[str, dict[str, int]] = {}
    further = judgements["question"].isin(
        [q for q in judgements["question"].cat.categories if q.startswith(ADDITIONAL)]
    )
    again = judgements.duplicated(["source", "annotation"]) & ~further
    for reason, out in (("answer to a further question of the launch", further),
                        ("answer given twice (the first one counts)", again)):  # fmt: skip
        for source, count in judgements.loc[out, "source"].value_counts().items():
            if count:
                left_out.setdefault(str(source), {})[reason] = int(count)
    rows = judgements[~further & ~again]
    unknown = ~rows["answer"].isin(list(OUTCOMES)).to_numpy()
    if unknown.any():
        place = rows.index[unknown][0]
        raise ValueError(
            f"judgement {place + 1}: answer {rows.at[place, 'answer']!r}, expected one of {', '.join(OUTCOMES)}"
        )
    if rows.empty:
        raise ValueError(f"judgements: no vote to analyse (left out: {left_out or 'none'})")
    return rows, left_out


def _ballots(
    rows: pd.DataFrame, partners: Mapping[str, Sequence[str]], bots: tuple[str, ...], crossed: bool, resample: str
) -> Ballots:
    """The votes of one source as codes."""
    items = rows["item_id"].cat.remove_unused_categories()
    for item in items.cat.categories:
        if len(partners.get(item, ())) != 2:
            place = rows.index[(rows["item_id"] == item).to_numpy()][0]
            raise ValueError(f"judgement {place + 1}: item '{item}' is no pair of contestants of the units file")
    met = [partners[item] for item in items.cat.categories]
    seen = {name for pair in met for name in pair}
    names = (*(bot for bot in bots if bot in seen), *sorted(seen - set(bots)))
    place = {name: i for i, name in enumerate(names)}
    first, second = (np.array([place[pair[side]] for pair in met])[items.cat.codes] for side in (0, 1))
    answers = rows["answer"].cat
    outcome = np.array([OUTCOMES.get(answer, 0) for answer in answers.categories], dtype=np.int8)[answers.codes]
    return Ballots(
        names, first, second, outcome, (rows["answer"] == "both_bad").to_numpy(), rows["conversation"].to_numpy(),
        rows["worker"].to_numpy(), rows["language"].array, rows["day"].array, crossed,
        resample,
    )  # fmt: skip


def tables(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """Those of all surveys of choice, and the languages."""
    found = core_tables(result)
    languages = [{"source": source, **row} for source, own in result["votes"]["by_source"].items()
                 for row in own["languages"]]  # fmt: skip
    return found | ({"languages": pd.DataFrame(languages)} if languages else {})
