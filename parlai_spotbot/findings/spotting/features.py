"""Who is favoured in fluency, sensibleness and specificity, and in both of the latter (SSA)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Chart, Name, Section, Table, places_said
from parlai_spotbot.findings.spotting import FORM, Annotations, in_text, title
from parlai_spotbot.findings.spotting.standing import matrix_of, ranking, ranking_rows, rate
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.wording import between, ends, known, percent

SSA = ("sensibleness", "specificity")


def compute(own: Annotations) -> dict | None:
    """By feature as the ranking, with the feature's answers in the place of the verdicts; None where none was asked."""
    both = ("sensibleness_and_specificity",) if set(SSA) <= set(own.features) else ()
    found = {}
    for criterion in (*own.features, *both):
        matches = matches_frame(own.rows, criterion)
        found[criterion] = ranking(matches, own.bots, own.weights[:, matches.index], own.rng(criterion), **own.hang)
    return found or None


def tell(result: Result) -> list[Section]:
    """Win rates by feature."""
    own = result.data
    shown = [criterion for criterion, found in own.items() if found.get("order")]
    if not shown:
        return []
    pairs = [matrix_of(own[criterion], f"{title(criterion)} of every two bots") for criterion in shown]
    tables = [_table(own, result.order, shown), *(replace(table, folded=True) for table in pairs if table)]
    return [Section("features", "Features", [], [_chart(own, result.order, shown)], tables)]


def _chart(own: Mapping, bots: Iterable[str], shown: list[str]) -> Chart:
    panels = []
    for criterion in shown:
        rates, cis = own[criterion]["win_rate"], own[criterion]["win_rate_ci"]
        lines = []
        for bot in bots:
            low, high = cis.get(bot) or (None, None)
            lines.append({"label": Name(bot), "estimate": rates.get(bot), "low": low, "high": high})
        panels.append({"title": title(criterion), "rows": lines, "reference": 0.5})
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
    for feature, own in results.items():
        if len(own.get("order", [])) < 2 or not single_order(own):
            continue
        rated = [bot for bot in own["order"] if own["win_rate"].get(bot) is not None]
        if not rated:
            continue
        best = max(rated, key=lambda bot: own["win_rate"][bot])
        sure = "" if own["clusters"][best] == [1, 1] else ", not sure to be first"
        ci = own["win_rate_ci"].get(best)
        between = f", {ends(ci)}" if known(ci) else ""
        parts.append(f"in {in_text(feature)} {best} ({percent(own['win_rate'][best])}{between}{sure})")
    return f"Favoured most often over the others: {'; '.join(parts)}." if parts else ""


def _table(results: Mapping, bots: Iterable[str], shown: list[str]) -> Table:
    rows = []
    for bot in bots:
        cells = [Name(bot)]
        for criterion in shown:
            own = results[criterion]
            place = own["clusters"].get(bot)
            said = percent(own["win_rate"].get(bot)) + between(own["win_rate_ci"].get(bot))
            cells.append(said + (f" · {places_said(own)[bot]}" if place else ""))
        rows.append(tuple(cells))
    ties = "; ".join(f"{title(c)} {percent(results[c].get('ties'))}" for c in shown)
    how = (
        "How often a bot was favoured over its opponent, of the segments in which one of them was, with 95 % "
        f"intervals; then its places by this feature. No difference, so not in these rates: {ties}."
    )
    if "sensibleness_and_specificity" in shown:
        how += " SSA counts a win where sensibleness and specificity both favour the same bot."
    head = ("", *(f"{title(c)} · places" for c in shown))
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
    text = f"Farthest apart are the bots in {in_text(most)}: {best} {rate(own, best)}, {worst} {rate(own, worst)}"
    least = min(spread, key=lambda c: spread[c][0])
    return text + (f"; nearest together in {in_text(least)}." if least != most else ".")


def rows(data: Mapping) -> Rows:
    """Rows of the tables features and features_pairs."""
    for feature, found in data.items():
        yield from ranking_rows(found, "features", feature=feature)


FINDING = Finding("features", FORM, compute, tell, rows, place=30)
