"""Can people find the real next turn? Recall of people and models on the same questions, and tests between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.nuc import chance, ranks_of, share
from parlai_spotbot.analysis.nuc.people import against, between
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.findings.candidates import EVERYBODY, FORM, KS, MEASURES, CandidateAnswers, Split, of_corpus
from parlai_spotbot.findings.candidates.wording import cell, corpus_said, group_said, measure_said
from parlai_spotbot.findings.criteria import LONG
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.nuc.background import NucBackground
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import NONE, ends, interval, listed, p_value, percent, points

HOW = "In brackets 95 % intervals that take answers to one conversation, and by one annotator, together."


def compute(own: CandidateAnswers) -> dict:
    """Recall@1 and @2 of people by corpus and group, of the models on the same items, and tests."""
    rows, corpora, made, facts = own.rows, own.corpora, own.splits, own.nuc
    people = [
        _people_row(by, who, of_corpus(rows[mask], corpus), corpus, own.crossed)
        for by, who, mask in made
        for corpus in corpora
    ]
    values = {name: _model_values(facts, rows, scores) for name, scores in facts.models.items()}
    return {
        "corpora": corpora,
        "people": [row for row in people if row["annotators"]],
        "models": [
            _model_row(facts, name, corpus, of_corpus(rows, corpus), mine)
            for name, mine in values.items()
            for corpus in corpora
        ],
        "ways": dict(facts.ways),
        "unscored": {name: count for name, count in facts.unscored.items() if count},
        "cautions": list(facts.cautions),
        "chance": {corpus: _chance(of_corpus(rows, corpus)) for corpus in corpora},
        "against_models": _against(rows, made, corpora, values),
        "between_groups": _between(rows, made, corpora),
    }


def _people_row(by: str, who: str, rows: pd.DataFrame, corpus: str, crossed: bool) -> dict:
    workers = list(rows["worker_id"]) if crossed else None
    found = {f"recall@{k}": share(rows[f"right{k}"], list(rows["conversation_id"]), workers).to_dict() for k in KS}
    return {
        "by": by,
        "who": who,
        "corpus": corpus,
        "annotators": int(rows["worker_id"].nunique()),
        "questions": int(rows["item_id"].nunique()),
        **found,
    }


def _chance(rows: pd.DataFrame) -> dict:
    return {f"recall@{k}": chance(rows["n"], k) for k in KS}


def _model_values(
    facts: NucBackground, rows: pd.DataFrame, scores: Mapping[str, np.ndarray]
) -> dict[str, dict[int, float]]:
    """item -> k -> Recall@k of one model."""
    items = [item for item in dict.fromkeys(rows["item_id"]) if item in scores]
    if not items:
        return {}
    ranks = ranks_of([scores[item] for item in items], [facts.questions[item].true for item in items])
    recalls = {k: ranks.recall(k) for k in KS}
    return {item: {k: float(recalls[k][place]) for k in KS} for place, item in enumerate(items)}


def _model_row(
    facts: NucBackground, name: str, corpus: str, rows: pd.DataFrame, values: Mapping[str, dict[int, float]]
) -> dict:
    items = [item for item in dict.fromkeys(rows["item_id"]) if item in values]
    homes = [facts.questions[item].conversation_id for item in items]
    found = {f"recall@{k}": share([values[item][k] for item in items], homes).to_dict() for k in KS}
    return {"contestant": name, "corpus": corpus, "questions": len(items), **found}


def _against(
    rows: pd.DataFrame,
    made: Sequence[Split],
    corpora: Sequence[str],
    models: Mapping[str, Mapping[str, dict[int, float]]],
) -> list[dict]:
    """People against each model, paired by question."""
    found = []
    for k in KS:
        tests = []
        for by, who, mask in made:
            for corpus in corpora:
                own = of_corpus(rows[mask], corpus)
                own = own[own["n"] > k]
                for name, values in models.items() if len(own) else ():
                    other = [values[item][k] if item in values else np.nan for item in own["item_id"]]
                    row = against(own[f"right{k}"], other, own["conversation_id"], own["worker_id"])
                    tests.append(
                        {"measure": f"recall@{k}", "by": by, "who": who, "corpus": corpus, "contestant": name, **row}
                    )
        found += _adjusted(tests)
    return found


def _between(rows: pd.DataFrame, made: Sequence[Split], corpora: Sequence[str]) -> list[dict]:
    """Every two groups of a kind, on the questions that both answered."""
    found = []
    for k in KS:
        tests = []
        for (by, a, first), (other, b, second) in combinations(made, 2):
            for corpus in corpora if by and by == other else ():
                own = of_corpus(rows.assign(second_group=second)[first | second], corpus)
                own = own[own["n"] > k]
                row = between(
                    (a, b),
                    own[f"right{k}"],
                    own["second_group"],
                    own["item_id"],
                    own["conversation_id"],
                    own["worker_id"],
                ).to_dict()
                tests.append({"measure": f"recall@{k}", "by": by, "corpus": corpus, **row})
        found += _adjusted(tests)
    return found


def _adjusted(tests: list[dict]) -> list[dict]:
    """With Holm's correction over those that have a p."""
    known = [row for row in tests if row["p"] is not None and not np.isnan(row["p"])]
    found = adjust(np.array([row["p"] for row in known])) if known else ()
    by = {id(row): float(p) for row, p in zip(known, found, strict=True)}
    return [{**row, "p_adjusted": by.get(id(row))} for row in tests]


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Recall, then tests."""
    return [_recall(result.data), *_tests(result.data)]


def _model(own: Mapping, name: str) -> str:
    """What stands beside a model's name: the way, which has a star where it isn't the model's own choice."""
    return own["ways"].get(name, "")


def _recall(own: Mapping) -> Section:
    everybody = {row["corpus"]: row for row in own["people"] if row["who"] == EVERYBODY and not row["by"]}
    whole = everybody[own["corpora"][-1]]
    found = whole["recall@1"]
    guess = own["chance"][whole["corpus"]]["recall@1"]
    said = (
        f"People chose the real next turn first in {percent(found['estimate'], 1)} of {found['n']} answers to "
        f"{whole['questions']} questions ({interval(found['ci'], 1)}; {whole['annotators']} people), and first or "
        f"second in {percent(whole['recall@2']['estimate'], 1)}. Guessing finds it in {percent(guess, 1)}."
    )
    return Section(
        "recall",
        "Can people find the real next turn?",
        [said, *_notes(own)],
        [_chart(own, everybody)],
        [_wide(own), _long(own)],
    )


def _notes(own: Mapping) -> list[str]:
    told = list(own["cautions"])
    if not own["models"]:
        told.append("No contestant has scored these questions yet; spotbot_nuc lets them.")
    short = [f"{name}: {count}" for name, count in own["unscored"].items()]
    if short:
        told.append(f"Questions that a model has not scored with these candidates are left out: {', '.join(short)}.")
    return told


def _chart(own: Mapping, everybody: Mapping[str, Mapping]) -> Chart:
    rows = []
    for corpus in own["corpora"]:
        heading = {"group": corpus_said(corpus)} if len(own["corpora"]) > 1 else {}
        for row in own["people"]:
            if row["corpus"] == corpus and (row["who"] == EVERYBODY or row["by"] == "group"):
                label = Name(HUMAN) if row["who"] == EVERYBODY else f"people: {row['who']}"
                rows.append({"label": label, **_point(row["recall@1"]), **heading})
        for row in own["models"]:
            if row["corpus"] == corpus and row["questions"]:
                rows.append({"label": Name(row["contestant"]), **_point(row["recall@1"]), **heading})
    whole = own["corpora"][-1]
    models = [row for row in own["models"] if row["corpus"] == whole and row["questions"]]
    sentence = ""
    if models:
        best = max(models, key=lambda row: row["recall@1"]["estimate"])
        found = best["recall@1"]
        sentence = (
            f"The best model on these questions is {best['contestant']} with {percent(found['estimate'], 1)} "
            f"({interval(found['ci'], 1)}); people have {percent(everybody[whole]['recall@1']['estimate'], 1)}."
        )
    alike = [row["contestant"] for row in models if "*" in _model(own, row["contestant"])]
    marked = f" * {listed(alike)}: by how like its reply each candidate is." if alike else ""
    chances = {round(row["recall@1"], 9) for row in own["chance"].values()}
    return Chart(
        "nuc_people",
        "forest",
        "Recall@1 of people and models on the same questions",
        "How often the real next turn is the first choice, with 95 % intervals that take questions of one "
        "conversation, and answers of one person, together. The line is guessing." + marked,
        {"rows": rows, "reference": chances.pop() if len(chances) == 1 else None, "x": "share of answers (Recall@1)"},
        sentence,
    )


def _point(found: Mapping) -> dict:
    return {"estimate": found["estimate"], "low": found["ci"][0], "high": found["ci"][1]}


def _wide(own: Mapping) -> Table:
    """The shape of the paper's Table 2."""
    corpora = own["corpora"]
    rows = []
    for by, who in dict.fromkeys((row["by"], row["who"]) for row in own["people"]):
        mine = {row["corpus"]: row for row in own["people"] if (row["by"], row["who"]) == (by, who)}
        most = max(row["annotators"] for row in mine.values())
        cells = [cell(mine[corpus][name]) if corpus in mine else NONE for corpus in corpora for name in MEASURES]
        rows.append((group_said({"by": by, "who": who}), str(most), *cells))
    for name in dict.fromkeys(row["contestant"] for row in own["models"]):
        mine = {row["corpus"]: row for row in own["models"] if row["contestant"] == name}
        rows.append((Name(name), _model(own, name), *(cell(mine[c][m]) for c in corpora for m in MEASURES)))
    guess = [percent(own["chance"][corpus][name], 1) for corpus in corpora for name in MEASURES]
    rows.append(("guessing", "", *guess))
    head = [f"{corpus_said(corpus)}, {measure_said(name)}" for corpus in corpora for name in MEASURES]
    return Table(
        "Recall of people and models",
        f"R@2: the real next turn is the first or the second choice. {HOW}",
        ("who", "people, or how asked", *head),
        rows,
        method="The exact interval of as many independent answers as would be as uncertain, by the two-way clustered "
        "variance and Student's t. A model's figures are of the questions that people answered, ties as expectations.",
    )


def _long(own: Mapping) -> Table:
    rows = []
    for row in [*own["people"], *own["models"]]:
        who = Name(row["contestant"]) if "contestant" in row else group_said(row)
        for name in MEASURES:
            found = row[name]
            rows.append(
                (
                    who,
                    corpus_said(row["corpus"]),
                    measure_said(name),
                    percent(found["estimate"], 1),
                    interval(found["wilson"], 1),
                    interval(found["ci"], 1),
                    str(found["n"]),
                    str(found["conversations"]),
                )
            )
    return Table(
        "Recall, with both intervals",
        "Wilson's interval takes all answers as independent, as the paper's does; the clustered one takes answers to "
        "one conversation, and by one person, together, and is the one to go by.",
        ("who", "corpus", "measure", "recall", "Wilson", "clustered", "answers", "conversations"),
        rows,
        folded=True,
    )


def _tests(own: Mapping) -> list[Section]:
    made, text = [], []
    if own["against_models"]:
        made.append(_against_table(own))
        text.append(_clear(own))
    if own["between_groups"]:
        made.append(_between_table(own))
    return [Section("tests", "Do people and models, or groups of people, differ?", text, [], made)] if made else []


def _clear(own: Mapping) -> str:
    tests = [
        row
        for row in own["against_models"]
        if row["measure"] == "recall@1"
        and row["who"] == EVERYBODY
        and not row["by"]
        and row["corpus"] == own["corpora"][-1]
    ]
    sure = [row for row in tests if row["p_adjusted"] is not None and row["p_adjusted"] < 0.05]
    better = [row["contestant"] for row in sure if row["difference"] > 0]
    worse = [row["contestant"] for row in sure if row["difference"] < 0]
    return (
        f"By Recall@1 people are better, by more than chance, than {listed(better) or 'no model'}"
        + (f", and worse than {listed(worse)}" if worse else "")
        + f" (of {len(tests)} models)."
    )


def _against_table(own: Mapping) -> Table:
    rows = [
        (
            group_said(row),
            Name(row["contestant"]),
            corpus_said(row["corpus"]),
            measure_said(row["measure"]),
            percent(row["people"], 1),
            percent(row["model"], 1),
            _points(row["difference"]),
            ends(row["ci"], _points),
            p_value(row["p"]),
            p_value(row["p_adjusted"]),
            str(row["n"]),
        )
        for row in own["against_models"]
    ]
    return Table(
        "People against models on the same questions",
        "Differences in percentage points, of people less the model; the model's share is weighted as people's answers "
        "are, so it may differ a little from that above.",
        (
            "people",
            "model",
            "corpus",
            "measure",
            "people have",
            "model has",
            "difference",
            "95 % interval",
            "p",
            "p (Holm)",
            "answers",
        ),
        rows,
        folded=len(rows) > LONG,
        method="Paired by question: the mean over people's answers of their hit less the model's, with a standard "
        "error clustered by conversation and annotator; Student's t; Holm's correction over all tests of a measure.",
    )


def _between_table(own: Mapping) -> Table:
    rows = [
        (
            group_said({"by": row["by"], "who": row["a"]}),
            group_said({"by": row["by"], "who": row["b"]}),
            corpus_said(row["corpus"]),
            measure_said(row["measure"]),
            _points(row["difference"]),
            ends(row["ci"], _points),
            p_value(row["p"]),
            p_value(row["p_adjusted"]),
            str(row["n"]),
        )
        for row in own["between_groups"]
    ]
    return Table(
        "Groups of people on the questions that both answered",
        "Differences in percentage points, of the first less the second. Without two people in each group there is no "
        "interval.",
        ("group", "and", "corpus", "measure", "difference", "95 % interval", "p", "p (Holm)", "questions"),
        rows,
        folded=len(rows) > LONG,
        method="The mean over questions of the difference of the groups' means; error two-way clustered by "
        "conversation and annotator; Student's t with the degrees of freedom of Bell and McCaffrey's rule; Holm's "
        "correction over all tests of a measure.",
    )


def _points(share: float | None) -> str:
    return points(share, 1)


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables recall, against_models and between_groups."""
    for row in _recall_rows(data):
        yield "recall", row
    for table in ("against_models", "between_groups"):
        for row in data[table]:
            yield table, with_ends(row)


def with_ends(row: Mapping) -> dict:
    """With the ends of the interval in columns of their own."""
    low, high = row["ci"] or (None, None)
    return {**{key: value for key, value in row.items() if key != "ci"}, "low": low, "high": high}


def shares(row: Mapping, names: tuple[str, ...]) -> dict:
    found = {}
    for name in names:
        own = row.get(name) or {"estimate": None, "n": None, "wilson": (None, None), "ci": (None, None)}
        found |= {
            name: own["estimate"],
            f"{name}_n": own["n"],
            f"{name}_wilson_low": own["wilson"][0],
            f"{name}_wilson_high": own["wilson"][1],
            f"{name}_low": own["ci"][0],
            f"{name}_high": own["ci"][1],
        }
    return found


def _recall_rows(own: Mapping) -> Iterator[dict]:
    for row in own["people"]:
        yield {
            "kind": "people",
            **{key: row[key] for key in ("by", "who", "corpus", "annotators", "questions")},
            **shares(row, MEASURES),
        }
    for row in own["models"]:
        yield {
            "kind": "model",
            "by": own["ways"].get(row["contestant"], ""),
            "who": row["contestant"],
            "corpus": row["corpus"],
            "annotators": None,
            "questions": row["questions"],
            **shares(row, MEASURES),
        }
    for corpus, row in own["chance"].items():
        yield {"kind": "guessing", "by": "", "who": "guessing", "corpus": corpus, **row}


def lines(result: Result) -> list[str]:
    """One line a corpus and group, then the models."""
    found = [f"  {'who':<34} {'corpus':<28} {'R@1':>6} {'95 %':<16} {'R@2':>6} {'95 %':<16} {'n':>6}"]
    return found + [_line(*row) for row in _all_rows(result.data)]


def _all_rows(own: Mapping) -> Iterator[tuple[str, Mapping]]:
    for row in own["people"]:
        by = f" ({row['by']})" if row["by"] not in ("", "group") else ""
        yield f"{row['who']}{by}, {row['annotators']}", row
    for row in own["models"]:
        yield f"{row['contestant']}{' *' if '*' in own['ways'].get(row['contestant'], '') else ''}", row


def _line(who: str, row: Mapping) -> str:
    one, two = (row[name] for name in MEASURES)
    return (
        f"  {who:<34} {row['corpus']:<28} {percent(one['estimate'], 1):>6} {interval(one['ci']):<16} "
        f"{percent(two['estimate'], 1):>6} {interval(two['ci']):<16} {one['n']:>6}"
    )


FINDING = Finding("recall", FORM, compute, tell, rows, lines, place=10)
