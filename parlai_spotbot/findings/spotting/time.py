"""How long annotations take, by the exchanges shown, and the effort beside people who talk to bots (section 5.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict

from parlai_spotbot.analysis.time import Effort, compare_effort, seconds_table, time_summary
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Chart, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import INTERVAL, between, counted, number, to


def compute(own: Annotations) -> dict:
    """Seconds over all and by length, hours and cost; the effort against people who talk to the bots."""
    rows = own.rows.assign(source=own.source)
    by_length = seconds_table(rows, own.together).drop(columns="source")
    result = time_summary(rows, own.options.wage) | {"by_length": by_length.to_dict(orient="records")}
    talks = rows[rows["a"] != HUMAN]
    if result["n"] and len(own.bots) > 1 and len(talks):
        conversations = talks["conversation_id"].nunique()
        pairs = len(own.bots) * (len(own.bots) - 1) / 2
        effort = compare_effort(
            len(own.bots),
            seconds=result["mean"],
            conversations_per_pair=conversations / pairs,
            annotations_per_conversation=len(talks) / conversations,
            human_annotations=len(rows) - len(talks),
        )
        result["effort"] = asdict(effort) | {"sentence": effort_sentence(len(own.bots), effort)}
    return result


def effort_sentence(systems: int, effort: Effort) -> str:
    """How long annotating so many systems takes beside talking to them."""
    said = (
        f"For {systems} systems annotating takes {effort.hours:.1f} hours, talking to them {effort.other_hours:.1f}: "
    )
    said += f"{effort.ratio:.2g} times as long"
    if math.isnan(effort.break_even):
        return said + "; people's own conversations alone take longer."
    return said + f"; with more than {effort.break_even:.0f} systems annotating every pair takes longer."


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """How long annotations took; nothing where no times are known."""
    own = result.data
    text = [sentence for sentence in [(own.get("effort") or {}).get("sentence")] if sentence]
    charts, table = _charts(own), _table(own)
    if not charts and (sentence := time_sentence(own)):
        text = [sentence, *text]
    if not (charts or table or text):
        return []
    how = (("Time", _short(own)),) if own.get("n") else ()
    return [Section("time", "Time", text, charts, [table] if table else [], how=how)]


def _charts(own: Mapping) -> list[Chart]:
    """Seconds per annotation by the exchanges shown: the middle half and nine tenths, the median with its interval."""
    found = [row for row in own.get("by_length") or [] if row.get("median") is not None and row.get("q05") is not None]
    if not found:
        return []
    keys = ("median", "median_low", "median_high", "q05", "q25", "q75", "q95", "mean", "n")
    rows = [{"exchanges": row["k"], **{key: row.get(key) for key in keys}} for row in found]
    lines = [
        {
            "label": "all lengths" if row["k"] == "all" else shown(row["k"]),
            **{key: row[key] for key in ("q05", "q25", "q75", "q95", "median")},
            "low": row.get("median_low"),
            "high": row.get("median_high"),
        }
        for row in found
    ]
    caption = (
        "Thick: the middle half of the annotations; thin: nine tenths of them. Marks: the median with its 95 % "
        "interval. The scale is logarithmic."
    )
    data, label = {"rows": lines, "title": "Seconds per annotation"}, "Seconds per annotation by the exchanges shown"
    return [Chart("time", "spread", "", caption, data, time_sentence(own), label=label, rows=rows)]


def _short(own: Mapping) -> str:
    hours = own["hours"]
    whole = counted(round(60 * hours), "minute") if hours < 1 else f"{number(hours, 1)} hours"
    return f"{counted(round(own['median']), 'second')} an annotation in the median, {whole} in all."


def time_sentence(own: Mapping) -> str:
    """How long annotating took, whether showing more takes longer, hours and cost; nothing where no times are known."""
    if not own.get("n"):
        return ""
    rows = {str(row["k"]): row for row in own.get("by_length", [])}
    all_of = rows.pop("all", {})
    said = f"An annotation took {number(own['median'], 0)} seconds in the median{_seconds(all_of, 'median')}, "
    said += f"{number(own['mean'], 0)} on average{_seconds(all_of, 'mean')}"
    ks = sorted(rows, key=int)
    if len(ks) > 1:
        said += _longer(rows[ks[0]], rows[ks[-1]])
    said += f"; all of them ({own['n']} with a known time) took about {number(own['hours'], 1)} hours"
    return said + ("." if own.get("cost") is None else f", at a cost of {number(own['cost'], 2)}.")


def _seconds(row: Mapping, which: str) -> str:
    ends = [row.get(f"{which}_low"), row.get(f"{which}_high")]
    return to(ends, lambda v: number(v, 0), prefix=INTERVAL if which == "median" else "")


def _longer(few: Mapping, many: Mapping) -> str:
    """Intervals that don't overlap are apart; where they do nothing is claimed."""
    ends = [row.get(f"median_{end}") for row in (few, many) for end in ("low", "high")]
    pair = f"{_at(many)} against {_at(few)}"
    if None in ends:
        return f"; {pair}, without intervals"
    apart = "longer" if ends[2] > ends[1] else "shorter" if ends[3] < ends[0] else ""
    return f"; showing more takes {apart}: {pair}" if apart else f"; by length they can't be told apart: {pair}"


def _at(row: Mapping) -> str:
    ends = to([row.get("median_low"), row.get("median_high")], lambda v: number(v, 0))
    return f"{number(row['median'], 0)} with {shown(row['k'])}{ends}"


def shown(k: str | int) -> str:
    return f"{k} exchange{'s' if str(k) != '1' else ''}"


def _table(own: Mapping) -> Table | None:
    found = own.get("by_length")
    if not found:
        return None
    rows = []
    for row in found:
        cells = ["all lengths" if row["k"] == "all" else shown(row["k"]), str(row["n"])]
        for key in ("median", "mean"):
            ends = [row.get(f"{key}_low"), row.get(f"{key}_high")]
            cells.append(number(row[key], 1) + between(ends, lambda v: number(v, 1)))
        rows.append((*cells, *(number(row.get(q), 1) for q in ("q05", "q25", "q75", "q95"))))
    how = (
        "Seconds per annotation with a known time; median and mean with 95 % intervals; then the quantiles. "
        "Means are pulled up by breaks."
    )
    head = ("Shown", "Annotations", "Median", "Mean", "5 %", "25 %", "75 %", "95 %")
    sentence = _middle(found)
    return Table("Seconds by length", how, head, rows, folded=True, sentence=sentence, **about("time"))


def _middle(found: list[dict]) -> str:
    row = next((row for row in found if row["k"] == "all"), None)
    if row is None or row.get("q25") is None:
        return ""
    ends = to([row.get("median_low"), row.get("median_high")], lambda v: number(v, 0), prefix=INTERVAL)
    return (
        f"Half of the {row['n']} annotations took between {number(row['q25'], 0)} and {number(row['q75'], 0)} seconds, "
        f"one in twenty longer than {number(row['q95'], 0)}; the median is {number(row['median'], 0)}{ends}."
    )


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables time and time_by_length."""
    yield "time", {key: data[key] for key in ("n", "median", "mean", "hours", "cost")}
    for row in data["by_length"]:
        yield "time_by_length", row


FINDING = Finding("time", FORM, compute, tell, rows, place=80, options=("wage",))
