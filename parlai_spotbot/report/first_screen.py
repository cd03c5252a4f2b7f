"""The first screen: the question, the answer in a sentence, places, what is uncertain, and what to do next.

All of it is of one survey and of the source that leads (`report.lead`). Bars are drawn by the page itself, so that they
are text to a screen reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from parlai_spotbot.analysis.verdict.probe import AMBER, RED
from parlai_spotbot.findings import findings_of, needs, render
from parlai_spotbot.findings.audit import of_level
from parlai_spotbot.findings.chats.choices import FINDING as PREFERENCES
from parlai_spotbot.findings.comparison import compare
from parlai_spotbot.findings.frames import ends
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.findings.schema import all_known
from parlai_spotbot.findings.sections import Card, Counts, Drawn, Section
from parlai_spotbot.findings.sections import Step as NextStep
from parlai_spotbot.findings.whole_study import simulators
from parlai_spotbot.hints import command
from parlai_spotbot.judges.next_step import answers_by_people, next_step, settles
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.alarms import audit_rows
from parlai_spotbot.report.chapters import Chapter, SourceCard, card, known_to, results_of
from parlai_spotbot.report.examples import Examples, examples_of, examples_of_users
from parlai_spotbot.report.lead import lead_of
from parlai_spotbot.surveys.about import PILOTED
from parlai_spotbot.surveys.workload import annotations_of
from parlai_spotbot.wording import NONE, listed, named_first, plainly, source_said, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.rankings import Ranking
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.study_plan import Plan

ROWS = 8
"""So many contestants, or criteria, are on the first screen; the others behind it."""


ALARMS = 5
"""So many of the things that could be wrong are named on the first screen, the worst first; all stand on the second."""

FURTHER = 2
"""So many sentences of the ranking are on the first screen beside the verdict, one less where something could be wrong
with it."""

USERS = 2
"""Of so many simulated users it is said where they differ from people; the section on users has all."""

NEXT = 200
"""So many pairs to vote on the next step of an arena draws."""


@dataclass(frozen=True)
class ScreenStep:
    """Record of what to do next: a sentence, and the command that does it."""

    text: str
    command: str = ""


@dataclass(frozen=True)
class FirstScreen:
    """The first screen: `answer` is one sentence, `lead` the ranking, `uncertain` sentences on what isn't known,
    `alarms` the probes that say what could be wrong, `note` why points and labels disagree, `why` two conversations,
    `parts` further sentences by their heading."""

    question: str
    answer: str
    step: ScreenStep | None
    lead: SourceCard | None = None
    uncertain: list[str] = field(default_factory=list)
    alarms: list[Mapping] = field(default_factory=list)
    note: str = ""
    why: Examples | None = None
    parts: Mapping[str, list[str]] = field(default_factory=dict)


def first_screen(chapter: Chapter) -> FirstScreen:
    """Everything a reader should see before scrolling."""
    contents = chapter.view.contents
    question = upper_first(chapter.question)
    with known_to(contents):
        lead = _lead(contents)
        if lead is None and _only_users(contents):
            return _of_users(contents)
        if lead is None:
            return FirstScreen(question, _unanswered(contents), missing(contents))
        alarms = of_level(audit_rows(contents, lead.source), RED, AMBER)[:ALARMS]
        further = lead.card.text[1 : 1 + FURTHER - bool(alarms)]
        planned = [section for source, section in chapter.first if source == lead.source]
        unsettled = planned or before(contents)
        answer = _answer(contents, lead)
        ranking = contents.ranking(lead.source)
        if planned:
            further = [text for text in further if not isinstance(text, Counts)]
        uncertain = [*_unjudged(contents, ranking), *_beside(answer, alarms, further, unsettled)]
        sections = [section for source, section in chapter.told if source == lead.source]
        advice = next((section.step for section in [*unsettled, *sections] if section.step), None)
        step = _step(contents, lead, advice)
        if alarms and not step:
            step = ScreenStep(alarms[0]["step"])
        screen = FirstScreen(
            question,
            answer,
            step,
            _shortened(lead),
            uncertain,
            [row for row in alarms if not _answered(row, answer)],
            _disagreement(ranking),
            examples_of(contents, ranking, lead.source),
            _preferred(sections),
        )
        return _as_compared(screen, contents, lead.source)


def _beside(answer: str, alarms: Sequence[Mapping], further: Sequence[str], unsettled: Sequence[Section]) -> list[str]:
    """Return what is uncertain beside the answer and the alarms, so that nothing stands twice."""
    texts = [text for text in further if not isinstance(text, (Caution, Fact, Drawn))]
    for section in unsettled:
        texts += section.text
    known = [answer, *(row["text"] for row in alarms)]
    return [text for text in texts if not any(text in said for said in known)]


def _preferred(sections: Sequence[Section]) -> dict[str, list[str]]:
    """Return which partner people preferred, where they chatted and rated, too: a sentence by its heading."""
    return {section.heading: section.text[:1] for section in sections if section.anchor == PREFERENCES.name}


def _answered(alarm: Mapping, answer: str) -> bool:
    """Return True if the answer says what a probe saw; one without conversations that address judges does."""
    return alarm["seen"][1:] in answer or (alarm["probe"] == "addressed" and "addressed" in answer)


def _unjudged(contents: SurveyData, ranking: Ranking) -> list[str]:
    """Return which contestants nobody has judged; [] where users alone are judged."""
    if not ranking.order or "user" in {one.role for one in contents.study.plan.contestants.values()}:
        return []
    left = [bot for bot in contents.bots if bot not in {*ranking.contestants, *ranking.too_few}]
    return [f"Nobody has judged {named_first(left)} yet."] if left else []


def _only_users(contents: SurveyData) -> bool:
    """Return True if simulated users are measured, and nobody has judged them."""
    return simulators.FINDING.name in contents.analysis and not contents.judged


def _of_users(contents: SurveyData) -> FirstScreen:
    """Return the screen where nobody has judged simulated users: what they do beside people."""
    frames = contents.of(simulators.FINDING.name, "")
    named = frames.one("about").get("simulators") or []
    question = "Are my simulated users like people?"
    if len(named) == 1:
        question = f"Is {named[0]} like people?"
    parts = {
        "Where it differs from people": simulators.where(frames)[:USERS],
        "What would make it like people": simulators.remedies(frames)[:USERS],
        "Beside each other": simulators.beside(frames),
        "Be careful": frames.one("about").get("beware") or [],
    }
    step = ScreenStep("Let people judge users, too.", next_step(contents))
    collect = simulators.to_collect(frames)
    if frames.one("about")["people"]:
        parts["What would settle it"] = collect
    elif collect:
        step = ScreenStep(collect[0], command("import", contents.study.path, format="tau2", data="human=FILE"))
    if contents.outdated:
        step = ScreenStep(contents.outdated, contents.command("analyze"))
    why = examples_of_users(contents, frames)
    lead = None
    if frames.rows("answers") and (found := simulators.card(frames)):
        lead = _shortened(SourceCard("", found))
    return FirstScreen(question, simulators.answer(frames), step, lead, why=why, parts=parts)


def _as_compared(screen: FirstScreen, contents: SurveyData, source: str) -> FirstScreen:
    """Return the screen with the question of `spotbot_compare`, if the study was made for it."""
    compared = contents.study.provenance().get("compare")
    if not compared or {*compared.values()} != {*contents.bots}:
        return screen
    comparison = compare(contents, source, **compared)
    return replace(
        screen,
        question=f"Is {compared['new']} better than {compared['old']}?",
        answer=f"{comparison.answer}.",
        note=f"{_changed(contents.study.plan, **compared)} {screen.note}".strip(),
    )


def _changed(plan: Plan, new: str, old: str) -> str:
    """Return in what two contestants differ, the old one's first; of options and texts only that they differ."""
    before = _entry(plan, old)
    after = _entry(plan, new)
    changes = []
    for what in dict.fromkeys([*before, *after]):
        if before.get(what) == after.get(what):
            continue
        if what in ("model", "model file"):
            what = f"{what} ({before.get(what) or NONE} → {after.get(what) or NONE})"
        changes.append(what)
    if not changes:
        return "Nothing in their entries differs but the name."
    return f"What changed: {listed(changes)}."


def _entry(plan: Plan, name: str) -> dict[str, Any]:
    """Return a contestant's entry, its keys as words, without its description and with its options."""
    entry = plan.contestants[name].to_json()
    options = entry.pop("opt", {})
    entry.pop("description", None)
    return {plainly(key): value for key, value in entry.items()} | dict(sorted(options.items()))


def _disagreement(ranking: Ranking) -> str:
    """Return why a contestant with more points than another is clearly less often taken for human, the farthest two;
    "" where none is."""
    rows = [row for row in ranking.contestants.values() if all_known(*ends(row, "human_share"))]
    apart = []
    for first, other in combinations(rows, 2):
        if first["human_share_high"] < other["human_share_low"]:
            apart.append((other["human_share"] - first["human_share"], first["bot"], other["bot"]))
    if not apart:
        return ""
    _, first, other = max(apart)
    return (
        f"{first} has more points than {other}, but is less often called human: unsure beats bot, and "
        "equal labels share the point."
    )


def answer(contents: SurveyData) -> str:
    """Return what a survey says, in a sentence, by the source that leads."""
    with known_to(contents):
        return _answer(contents, _lead(contents))


def _answer(contents: SurveyData, lead: SourceCard | None) -> str:
    if lead is None and _only_users(contents):
        return simulators.answer(contents.of(simulators.FINDING.name, ""))
    if lead is None:
        return _unanswered(contents)
    sentence = lead.card.text[0]
    if lead.source == HUMAN or sentence in contents.accounts[0].sentences:
        return sentence
    if not sentence.startswith(tuple(contents.bots)):
        sentence = sentence[:1].lower() + sentence[1:]
    return f"By {source_said(lead.source)}: {sentence}"


def _lead(contents: SurveyData) -> SourceCard | None:
    """Return the ranking of the source that leads; of a survey that ranks nobody, its first section with a chart."""
    account = lead_of(contents)
    if account is None:
        return None
    if any(finding.bars for finding in findings_of(contents.asked)):
        return card(contents, account.source)
    for finding, result in results_of(contents, account.source):
        section = render.tell(finding, result)
        if section and section.chart:
            return SourceCard(account.source, Card(text=section.text, chart=section.chart))
    return None


def _shortened(lead: SourceCard) -> SourceCard:
    """The same without sentences, with as many contestants, or criteria, as a first screen holds."""
    table = lead.card.table
    if table is not None:
        more = max(0, len(table.rows) - ROWS)
        table = replace(table, rows=table.rows[:ROWS], folded=False)
        return replace(lead, card=replace(lead.card, text=[], table=table), more=more)
    clusters = []
    more = -ROWS
    for places, members in lead.card.clusters:
        if more < 0:
            clusters.append((places, members[:-more]))
        more += len(members)
    return replace(lead, card=replace(lead.card, text=[], clusters=clusters), more=max(0, more))


NONE_LEFT = "No answer is left to analyse: whoever answered missed more controls than the launch allows."


def _none_left(contents: SurveyData) -> bool:
    """Return True if every answer is a control or comes from somebody who failed the controls."""
    return not contents.counted and contents.judged and all(row.control is not None for row in contents.kept)


def _unanswered(contents: SurveyData) -> str:
    if _none_left(contents):
        return NONE_LEFT
    if contents.judged and contents.outdated:
        return "It isn't known yet: the answers are to be analysed again."
    if contents.judged:
        return "It isn't known yet: the answers are not analysed."
    return "Nothing has been judged yet."


def before(contents: SurveyData) -> list[Section]:
    """Return where no person has judged yet, and none decides: what the plain design of matches asks for."""
    planning = contents.asked.about.planning
    if HUMAN in contents.sources or SETTLED in contents.analysis or planning is None or planning.of != "matches":
        return []
    packed = annotations_of(contents.units)
    sentences = needs.before(len(contents.bots), 2 * len(contents.study.plan.segments), packed)
    if not sentences:
        return []
    return [Section("needs", needs.TITLE, sentences[:1], first=True, step=NextStep(sentences[-1]))]


def _step(contents: SurveyData, lead: SourceCard, advice: NextStep | None) -> ScreenStep | None:
    """The one thing to do next: make what is missing, or what the findings tell; people's answers where there are none
    or too few for a ranking, else more conversations of the pair that they name, if they are played here, or a plan."""
    step = missing(contents)
    if step or not contents.asked.known:
        return step
    study = contents.study
    by_people = HUMAN in contents.sources
    settled = SETTLED in contents.analysis
    if advice is None:
        if by_people or settled:
            return None
        return ScreenStep("Let people answer, too.", answers_by_people(contents))
    typed = ""
    if advice.go_on:
        typed = settles(contents)
    elif settled and not advice.plan:
        pass
    elif not by_people or not (lead.card.clusters or lead.card.table):
        typed = answers_by_people(contents)
    elif advice.more and "selfplay" in study.provenance() and contents.asked.chat is None:
        typed = command("selfchat", study.path, more=advice.more)
    elif advice.plan and contents.survey == "votes":
        typed = contents.command("plan", next=NEXT)
    elif advice.plan and (planning := contents.asked.about.planning) and planning.of in PILOTED:
        typed = contents.command("plan")
    return ScreenStep(advice, typed)


def missing(contents: SurveyData) -> ScreenStep | None:
    """Return what has not been made yet or is out of date, with the command that makes it."""
    if not contents.asked.known:
        return None
    if not contents.judged:
        text = "There are no units yet."
        if contents.units:
            text = "There are no judgements yet. Let people answer, or for a quick look an automatic judge:"
        return ScreenStep(text, next_step(contents))
    if _none_left(contents):
        return ScreenStep("More people are to answer.", answers_by_people(contents))
    text = contents.outdated
    if not contents.analysis:
        text = text or "The judgements are not analysed yet."
    if not text:
        return None
    return ScreenStep(text, contents.command("analyze"))
