"""Irregularities of the released data: how often, and how each is handled (``oddities.yaml``)."""

from collections import Counter
from collections.abc import Collection
from typing import Any

import pandas as pd

from parlai_spotbot.projects.spot_the_bot_2020.dump import DEFAULT_LEAVE_OUT, LEAVE_OUT, Dump, select
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts.surface import SPECIAL_TOKEN


def oddities(dump: Dump, leave_out: Collection[str] = DEFAULT_LEAVE_OUT) -> pd.DataFrame:
    """One row an oddity: `what`, `count`, `of` (out of how many), `rule`. Counts of 0 are listed too."""
    texts = own_data(__file__)
    sizes = select(dump, leave_out).groupby(["conversation_id", "k"]).size()
    segments = dump.annotations.set_index(["conversation_id", "k"]).index.unique()
    odd = {**_annotations(dump.annotations), **_conversations(dump), "lost": ~segments.isin(sizes.index)}
    counts = {name: (sum(held), len(held)) for name, held in odd.items()} | {"uneven": _uneven(dump)}
    words = {
        name: "left out" if name in leave_out else f"kept (--leave-out {name} leaves them out)" for name in LEAVE_OUT
    }
    words |= {"longest": max(dump.domain.segments)}
    rows = []
    for name, text in texts.items():
        if name != "annotated":
            cases = [(words, counts[name])]
        else:
            numbers = sorted({1, 2, 3, 4, *sizes})
            cases = [({"n": n, "s": "s" * (n > 1)}, (sum(sizes == n), len(sizes))) for n in numbers]
        rows += [(text["what"].format_map(case), *count, text["rule"].format_map(case)) for case, count in cases]
    return pd.DataFrame(rows, columns=["what", "count", "of", "rule"])


def _annotations(every: pd.DataFrame) -> dict[str, Any]:
    """Return which annotations, packages and annotators are odd, by the oddity's name."""
    packages = every.drop_duplicates(["worker_id", "unit_id"])
    segments = every.drop_duplicates(["worker_id", "conversation_id", "k"])
    return {
        "incomplete_packages": packages["incomplete"],
        "incomplete_annotations": every["incomplete"],
        "developers": every.groupby("worker_id")["developers"].any(),
        "developer_annotations": every["developers"],
        "repeats": every["repeat"],
        "many_packages": packages.groupby("worker_id").size() > 3,
        "many_segments": segments.groupby(["worker_id", "conversation_id"]).size() > 1,
        "no_start": every["started"].isna(),
    }


def _conversations(dump: Dump) -> dict[str, Any]:
    """Return which conversations and turns are odd, by the oddity's name."""
    bots = [c for c in dump.conversations if HUMAN not in c.entities]
    people = [c for c in dump.conversations if HUMAN in c.entities]
    packed = set().union(*dump.packages.values())
    turns = dump.turns
    text = dump.turns["text"]
    begin = turns.groupby("conversation_id")["exchange_nr"].first()
    irregular = turns["exchange_nr"] - turns["conversation_id"].map(begin) != turns["turn"] // 2
    return {
        "short": [c.exchanges < max(dump.domain.segments) for c in bots],
        "people_unpacked": [c.conversation_id not in packed for c in people],
        "bots_unpacked": [c.conversation_id not in packed for c in bots],
        "exchange_nr": irregular.groupby(turns["conversation_id"]).any(),
        "no_seed": begin.loc[[c.conversation_id for c in bots]] == 1,
        "half_exchange": [len(c.turns) % 2 for c in dump.conversations],
        "identical": pd.Series([tuple(turn.text for turn in c.turns) for c in dump.conversations]).duplicated(),
        "special_tokens": text.str.contains(SPECIAL_TOKEN),
        "no_text": text.str.strip() == "",
    }


def _uneven(dump: Dump) -> tuple[int, int]:
    """Return the greatest difference, in one pair of bots, in how often each is entity 0, and the largest pair."""
    first = Counter(c.entities for c in dump.conversations if HUMAN not in c.entities)
    both = [(first[a, b], first[b, a]) for a, b in first]
    return max(abs(one - other) for one, other in both), max(map(sum, both))
