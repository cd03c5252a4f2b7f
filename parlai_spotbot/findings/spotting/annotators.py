"""How well each annotator tells bots from people, and what changes without some of them (section 5.1, appendix G)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from parlai_spotbot.analysis import annotators
from parlai_spotbot.analysis.annotators import ALL_RULES, Rules
from parlai_spotbot.analysis.annotators.controls import compare_everybody, controls_summary
from parlai_spotbot.analysis.annotators.rules import no_rules
from parlai_spotbot.findings.annotators import told_of_ids
from parlai_spotbot.findings.control_words import controls_sentence, everybody_sentence, flagged_sentence
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import ALL, Chart, Section, Table
from parlai_spotbot.findings.source_accounts import account
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.annotators_words import (
    RAW,
    apart_sentence,
    detection_sentence,
    rankings_in_words,
    rules_in_words,
    weak_sentence,
)
from parlai_spotbot.findings.spotting.ranking import ranked
from parlai_spotbot.findings.spotting.table_methods import about
from parlai_spotbot.surveys.controls.flags import MISSED, missed_some, rules_of
from parlai_spotbot.wording import between, listed, number, percent

MISSED_SOME = "missed controls, though no more than are allowed"

CAPTION = (
    "A mark an annotator, marked as in the table, hollow where flagged, with 95 % intervals; the diamond is all of "
    "them together. Higher: tells bots from people better; further right: slower to say bot."
)


def compute(own: Annotations) -> dict:
    """Compute one entry an annotator, all together, and rankings without those that rules catch."""
    people, items = own.crossed, own.by_item
    rules, whole = replace(rules_of(own.facts.survey), min_correct=own.options.min_correct), own.whole
    table = annotators.annotator_table(own.work.rows, own.work.entities, limits=people, rules=rules)
    for column, key in (("controls", "answered"), ("missed_controls", "missed")):
        table[column] = [own.controls.get(worker, {}).get(key, 0) for worker in table.index]
    table["left_out"] = [own.failed.get(worker, "") for worker in table.index]
    also = _marked(own)
    for name, workers in also.items():
        for worker in workers:
            table.at[worker, "flags"].append(name)
    kept = table[table["left_out"] == ""]
    words = rules_in_words(rules) | {MISSED: MISSED_SOME}
    summary = annotators.summary(kept, rules, also) | {"left_out": _left_out(table)}
    summary["flags"] = {name: {"rule": words[name], **flag} for name, flag in summary["flags"].items()}
    controls = controls_summary(own.controls, own.allowed, own.failed)
    pooled = annotators.pooled_detection(items.entities, own.together.take(own.pages))
    entries = table.to_dict(orient="index")
    result = {
        "annotators": entries,
        "account": account(own, entries, pooled),
        "summary": summary,
        "controls": controls | {"sentence": controls_sentence(controls)},
        "pooled": pooled | {"sentence": detection_sentence(pooled)},
        **told_of_ids(own),
    }
    if people and own.bots:
        rows = own.rows
        rows = rows.assign(submitted=own.submitted) if any(own.submitted) else rows
        without = annotators.rankings_without(rows, own.bots, rules, own.resample, also)
        result["without"] = rankings_in_words(without, words)
        if rules.min_correct is not None:
            result["without_weak"] = _without_weak(own, rules)
    if own.failed and len(own.everyone) > len(own.rows):
        beside = compare_everybody(own.once("ranking", ranked), ranked(whole))
        said = everybody_sentence(beside, "With everybody's annotations")
        result["with_everybody"] = beside | {"sentence": said}
    return result


def _without_weak(own: Annotations, rules: Rules) -> dict:
    """The whole ranking without who is too seldom correct, and what changes by it (appendix G)."""
    kept, removed = annotators.remove(own.rows, replace(no_rules(rules), min_correct=rules.min_correct))
    gone = int(removed["worker_id"].nunique())
    found = {
        "min_correct": rules.min_correct,
        "annotators": gone,
        "annotators_left": int(kept["worker_id"].nunique()),
        "annotations": len(removed),
    }
    if not gone or kept.empty:
        return found | {"sentence": weak_sentence(found)}
    beside = compare_everybody(own.once("ranking", ranked), ranked(own.with_rows(kept.reset_index(drop=True))))
    said = everybody_sentence(beside, weak_sentence(found))
    clear = {name: _clear(pairs) for name, pairs in (("before", own.once("ranking", ranked)), ("after", beside))}
    return found | beside | {"told_apart": clear, "sentence": f"{said} {apart_sentence(clear, beside['pairs'])}"}


def _clear(ranking: Mapping) -> int:
    """How many pairs are told apart at .05."""
    return sum(pair["p_adjusted"] is not None and pair["p_adjusted"] < 0.05 for pair in ranking["pairs"])


def _marked(own: Annotations) -> dict[str, list[str]]:
    """Return annotators that no rule on answers catches: those who missed controls."""
    labelled = set(own.whole.rows["worker_id"])
    missed = [worker for worker in missed_some(own.judgements, own.facts.survey) if worker in labelled]
    return {MISSED: missed} if missed and own.crossed else {}


def _left_out(table: pd.DataFrame) -> dict[str, int]:
    """How many annotators of the table are left out, by the reason."""
    return {str(why): int(n) for why, n in table["left_out"][table["left_out"] != ""].value_counts().items()}


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """How well each annotator tells bots from people, and results without some of them."""
    own = result.data
    controls = own.get("controls") or {}
    charts, text = _charts(own, result), []
    if controls.get("answered"):
        text.append(controls["sentence"])
    text += [own[key]["sentence"] for key in ("ids", "strangers") if key in own]
    told = flagged_sentence(own.get("annotators") or {}, result.called) if result.people else ""
    flagged = (told,) if told else ()
    text += flagged
    flagged += (own["ids"]["sentence"],) if "ids" in own else ()
    text += [own[key]["sentence"] for key in ("with_everybody", "without_weak") if key in own]
    if own.get("annotators") and not charts:
        text.append("Nobody judged both bots and people, so nothing is known of sensitivity and bias.")
    made = (_annotators_table(own, result), _without_table(own))
    tables = [table for table in made if table is not None]
    how = (("Controls", controls["sentence"]),) if controls.get("answered") else ()
    return [Section("annotators", "Annotators", text, charts, tables, how=how, careful=flagged, open_tables=ALL)]


def _charts(own: Mapping, result: Result) -> list[Chart]:
    """Sensitivity d′ against bias c, a mark an annotator, hollow where flagged; all together as a diamond."""
    keys = [f"{key}{end}" for key in ("sensitivity", "bias") for end in ("", "_low", "_high")]
    found = {worker: e for worker, e in (own.get("annotators") or {}).items() if _known(e)}
    if not found:
        return []
    points, rows = [], []
    for worker, entry in found.items():
        called = result.called(worker).removeprefix("annotator ")
        points.append(_point(called, entry, hollow=bool(entry.get("flags"))))
        numbers = {key: entry.get(key) for key in keys}
        rows.append({"annotator": called, **numbers, "flagged": "yes" if entry.get("flags") else "no"})
    pooled = own.get("pooled") or {}
    if _known(pooled):
        flat = {key: pooled[key] for key in ("sensitivity", "bias")}
        for key in ("sensitivity", "bias"):
            flat[f"{key}_low"], flat[f"{key}_high"] = pooled.get(f"{key}_ci") or (None, None)
        points.append(_point("all", flat, total=True))
        rows.append({"annotator": "all", **{key: flat.get(key) for key in keys}})
    x, y = "← quick to say bot · bias c · slow to say bot →", "sensitivity d′"
    data = {"points": points, "x": x, "y": y, "origin": True, "title": "Telling bots from people (0 = guessing)"}
    label = "Sensitivity against bias of each annotator"
    return [Chart("annotators", "points", "", CAPTION, data, pooled.get("sentence", ""), label=label, rows=rows)]


def _known(entry: Mapping) -> bool:
    return entry.get("sensitivity") is not None and entry.get("bias") is not None


def _point(label: str, entry: Mapping, **more: bool) -> dict:
    ends = {"low": "sensitivity_low", "high": "sensitivity_high", "x_low": "bias_low", "x_high": "bias_high"}
    place = {"label": label, "x": entry["bias"], "y": entry["sensitivity"]}
    return place | {key: entry.get(name) for key, name in ends.items()} | more


def _annotators_table(own: Mapping, result: Result) -> Table | None:
    """Times and flags are of people only: a judge has no time, and may see two segments of one conversation."""
    found = own.get("annotators")
    if not found:
        return None
    people = result.people
    rows, controlled = [], any(e.get("controls") for e in found.values())
    for worker, e in found.items():
        cells = (
            result.called(worker),
            str(e["n"]),
            percent(e["correct"]),
            percent(e["balanced_accuracy"]),
            number(e["sensitivity"]) + _ends(e, "sensitivity"),
            number(e["bias"]) + _ends(e, "bias"),
        )
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
    sentence = _range(found, result)
    folded = len(rows) > 12
    return Table("Annotators", how, head, rows, folded=folded, sentence=sentence, **about("annotators"))


def _controls(entry: dict) -> str:
    return f"{entry['missed_controls']} of {entry['controls']}" if entry.get("controls") else "–"


def _ends(entry: dict, key: str) -> str:
    return between([entry.get(f"{key}_low"), entry.get(f"{key}_high")], number)


def _without_table(own: Mapping) -> Table | None:
    """Win rates beside those without what the rules catch."""
    found = own.get("without")
    if not found:
        return None
    shown = {name: e for name, e in found.items() if name in (RAW, ALL_RULES) or e["annotations"]}
    bots = found[RAW]["order"] if RAW in found else next(iter(shown.values()))["order"]
    rows = []
    for name, e in shown.items():
        cells = []
        for bot in bots:
            place = f" · {e['order'].index(bot) + 1}" if bot in e["order"] else ""
            cells.append(percent(e["win_rate"].get(bot)) + between(e.get("win_rate_ci", {}).get(bot)) + place)
        rows.append(("nobody" if name == RAW else name, str(e["annotations"]), str(e["annotators"]), *cells))
    how = (
        "Each bot's win rate with its 95 % interval and its place, without the annotations that a rule catches: how "
        "many those are, and of how many annotators; a rule that catches nobody has no row. The first row is the "
        "ranking above."
    )
    head, sentence = ("Left out", "Annotations", "Annotators", *bots), without_sentence(own)
    return Table("The ranking without flagged annotations", how, head, rows, sentence=sentence, **about("without"))


def without_sentence(own: Mapping) -> str:
    """Whether the ranking stands without everything that the rules catch."""
    found = own.get("without") or {}
    if ALL_RULES not in found or RAW not in found:
        return ""
    raw, rest = found[RAW], found[ALL_RULES]
    if not rest["annotations"]:
        return "No annotation breaks a rule, so nothing changes without them."
    if not rest["order"] or rest["annotations"] == raw["n"]:
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


def _place(own: Mapping, bot: str) -> int:
    return own["order"].index(bot) + 1


def _range(found: Mapping, result: Result) -> str:
    """The range, and how many are clearly better than guessing."""
    rated = {w: e for w, e in found.items() if e.get("balanced_accuracy") is not None}
    if len(rated) < 2:
        return ""
    best = max(rated, key=lambda w: rated[w]["balanced_accuracy"])
    worst = min(rated, key=lambda w: rated[w]["balanced_accuracy"])
    said = [f"{result.called(w)} {percent(rated[w]['balanced_accuracy'])} of {rated[w]['n']}" for w in (best, worst)]
    text = f"Balanced accuracy goes from {said[0]} down to {said[1]}"
    if rated[best]["balanced_accuracy"] == rated[worst]["balanced_accuracy"]:
        text = f"Balanced accuracy is {percent(rated[best]['balanced_accuracy'])} for all {len(rated)}"
    lows = [e.get("sensitivity_low") for e in rated.values()]
    if None in lows:
        return f"{text}; guessing gives 50%."
    sure = sum(low > 0 for low in lows)
    return f"{text}; {sure} of {len(rated)} tell bots from people clearly better than guessing (intervals above 0)."


# -- tables ------------------------------------------------------------------------------------------------------------
def rows(data: Mapping) -> Rows:
    """Return rows of the tables annotators and annotators_without."""
    for worker, entry in data["annotators"].items():
        yield "annotators", {"worker_id": worker, **entry, "flags": "; ".join(entry["flags"])}
    for name, entry in data.get("without", {}).items():
        kept = {key: entry[key] for key in ("rule", "annotations", "annotators", "n", "sentence")}
        for place, bot in enumerate(entry["order"], start=1):
            low, high = entry["win_rate_ci"][bot]
            rate = {"win_rate": entry["win_rate"][bot], "win_rate_low": low, "win_rate_high": high}
            yield "annotators_without", {"without": name, "place": place, "bot": bot, **rate, **kept}


def lines(result: Result) -> list[str]:
    beside = (result.data.get(key) for key in ("with_everybody", "without_weak"))
    return [f"  {own['sentence']}" for own in beside if own]


FINDING = Finding("annotators", FORM, compute, tell, rows, lines, place=70, options=("min_correct",))
