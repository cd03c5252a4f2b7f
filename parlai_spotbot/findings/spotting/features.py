"""Who is favoured in fluency, sensibleness and specificity, and in both of the latter (SSA)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FEATURES, FORM, Annotations
from parlai_spotbot.findings.spotting.standing import matrix_of, ranking, ranking_rows, rate
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.wording import between, ends, known, listed, percent, span, to


def compute(own: Annotations) -> dict:
    """By feature as the ranking, with the feature's answers in the place of the verdicts."""
    found = {}
    for criterion in FEATURES:
        matches = matches_frame(own.rows, criterion)
        found[criterion] = ranking(matches, own.bots, own.weights[:, matches.index], own.rng(criterion), **own.hang)
    return found


def tell(result: Result) -> list[Section]:
    """Win rates by feature."""
    own = result.data
    shown = [criterion for criterion in FEATURES if own.get(criterion, {}).get("order")]
    if not shown:
        return []
    pairs = [matrix_of(own[criterion], f"{FEATURES[criterion]} of every two bots") for criterion in shown]
    tables = [_table(own, result.order, shown), *(replace(table, folded=True) for table in pairs if table)]
    return [Section("features", "Features", [], [_chart(own, result.order, shown)], tables)]


def of_bot(result: Result, bot: str) -> list[Section]:
    """How often it is favoured in each feature."""
    told = [
        f"{said if said.isupper() else said.lower()} {percent(own['win_rate'][bot])}{to(own['win_rate_ci'].get(bot))}"
        for feature, said in FEATURES.items()
        if (own := result.data.get(feature) or {}).get("win_rate", {}).get(bot) is not None
    ]
    return (
        [Section("features", "", [f"Favoured over the others, of what was decided: {listed(told)}."])] if told else []
    )


def _chart(own: Mapping, bots: Iterable[str], shown: list[str]) -> Chart:
    panels = []
    for criterion in shown:
        rates, cis = own[criterion]["win_rate"], own[criterion]["win_rate_ci"]
        lines = []
        for bot in bots:
            low, high = cis.get(bot) or (None, None)
            lines.append({"label": Name(bot), "estimate": rates.get(bot), "low": low, "high": high})
        panels.append({"title": FEATURES[criterion], "rows": lines, "reference": 0.5})
    rows = [
        {"feature": criterion, "bot": bot, "win_rate": value, **_low_high(own[criterion]["win_rate_ci"].get(bot))}
        for criterion in shown
        for bot, value in own[criterion]["win_rate"].items()
    ]
    caption = "Win rate by feature with 95 % interval; at the line both are favoured alike. Ties are left out."
    data = {"panels": panels, "columns": 2, "axis": "share"}
    label = "Win rates of each bot by feature"
    return Chart("features", "panels", "", caption, data, _favoured(own), label=label, rows=rows)


def _low_high(ci: list | None) -> dict:
    low, high = ci or (None, None)
    return {"low": low, "high": high}


def _favoured(results: Mapping) -> str:
    """Who is favoured most in each feature, and whether that is sure."""
    parts = []
    for feature, said in FEATURES.items():
        own = results.get(feature, {})
        if len(own.get("order", [])) < 2:
            continue
        rated = [bot for bot in own["order"] if own["win_rate"].get(bot) is not None]
        if not rated:
            continue
        best = max(rated, key=lambda bot: own["win_rate"][bot])
        sure = "" if own["clusters"][best] == [1, 1] else ", not sure to be first"
        name = said if said.isupper() else said.lower()
        ci = own["win_rate_ci"].get(best)
        between = f", {ends(ci)}" if known(ci) else ""
        parts.append(f"in {name} {best} ({percent(own['win_rate'][best])}{between}{sure})")
    return f"Favoured most often over the others: {'; '.join(parts)}." if parts else ""


def _table(results: Mapping, bots: Iterable[str], shown: list[str]) -> Table:
    rows = []
    for bot in bots:
        cells = [Name(bot)]
        for criterion in shown:
            own = results[criterion]
            place = own["clusters"].get(bot)
            said = percent(own["win_rate"].get(bot)) + between(own["win_rate_ci"].get(bot))
            cells.append(said + (f" · {span(place)}" if place else ""))
        rows.append(tuple(cells))
    ties = "; ".join(f"{FEATURES[c]} {percent(results[c].get('ties'))}" for c in shown)
    how = (
        "How often a bot was favoured over its opponent, of the segments in which one of them was, with 95 % "
        f"intervals; then its places by this feature. No difference, so not in these rates: {ties}. SSA "
        "counts a win where sensibleness and specificity both favour the same bot."
    )
    head = ("", *(f"{FEATURES[c]} · places" for c in shown))
    sentence = _farthest(results, shown)
    return Table("Win rates by feature", how, head, rows, sentence=sentence, **about("features"))


def _farthest(results: Mapping, shown: Iterable[str]) -> str:
    """In which feature the bots are farthest apart."""
    spread = {}
    for criterion in shown:
        own = results[criterion]
        rated = sorted((r, bot) for bot, r in own["win_rate"].items() if r is not None)
        if len(rated) > 1:
            spread[criterion] = (rated[-1][0] - rated[0][0], rated[-1][1], rated[0][1])
    if not spread:
        return ""
    most = max(spread, key=lambda c: spread[c][0])
    _, best, worst = spread[most]
    own = results[most]
    text = f"Farthest apart are the bots in {_feature(most)}: {best} {rate(own, best)}, {worst} {rate(own, worst)}"
    least = min(spread, key=lambda c: spread[c][0])
    return text + (f"; nearest together in {_feature(least)}." if least != most else ".")


def _feature(name: str) -> str:
    return FEATURES[name] if FEATURES[name].isupper() else FEATURES[name].lower()


def rows(data: Mapping) -> Rows:
    """Rows of the tables features and features_pairs."""
    for feature, found in data.items():
        yield from ranking_rows(found, "features", feature=feature)


FINDING = Finding("features", FORM, compute, tell, rows, of_bot=of_bot, place=30)
