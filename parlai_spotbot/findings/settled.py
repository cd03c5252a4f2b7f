"""Verdicts of a survey that was served until settled, which hold however often somebody looked, and its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from parlai_spotbot.analysis.values import with_ends
from parlai_spotbot.analysis.verdict.probe import AMBER, RED, Probe
from parlai_spotbot.findings.answers import Form
from parlai_spotbot.findings.audit import rows_of
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.frames import Found, Frames, one_row
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.result import SETTLED, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.findings.sections import Step
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import NAMED, asked, counted, filled, some

ENDS = {
    "settled": "Settled after {answers:answer}: {first}.",
    "budget": "Settled in part when the budget of {budget:answer} was used up: {first}.",
    "used up": "Settled in part after {answers:answer}, and no conversation of an open pair is left: {first}.",
    "deadline": "Ended at its deadline after {answers:answer}, {settled} of {pairs:pair} settled: {first}.",
    "": "Not settled yet after {answers:answer} of at most {budget:,}: {first}.",
}
NOTHING = "Too little was answered to settle anything: no answer counts yet, of at most {budget:,}."
PLAN = (
    "the plan fixed before the first answer "
    "({0}, level {level:percent}, margin {margin:percent}, budget {budget:,}{rest})"
)
ELSE = "that the plan was kept doesn't show that what the verdicts take for granted holds"
GIVEN = (
    "where people and conversations are independent of each other (no household, class or copied text stands behind "
    "several) and the bots stayed the same"
)
MEANS = (
    "More points, over all people and conversations like these. The null hypothesis is that two score alike against "
    "each other and against every third one. Units that aren't back count as the worst possible."
)
WORDS: dict[str, dict] = own_data(__file__)

METHODS: dict[str, str] = WORDS["methods"]
"""How the figures of each table were computed."""

PROBES: dict[str, dict[str, str]] = WORDS["probes"]
"""Words of each probe of the account."""

OF_PAIRS = (
    "Of {n:pair}: {0}; the chance that any verdict is wrong is at most {error:percent}, however often one looked, {1}."
)
WITHHELD = "No verdict is given after {answers:answer}. {0}"

KINDS = {"better": "told apart", "equal": "equal", "open": "open"}
LINKS = {"better": "over"}


def frames_of(data: Mapping[str, Any]) -> Found | None:
    """Return the frames of the account of a source that decided what was shown; None of another one."""
    if not data:
        return None
    contestants = [
        {"bot": bot, "score": data["score"][bot], "n": data["matches"][bot]}
        | dict(zip(("cluster_first", "cluster_last"), data["clusters"][bot], strict=True))
        | dict(zip(("score_low", "score_high"), data["score_ci"][bot], strict=True))
        for bot in data["order"]
    ]
    pairs = [with_ends(row, "difference") for row in data["pairs"]]
    frames = {name: pd.DataFrame(data[name]) for name in ("path", "draws", "departures", "probes")}
    whole = {name: value for name, value in data.items() if name not in (*frames, *OF_CONTESTANTS, "pairs")}
    own = {"ranking": pd.DataFrame(contestants), "pairs": pd.DataFrame(pairs)}
    return {**own, **frames, "whole": one_row(**whole)}


def summarise(result: Result) -> list[str]:
    """Return what is settled, of how many pairs, and what departs from the registered plan."""
    data, ranking = result.one("whole"), Ranking(result.frames)
    pairs = ranking.pairs
    plan = _plan(data)
    departed = [f"{row['departure']}: {row['count']}" for row in result.rows("departures")]
    checked = [Caution(f"Departures from {plan}: {'; '.join(departed)}.")]
    if not departed:
        checked = [Fact.of("Plan", f"No departure from {plan}, by {counted(len(data['checks']), 'check')}; {ELSE}.")]
    if not ranking.order:
        return [filled(NOTHING, **data), *checked]
    audit = audit_of(result.frames)
    withheld = [row["text"] for row in audit if row["level"] == RED]
    if withheld:
        return [Caution(filled(WITHHELD, " ".join(withheld), **data)), *checked]
    checked += [row["text"] for row in audit if row["level"] == AMBER]
    counts = [text for kind in KINDS if (text := _pairs(pairs, kind))]
    said = filled(OF_PAIRS, ", ".join(counts), GIVEN, n=len(pairs), error=1 - data["level"])
    open_ = sum(row["verdict"] == "open" for row in pairs)
    numbers = {**data, "settled": len(pairs) - open_, "pairs": len(pairs), "open": open_}
    ended = data["ended"]
    if data["out"] and open_:
        ended = "out"
    step = Step.of(filled(WORDS["next"][ended], **numbers), plan=False, go_on=not ended)
    first = filled(ENDS[data["ended"]], **numbers, first=_first(ranking))
    return [first, said, *checked, Fact.of("Better", MEANS), step]


def _plan(data: Mapping) -> str:
    """Return the plan that was fixed before the first answer."""
    rest = ""
    if data.get("deadline"):
        rest += f", deadline {data['deadline']}"
    if data.get("control_mistakes") is not None:
        rest += f", without people who missed more than {counted(data['control_mistakes'], 'control')}"
    return filled(PLAN, asked(data["question"]), rest=rest, **data)


def audit_of(frames: Frames) -> list[dict]:
    """Return the probes of a survey that was served until settled as rows of an audit."""
    probes = [Probe(row["probe"], row["level"], row["figures"]) for row in frames.rows("probes")]
    return rows_of(probes, PROBES)


def _pairs(pairs: Sequence[Mapping], kind: str) -> str:
    """Return how many pairs have this verdict, and which where they are few; "" where none has."""
    link = LINKS.get(kind, "and")
    names = [f"{row['a']} {link} {row['b']}" for row in pairs if row["verdict"] == kind]
    if not names:
        return ""
    text = f"{len(names)} {KINDS[kind]}"
    if len(names) <= NAMED:
        text += f" ({', '.join(names)})"
    return text


def _first(ranking: Ranking) -> str:
    """Return who is better than all others; else who may be."""
    best = [name for name in ranking.order if ranking.places[name][0] == 1]
    if len(best) == 1:
        others = "all others"
        if len(ranking.order) == 2:
            others = ranking.order[1]
        return f"{best[0]} is better than {others}"
    among = {row["verdict"] for row in ranking.pairs if {row["a"], row["b"]} <= set(best)}
    names = some(best, "contestants")
    if among == {"equal"}:
        return f"{names} are equal at the top"
    return f"who is first among {names} is open"


POINTS = Column("share", "Points", ci=True)


def tables(score: Column, share: Mapping[str, Column]) -> dict[str, Table]:
    """Return the tables; `score` is the column of contestants' scores, `share` that of a pair's own points, if any."""
    return {
        "ranking": Table(
            "ranking",
            columns={
                "bot": Column("name", "Contestant"),
                "cluster": Column("places", "Places"),
                "score": score,
                "n": Column("count", "Answers"),
            },
            title="Contestants",
            method=METHODS["settled"],
        ),
        "pairs": Table(
            "pairs",
            columns={
                "a": Column("name", "Contestant"),
                "b": Column("name", "Against"),
                "verdict": Column("text", "Verdict"),
                "after": Column("count", "After answers"),
                "n": Column("count", "Its own"),
                **share,
                "difference": Column(score.kind, "Lead" if share else "Difference", ci=True),
                "evidence": Column("number", "Evidence"),
                "needed": Column("number", "Needed"),
            },
            title="Every pair",
            method=METHODS["pairs"],
            cite=("waudbysmith2024", "vovk2021", "shaffer1986"),
        ),
        "path": Table(
            "path",
            columns={
                "pair": Column("text"),
                "answers": Column("count", "Answers"),
                "evidence": Column("number", "Evidence"),
            },
        ),
        "draws": Table(
            "draws",
            columns={
                "item": Column("text"),
                "a": Column("name"),
                "b": Column("name"),
                "chance": Column("number"),
                "result": Column("number"),
            },
        ),
        "departures": Table("departures", columns={"departure": Column("text"), "count": Column("count")}),
    }


OF_CONTESTANTS = ("order", "clusters", "score", "score_ci", "matches")
"""What the account says of each contestant."""


def finding(form: Form, score: Column = POINTS) -> Finding:
    """Return the finding of a form of answers; it leads where a survey was served until settled."""
    return Finding(
        SETTLED,
        form,
        lambda answers: frames_of(answers.settled),
        tables=tables(score, {"share": Column("share", "Points")} if score is POINTS else {}),
        summarise=summarise,
        heading="What is settled",
        chart=Chart(
            "curve",
            "path",
            x="answers",
            y="evidence",
            group="pair",
            caption="Evidence over answers, in powers of ten above what settles a pair, which is at the line. Of many "
            "pairs those that are open or were settled last.",
            reference=0,
        ),
        bars=("score",),
        place=4,
    )
