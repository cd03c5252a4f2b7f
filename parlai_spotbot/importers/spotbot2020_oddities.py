"""Irregularities of the released data: how often, and how each is handled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import pandas as pd

from parlai_spotbot.importers.spotbot2020_dump import DEFAULT_LEAVE_OUT, Dump, select
from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts.surface import SPECIAL_TOKEN


def oddities(dump: Dump, leave_out: Collection[str] = DEFAULT_LEAVE_OUT) -> pd.DataFrame:
    """One row an oddity: `what`, `count`, `of` (out of how many), `rule`. Counts of 0 are listed too.

    The rules on annotations depend on what `leave_out` names; what is counted after them says so.
    """
    every = dump.annotations
    kept = select(dump, leave_out)
    rows = [*_annotators(every, set(leave_out)), *_segments(every, kept), *_conversations(dump), *_texts(dump)]
    return pd.DataFrame(rows, columns=["what", "count", "of", "rule"])


def _fate(reason: str, leave_out: set[str]) -> str:
    return "left out" if reason in leave_out else f"kept (--leave-out {reason} leaves them out)"


def _annotators(every: pd.DataFrame, leave_out: set[str]) -> list[tuple]:
    hits = every.drop_duplicates(["worker_id", "unit_id"])
    people = every["worker_id"].nunique()
    broken = hits[hits["incomplete"]]
    developer_rows = every[every["developer"]]
    packages = hits.groupby("worker_id").size()
    seen = every.drop_duplicates(["worker_id", "conversation_id", "k"]).groupby(["worker_id", "conversation_id"]).size()
    fate = _fate("incomplete", leave_out) + ", as in the paper's tables"
    return [
        ("packages that an annotator did not finish", len(broken), len(hits), fate),
        ("annotations in them", int(every["incomplete"].sum()), len(every), fate),
        ("accounts of the developers", developer_rows["worker_id"].nunique(), people, _fate("developers", leave_out)),
        ("annotations by them", len(developer_rows), len(every), _fate("developers", leave_out)),
        (
            "annotations of a segment that the annotator had answered before (reload of a page)",
            int(every["repeat"].sum()),
            len(every),
            _fate("repeats", leave_out),
        ),
        (
            "annotators with more than 3 packages (the paper says none)",
            int((packages > 3).sum()),
            people,
            "kept; the resampling of workers allows for it",
        ),
        (
            "annotator-conversation pairs with 2 or 3 segments (the paper says none)",
            int((seen > 1).sum()),
            len(seen),
            "kept; flagged in the table of annotators",
        ),
        (
            "annotations with start_time -1",
            int(every["started"].isna().sum()),
            len(every),
            "the answers count, the time is unknown",
        ),
    ]


def _segments(every: pd.DataFrame, kept: pd.DataFrame) -> list[tuple]:
    sizes = Counter(kept.groupby(["conversation_id", "k"]).size())
    total = sum(sizes.values())
    rows = [
        (
            f"segments with {n} annotation{'s' if n > 1 else ''} (after what is left out)",
            sizes[n],
            total,
            "all annotations count; agreement is of segments with exactly 2",
        )
        for n in sorted({1, 2, 3, 4} | set(sizes))
    ]
    lost = every.drop_duplicates(["conversation_id", "k"]).shape[0] - total
    rows.append(("segments of which no annotation is left", lost, total + lost, "missing"))
    return rows


def _conversations(dump: Dump) -> list[tuple]:
    bots = [c for c in dump.conversations if HUMAN not in c.entities]
    people = [c for c in dump.conversations if HUMAN in c.entities]
    longest = max(dump.domain.segments)
    packed = {identity for package in dump.packages.values() for identity in package}
    first = Counter(c.entities for c in bots)
    uneven = max(abs(first[a, b] - first[b, a]) for a, b in first)
    nr = dump.turns["exchange_nr"]
    regular = nr - nr.groupby(dump.turns["conversation_id"]).transform("first") == dump.turns["turn"] // 2
    irregular = dump.turns.loc[~regular, "conversation_id"].nunique()
    no_seed = nr.groupby(dump.turns["conversation_id"]).first()
    texts = Counter(tuple(turn.text for turn in c.turns) for c in dump.conversations)
    return [
        (
            f"conversations of bots too short for {longest} exchanges",
            sum(c.exchanges < longest for c in bots),
            len(bots),
            "they have no such segment",
        ),
        (
            "conversations of people in no package",
            sum(c.conversation_id not in packed for c in people),
            len(people),
            "kept, never judged",
        ),
        (
            "conversations of bots in no package",
            sum(c.conversation_id not in packed for c in bots),
            len(bots),
            "kept, never judged",
        ),
        (
            "conversations whose exchange_nr does not count exchanges",
            irregular,
            len(dump.conversations),
            "exchange_nr is ignored: even turns are entity 0's",
        ),
        (
            "conversations of bots that start with exchange 1: the seed exchange is not in the dump",
            int((no_seed.loc[[c.conversation_id for c in bots]] == 1).sum()),
            len(bots),
            "the seed was never shown and does not count in k, so nothing is missing from segments",
        ),
        (
            "conversations that end within an exchange",
            sum(len(c.turns) % 2 for c in dump.conversations),
            len(dump.conversations),
            "the half exchange is kept and belongs to no segment",
        ),
        (
            "conversations that say the same, turn by turn, as another",
            len(dump.conversations) - len(texts),
            len(dump.conversations),
            "kept",
        ),
        (
            "greatest difference, in one pair, in how often each bot is entity 0",
            uneven,
            max(first[a, b] + first[b, a] for a, b in first),
            "reported; the order effect is estimated",
        ),
    ]


def _texts(dump: Dump) -> list[tuple]:
    text = dump.turns["text"]
    return [
        (
            "turns with special tokens (< /s >, <pad>)",
            int(text.map(lambda t: bool(SPECIAL_TOKEN.search(t))).sum()),
            len(text),
            "kept as the annotators saw them; spotbot_pack takes them out of what is shown again",
        ),
        ("turns without text", int((text.str.strip() == "").sum()), len(text), "kept"),
    ]
