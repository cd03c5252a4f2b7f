"""How often the paper's annotators erred on segments like our controls, and what a limit on missed controls does.

``python -m parlai_spotbot.projects.spot_the_bot_2020.known_segments --data PATH`` prints what
`surveys.controls.segments` and `Limits.control_mistakes` were chosen by. The annotators of 2020 had no onboarding and
no controls.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import binom

from parlai_spotbot.importers.spotbot2020_dump import DOMAINS, Dump, read_dump, select
from parlai_spotbot.projects.command import exit_code
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.controls import missed_by
from parlai_spotbot.surveys.controls.segments import KNOWN_BOT, KNOWN_HUMAN, measures_of
from parlai_spotbot.texts.surface import normalise

CLICKERS: dict[str, tuple[float, float]] = {
    "any answer at random": (1 / 9, 2 / 3),
    "human or bot at random": (1 / 4, 1 / 2),
    "always human": (0.0, 1.0),
    "always bot": (1.0, 0.0),
    "always unsure": (0.0, 1.0),
}
"""Chance to miss a segment of known people, and one with a known bot."""

LEAST = 5
"""Annotations of each kind that an annotator needs to be one of those that the simulation is about."""


def people_rows(dump: Dump) -> pd.DataFrame:
    """The annotations of conversations between people, with `missed` and `fits` (the rule)."""
    said = {c.conversation_id: [normalise(turn.text) for turn in c.shown] for c in dump.conversations}
    frame = select(dump)
    frame = frame[(frame["a"] == HUMAN) & (frame["b"] == HUMAN)].copy()
    frame["missed"] = [_missed(KNOWN_HUMAN, row) for row in frame.itertuples()]
    frame["fits"] = [
        measures_of(said[name][: 2 * k]).fits for name, k in zip(frame["conversation_id"], frame["k"], strict=True)
    ]
    return frame


def bot_rows(dump: Dump) -> pd.DataFrame:
    """A row for every annotated bot in a segment of two exchanges or more, with `missed`, its `nature` as answered, and
    `repeats` (how many of its turns it had said before, word for word)."""
    said = {c.conversation_id: [normalise(turn.text) for turn in c.shown] for c in dump.conversations}
    rows = []
    for row in select(dump).itertuples():
        for entity, name in enumerate((row.a, row.b)):
            if name == HUMAN or row.k < 2:
                continue
            turns = said[row.conversation_id][: 2 * row.k][entity::2]
            rows.append(
                {
                    "worker_id": row.worker_id,
                    "conversation_id": row.conversation_id,
                    "k": row.k,
                    "bot": name,
                    "nature": row.nature1 if entity else row.nature0,
                    "missed": _missed(KNOWN_BOT[entity], row),
                    "repeats": len(turns) - len(set(turns)),
                }
            )
    return pd.DataFrame(rows)


def _missed(kind: str, row: object) -> bool:
    answers = {("nature", f"entity:{entity}"): getattr(row, f"nature{entity}") for entity in (0, 1)}
    return missed_by(kind, answers)


def stopped(people: np.ndarray, bots: np.ndarray, each: int, allowed: int) -> np.ndarray:
    """The chance to miss more than `allowed` of `each` known people and as many known bots, by the chances of one."""
    people, bots = np.atleast_1d(people), np.atleast_1d(bots)
    total = np.zeros(len(people))
    for of_people, of_bots in product(range(each + 1), repeat=2):
        if of_people + of_bots > allowed:
            total += binom.pmf(of_people, each, people) * binom.pmf(of_bots, each, bots)
    return total


def annotators(people: pd.DataFrame, bots: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Every annotator's chances to miss controls: own rates on all segments of people and on the dullest bot (DR, three
    exchanges or more), scaled by how much less the rule's segments, and the longest of that bot, were missed by all."""
    dull = bots[(bots["bot"] == "DR") & (bots["k"] >= 3)]
    rates = []
    for rows in (people, dull):
        of_each = rows.groupby("annotator")["missed"].agg(["mean", "size"])
        rates.append(of_each.loc[of_each["size"] >= LEAST, "mean"])
    both = pd.concat(rates, axis=1, join="inner", keys=["people", "bots"])
    easier = people[people["fits"]]["missed"].mean() / people["missed"].mean()
    easier_bots = dull[dull["k"] == 5]["missed"].mean() / dull["missed"].mean()
    return (both["people"] * easier).to_numpy(), (both["bots"] * easier_bots).to_numpy()


def report(data: str, say: Callable[[str], None] = print) -> dict[str, float]:
    """Print the figures for the released data at `data`; returns those that `controls.segments` quotes, by name."""
    people, bots = [], []
    for name in DOMAINS:
        dump = read_dump(data, name)
        for frames, frame in ((people, people_rows(dump)), (bots, bot_rows(dump))):
            frames.append(frame.assign(domain=name, annotator=name + " " + frame["worker_id"]))
    p, b = pd.concat(people, ignore_index=True), pd.concat(bots, ignore_index=True)
    say("segments of people: share of annotations that call both bots")
    figures = {}
    for what, rows in (("all", p), ("by the rule", p[p["fits"]])):
        figures[what] = _line(what, rows, say)
    for k, rows in p[p["fits"]].groupby("k"):
        what = f"by the rule, exchanges: {k}"
        figures[what] = _line(what, rows, say)
    say("segments of bots: share of answers other than bot (of answers 'human')")
    kinds = {
        "all bots": b,
        "DR, 5 exchanges": b[(b["bot"] == "DR") & (b["k"] == 5)],
        "2 exchanges, says the same in both": b[(b["repeats"] == 1) & (b["k"] == 2)],
        "repeats 1 turn or more": b[b["repeats"] >= 1],
        "repeats 2 turns or more": b[b["repeats"] >= 2],
        "repeats 3 turns or more": b[b["repeats"] >= 3],
    }
    for what, rows in kinds.items():
        figures[what] = _line(what, rows, say)
    of_people, of_bots = annotators(p, b)
    say(f"stopped, of {len(of_people)} annotators of 2020 and of clickers (n controls, half of each kind; m allowed)")
    for each, allowed in product((1, 2, 3), (0, 1, 2)):
        shares = {"annotators of 2020": float(stopped(of_people, of_bots, each, allowed).mean())}
        shares |= {who: float(stopped(*np.array(chances), each, allowed)[0]) for who, chances in CLICKERS.items()}
        figures |= {f"{who}, {2 * each} controls, {allowed} allowed": share for who, share in shares.items()}
        say(f"  n={2 * each} m={allowed}: " + ", ".join(f"{who} {share:.3f}" for who, share in shares.items()))
    return figures


def _line(what: str, rows: pd.DataFrame, say: Callable[[str], None]) -> float:
    parts = [f"{name} {part['missed'].mean():.3f} of {len(part)}" for name, part in rows.groupby("domain")]
    said = f" ({(rows['nature'] == 'human').mean():.3f})" if "nature" in rows else ""
    total = float(rows["missed"].mean())
    held = rows["conversation_id"].nunique()
    say(f"  {what:24} {total:.3f}{said} of {len(rows)} ({held} conversations); " + ", ".join(parts))
    return total


def main(arguments: list[str] | None = None) -> int:
    """Run it; returns the exit code: 0, or 2 for bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m parlai_spotbot.projects.spot_the_bot_2020.known_segments",
        description="How often the paper's annotators erred on segments like our control segments",
    )
    parser.add_argument("--data", required=True, metavar="PATH", help="the released MongoDump.zip, or its folder")
    options = parser.parse_args(arguments)
    return exit_code(lambda: report(options.data))


if __name__ == "__main__":
    sys.exit(main())
