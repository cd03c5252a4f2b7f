"""Comparison of a bot's chats with itself and its chats with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from parlai_spotbot.analysis.choices.chat_kinds import compare_kinds
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.records import KINDS
from parlai_spotbot.texts.degeneration import call_responses, degeneration

LEVEL = 0.05

MIXED_KINDS = "conversations of two different kinds"


def compute(answers: Answers) -> dict:
    """Self-chats against conversations with people, who degenerates in self-chat, what is learnt by heart."""
    facts, main = answers.facts, answers.questions[0]
    rows = answers.rows[(answers.rows["question"] == main) & (answers.rows["a"] != answers.rows["b"])]
    talks = list(facts.conversations.values())
    bots = [name for name in answers.names if name in facts.bots] or [n for n in answers.names if n != "human"]
    kinds = compare_kinds(
        rows,
        answers.names,
        rng=answers.rng("kinds"),
        replicates=answers.options.bootstraps,
        crossed=answers.crossed,
        resample=answers.resample,
    )
    return {
        "question": main,
        **kinds,
        "kinds": {
            name: {"what": KINDS.get(name, MIXED_KINDS), **kind_result} for name, kind_result in kinds["kinds"].items()
        },
        "comparisons": [
            comparison
            | {
                "sentence": comparison_sentence(comparison),
                "pairs": [{"kinds": " ".join(comparison["kinds"]), **pair} for pair in comparison["pairs"]],
            }
            for comparison in kinds["comparisons"]
        ],
        "degeneration": facts.once("degeneration", lambda: degeneration(talks, bots)),
        "training": facts.once("training", lambda: call_responses(talks, facts.training, facts.training_why)),
    }


def comparison_sentence(data: Mapping) -> str:
    """Return whether two kinds of conversations put the contestants in one order, and which win shares differ."""
    x, y = (KINDS[kind] for kind in data["kinds"])
    if np.isfinite(data["tau"]):
        low, high = data["tau_ci"]
        same = "in the same order" if data["same_order"] else "in different orders"
        text = f"Conversations of {x} and those of {y} put {len(data['contestants'])} contestants {same} "
        text += f"(rank correlation τ {data['tau']:.2f}, {low:.2f} to {high:.2f})"
    else:
        text = f"Conversations of {x} and those of {y} have too few contestants in common to compare orders"
    clear = [row for row in data["pairs"] if row["p_adjusted"] < LEVEL]
    if clear:
        pairs = ", ".join(f"{row['a']} over {row['b']} {row['x']:.0%} against {row['y']:.0%}" for row in clear)
        return f"{text}; win shares differ clearly for {pairs}."
    return f"{text}; no pair's win share differs more than chance explains ({len(data['pairs'])} pairs in both)."


def summarise(result: Result) -> list[str]:
    """Return whether kinds of conversations agree, who goes round in circles, and what is learnt by heart."""
    data = result.data
    text = [comparison["sentence"] for comparison in data["comparisons"]]
    text += [test["sentence"] for test in data["degeneration"]["tests"].values() if test["share"] > 0]
    return text + [row["sentence"] for row in data["training"]["shares"] if row["kind"] == "self"]


WHO = {"name": Column("name", "Contestant"), "kind": Column("text", "Conversations of")}
SHARE = {"share": Column("share", "Share", ci="ci", digits=1)}
TABLES = {
    "kinds": Table(
        "kinds/{kind}/{column}/{bot}",
        {
            "kind": Column("text", "Kind of conversation"),
            "bot": Column("name", "Contestant"),
            "score": Column("share", "Points", ci="score_ci"),
        },
        "Who is preferred, by kind of conversation",
    ),
    "pairs": Table(
        "comparisons/pairs",
        {
            "kinds": Column("text", "Kinds"),
            "a": Column("name", "Contestant"),
            "b": Column("name", "Over"),
            "x": Column("share", "In the first kind"),
            "y": Column("share", "In the second"),
            "estimate": Column("share", "Difference", ci="ci"),
            "p_adjusted": Column("p", "p, Holm"),
        },
        "Win shares by kind of conversation",
    ),
    "circles": Table(
        "degeneration/shares",
        {**WHO, "turns": Column("count", "Turns"), **SHARE},
        "Turns that go round in circles",
        "The same words again and again, or an earlier turn of either speaker.",
    ),
    "training": Table(
        "training/shares",
        {**WHO, "pairs": Column("count", "Answers"), **SHARE},
        "Answers learnt by heart",
        "Answers that are in the training data as the answer to the very turn before.",
    ),
}

FINDING = Finding(
    "chats",
    FORM,
    compute,
    tables={name: replace(table, csv=f"chats_{name}") for name, table in TABLES.items()},
    summarise=summarise,
    heading="Do self-chats say the same?",
    chart=Chart("forest", "kinds", x="score", y="bot", group="kind", caption="Share of points, with 95 % intervals."),
    place=20,
)
