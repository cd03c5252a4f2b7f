"""How far the judges can be trusted: each beside people on the same items, the warning first; for every survey."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pandas as pd

from parlai_spotbot.analysis import trust
from parlai_spotbot.findings import judge_tables
from parlai_spotbot.findings.answers import Answers, Form
from parlai_spotbot.findings.finding import Finding, Result, two_ends, with_width
from parlai_spotbot.findings.sections import ALL, Chart, Section
from parlai_spotbot.findings.verdict import verdict
from parlai_spotbot.wording import asked, number, percent

Frame = Callable[[pd.DataFrame], pd.DataFrame]

ANCHOR, HEADING = "trust", "How far to trust the judges"

AGREEMENT = ("measure", "n", "pairs", "agree", "people_agree", "people_pairs", "alpha", "people_alpha", "difference")
ENDS = ("agree", "people_agree", "alpha", "people_alpha", "difference")


def beside_people(
    own: Answers,
    *,
    contests: Frame | None = None,
    ratings: Frame | None = None,
    scales: Mapping[str, Sequence[str]] | None = None,
) -> dict:
    """Compare a judge with people on the same items, see `analysis.trust.trust_part`."""
    people, judge = (
        rows.assign(answer=rows["answer"].astype(str))[list(trust.COLUMNS)] for rows in (own.people.rows, own.rows)
    )
    found = trust.trust_part(
        people,
        judge,
        contests=contests,
        ratings=ratings,
        scales=scales,
        bounds={question: (float(scale[0]), float(scale[-1])) for question, scale in (scales or {}).items()},
        rng=own.rng("trust"),
        replicates=own.options.bootstraps,
        **own.facts.judges.get(own.source, {}),
    )
    return in_words(found)


def in_words(found: dict) -> dict:
    """Return what `trust_part` found with its verdict."""
    return with_width(found | {"verdict": verdict(found)}) if "questions" in found else found


def finding(form: Form, compute: Callable[[Answers], Mapping | None]) -> Finding:
    """Return the finding of a form of answers."""
    return Finding("trust", form, compute, tell, trust_rows, place=90)


def tell(result: Result) -> list[Section]:
    """Return verdict, chart and tables; none for people, and none of a judge that was not set beside them."""
    own = result.data
    if result.people or not own:
        return []
    beware = (own["verdict"]["sentence"],) if own.get("verdict", {}).get("warning") else ()
    tables = judge_tables.of_trust(own)
    return [
        Section(ANCHOR, HEADING, sentences(own), charts(own), tables, careful=beware, open_charts=ALL, open_tables=ALL)
    ]


def sentences(own: Mapping) -> list[str]:
    """Return the verdict, and how much surer people's means become with the judge's answers."""
    if own.get("why"):
        return [f"Nothing can be said of this judge: {own['why']}."]
    found = [own["verdict"]["sentence"]]
    for criterion, entry in (own.get("powered") or {}).items():
        if entry.get("width"):
            items = sum(row["n_judge_alone"] for row in entry["means"])
            found.append(
                f"With its answers to {items:,} further items, the standard errors of people's means by "
                f"{asked(criterion)} change by {percent(entry['width'] - 1)} on average (PPI++)."
            )
            break
    return [text for text in found if text]


def charts(own: Mapping) -> list[Chart]:
    """Return alpha of the judge with people beside alpha between people."""
    rows = []
    for question, entry in (own.get("questions") or {}).items():
        for key, label in (("alpha", "judge with people"), ("people_alpha", "people with each other")):
            low, high = entry[f"{key}_ci"]
            rows.append({"label": label, "estimate": entry[key], "low": low, "high": high, "group": asked(question)})
    if not rows:
        return []
    caption = "Krippendorff's alpha with 95 % intervals: 1 is perfect agreement, 0 what chance gives."
    title, data = "Agreement of the judge with people, and of people with each other", {"rows": rows, "reference": 0.0}
    method = (judge_tables.DRAWN, ("hayes2007", "cameron2011"))
    return [Chart("trust_alpha", "forest", title, caption, data | {"x": "alpha"}, _alphas(own), *method)]


def _alphas(own: Mapping) -> str:
    question, entry = next(iter(own["questions"].items()))
    return (
        f"On {asked(question)} alpha of the judge with people is {number(entry['alpha'])}, of people with each other "
        f"{number(entry['people_alpha'])}."
    )


def trust_rows(own: Mapping) -> Iterator[tuple[str, dict]]:
    """Yield (table, row) of trust, trust_confusion, trust_ranks, trust_scores, trust_means."""
    levels = (own.get("verdict") or {}).get("questions", {})
    for question, entry in own.get("questions", {}).items():
        row = {"question": question, **{key: entry[key] for key in AGREEMENT}}
        for name in ENDS:
            row |= two_ends(name, entry[f"{name}_ci"])
        yield "trust", row | {"verdict": levels.get(question)}
        counts, shares, answers = (entry["confusion"][key] for key in ("counts", "share_given_people", "answers"))
        for i, judge in enumerate(answers):
            for j, person in enumerate(answers):
                row = {"question": question, "judge": judge, "people": person, "n": counts[i][j]}
                yield "trust_confusion", row | {"share_given_people": shares[i][j]}
    for criterion, entry in own.get("ranks", {}).items():
        row = {"criterion": criterion, "contestants": entry["contestants"], "items": entry["items"]}
        for name in ("tau", "spearman"):
            row |= {name: entry.get(name), **two_ends(name, entry.get(f"{name}_ci"))}
        yield "trust_ranks", row
        for source, scores in entry.get("scores", {}).items():
            for name, score in scores.items():
                row = {"criterion": criterion, "given_by": source, "contestant": name, "score": score["estimate"]}
                yield "trust_scores", row | two_ends("", score["ci"])
    for criterion, entry in own.get("powered", {}).items():
        for mean in entry.get("means", []):
            row = {key: value for key, value in mean.items() if not key.endswith("_ci")}
            ends = {key: end for name in ("people", "both") for key, end in two_ends(name, mean[f"{name}_ci"]).items()}
            yield "trust_means", {"criterion": criterion, "power": entry["power"]} | row | ends
