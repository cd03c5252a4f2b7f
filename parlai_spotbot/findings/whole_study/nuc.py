"""Next-Utterance Classification in the report: how the contestants ranked, the curve, and whether other methods agree.

It is told from ``STUDY/nuc/analysis/*.json`` as sections of data, by the study's report and by a page of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from parlai_spotbot import checksums
from parlai_spotbot.analysis.order_agreement import MethodRanking, Scores, agreements, standard_error
from parlai_spotbot.analysis.values import generator, plain
from parlai_spotbot.findings import sections as page
from parlai_spotbot.findings.contents import Analysis, analysed
from parlai_spotbot.findings.render import page_table
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.findings.sections import Chart, Name, Section
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.findings.whole_study import Told, Whole
from parlai_spotbot.findings.whole_study.methods import title
from parlai_spotbot.nuc.results import notes, way_said
from parlai_spotbot.study import Study
from parlai_spotbot.wording import interval, listed, part_of, percent, source_said

METHOD = "nuc"
CITE = ("lowe2016", "lowe2015")

Results = Mapping[str, dict]


def read_results(folder: Path) -> dict[str, dict]:
    """The results by name of file; {} where there are none."""
    if not (folder / "ranking.json").is_file():
        return {}
    remedy = "Run the same spotbot_nuc command again."
    return {path.stem: checksums.read_json(path, "file of results", remedy) for path in sorted(folder.glob("*.json"))}


# -- agreement with other methods ----------------------------------------------------------------------------------
def ranking_of(ranking: Mapping) -> MethodRanking:
    """The contestants' main figures as a ranking among methods."""
    measure = f"recall@{ranking['k'][0]}"
    own = {row["contestant"]: row[measure] for row in ranking["contestants"] if row["main"]}

    def scores(names: Sequence[str]) -> Scores:
        chosen = [own[name] for name in names]
        values = np.array([row["estimate"] for row in chosen], dtype=float)
        return Scores(tuple(names), values, np.array([standard_error(row["ci"]) for row in chosen]), zero_sum=False)

    return MethodRanking(METHOD, "", tuple(own), scores)


def agreement_of(surveys: Sequence[Analysis], ranking: Mapping, seed: int) -> dict:
    """How far the order by Recall@k agrees with that of each of a study's surveys, by source."""
    found = []
    for contents in surveys:
        survey = contents.survey
        for standing in standings(contents):
            if standing.criterion or not set(standing.order) & set(ranking["order"]):
                continue
            other = MethodRanking(survey, "", standing.order, standing.scores)
            rng = generator(seed, METHOD, survey, standing.source)
            for row in agreements([ranking_of(ranking), other], rng=rng):
                found.append(
                    {
                        "survey": survey,
                        "source": standing.source,
                        "what": standing.what,
                        "contestants": list(row.names),
                        **vars(row.found),
                    }
                )
    return plain({"measure": f"recall@{ranking['k'][0]}", "surveys": found})


def write_agreement(study: Study) -> None:
    """Reckon anew how far the models' order agrees with the surveys', one of which was analysed anew."""
    folder = study.path / "nuc" / "analysis"
    results = read_results(folder)
    if results:
        ranking = results["ranking"]
        checksums.write_json(
            folder / "agreement.json", agreement_of(analysed(study), ranking, ranking["made_by"]["seed"])
        )


# -- sections --------------------------------------------------------------------------------------------------------
def sections(results: Results) -> list[Section]:
    """What the results tell, as data."""
    ranking = results["ranking"]
    made = [_ranked(ranking), _curve(results["curve"], ranking)]
    if results.get("agreement", {}).get("surveys"):
        made.append(_agreement(results["agreement"], ranking))
    return made


def asked(ranking: Mapping) -> str:
    """What was asked, in a sentence."""
    own = ranking["questions"]
    sizes = own["candidates"]
    many = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    about = f", from {own['corpus']}" if own.get("corpus") else ""
    guessing = percent(ranking["chance"][f"recall@{ranking['k'][0]}"], 1)
    return (
        f"{own['n']} questions of {own['conversations']} conversations{about}: which of {many} candidates is the real "
        f"next turn? Guessing finds it in {guessing}."
    )


def _ranked(ranking: Mapping) -> Section:
    k = ranking["k"][0]
    measure = f"recall@{k}"
    main = [own for own in ranking["contestants"] if own["main"]]
    best, beaten = main[0], [own for own in main if (own[measure]["ci"][0] or 0) > ranking["chance"][measure]]
    sentence = (
        f"{best['contestant']} finds the real next turn most often: in {percent(best[measure]['estimate'], 1)} "
        f"({interval(best[measure]['ci'], 1)}). Better than guessing by more than chance: "
        f"{listed([own['contestant'] for own in beaten]) or 'nobody'}."
    )
    rows = [
        {"label": Name(own["contestant"]), "estimate": own[measure]["estimate"]}
        | dict(zip(("low", "high"), own[measure]["ci"], strict=True))
        for own in main
    ]
    forest = Chart(
        "nuc_recall",
        "forest",
        f"Recall@{k}",
        f"How often the real next turn is among the first {k} by each contestant, with 95 % intervals that take "
        "questions of one conversation together. The line is guessing.",
        {"rows": rows, "reference": ranking["chance"][measure], "x": f"share of questions (Recall@{k})"},
        sentence,
        cite=CITE,
    )
    guessing = {"contestant": "guessing", **{name: {"estimate": share} for name, share in ranking["chance"].items()}}
    tables = [
        _table(
            ranking,
            [*ranking["contestants"], guessing],
            "Recall@k and MRR",
            "Recall@k: the share of questions whose real next turn is among the first k; MRR: the mean of 1 / rank. "
            "Ties count as the expectation over all orders. In brackets 95 % intervals: exact ones of as many "
            "independent questions as would be as uncertain, clustered by conversation.",
        ),
        _table(
            ranking,
            ranking.get("corpora", []),
            "Recall@k and MRR by corpus",
            "Distractors come from the question's own corpus, so a corpus whose turns are more alike is harder.",
        ),
    ]
    text = [asked(ranking), _differences(ranking)]
    tables = [table for table in tables if table.rows]
    return Section("ranking", "Which contestant finds the real next turn?", [t for t in text if t], [forest], tables)


def _table(ranking: Mapping, rows: Sequence[Mapping], title: str, method: str) -> page.Table:
    measures = {
        name: Column("number" if name == "mrr" else "share", _head(name), f"{name}.ci", f"{name}.estimate", digits)
        for name, digits in [*((f"recall@{k}", 1) for k in ranking["k"]), ("mrr", 3)]
    }
    columns = {
        "corpus": Column("text", "corpus"),
        "contestant": Column("name", "contestant"),
        "by": Column("text", "by"),
        **measures,
        "n": Column("count", "questions"),
    }
    table = Table("", columns, title, method, CITE)
    return _page(table, [{**row, "by": way_said(row) if "way" in row else ""} for row in rows], ranking)


def _page(table: Table, rows: list[dict], ranking: Mapping) -> page.Table:
    return replace(page_table(table, table.read(rows)), how=" ".join(notes(ranking)))


def _head(measure: str) -> str:
    return "MRR" if measure == "mrr" else measure.replace("recall", "Recall")


def _curve(curve: Mapping, ranking: Mapping) -> Section:
    main = [own for own in curve["curves"] if own["main"]]
    most = max(point["candidates"] for own in main for point in own["points"])
    sizes = sorted({point["candidates"] for own in main for point in own["points"]})
    series = [
        {"label": Name(own["contestant"])}
        | {key: [point[name] for point in own["points"]] for key, name in (("x", "candidates"), ("y", "estimate"))}
        | {key: [point["ci"][end] for point in own["points"]] for end, key in enumerate(("low", "high"))}
        for own in main
    ]
    series.append({"label": "guessing", "x": sizes, "y": [1 / n for n in sizes]})
    text = []
    short = [own["contestant"] for own in main if own["points"][-1]["candidates"] < most]
    if short:
        text.append(
            f"Of {listed(short)} there is no figure beyond the candidates of a question: scoring every turn of "
            "the corpus after every context would take too long."
        )
    if most > max(ranking["questions"]["candidates"]):
        text.append("Beyond the candidates of a question, distractors are drawn uniformly from the whole corpus.")
    last = [(own["contestant"], own["points"][-1]) for own in main if own["points"][-1]["candidates"] == most]
    name, point = max(last, key=lambda row: row[1]["estimate"])
    share = percent(point["estimate"], 2 if most > 100 else 1)
    sentence = f"Among {most} candidates {name} finds the real next turn in {share}."
    chart = Chart(
        "nuc_curve",
        "lines",
        "Accuracy against the number of candidates",
        "How often the real next turn comes first, from two candidates up; what the average over all draws of so many "
        "distractors is follows exactly from one ranking. The bands are 95 % intervals; the lowest line is guessing.",
        {"series": series, "x": "candidates", "y": "share of questions (Recall@1)", "log_x": True},
        sentence,
        cite=CITE,
    )
    return Section("curve", "How does accuracy fall with more candidates?", text, [chart])


def _differences(ranking: Mapping) -> str:
    """Return how many pairs of contestants differ; the tests are in ``tests.csv``."""
    measure = f"recall@{ranking['k'][0]}"
    pairs = [own for own in ranking["comparisons"] if own["measure"] == measure]
    clear = sum(own["p_adjusted"] is not None and own["p_adjusted"] < 0.05 for own in pairs)
    differ = part_of(clear, len(pairs), "pair", "of contestants differs", "of contestants differ")
    return f"By {_head(measure)} {differ} by more than chance (paired by question, Holm-corrected)." if pairs else ""


AGREEMENT = Table(
    "",
    {
        "survey": Column("text", "survey"),
        "source": Column("text", "answered by"),
        "n": Column("count", "contestants"),
        "tau": Column("number", "Kendall's tau-b", "tau_ci"),
        "rho": Column("number", "Spearman's rho", "rho_ci"),
        "p": Column("p", "p"),
    },
    "Agreement of orders with the study's surveys",
    "Parametric bootstrap: both methods' scores are drawn anew around themselves by their standard errors. 1 is the "
    "same order, −1 the reverse, 0 no connection; in brackets 95 % intervals. A small p says that the orders differ by "
    "more than chance.",
)


def _agreement(agreement: Mapping, ranking: Mapping) -> Section:
    rows = [
        {**own, "survey": title(own["survey"]), "source": source_said(own["source"])} for own in agreement["surveys"]
    ]
    return Section("agreement", "Does it rank as people do?", tables=[_page(AGREEMENT, rows, ranking)])


def read(study: Study, surveys: list[str]) -> dict:
    """What spotbot_nuc found; the agreement with surveys is that of their latest analysis."""
    return read_results(study.path / "nuc" / "analysis")


def tell(results: Results) -> Told:
    """All sections, of no source: the models answered."""
    for section in sections(results):
        yield "", section


WHOLE = Whole("nuc", "Next-Utterance Classification", read, tell, place=30)
