"""How far annotators agree (section 5.1, Table 3), and whether both entities get the same label (footnote 3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from parlai_spotbot.analysis import agreement
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.findings.agreement import VARIANTS
from parlai_spotbot.findings.alpha_words import alpha_in_words
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import ALL, Chart, Name, Section, Table
from parlai_spotbot.findings.spotting import FORM, NATURES, Annotations
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import (
    INTERVAL,
    asked,
    between,
    ends,
    in_points,
    known,
    number,
    p_said,
    p_value,
    percent,
    to,
    who,
)

PERMUTATIONS = 9999
CONSISTENCY = "Consistency of the judge with itself"

LETTERS = (("human", "H"), ("bot", "B"), ("unsure", "U"))


def compute(own: Annotations) -> dict:
    """Table 3, alphas over all and by length, and whether labels come in pairs (footnote 3)."""
    own = own.by_item
    entities, rows = own.entities, own.rows
    segment = rows["conversation_id"] + "\t" + rows["k"].astype(str)
    asked = {"nature": (segment.repeat(2).to_numpy() + "\t" + entities["entity"].astype(str).to_numpy(), entities)}
    asked |= {feature: (segment.to_numpy(), rows) for feature in own.features}
    alphas, by_length = {}, {}
    for question, (units, frame) in asked.items():
        clusters = own.clusters(frame)
        alphas[question] = alpha_in_words(agreement.krippendorff_alpha(units, frame[question], clusters))
        lengths, test = agreement.alpha_by(units, frame[question], frame["k"], clusters)
        by_length[question] = {"lengths": lengths.to_dict(orient="records"), "test": test}
    _adjust(by_length)
    alike = agreement.alike_table(rows, rng=own.rng("alike"), permutations=PERMUTATIONS, crossed=own.crossed)
    return {
        "both_given_one": agreement.both_given_one(entities),
        "both_given_one_all": agreement.both_given_one(entities, "all"),
        "krippendorff_alpha": alphas,
        "krippendorff_alpha_by_length": by_length,
        "labelled_alike": [row | {"sentence": alike_sentence(row)} for row in alike.to_dict(orient="records")],
    }


def _adjust(by_length: dict[str, dict]) -> None:
    """Holm's correction over the questions, and a sentence for each."""
    tests = {question: entry["test"] for question, entry in by_length.items()}
    known = [question for question, test in tests.items() if np.isfinite(test["p"])]
    adjusted = dict(zip(known, adjust(np.array([tests[q]["p"] for q in known])).tolist(), strict=True))
    for question, test in tests.items():
        test["p_adjusted"] = adjusted.get(question, np.nan)
        test["sentence"] = length_sentence(test, question)


def length_sentence(test: Mapping, subject: str) -> str:
    """Whether agreement on a subject differs between segment lengths, by its corrected p."""
    if not np.isfinite(test["p"]):
        return f"Agreement on {subject}: there are no two lengths to compare."
    p = test["p_adjusted"]
    verb = "differs between lengths" if p < 0.05 else "can't be told apart between lengths"
    (least, low), (most, high) = test["least"], test["most"]
    return (
        f"Agreement on {subject} {verb}: alpha from {low:.2f} (length {least}) to {high:.2f} (length {most}), "
        f"{p_said(p)}."
    )


def alike_sentence(row: Mapping) -> str:
    """Whether the two entities of a conversation get the same label more often than chance would have it."""
    who = {"bots": "two bots", "people": "two people"}[row["conversations"]]
    if not row["p"] < 0.05:
        said = "as often as chance would have it, as far as these data can tell"
    else:
        said = f"{'more' if row['excess'] > 0 else 'less'} often than chance would have it"
    if np.isfinite([row["low"], row["high"]]).all():
        ends = f"95 % interval {100 * row['low']:+.1f} to {100 * row['high']:+.1f}, {p_said(row['p'])}"
    else:
        ends = "too few for an interval"
    return (
        f"Of conversations between {who}, {row['observed']:.0%} got the same label twice where chance within "
        f"{row['within']} gives {row['expected']:.0%}: {said} ({100 * row['excess']:+.1f} points, "
        f"{ends})."
    )


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """Tell how far annotators agree, or how consistent a judge is with itself."""
    own, bots = result.data, result.order
    length = (own.get("krippendorff_alpha_by_length") or {}).get("nature", {}).get("test", {})
    made = (_alphas_table(own, result.people), _labels_table(own, bots, result.people), _alike_table(own))
    tables = [table for table in made if table is not None]
    text = [length["sentence"]] if result.people and length.get("p") is not None and length.get("sentence") else []
    if not result.people and tables:
        text.append(VARIANTS)
    charts = _charts(own, bots, result.people)
    heading = "Agreement" if result.people else CONSISTENCY
    return [Section("agreement", heading, text, charts, tables, how=_how(own, heading), open_tables=ALL)]


def _how(own: Mapping, label: str) -> tuple[tuple[str, str], ...]:
    """Return alpha of the labels in a sentence, under `label`."""
    found = (own.get("krippendorff_alpha") or {}).get("nature") or {}
    if found.get("alpha") is None:
        return ()
    alpha = f"{number(found['alpha'])}{to(found.get('ci'), number, INTERVAL)}"
    variants = "" if label == "Agreement" else " between its variants, which are no annotators"
    return ((label, f"on who is human, Krippendorff's alpha{variants} is {alpha}; 1 is perfect, 0 is chance."),)


def _charts(own: Mapping, bots: list[str], people: bool) -> list[Chart]:
    """Krippendorff's alpha of each question with its interval; how often a label is given again, by bot."""
    alphas = {q: e for q, e in (own.get("krippendorff_alpha") or {}).items() if e.get("alpha") is not None}
    labels = own.get("both_given_one") or {}
    if not alphas and not labels:
        return []
    names = [bot for bot in (*bots, HUMAN) if bot in labels]
    lines, rows = [], []
    for question, entry in alphas.items():
        low, high = entry.get("ci") or (None, None)
        label = "human or bot" if question == "nature" else question
        lines.append({"label": label, "estimate": entry["alpha"], "low": low, "high": high})
        value = {"value": entry["alpha"], "low": low, "high": high, "n": entry.get("n")}
        rows.append({"what": "alpha", "name": question, **value})
    again = []
    for bot in names:
        shares = {nature: e.get("share") if e.get("n") else None for nature, e in labels[bot].items()}
        again.append({"label": Name(bot), "marks": [(letter, shares.get(nature)) for nature, letter in LETTERS]})
        for nature, e in labels[bot].items():
            rows.append({"what": f"called {nature} again", "name": who(bot), "value": e.get("share"), "n": e.get("n")})
    panels = [
        {"title": "Alpha, by question", "rows": lines, "reference": 0.0, "axis": "alpha"},
        {"title": "Label given again", "rows": again, "axis": "share"},
    ]
    who_says = "annotator" if people else "variant of the judge"
    caption = (
        f"Left: Krippendorff's alpha with 95 % interval. Right: of the times that one {who_says} called it human "
        "(H), bot (B) or unsure (U), how often a second one did too; without intervals, the counts are in the "
        "table."
    )
    sentence = " ".join(text for text in (agreement_sentence(own, people), _alike(own)) if text)
    label = f"{'Agreement of annotators' if people else CONSISTENCY} by question, and by label and bot"
    data = {"panels": panels, "columns": 2, "axis": "alpha"}
    return [Chart("agreement", "panels", "", caption, data, sentence, label=label, rows=rows)]


def agreement_sentence(own: Mapping, people: bool = True) -> str:
    """Return how far annotators, or variants of one judge, agree on each question, and whether that is more than
    chance."""
    alphas = own.get("krippendorff_alpha") or {}
    found = {q: e for q, e in alphas.items() if e.get("alpha") is not None}
    if not found:
        return ""
    parts = []
    for question, entry in found.items():
        ci, name = entry.get("ci"), asked(question)
        sure = "no interval" if not known(ci) else ends(ci, number)
        if known(ci):
            sure += "" if ci[0] > 0 else ", less than chance gives" if ci[1] < 0 else ", which may be chance"
        parts.append(f"on {name} {number(entry['alpha'])} ({sure})")
    clear = [q for q, e in found.items() if known(e.get("ci")) and e["ci"][0] > 0]
    more = f"clearly more than chance on {len(clear)} of {len(found)} questions"
    if len(clear) == len(found):
        more = "more than chance on every question"
    if not clear:
        more = "on no question clearly more than chance"
    whose = "Annotators agree" if people else f"{CONSISTENCY}: its variants answer alike"
    return f"{whose} {more} (Krippendorff's alpha, 1 is perfect, 0 chance; 95 % intervals): {', '.join(parts)}."


def _alike(own: Mapping) -> str:
    """Whether both entities of a conversation get the same label more often than chance (the paper's footnote 3)."""
    found = own.get("labelled_alike") or []
    bots = [entry for entry in found if entry.get("conversations") == "bots" and entry.get("sentence")]
    return bots[0]["sentence"] if bots else ""


def _alphas_table(own: Mapping, people: bool) -> Table | None:
    found = own.get("krippendorff_alpha")
    if not found:
        return None
    said = {q: e.get("why") or e.get("note", "") for q, e in found.items()}
    told = any(said.values())
    cells = {q: number(e["alpha"]) + between(e.get("ci"), number) for q, e in found.items()}
    rows = [(q, cell, *([said[q]] if told else [])) for q, cell in cells.items()]
    how = (
        "Krippendorff's alpha for each question: 1 is perfect agreement, 0 what chance gives; 95 % intervals over "
        + ("conversations and annotators." if people else f"conversations. {VARIANTS}")
    )
    head = ("Question", "alpha", *([""] if told else []))
    title, sentence = ("Agreement on each question", _highest(found)) if people else (CONSISTENCY, "")
    return Table(title, how, head, rows, sentence=sentence, **about("alpha"))


def _labels_table(own: Mapping, bots: Iterable[str], people: bool) -> Table | None:
    found = own.get("both_given_one")
    if not found:
        return None
    rows = []
    for name in [name for name in (*bots, HUMAN) if name in found]:
        labels = [found[name].get(nature, {}) for nature in NATURES]
        rows.append((Name(name), *(f"{percent(x['share'])} of {x['n']}" if x.get("n") else "–" for x in labels)))
    how = (
        f"Where one {'annotator' if people else 'variant of the judge'} gave the label, how often the other one of the "
        "segment gave it too, of how many such labels; no intervals, so small counts say little."
    )
    sentence = _most_shared(found)
    title = "Agreement on each label" if people else "Labels that another variant gives again"
    return Table(title, how, ("", *NATURES), rows, sentence=sentence, **about("both_given_one"))


def _alike_table(own: Mapping) -> Table | None:
    """Whether both entities of a conversation get the same label more often than chance (footnote 3)."""
    found = own.get("labelled_alike")
    if not found:
        return None
    rows = []
    for e in found:
        cells = (e["conversations"], e["within"], str(e["n"]), percent(e["observed"]), percent(e["expected"]))
        rows.append((*cells, in_points(e, "excess"), p_value(e.get("p"))))
    how = (
        "Annotators label both entities at once: the share of annotations with the same label twice, what chance gives "
        "where labels are shuffled within the groups named, and the points between them with a 95 % interval. Above 0: "
        "one label draws the other after it."
    )
    head = ("Conversations of", "Chance within", "Annotations", "Alike", "By chance", "Excess, points", "p")
    sentence = _farthest(found)
    return Table("Both entities labelled alike", how, head, rows, sentence=sentence, **about("alike"))


def _highest(found: Mapping) -> str:
    """Where agreement is highest and lowest."""
    known_ones = {q: e for q, e in found.items() if e.get("alpha") is not None}
    if len(known_ones) < 2:
        return ""
    best = max(known_ones, key=lambda q: known_ones[q]["alpha"])
    worst = min(known_ones, key=lambda q: known_ones[q]["alpha"])
    if best == worst:
        return f"Agreement is the same on every question, {number(known_ones[best]['alpha'])}."
    ends = [known_ones[q].get("ci") for q in (best, worst)]
    apart = all(known(ci) for ci in ends) and ends[0][0] > ends[1][1]
    said = [
        f"{asked(q)} ({number(known_ones[q]['alpha'])}{between(known_ones[q].get('ci'), number)})"
        for q in (best, worst)
    ]
    sure = "clearly apart" if apart else "which may be chance"
    return f"Agreement is highest on {said[0]} and lowest on {said[1]}, {sure}."


def _most_shared(found: Mapping) -> str:
    """The label that is shared most and least, over all names, with an interval as of independent labels."""
    totals: dict[str, list[float]] = {}
    for labels in found.values():
        for nature, x in labels.items():
            if x.get("n") and x.get("share") is not None:
                own = totals.setdefault(nature, [0.0, 0])
                own[0] += x["share"] * x["n"]
                own[1] += x["n"]
    if len(totals) < 2:
        return ""
    shares = {nature: hits / n for nature, (hits, n) in totals.items()}
    best, worst = max(shares, key=lambda q: shares[q]), min(shares, key=lambda q: shares[q])
    said = []
    for nature in (best, worst):
        half = 1.96 * math.sqrt(shares[nature] * (1 - shares[nature]) / totals[nature][1])
        said.append(f"“{nature}” ({percent(shares[nature])} of {totals[nature][1]:.0f}, ± {100 * half:.0f} points)")
    return f"Most often shared is {said[0]}, least often {said[1]}, if labels were independent."


def _farthest(found: list[dict]) -> str:
    """The group in which one label draws the other most."""
    told = [e for e in found if e.get("excess") is not None and e.get("low") is not None]
    if not told:
        return ""
    most = max(told, key=lambda e: abs(e["excess"]))
    if not round(100 * most["excess"], 6):
        return "Both entities are labelled alike exactly as often as chance gives."
    more = "more" if most["excess"] > 0 else "less"
    ends = sorted(100 * abs(most[key]) for key in ("low", "high"))
    clear = most["low"] > 0 or most["high"] < 0
    size = f"{100 * abs(most['excess']):.0f} points"
    bounds = f" ({ends[0]:.0f} to {ends[1]:.0f})" if clear else ""
    return (
        f"Farthest from chance are conversations of {most['conversations']} within {most['within']}: alike {size} "
        f"{more} often{bounds}{'' if clear else ', which may be chance'}."
    )


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Rows of the tables agreement, agreement_all_segments, agreement_alpha, agreement_alpha_by_length and
    agreement_labelled_alike."""
    for table, key in (("agreement", "both_given_one"), ("agreement_all_segments", "both_given_one_all")):
        for name, labels in data[key].items():
            for label, entry in labels.items():
                yield table, {"name": name, "label": label, **entry}
    for question, entry in data["krippendorff_alpha"].items():
        low, high = entry["ci"]
        yield "agreement_alpha", {"question": question, "alpha": entry["alpha"], "low": low, "high": high}
    for question, entry in data["krippendorff_alpha_by_length"].items():
        for row in entry["lengths"]:
            row = {"exchanges": row["group"], **{key: row[key] for key in ("n", "alpha", "low", "high")}}
            yield (
                "agreement_alpha_by_length",
                {
                    "question": question,
                    **row,
                    "p_equal": entry["test"]["p"],
                    "p_equal_adjusted": entry["test"]["p_adjusted"],
                },
            )
    for row in data["labelled_alike"]:
        yield "agreement_labelled_alike", row


FINDING = Finding("agreement", FORM, compute, tell, rows, place=60)
