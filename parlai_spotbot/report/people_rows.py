"""The tables of agreement and annotators, from one source's results as they stand in ``analysis/``."""

from __future__ import annotations

from collections.abc import Iterable

from parlai_spotbot.analysis.sections import Name, Table
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import table_words
from parlai_spotbot.report.rows import NATURES
from parlai_spotbot.report.table_methods import about
from parlai_spotbot.report.words import shown
from parlai_spotbot.wording import between, in_points, listed, number, p_value, percent, span


def alphas(own: dict) -> Table | None:
    found = own.get("krippendorff_alpha")
    if not found:
        return None
    said = {q: e.get("why") or e.get("note", "") for q, e in found.items()}
    told = any(said.values())
    cells = {q: number(e["alpha"]) + between(e.get("ci"), number) for q, e in found.items()}
    rows = [(q, cell, *([said[q]] if told else [])) for q, cell in cells.items()]
    how = (
        "Krippendorff's alpha for each question: 1 is perfect agreement, 0 what chance gives; 95 % intervals over "
        "conversations and annotators."
    )
    head = ("Question", "alpha", *([""] if told else []))
    return Table("Agreement on each question", how, head, rows, sentence=table_words.alphas(found), **about("alpha"))


def both_given_one(own: dict, bots: Iterable[str]) -> Table | None:
    found = own.get("both_given_one")
    if not found:
        return None
    rows = []
    for name in [name for name in (*bots, HUMAN) if name in found]:
        labels = [found[name].get(nature, {}) for nature in NATURES]
        rows.append((Name(name), *(f"{percent(x['share'])} of {x['n']}" if x.get("n") else "–" for x in labels)))
    how = (
        "Where one annotator gave the label, how often the other one of the segment gave it too, of how many such "
        "labels; no intervals, so small counts say little."
    )
    sentence = table_words.both_given_one(found)
    return Table("Agreement on each label", how, ("", *NATURES), rows, sentence=sentence, **about("both_given_one"))


def annotators(own: dict, named: dict[str, str], people: bool) -> Table | None:
    """Times and flags are of people only: a judge has no time, and may see two segments of one conversation."""
    found = own.get("annotators")
    if not found:
        return None
    rows, controlled = [], any(e.get("controls") for e in found.values())
    for worker, e in found.items():
        cells = (named.get(worker, "annotator"), str(e["n"]), percent(e["correct"]), percent(e["balanced_accuracy"]),
                 number(e["sensitivity"]) + _ends(e, "sensitivity"), number(e["bias"]) + _ends(e, "bias"))  # fmt: skip
        if people:
            known = [_controls(e)] if controlled else []
            noted = [f"left out: {e['left_out']}"] if e.get("left_out") else []
            cells = (*cells, number(e["median_seconds"], 0), *known, "; ".join([*noted, *e["flags"]]) or "–")
        rows.append(cells)
    total = own.get("summary", {})
    how = (
        f"How well each of {len(rows)} tells bots from people: always the same answer has balanced "
        "accuracy 50 % and sensitivity (d′) 0; a positive bias (c) is slow to say bot. In brackets, where known, 95 % "
        "intervals; with few annotations these are wide."
    )
    head = ("", "Annotations", "Correct", "Balanced accuracy", "Sensitivity", "Bias")
    if people:
        how += f" Flagged: {total.get('flagged', 0)}; nobody is left out of any other table or figure for a flag."
        if out := sum(total.get("left_out", {}).values()):
            how += f" {out} more, who failed the controls, count in no other table or figure."
        head += ("Median seconds", *(["Controls missed"] if controlled else []), "Flags")
    sentence = table_words.annotators(found, named)
    folded = len(rows) > 12
    return Table("Annotators", how, head, rows, folded=folded, sentence=sentence, **about("annotators"))


def _controls(entry: dict) -> str:
    return f"{entry['missed_controls']} of {entry['controls']}" if entry.get("controls") else "–"


def _ends(entry: dict, key: str) -> str:
    return between([entry.get(f"{key}_low"), entry.get(f"{key}_high")], number)


def alike(own: dict) -> Table | None:
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
    sentence = table_words.alike(found)
    return Table("Both entities labelled alike", how, head, rows, sentence=sentence, **about("alike"))


ALL = "all rules"


def without(own: dict) -> Table | None:
    """Win rates beside those without what the rules catch."""
    found = own.get("without")
    if not found:
        return None
    shown = {name: e for name, e in found.items() if name in ("raw", ALL) or e["annotations"]}
    bots = found["raw"]["order"] if "raw" in found else next(iter(shown.values()))["order"]
    rows = []
    for name, e in shown.items():
        cells = []
        for bot in bots:
            place = f" · {e['order'].index(bot) + 1}" if bot in e["order"] else ""
            cells.append(percent(e["win_rate"].get(bot)) + between(e.get("win_rate_ci", {}).get(bot)) + place)
        rows.append(("nobody" if name == "raw" else name, str(e["annotations"]), str(e["annotators"]), *cells))
    nobody = [name for name in found if name not in shown]
    how = (
        "Each bot's win rate with its 95 % interval and its place, without the annotations that a rule catches: how "
        "many those are, and of how many annotators. The first row is the win rate of the ranking above."
    )
    if nobody:
        how += f" Nobody is caught by: {'; '.join(nobody)}."
    head, sentence = ("Left out", "Annotations", "Annotators", *bots), without_sentence(own)
    return Table("The ranking without flagged annotations", how, head, rows, sentence=sentence, **about("without"))


def without_sentence(own: dict) -> str:
    """Whether the ranking stands without everything that the rules catch."""
    found = own.get("without") or {}
    if ALL not in found or "raw" not in found:
        return ""
    raw, rest = found["raw"], found[ALL]
    if not rest["annotations"]:
        return "No annotation breaks a rule, so nothing changes without them."
    if not rest["order"]:
        return f"All {rest['annotations']} annotations break some rule: nothing is left to rank without them."
    both = [bot for bot in raw["order"] if None not in (raw["win_rate"].get(bot), rest["win_rate"].get(bot))]
    text = f"Without the {rest['annotations']} of {raw['n']} annotations that break a rule (by {rest['annotators']} "
    text += "annotators) "
    moved = [bot for bot in raw["order"] if bot in rest["order"] and _place(raw, bot) != _place(rest, bot)]
    if moved:
        steps = [f"{bot} from {_place(raw, bot)} to {_place(rest, bot)}" for bot in moved]
        text += f"the order by win rate changes: {listed(steps)}"
    else:
        text += "the order by win rate stays"
    if not both:
        return f"{text}."
    most = max(both, key=lambda bot: abs(rest["win_rate"][bot] - raw["win_rate"][bot]))
    change = 100 * (rest["win_rate"][most] - raw["win_rate"][most])
    if abs(change) < 0.5:
        return f"{text}; no win rate moves by a point."
    text += f"; the win rate that moves most is {most}'s, {'up' if change > 0 else 'down'} by {abs(change):.0f} "
    text += f"point{'s' if round(abs(change)) != 1 else ''} to {percent(rest['win_rate'][most])}"
    ci = rest.get("win_rate_ci", {}).get(most)
    inside = ci and None not in ci and ci[0] <= raw["win_rate"][most] <= ci[1]
    return f"{text}{between(ci)}" + (", an interval that holds the old one." if inside else ".")


def _place(own: dict, bot: str) -> int:
    return own["order"].index(bot) + 1


def worker_effects(own: dict) -> Table | None:
    """The ranking with annotators' effects taken out, beside the raw win rates."""
    found = (own.get("worker_effects") or {}).get("ranking")
    if not found:
        return None
    rows = []
    for e in found:
        ends = [e["low"], e["high"]]
        places = "–" if e.get("rank_best") is None else span((e["rank_best"], e["rank_worst"]))
        rows.append((
            Name(e["name"]), str(e["rank"]), places, number(e["effect"]) + between(ends, number),
            percent(e["raw"]), str(e["raw_rank"]),
        ))  # fmt: skip
    how = (
        "A cumulative logit model: how much more human than the mean bot each one is judged, in logits with 95 % "
        "intervals, whoever judges, wherever it stands and however much is shown. Ranks: by comparisons that hold for "
        "all pairs together (Holm). Beside it the raw win rate and its place. The mean bot "
        "stands at 0; one logit is a factor of 2.7."
    )
    head = ("Bot", "Place", "Ranks", "Effect", "Raw win rate", "Raw place")
    sentence = own["worker_effects"].get("sentence") or ""
    return Table("The ranking with annotators' effects", how, head, rows, sentence=sentence, **about("worker_effects"))


def time_by_length(own: dict) -> Table | None:
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
    sentence = table_words.time_by_length(found)
    return Table("Seconds by length", how, head, rows, folded=True, sentence=sentence, **about("time"))
