"""A data card: what a study's data are, how they came about, and what nobody but the authors can say.

Its questions follow data statements (Bender and Friedman 2018) and datasheets (Gebru et al. 2021), cut to what a study
has.
"""

from __future__ import annotations

from parlai_spotbot.report.appendix.facts import Facts, SurveyFacts
from parlai_spotbot.report.appendix.heds import TO_FILL
from parlai_spotbot.report.appendix.writing import counted, interval, listed, number


def data_card(facts: Facts) -> str:
    """The card as Markdown."""
    sections = [
        ("What it is", _summary(facts)),
        ("Domain", _domain(facts)),
        ("Contestants", _contestants(facts)),
        *([("Conversations", _conversations(facts))] if facts.spoken else []),
        *((f"Annotations: {own.title}", _annotations(own)) for own in facts.surveys),
        ("Annotators", _annotators(facts)),
        ("Known limits", _limits(facts)),
        ("Personal data", _personal(facts)),
        (
            "Licence, contact, maintenance",
            [f"- Licence: {TO_FILL}", f"- Contact: {TO_FILL}", f"- Maintenance: {TO_FILL}"],
        ),
        ("Uses", [f"- Intended: {TO_FILL}", "- Not for: finding out who an annotator or a speaker was."]),
    ]
    lines = ["# Data card", ""]
    lines += [
        "Filled with what the study's files say; the rest is left to the authors. After data statements (Bender and "
        "Friedman 2018) and datasheets (Gebru et al. 2021)."
    ]
    for heading, rows in sections:
        lines += ["", f"## {heading}", "", *rows]
    return "\n".join(lines) + "\n"


def _summary(facts: Facts) -> list[str]:
    given = [f"{counted(s.annotations, 'annotation')} by {_who(s)}" for own in facts.surveys for s in own.sources]
    text = f"{counted(facts.bots, 'conversation')} of " if facts.spoken else ""
    text += counted(len(facts.plan.contestants), "chatbot")
    text += f" and {counted(facts.people, 'conversation')} between people" if facts.people else ""
    return [f"{text}; {listed(given) if given else 'not annotated yet'}."]


def _who(source) -> str:
    if source.human:
        return counted(source.annotators, "person", "people")
    return f"the automatic judge {source.source.removeprefix('judge:')} (no substitute for people)"


def _domain(facts: Facts) -> list[str]:
    rows = [f"- Domain: {facts.plan.domain}", f"- Language: {facts.language or TO_FILL}"]
    task = (facts.selfplay.get("domain") or {}).get("task")
    if task:
        rows.append(f"- Source of seeds and of people's conversations: ParlAI task `{task}`")
    note = (facts.selfplay.get("domain") or {}).get("note")
    return rows + ([f"- Folds: {note}"] if note else [])


def _contestants(facts: Facts) -> list[str]:
    known = (facts.selfplay.get("overlap_with_training_data") or {}).get("turns_found") or {}
    rows = ["| name | agent | description | turns that stand in its training data |", "| --- | --- | --- | --- |"]
    for name, own in facts.plan.contestants.items():
        share = f"{known[name]:.0%}" if name in known else "not known"
        cells = (name, own.model or own.model_file, own.description or "–", share)
        rows.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    return rows


def _conversations(facts: Facts) -> list[str]:
    plan = facts.plan
    rows = [
        f"- {counted(facts.bots, 'conversation')} with bots, {facts.people} between people, {facts.turns} turns in all"
    ]
    if facts.self_chats or facts.with_people:
        rows.append(f"- Of those with bots, {facts.self_chats} of a bot with itself, {facts.with_people} with a person")
    if facts.imported:
        rows.append("- Imported; how they were made is told by their source")
    elif facts.selfplay:
        rows.append(
            f"- Planned: {plan.conversations_per_pair} a pairing, of {plan.exchanges} exchanges; seed {plan.seed}"
        )
    versions = facts.selfplay.get("versions") or {}
    if versions:
        rows.append(
            f"- Versions: {', '.join(f'{name} {value}' for name, value in versions.items() if name != 'machine')}"
        )
    promise = facts.selfplay.get("promise")
    return rows + ([f"- {promise}"] if promise else [])


def _annotations(own: SurveyFacts) -> list[str]:
    rows = [f"- Units: {own.units}; items: {own.items}"]
    if own.survey is not None:
        rows.append(f"- Asked: “{own.survey.title}”")
        rows += [f"    - {q.heading or q.name}: “{q.wording}”" for q in own.survey.questions]
    if own.lengths:
        rows.append(f"- Exchanges shown: {listed(map(str, own.lengths))}")
    for source in own.sources:
        text = f"- {_who(source).capitalize()}: {counted(source.annotations, 'annotation')} of {source.items} items"
        if source.median_seconds is not None:
            text += f", median {number(source.median_seconds, 0)} seconds"
        if source.controls:
            text += f"; {source.controls} answers to control items, not data"
        rows.append(text)
        if source.alpha:
            alphas = ", ".join(
                f"{name.replace('_', ' ')} {number(a)}{interval(ci)}" for name, (a, ci) in source.alpha.items()
            )
            rows.append(f"    - Krippendorff's alpha: {alphas}")
        order = source.ranking.get("order")
        if order:
            rows.append(f"    - Ranking, best first: {', '.join(order)} (for what is sure of it see the report)")
    return rows


def _annotators(facts: Facts) -> list[str]:
    rows = []
    for own in facts.surveys:
        if own.people and own.settings:
            pay = own.settings.get("pay") or 0
            paid = f"{number(pay)} {own.settings.get('currency', '')} for a unit" if pay else "no pay was set"
            rows.append(f"- {own.title}: recruited through {own.settings.get('provider', 'unknown')}, {paid}")
    if not facts.human:
        rows.append("- No person annotated anything here.")
    return [*rows, f"- Who they are, and how they were told and asked for consent: {TO_FILL}"]


def _limits(facts: Facts) -> list[str]:
    rows = ["- Win rates depend on the opponents: they hold for this pool."]
    if not facts.human:
        rows.append("- All answers are an automatic judge's, which is no substitute for people.")
    elif any(not source.human for own in facts.surveys for source in own.sources):
        rows.append("- Answers of automatic judges are told apart by `source`, and are no substitute for people's.")
    extended = facts.study.extended_by() or (facts.provenance.get("export") or {}).get("extended") or []
    rows += [f"- The study was extended: {line}" for line in extended]
    return rows


def _personal(facts: Facts) -> list[str]:
    rows = [
        "- Annotators bear pseudonyms.",
        "- Texts were not searched by hand for names or other personal data by this program.",
    ]
    if facts.people or facts.with_people:
        rows.append("- People's turns are what they typed; the licence and consent of their source hold for them.")
    return [*rows, f"- What was checked, and by whom: {TO_FILL}"]
