"""A data card: what a study's data are, how they came about, and what nobody but the authors can say.

Its questions follow data statements (Bender and Friedman 2018) and datasheets (Gebru et al. 2021), cut to what a study
has.
"""

from __future__ import annotations

from parlai_spotbot.findings.criteria import single_order
from parlai_spotbot.report.appendix.heds import TO_FILL
from parlai_spotbot.report.appendix.study_profile import NAMES, StudyProfile, SurveyProfile
from parlai_spotbot.report.appendix.text_formats import interval, listed, number
from parlai_spotbot.wording import counted, people_said


def data_card(profile: StudyProfile) -> str:
    """The card as Markdown."""
    sections = [
        ("What it is", _summary(profile)),
        ("Domain", _domain(profile)),
        ("Contestants", _contestants(profile)),
        *([("Conversations", _conversations(profile))] if profile.spoken else []),
        *((f"Annotations: {own.title}", _annotations(own)) for own in profile.surveys),
        ("Annotators", _annotators(profile)),
        ("Known limits", _limits(profile)),
        ("Personal data", _personal(profile)),
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


def _summary(profile: StudyProfile) -> list[str]:
    given = [f"{counted(s.annotations, 'annotation')} by {_who(s)}" for own in profile.surveys for s in own.sources]
    text = f"{counted(profile.bots, 'conversation')} of " if profile.spoken else ""
    text += counted(len(profile.plan.contestants), "chatbot")
    text += f" and {counted(profile.people, 'conversation')} between people" if profile.people else ""
    return [f"{text}; {listed(given) if given else 'not annotated yet'}."]


def _who(source) -> str:
    if source.human:
        return people_said(source.annotators)
    return f"the automatic judge {source.source.removeprefix('judge:')} (no substitute for people)"


def _domain(profile: StudyProfile) -> list[str]:
    rows = [f"- Domain: {profile.plan.domain}", f"- Language: {profile.language or TO_FILL}"]
    task = (profile.selfplay.get("domain") or {}).get("task")
    if task:
        rows.append(f"- Source of seeds and of people's conversations: ParlAI task `{task}`")
    note = (profile.selfplay.get("domain") or {}).get("note")
    return rows + ([f"- Folds: {note}"] if note else [])


def _contestants(profile: StudyProfile) -> list[str]:
    known = (profile.selfplay.get("overlap_with_training_data") or {}).get("turns_found") or {}
    rows = ["| name | agent | description | turns that stand in its training data |", "| --- | --- | --- | --- |"]
    for name, own in list(profile.plan.contestants.items())[:NAMES]:
        share = f"{known[name]:.0%}" if name in known else "not known"
        cells = (name, own.model or own.model_file, own.description or "–", share)
        rows.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    more = len(profile.plan.contestants) - NAMES
    return rows + (["", f"and {more:,} others, which study.yaml names"] if more > 0 else [])


def _conversations(profile: StudyProfile) -> list[str]:
    plan = profile.plan
    rows = [
        f"- {counted(profile.bots, 'conversation')} with bots, {profile.people} between people, "
        f"{profile.turns} turns in all"
    ]
    if profile.self_chats or profile.with_people:
        rows.append(
            f"- Of those with bots, {profile.self_chats} of a bot with itself, {profile.with_people} with a person"
        )
    if profile.imported:
        rows.append("- Imported; how they were made is told by their source")
    elif profile.selfplay:
        rows.append(
            f"- Planned: {plan.conversations_per_pair} a pairing, of {plan.exchanges} exchanges; seed {plan.seed}"
        )
    versions = profile.selfplay.get("versions") or {}
    if versions:
        rows.append(
            f"- Versions: {', '.join(f'{name} {value}' for name, value in versions.items() if name != 'machine')}"
        )
    promise = profile.selfplay.get("promise")
    return rows + ([f"- {promise}"] if promise else [])


def _annotations(own: SurveyProfile) -> list[str]:
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
            itself = "" if source.human else " of the judge with itself"
            rows.append(f"    - Krippendorff's alpha{itself}: {alphas}")
        order = source.ranking.get("order")
        if order:
            groups = " | ".join(", ".join(group) for group in source.ranking.get("groups") or [order])
            ordered = single_order(source.ranking)
            what = "Ranking, best first" if ordered else "By points (not one order; groups that never met apart)"
            rows.append(f"    - {what}: {groups} (for what is sure of it see the report)")
    return rows


def _annotators(profile: StudyProfile) -> list[str]:
    rows = []
    for own in profile.surveys:
        if own.people and own.settings:
            pay = own.settings.get("pay") or 0
            paid = f"{number(pay)} {own.settings.get('currency', '')} for a unit" if pay else "no pay was set"
            rows.append(f"- {own.title}: recruited through {own.settings.get('provider', 'unknown')}, {paid}")
    if not profile.human:
        rows.append("- No person annotated anything here.")
    return [*rows, f"- Who they are, and how they were told and asked for consent: {TO_FILL}"]


def _limits(profile: StudyProfile) -> list[str]:
    rows = ["- Win rates depend on the opponents: they hold for this pool."]
    if not profile.human:
        rows.append("- All answers are an automatic judge's, which is no substitute for people.")
    elif any(not source.human for own in profile.surveys for source in own.sources):
        rows.append("- Answers of automatic judges are told apart by `source`, and are no substitute for people's.")
    extended = profile.study.extended_by() or (profile.provenance.get("export") or {}).get("extended") or []
    rows += [f"- The study was extended: {line}" for line in extended]
    return rows


def _personal(profile: StudyProfile) -> list[str]:
    rows = [
        "- Annotators bear pseudonyms.",
        "- Texts were not searched by hand for names or other personal data by this program.",
    ]
    if profile.people or profile.with_people:
        rows.append("- People's turns are what they typed; the licence and consent of their source hold for them.")
    return [*rows, f"- What was checked, and by whom: {TO_FILL}"]
