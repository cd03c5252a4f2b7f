"""Whether chats of a bot with itself say the same as those with people, who goes round in circles, what is learnt."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.choices.chat_kinds import compare_kinds
from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Finding, Result, Rows, flat
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.records import KINDS
from parlai_spotbot.texts.degeneration import call_responses, degeneration
from parlai_spotbot.wording import interval, p_value, percent, who

LEVEL = 0.05

MIXED_KINDS = "conversations of two different kinds"


def compute(own: Answers) -> dict:
    """Self-chats against conversations with people, who degenerates in self-chat, what is learnt by heart."""
    facts, main = own.facts, own.questions[0]
    rows = own.rows[(own.rows["question"] == main) & (own.rows["a"] != own.rows["b"])]
    talks = list(facts.conversations.values())
    bots = [name for name in own.names if name in facts.bots] or [n for n in own.names if n != "human"]
    kinds = compare_kinds(
        rows,
        own.names,
        rng=own.rng("kinds"),
        replicates=own.options.bootstraps,
        crossed=own.crossed,
        resample=own.resample,
    )
    return {
        "question": main,
        **kinds,
        "kinds": {name: {"what": KINDS.get(name, MIXED_KINDS), **found} for name, found in kinds["kinds"].items()},
        "comparisons": [found | {"sentence": comparison_sentence(found)} for found in kinds["comparisons"]],
        "degeneration": facts.once("degeneration", lambda: degeneration(talks, bots)),
        "training": facts.once("training", lambda: call_responses(talks, facts.training, facts.training_why)),
    }


def comparison_sentence(found: Mapping) -> str:
    """Whether two kinds of conversations put the contestants in one order, and which win shares differ."""
    x, y = (KINDS[kind] for kind in found["kinds"])
    if np.isfinite(found["tau"]):
        low, high = found["tau_ci"]
        same = "in the same order" if found["same_order"] else "in different orders"
        text = f"Conversations of {x} and those of {y} put {len(found['contestants'])} contestants {same} "
        text += f"(rank correlation τ {found['tau']:.2f}, {low:.2f} to {high:.2f})"
    else:
        text = f"Conversations of {x} and those of {y} have too few contestants in common to compare orders"
    clear = [row for row in found["pairs"] if row["p_adjusted"] < LEVEL]
    if clear:
        pairs = ", ".join(f"{row['a']} over {row['b']} {row['x']:.0%} against {row['y']:.0%}" for row in clear)
        return f"{text}; win shares differ clearly for {pairs}."
    return f"{text}; no pair's win share differs more than chance explains ({len(found['pairs'])} pairs in both)."


def tell(result: Result) -> list[Section]:
    """Whether self-chats say the same; nothing where that can't be told."""
    own = result.data
    text = [found["sentence"] for found in own["comparisons"]]
    tests = own["degeneration"]["tests"]
    text += [test["sentence"] for test in tests.values() if test["share"] > 0]
    if tests and not any(test["share"] > 0 for test in tests.values()):
        text.append("No contestant goes round in circles in any of its self-chats.")
    training = own["training"]
    text += [row["sentence"] for row in training["shares"] if row["kind"] == "self"]
    if not text:
        return []
    if not training["shares"]:
        text.append(f"What share of answers comes from the training data isn't known: {training.get('why', '')}.")
    charts, tables = [], []
    if len(own["kinds"]) > 1:
        rows = [
            {
                "label": Name(bot),
                "estimate": found["score"][bot],
                "low": found["score_ci"][bot][0],
                "high": found["score_ci"][bot][1],
                "group": found["what"],
            }
            for found in own["kinds"].values()
            for bot in found["order"]
        ]
        charts.append(
            Chart(
                "chats",
                "forest",
                "Who is preferred, by kind of conversation",
                "Lines are 95 % intervals.",
                {"rows": rows, "reference": 0.5, "x": "share of wins"},
                _orders(own),
            )
        )
    for found in own["comparisons"]:
        rows = [
            (Name(p["a"]), Name(p["b"]), percent(p["x"]), percent(p["y"]), interval(p["ci"]), p_value(p["p_adjusted"]))
            for p in found["pairs"]
        ]
        x, y = (KINDS[kind] for kind in found["kinds"])
        tables.append(
            Table(
                f"{x.capitalize()} against {y}",
                "The interval is of the difference of the two win shares.",
                ("contestant", "over", x, y, "difference", "adjusted p"),
                rows,
                folded=len(rows) > criteria.LONG,
            )
        )
    rows = [
        (Name(r["name"]), KINDS[r["kind"]], str(r["turns"]), percent(r["share"], 1), interval(r["ci"], 1))
        for r in own["degeneration"]["shares"]
    ]
    tables.append(
        Table(
            "Turns that go round in circles",
            "The same words again and again, an earlier turn of one's own or the other's",
            ("contestant", "conversations of", "turns", "share", "95 % interval"),
            rows,
            folded=len(rows) > criteria.LONG,
        )
    )
    if training["shares"]:
        rows = [
            (Name(r["name"]), KINDS[r["kind"]], str(r["pairs"]), percent(r["share"], 1), interval(r["ci"], 1))
            for r in training["shares"]
        ]
        tables.append(
            Table(
                "Answers learnt by heart",
                "Answers that stand in the training data as the answer to the very turn before.",
                ("contestant", "conversations of", "answers", "share", "95 % interval"),
                rows,
                folded=len(rows) > criteria.LONG,
            )
        )
    return [Section("self_chats", "Do self-chats say the same?", text, charts, tables)]


def _orders(own: Mapping) -> str:
    """The order by each kind of conversation."""
    said = [
        f"of {found['what']}: {' > '.join(who(name) for name in found['order'])}"
        if criteria.single_order(found)
        else f"of {found['what']}: no single order"
        for found in own["kinds"].values()
    ]
    return f"By conversations {'; '.join(said)}."


def rows(data: Mapping) -> Rows:
    """Rows of the tables chats_pairs, chats_circles and chats_training."""
    for found in data["comparisons"]:
        for pair in found["pairs"]:
            yield "chats_pairs", {"kinds": " ".join(found["kinds"]), **flat(pair)}
    for row in data["degeneration"]["shares"]:
        yield "chats_circles", flat(row)
    for row in data["training"]["shares"]:
        yield "chats_training", {key: value for key, value in flat(row).items() if not key.startswith("common")}


FINDING = Finding("chats", FORM, compute, tell, rows, place=20)
