"""Conversations between a person and a bot, where some were shown among the others (paper, appendix G): how often the
people in them are taken for bots, and each bot for human, beside those of bots with bots and people with people.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import adjusted, group_means
from parlai_spotbot.findings.finding import Finding, Result, Rows, flat
from parlai_spotbot.findings.sections import Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import (
    INTERVAL,
    between,
    counted,
    listed,
    p_said,
    p_value,
    percent,
    points,
    to,
    upper_first,
    who,
)

LEVEL = 0.05
WITH_PEOPLE, ELSEWHERE = "with people", "elsewhere"


def compute(own: Annotations) -> dict | None:
    """By name its labels in conversations of a person with a bot, elsewhere, and the difference; None where none was
    annotated."""
    mixed = own.with_people
    if mixed.empty:
        return None
    both = own.with_rows(pd.concat([own.rows, mixed], ignore_index=True))
    entities = both.entities
    here = (np.arange(len(both.rows)) >= len(own.rows))[both.pages]
    clusters = both.together.take(both.pages)
    names = sorted(set(entities["name"][here]) - {HUMAN}, key=_order(own))
    found = {name: _labels(entities, here, clusters, name) for name in (*names, HUMAN)}
    tested = [name for name, row in found.items() if row["difference"]]
    p = adjusted(np.array([found[name]["difference"]["p"] for name in tested]))
    for name, value in zip(tested, p, strict=True):
        found[name]["difference"]["p_adjusted"] = value
    talks = set(mixed["conversation_id"])
    return {"conversations": len(talks), "annotations": len(mixed), "labels": found, "against": _against(mixed)}


def _order(own: Annotations) -> object:
    places = {name: place for place, name in enumerate(own.facts.bots)}
    return lambda name: (places.get(name, len(places)), name)


def _labels(entities: pd.DataFrame, here: np.ndarray, clusters: Clusters, name: str) -> dict:
    """Shares of a name's labels in both kinds, with intervals, and the difference of how often it is called human."""
    mine = (entities["name"] == name).to_numpy()
    group, nature = np.where(here[mine], 0, 1), entities["nature"].to_numpy()[mine]
    hang, row = clusters.take(mine), {}
    estimates = {label: group_means(nature == label, group, 2, hang, (0, 1)) for label in ("human", "bot")}
    for place, where in enumerate((WITH_PEOPLE, ELSEWHERE)):
        n = int((group == place).sum())
        shares = {label: _share(found.contrast(np.eye(2)[place])) for label, found in estimates.items()} if n else {}
        row[where] = {"n": n, **shares}
    together = row[WITH_PEOPLE]["n"] and row[ELSEWHERE]["n"]
    row["difference"] = _share(estimates["human"].contrast(np.array([1.0, -1.0]))) if together else {}
    return row


def _share(found: Mapping) -> dict:
    return {"estimate": found["estimate"], "ci": list(found["ci"]), "p": found["p"]}


def _against(mixed: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Of each bot how often it was taken for more human than the person that it talked to, less, or as human."""
    level = {"human": 2, "unsure": 1, "bot": 0}
    second = (mixed["a"] == HUMAN).to_numpy()
    gap = (mixed["nature0"].map(level) - mixed["nature1"].map(level)).to_numpy()
    gap = np.where(second, -gap, gap)
    bot = np.where(second, mixed["b"], mixed["a"])
    signs = {"more": gap > 0, "less": gap < 0, "same": gap == 0}
    return {str(name): {key: int(sign[bot == name].sum()) for key, sign in signs.items()} for name in sorted(set(bot))}


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """How people fare who talk to bots, and bots that talk to people."""
    own = result.data
    text = [people_sentence(own), bots_sentence(own)]
    return [Section("with_people", "Bots with people", [t for t in text if t], [_chart(own)], [_table(own)])]


def people_sentence(own: Mapping) -> str:
    """How often people who talked to bots are taken for bots, and whether that differs from people among themselves."""
    row = own["labels"][HUMAN]
    here, other, difference = row[WITH_PEOPLE], row[ELSEWHERE], row["difference"]
    text = (
        f"In {counted(own['conversations'], 'conversation')} between a person and a bot the person was taken for a bot "
        f"in {percent(here['bot']['estimate'])} of {here['n']} labels{to(here['bot']['ci'], prefix=INTERVAL)}"
    )
    if not difference:
        return f"{text}; no conversation of people was judged beside them."
    text += f"; between people in {percent(other['bot']['estimate'])} of {other['n']}"
    if clear(difference):
        way = "less" if difference["estimate"] < 0 else "more"
        return f"{text}. Who talks to a bot is taken for human {way} often ({p_said(difference['p_adjusted'])})."
    return f"{text}. Whether it matters to whom people talk can't be told ({p_said(difference['p_adjusted'])})."


def clear(difference: Mapping) -> bool:
    """Whether a difference is more than chance."""
    p = difference["p_adjusted"]
    return p is not None and p < LEVEL


def bots_sentence(own: Mapping) -> str:
    """Which bots are taken for human more, or less, often with people than with bots."""
    tested = {n: row["difference"] for n, row in own["labels"].items() if n != HUMAN and row["difference"]}
    if not tested:
        return "No bot of them was judged in conversations with bots, too."
    changed = {name: row for name, row in tested.items() if clear(row)}
    if not changed:
        return "No bot is taken for human more or less often with people than with bots, as far as these data tell."
    said = [f"{name} ({points(row['estimate'])} points)" for name, row in changed.items()]
    return f"With people, compared with bots, {listed(said)} changes by more than chance would have it."


def _chart(own: Mapping) -> Chart:
    rows = []
    for name, row in own["labels"].items():
        for where in (WITH_PEOPLE, ELSEWHERE):
            if row[where]["n"]:
                share, label = row[where]["human"], where
                if where == ELSEWHERE:
                    label = "with people" if name == HUMAN else "with bots"
                if where == WITH_PEOPLE and name == HUMAN:
                    label = "with bots"
                low, high = share["ci"]
                group = upper_first(who(name)) if name == HUMAN else name
                rows.append({"label": label, "estimate": share["estimate"], "low": low, "high": high, "group": group})
    caption = "Share taken for human with its 95 % interval, by whom the conversation was with."
    data = {"rows": rows, "reference": None, "x": "taken for human"}
    label = "How often bots and people are taken for human, by whom they talk to"
    return Chart("with_people", "forest", "", caption, data, _most(own), label=label)


def _most(own: Mapping) -> str:
    """Who changes most."""
    known = {name: row["difference"] for name, row in own["labels"].items() if row["difference"]}
    if not known:
        return ""
    name, most = max(known.items(), key=lambda pair: abs(pair[1]["estimate"]))
    other = "people with people" if name == HUMAN else "with bots"
    whose = "people who talk to bots" if name == HUMAN else f"{name} with people"
    return f"Farthest apart: {whose} against {other}, {points(most['estimate'])} points{to(most['ci'], points)}."


def _table(own: Mapping) -> Table:
    rows = []
    for name, row in own["labels"].items():
        cells = [Name(name)]
        for where in (WITH_PEOPLE, ELSEWHERE):
            found = row[where]
            cells += [_said(found.get("human")), _said(found.get("bot")), str(found["n"])]
        gap, met = row["difference"], own["against"].get(name)
        cells += [points(gap["estimate"]) + between(gap["ci"], points) if gap else "–"]
        cells += [p_value(gap["p_adjusted"]) if gap else "–"]
        cells += ["–" if met is None else f"{met['more']}–{met['less']}–{met['same']}"]
        rows.append(tuple(cells))
    how = (
        "Mixed are conversations of a person with a bot, alike those of two bots, and for people of two people. The "
        "difference is of the shares taken for human, in points; p is Holm's. Against the person: how often the bot "
        "was taken for more human than the person that it talked to, for less human, and for as human. These "
        "annotations are in no other figure."
    )
    head = ("", "Mixed: human", "Mixed: bot", "Mixed: n", "Alike: human", "Alike: bot", "Alike: n")
    head += ("Difference", "p", "Against the person")
    return Table("By whom a conversation is with", how, head, rows, **about("with_people"))


def _said(found: Mapping | None) -> str:
    return "–" if not found else percent(found["estimate"]) + between(found["ci"])


def rows(data: Mapping) -> Rows:
    """Rows of the table with_people."""
    for name, row in data["labels"].items():
        for where in (WITH_PEOPLE, ELSEWHERE):
            found = row[where]
            shares = {}
            for label in ("human", "bot"):
                share = {key: value for key, value in found.get(label, {}).items() if key != "p"}
                shares |= {f"{label}_{key}": value for key, value in flat(share).items()}
            yield "with_people", {"name": name, "conversations": where.replace(" ", "_"), "n": found["n"], **shares}


FINDING = Finding("with_people", FORM, compute, tell, rows, place=45)
