"""Methods side by side: do they rank the contestants alike?

Made from the stored analyses whenever a survey is analysed. People's answers are compared with people's, a judge's with
its own under another method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlai_spotbot import checksums, hints
from parlai_spotbot.analysis.order_agreement import LEAST, MethodRanking, OrderAgreement, agreements
from parlai_spotbot.analysis.values import generator, plain
from parlai_spotbot.findings.contents import Analysis, analysed, people_first
from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.findings.made_by import VERSION
from parlai_spotbot.findings.sections import ALL, Name, Section, Table
from parlai_spotbot.findings.standings import Standing, standings
from parlai_spotbot.findings.whole_study import Told, Whole
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import about_of
from parlai_spotbot.wording import NONE, ends, listed, number, p_value, plainly, span

SEED = 0
FILE = "methods.json"


def title(survey: str) -> str:
    """What a method is called, shorter than in a heading."""
    return about_of(survey).short


# -- computed ----------------------------------------------------------------------------------------------------------
def write(study: Study) -> None:
    """Compare the surveys of a study that are analysed, and write what was found; nothing where there is only one."""
    found = compute(analysed(study))
    path = study.path / "analysis" / FILE
    if found:
        checksums.write_json(path, {"by_source": found, "made_by": {"version": VERSION}})
    else:
        checksums.remove(path)


def compute(surveys: Sequence[Analysis]) -> dict[str, dict]:
    """By source that answered two surveys or more: what each ranks by, and agreement of orders."""
    by: dict[str, dict[str, Analysis]] = {}
    for own in surveys:
        for source in own.sources:
            if (ranking := own.of("ranking", source)).get("order") and single_order(ranking):
                by.setdefault(source, {})[own.survey] = own
    found = {source: _of_source(source, own) for source, own in by.items() if len(own) > 1}
    return {source: plain(found[source]) for source in people_first(found)}


def _of_source(source: str, surveys: Mapping[str, Analysis]) -> dict:
    """Compare the orders of surveys of which each has a single one."""
    own = {name: [s for s in standings(one) if s.source == source] for name, one in surveys.items()}
    own = {name: [s for s in found if len(s.groups) < 2 and not s.no_scale] for name, found in own.items()}
    rankings = [MethodRanking(name, s.criterion, s.order, s.scores) for name, found in own.items() for s in found]
    found = agreements(rankings, rng=generator(SEED, source, "methods"))
    return {
        "surveys": {name: _main_of(of[0]) for name, of in own.items()},
        "agreements": [_agreement_row(row) for row in found],
    }


def _main_of(standing: Standing) -> dict:
    """What a method ranks by, its order and places."""
    return {"what": standing.what, "order": list(standing.order), "clusters": standing.clusters}


def _agreement_row(row: OrderAgreement) -> dict:
    pair = {"criterion": row.criterion, "first": row.first, "second": row.second, "contestants": list(row.names)}
    return pair | vars(row.found) | {"p_adjusted": row.p_adjusted}


# -- told --------------------------------------------------------------------------------------------------------------
def read(study: Study, surveys: list[str]) -> dict:
    """What was found when a survey was analysed last; analyses of an older version are compared now."""
    path = study.path / "analysis" / FILE
    if not path.exists():
        return compute(analysed(study)) if len(surveys) > 1 else {}
    return checksums.read_json(path, "analysis file", hints.run("analyze", study.path, surveys[0]))["by_source"]


def tell(by_source: Mapping[str, Mapping]) -> Told:
    """A section a source."""
    for source, own in by_source.items():
        tables = [table for table in (_place_table(own), _agreement_table(own)) if table is not None]
        yield source, Section("methods", "", _text(own), [], tables, open_tables=ALL)


def _text(own: Mapping) -> list[str]:
    """Return what each method ranks by, and how far the orders agree."""
    by: dict[str, list[str]] = {}
    for survey, main in own["surveys"].items():
        by.setdefault(main["what"], []).append(title(survey))
    asked = [f"{listed(names)} by {what}" for what, names in by.items()]
    text = [f"Each method ranks by its main question: {'; '.join(asked)}."]
    if not own["agreements"]:
        text.append(f"No two methods share {LEAST} contestants, so their orders can't be compared.")
    alike = _alike([row for row in own["agreements"] if row["criterion"] == ""])
    return [*text, alike] if alike else text


def _tau(tau: float | None, ci: Sequence[float] | None) -> str:
    return NONE if tau is None else f"{number(tau)} ({ends(ci, number)})"


def _alike(found: Sequence[Mapping]) -> str:
    """Which two are most alike, which least, and whether any differ by more than chance."""
    known = sorted((row for row in found if row["tau"] is not None), key=lambda row: -row["tau"])
    if not known:
        return ""
    best, worst = known[0], known[-1]
    text = f"{_both(best)} rank {'most ' if len(known) > 1 else ''}alike: tau-b {_tau(best['tau'], best['tau_ci'])}"
    text += f", {len(best['contestants'])} contestants"
    if worst is not best:
        text += f"; least alike are {_both(worst)}: {_tau(worst['tau'], worst['tau_ci'])}"
    beyond = [row for row in known if (row["p_adjusted"] or 1) < 0.05]
    if beyond:
        return f"{text}. By more than chance these orders differ: {listed([_both(row) for row in beyond])}."
    return f"{text}. No two orders differ by more than chance; that does not show that they are the same."


def _both(row: Mapping) -> str:
    return f"{title(row['first'])} and {title(row['second'])}"


def _place_table(own: Mapping) -> Table | None:
    """Return the places of each contestant by each method."""
    main = own["surveys"]
    common = set.intersection(*(set(standing["order"]) for standing in main.values())) - {HUMAN}
    if len(common) < 2:
        return None
    spans = {name: [_span(standing, name, common) for standing in main.values()] for name in common}
    order = sorted(common, key=lambda name: (sum(low + high for low, high in spans[name]), name))
    return Table(
        "Places by each method",
        "1 is the best place among the contestants that all methods judged; within a range the order may be chance.",
        ("", *map(title, main)),
        [(Name(name), *map(span, spans[name])) for name in order],
        sentence=_first(main, common),
    )


def _first(main: Mapping[str, Mapping], common: set[str]) -> str:
    """Say who is first, apart from all others, by which methods."""
    by: dict[str, list[str]] = {}
    for survey, standing in main.items():
        best = next(name for name in standing["order"] if name in common)
        alone = tuple(standing["clusters"].get(best) or ()) == (1, 1)
        by.setdefault(best if alone else "", []).append(title(survey))
    nobody = by.pop("", [])
    parts = [f"{name} by {listed(methods)}" for name, methods in by.items()]
    if len(by) == 1 and not nobody:
        return f"By all {len(main)} methods {next(iter(by))} is first, apart from all others."
    if not by:
        return "By no method is one contestant first, apart from all others."
    parts += [f"nobody by {listed(nobody)}"] if nobody else []
    return f"First, apart from all others, is {'; '.join(parts)}."


def _span(standing: Mapping, name: str, common: set[str]) -> tuple[int, int]:
    """Return the first and last place of those that share its group, counted among the contestants in common."""
    order, clusters = [other for other in standing["order"] if other in common], standing["clusters"]
    own = [place for place, other in enumerate(order, 1) if clusters.get(other) == clusters.get(name)]
    return (own[0], own[-1]) if clusters.get(name) is not None else (order.index(name) + 1,) * 2


def _agreement_table(own: Mapping) -> Table | None:
    rows = [
        (
            plainly(row["criterion"]) or "main question",
            title(row["first"]),
            title(row["second"]),
            str(len(row["contestants"])),
            _tau(row["tau"], row["tau_ci"]),
            _tau(row["rho"], row["rho_ci"]),
            p_value(None if row["p"] is None else row["p_adjusted"]),
        )
        for row in own["agreements"]
    ]
    if not rows:
        return None
    return Table(
        "Agreement of orders, by criterion",
        "The main question, then every one that two methods share by name. A small p says that the orders differ by "
        "more than chance; a large one doesn't show that they are the same.",
        ("criterion", "method", "and", "contestants", "Kendall's tau-b", "Spearman's rho", "p (Holm)"),
        rows,
        folded=len(rows) > 12,
        method="Parametric bootstrap from the stored scores and their 95 % intervals; errors are taken as independent "
        "between methods. p: how often tau-b would be as low as it is, if both methods measured the same and only "
        "chance differed; Holm's correction over all rows.",
    )


WHOLE = Whole("methods", "Methods side by side", read, tell, place=10)
