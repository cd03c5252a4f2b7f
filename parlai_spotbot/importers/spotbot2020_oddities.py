"""Irregularities of the released data: how often, and how each is handled (``spotbot2020_oddities.yaml``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pandas as pd
import yaml

from parlai_spotbot.importers.spotbot2020_dump import DEFAULT_LEAVE_OUT, LEAVE_OUT, Dump, select
from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts.surface import SPECIAL_TOKEN

Counts = dict[str, tuple]
"""By the name of an oddity: how many, out of how many."""


def oddities(dump: Dump, leave_out: Collection[str] = DEFAULT_LEAVE_OUT) -> pd.DataFrame:
    """One row an oddity: `what`, `count`, `of` (out of how many), `rule`. Counts of 0 are listed too."""
    texts = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    kept = select(dump, leave_out)
    sizes = Counter(kept.groupby(["conversation_id", "k"]).size())
    counts = _annotations(dump.annotations, sizes.total()) | _conversations(dump)
    words = {
        name: "left out" if name in leave_out else f"kept (--leave-out {name} leaves them out)" for name in LEAVE_OUT
    }
    words |= {"longest": max(dump.domain.segments)}
    rows = []
    for name, text in texts.items():
        cases = [(words, counts.get(name, ()))]
        if name == "annotated":
            numbers = sorted({1, 2, 3, 4, *sizes})
            cases = [({"n": n, "s": "s" * (n > 1)}, (sizes[n], sizes.total())) for n in numbers]
        rows += [(text["what"].format_map(case), *count, text["rule"].format_map(case)) for case, count in cases]
    return pd.DataFrame(rows, columns=["what", "count", "of", "rule"])


def _annotations(every: pd.DataFrame, segments: int) -> Counts:
    hits = every.drop_duplicates(["worker_id", "unit_id"])
    people = every["worker_id"].nunique()
    packages = hits.groupby("worker_id").size()
    seen = every.drop_duplicates(["worker_id", "conversation_id", "k"]).groupby(["worker_id", "conversation_id"]).size()
    there = len(every.drop_duplicates(["conversation_id", "k"]))
    return {
        "incomplete_packages": (hits["incomplete"].sum(), len(hits)),
        "incomplete_annotations": (every["incomplete"].sum(), len(every)),
        "developers": (every.loc[every["developer"], "worker_id"].nunique(), people),
        "developer_annotations": (every["developer"].sum(), len(every)),
        "repeats": (every["repeat"].sum(), len(every)),
        "many_packages": ((packages > 3).sum(), people),
        "many_segments": ((seen > 1).sum(), len(seen)),
        "no_start": (every["started"].isna().sum(), len(every)),
        "lost": (there - segments, there),
    }


def _conversations(dump: Dump) -> Counts:
    bots = [c for c in dump.conversations if HUMAN not in c.entities]
    people = [c for c in dump.conversations if HUMAN in c.entities]
    longest, every = max(dump.domain.segments), len(dump.conversations)
    packed = {identity for package in dump.packages.values() for identity in package}
    first = Counter(c.entities for c in bots)
    nr, text = dump.turns["exchange_nr"], dump.turns["text"]
    regular = nr - nr.groupby(dump.turns["conversation_id"]).transform("first") == dump.turns["turn"] // 2
    begin = nr.groupby(dump.turns["conversation_id"]).first()
    return {
        "short": (sum(c.exchanges < longest for c in bots), len(bots)),
        "people_unpacked": (sum(c.conversation_id not in packed for c in people), len(people)),
        "bots_unpacked": (sum(c.conversation_id not in packed for c in bots), len(bots)),
        "exchange_nr": (dump.turns.loc[~regular, "conversation_id"].nunique(), every),
        "no_seed": ((begin.loc[[c.conversation_id for c in bots]] == 1).sum(), len(bots)),
        "half_exchange": (sum(len(c.turns) % 2 for c in dump.conversations), every),
        "identical": (every - len({tuple(turn.text for turn in c.turns) for c in dump.conversations}), every),
        "uneven": (
            max(abs(first[a, b] - first[b, a]) for a, b in first),
            max(first[a, b] + first[b, a] for a, b in first),
        ),
        "special_tokens": (text.str.contains(SPECIAL_TOKEN).sum(), len(text)),
        "no_text": ((text.str.strip() == "").sum(), len(text)),
    }
