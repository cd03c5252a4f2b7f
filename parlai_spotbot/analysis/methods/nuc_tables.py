"""Tables of the survey `nuc` as frames, and its summary for the terminal, in the shape of the paper's Table 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from parlai_spotbot.analysis.methods.nuc_parts import KS
from parlai_spotbot.wording import interval, percent

MEASURES = tuple(f"recall@{k}" for k in KS)


def tables(result: Mapping[str, dict]) -> dict[str, pd.DataFrame]:
    """recall, against_models, between_groups, agreement, ceiling, hard, time, questionnaire, annotators."""
    made: dict[str, list[dict]] = {name: [] for name in ("recall", "against_models", "between_groups", "agreement",
                                   "ceiling", "hard", "time", "questionnaire", "annotators")}  # fmt: skip
    for source, own in result["recall"]["by_source"].items():
        made["recall"] += [{"source": source, **row} for row in _recall(own)]
        for name in ("against_models", "between_groups"):
            made[name] += [{"source": source, **_ends(row)} for row in own[name]]
        questions = result["questions"]["by_source"][source]
        made["agreement"] += [{"source": source, **_ends(row)} for row in questions["agreement"]]
        made["ceiling"] += [{"source": source, **row} for row in _ceiling(questions["ceiling"])]
        made["hard"] += [{"source": source, **_hard(row)} for row in questions["hard"]]
        made["time"] += [{"source": source, **_ends(row)} for row in result["time"]["by_source"][source]["by"]]
        for question in result["questionnaire"]["by_source"][source]["questions"]:
            made["questionnaire"] += [
                {"source": source, "question": question["name"], "answer": cell["label"], "n": cell["n"],
                 "share": cell["share"], "low": cell["ci"][0], "high": cell["ci"][1]}
                for cell in question["answers"]
            ]  # fmt: skip
        people = result["annotators"]["by_source"][source]["annotators"]
        made["annotators"] += [{"source": source, "annotator": name, **row} for name, row in people.items()]
    return {name: pd.DataFrame(rows) if rows else pd.DataFrame(columns=["source"]) for name, rows in made.items()}


def _ends(row: Mapping) -> dict:
    """With the ends of the interval in columns of their own."""
    low, high = row["ci"] or (None, None)
    return {**{key: value for key, value in row.items() if key != "ci"}, "low": low, "high": high}


def _shares(row: Mapping, names: tuple[str, ...]) -> dict:
    found = {}
    for name in names:
        own = row.get(name) or {"estimate": None, "n": None, "wilson": (None, None), "ci": (None, None)}
        found |= {name: own["estimate"], f"{name}_n": own["n"],
                  f"{name}_wilson_low": own["wilson"][0], f"{name}_wilson_high": own["wilson"][1],
                  f"{name}_low": own["ci"][0], f"{name}_high": own["ci"][1]}  # fmt: skip
    return found


def _recall(own: Mapping) -> Iterator[dict]:
    for row in own["people"]:
        yield {"kind": "people", **{key: row[key] for key in ("by", "who", "corpus", "annotators", "questions")},
               **_shares(row, MEASURES)}  # fmt: skip
    for row in own["models"]:
        yield {"kind": "model", "by": own["ways"].get(row["contestant"], ""), "who": row["contestant"],
               "corpus": row["corpus"], "annotators": None, "questions": row["questions"],
               **_shares(row, MEASURES)}  # fmt: skip
    for corpus, row in own["chance"].items():
        yield {"kind": "guessing", "by": "", "who": "guessing", "corpus": corpus, **row}


def _ceiling(rows: list[dict]) -> list[dict]:
    return [{"corpus": row["corpus"], "questions": row["questions"], "answers": row["answers"],
             **_shares(row, (*MEASURES, "somebody"))} for row in rows]  # fmt: skip


def _hard(row: Mapping) -> dict:
    texts = {"context": "\n".join(row["context"]), "true": row["candidates"][row["true"]],
             "rival": row["candidates"][row["rival"]] if row["rival"] >= 0 else ""}  # fmt: skip
    kept = ("question_id", "corpus", "answers", "right", "p", "ambiguous", "below_chance")
    return {**{key: row[key] for key in kept}, **texts, "chosen": " ".join(map(str, row["chosen"])),
            "low": row["ci"][0], "high": row["ci"][1], "models_right": " ".join(row["models_right"])}  # fmt: skip


def summary(result: Mapping[str, dict]) -> str:
    """One line a corpus and group, then the models."""
    lines = []
    for source, own in result["recall"]["by_source"].items():
        used = result["recall"]["made_by"]["used"][source]
        lines.append(f"{source}: {used} answers" + ("" if source == "human" else " (automatic, not people)"))
        lines.append(f"  {'who':<34} {'corpus':<28} {'R@1':>6} {'95 %':<14} {'R@2':>6} {'95 %':<14} {'n':>6}")
        for row in _rows(own):
            lines.append(_line(*row))
        lines.append(f"  {result['annotators']['by_source'][source]['summary']['sentence']}")
        hard = result["questions"]["by_source"][source]["hard"]
        lines.append(f"  {len(hard)} questions in which people prefer another reply, or do worse than by guessing")
    return "\n".join(lines)


def _rows(own: Mapping) -> Iterator[tuple[str, Mapping]]:
    for row in own["people"]:
        by = f" ({row['by']})" if row["by"] not in ("", "group") else ""
        yield f"{row['who']}{by}, {row['annotators']}", row
    for row in own["models"]:
        yield f"{row['contestant']}{' *' if '*' in own['ways'].get(row['contestant'], '') else ''}", row


def _line(who: str, row: Mapping) -> str:
    one, two = (row[name] for name in MEASURES)
    return (
        f"  {who:<34} {row['corpus']:<28} {percent(one['estimate'], 1):>6} {interval(one['ci']):<14} "
        f"{percent(two['estimate'], 1):>6} {interval(two['ci']):<14} {one['n']:>6}"
    )
