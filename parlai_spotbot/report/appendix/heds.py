"""The Human Evaluation Datasheet (Shimorina and Belz 2022), version 1, filled with what the study's files say.

Questions are in our own words under the numbers of HEDS. What is not on record is left to the authors by `TO_FILL`:
nothing is invented.
"""

from __future__ import annotations

from collections.abc import Iterator

from parlai_spotbot.report.appendix.criteria import CRITERIA, elicited, instrument, relative, shown
from parlai_spotbot.report.appendix.methods_text import how_uncertain
from parlai_spotbot.report.appendix.study_profile import StudyProfile, SurveyProfile
from parlai_spotbot.report.appendix.text_formats import interval, listed, number, plain
from parlai_spotbot.surveys import Question
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.wording import counted, people_said, upper_first

TO_FILL = "*To be filled in by the authors.*"
Row = tuple[str, str, str]
"""Number, question, answer."""


def heds(profile: StudyProfile) -> list[tuple[str, list[Row]]]:
    """The datasheet as sections of rows; one section 3 and one section 4 a survey and question."""
    sections = [("1 Paper and resources", list(_paper())), ("2 System", list(_system(profile)))]
    several = len(profile.surveys) > 1
    for own in profile.surveys:
        name = f" ({own.title})" if several else ""
        sections.append((f"3.1 Sample of outputs{name}", list(_sample(profile, own))))
        sections.append((f"3.2 Evaluators{name}", list(_evaluators(own))))
        sections.append((f"3.3 Design{name}", list(_design(own))))
        questions = own.survey.questions if own.survey is not None else ()
        for place, question in enumerate((q for q in questions if q.kind != "free_text"), start=1):
            heading = f"4 Quality criterion {place}: {question.heading or question.name}{name}"
            sections.append((heading, list(_criterion(own, question))))
    sections.append(("5 Ethics", list(_ethics(profile))))
    return sections


def markdown(sections: list[tuple[str, list[Row]]]) -> str:
    """The datasheet as a Markdown file."""
    lines = [
        "# Human evaluation datasheet",
        "",
        "After HEDS, version 1 (Shimorina and Belz 2022, doi:10.18653/v1/2022.humeval-1.6): its numbers, its questions "
        "in other words. What is known was filled in from the study's files; where it says so, the authors are to "
        "answer. The classification under 4.1 is a reading of the questions, to be checked.",
    ]
    for heading, rows in sections:
        lines += ["", f"## {heading}", ""]
        for where, question, answer in rows:
            lines += [f"**{where} {question}**", "", answer, ""]
        lines.pop()
    return "\n".join(lines) + "\n"


def _paper() -> Iterator[Row]:
    yield "1.1", "Where is the paper that reports this evaluation?", TO_FILL
    yield "1.2", "Where are its resources (data, code, instructions)?", TO_FILL
    yield "1.3", "Who filled in this sheet, and who is to be contacted?", TO_FILL


def _system(profile: StudyProfile) -> Iterator[Row]:
    language = profile.language or TO_FILL
    yield (
        "2.1",
        "What goes into the systems?",
        "The conversation so far, as text"
        + (", and what each speaker was told beforehand (a persona or a situation)." if _contexts(profile) else "."),
    )
    yield "2.2", "What comes out of them?", "The next turn of the conversation, as text."
    yield "2.3", "What task do they perform?", "Dialogue: open-ended conversation."
    yield "2.4", "In which language(s) is the input?", language
    yield "2.5", "In which language(s) is the output?", language


def _contexts(profile: StudyProfile) -> bool:
    return profile.plan.domain in ("convai2", "empathetic", "empathetic_dialogues")


def _sample(profile: StudyProfile, own: SurveyProfile) -> Iterator[Row]:
    people = f", besides {counted(profile.people, 'conversation')} between people" if profile.people else ""
    items = own.items or max((source.items for source in own.sources), default=0)
    told = f"{counted(len(profile.plan.contestants), 'system')} took part"
    told += f" in {counted(profile.bots, 'conversation')}{people}. " if profile.spoken else ". "
    yield (
        "3.1.1",
        "How many outputs of each system are evaluated?",
        told + (f"{counted(items, 'item')} (what is asked about at once) were put to evaluators." if items else ""),
    )
    yield "3.1.2", "How were they selected?", _selected(profile, own)
    yield (
        "3.1.3",
        "What is the statistical power of the sample?",
        (f"{TO_FILL} (`parlai spotbot_plan` computes it for a design like this one.)"),
    )


def _selected(profile: StudyProfile, own: SurveyProfile) -> str:
    if profile.imported:
        what = "conversations" if profile.spoken else "votes"
        return f"The {what} were imported; how they came about is told by their source. {TO_FILL}"
    if not profile.selfplay:
        return TO_FILL
    text = f"Every pairing of systems talked {profile.plan.conversations_per_pair} times, "
    text += (
        "as planned; "
        if not profile.selfplay.get("seeds") or profile.plan.unseeded
        else "each from a first exchange drawn at random; "
    )
    text += f"all finished conversations entered, by random seed {profile.plan.seed}"
    return text + (
        f", but those with these faults: {listed(own.packed['leave_out'])}." if own.packed.get("leave_out") else "."
    )


def _evaluators(own: SurveyProfile) -> Iterator[Row]:
    people, settings = own.people, own.settings
    judges = [source for source in own.sources if not source.human]
    text = (
        f"{upper_first(people_said(people.annotators))} gave {counted(people.annotations, 'annotation')}."
        if people
        else "No person evaluated anything."
    )
    if judges:
        names = listed(f"“{s.source.removeprefix('judge:')}” ({counted(s.annotators, 'variant')})" for s in judges)
        text += f" Automatic judges, reported apart and no evaluators in the sense of this sheet: {names}."
    yield "3.2.1", "How many evaluators are there?", text
    paid = ""
    if settings:
        pay = settings.get("pay") or 0
        paid = f"Paid: {number(pay)} {settings.get('currency', '')} for a unit. " if pay else "No pay was set. "
    yield "3.2.2", "What kind of evaluators are they (experts, paid, known to the authors)?", f"{paid}{TO_FILL}"
    yield "3.2.3", "How were they recruited?", _recruited(own)
    yield "3.2.4", "What training or practice did they get?", _trained(own)
    yield "3.2.5", "What else is known of them?", _known(own)


def _recruited(own: SurveyProfile) -> str:
    provider = own.settings.get("provider")
    told = {
        "in_house": "By the authors, who gave each a personal link.",
        "prolific": "Through Prolific.",
        "mturk": "Through Amazon Mechanical Turk.",
        "mturk_sandbox": "Through the sandbox of Amazon Mechanical Turk, in which there are no real workers.",
    }
    return f"{told[provider]} {TO_FILL}" if provider in told else TO_FILL


def _trained(own: SurveyProfile) -> str:
    if not own.collection or own.survey is None:
        return TO_FILL
    parts = ["They read instructions" + (", with a worked example" if own.survey.example else "")]
    if own.survey.onboarding:
        attempts = own.limits.get("onboarding_attempts", len(own.survey.onboarding))
        parts.append(
            f"and had to answer {counted(len(own.survey.onboarding[0]), 'practice item')} with known answers, in at "
            f"most {counted(attempts, 'attempt')}, with the answers explained"
        )
    return " ".join(parts) + "."


def _known(own: SurveyProfile) -> str:
    asked = {key: value for key, value in (own.settings.get("qualifications") or {}).items() if value}
    if not asked:
        return TO_FILL
    told = "; ".join(
        f"{key.replace('_', ' ')}: {', '.join(value) if isinstance(value, (list, tuple)) else value}"
        for key, value in asked.items()
    )
    return f"Required: {told}. {TO_FILL}"


def _design(own: SurveyProfile) -> Iterator[Row]:
    here = bool(own.collection)
    yield "3.3.1", "Was the design registered beforehand?", TO_FILL
    yield (
        "3.3.2",
        "How were answers collected?",
        ("In the evaluators' browsers, on a page of parlai_spotbot served through Mephisto." if here else TO_FILL),
    )
    yield "3.3.3", "How was quality assured?", _assured(own)
    yield "3.3.4", "What do evaluators see?", _seen(own)
    minutes = own.limits.get("minutes_per_unit")
    yield (
        "3.3.5",
        "How free are they when and how fast to work?",
        (
            f"Whenever they like; {number(minutes, 0)} minutes for a unit, at most "
            f"{counted(own.limits.get('units_per_annotator', 0), 'unit')} each."
            if minutes
            else TO_FILL
        ),
    )
    yield (
        "3.3.6",
        "May they ask questions or comment?",
        ("They can leave comments on every unit, and are given an address for questions." if here else TO_FILL),
    )
    yield "3.3.7", "Under which conditions do they work?", "Online, wherever they choose." if here else TO_FILL
    yield "3.3.8", "If at a given place: what is it like?", "Not applicable." if here else TO_FILL


def _assured(own: SurveyProfile) -> str:
    people, parts = own.people, []
    if people and people.controls:
        parts.append(
            f"Known (control) items were mixed in: {people.controls} answers to them, left out of all results."
        )
        if own.limits.get("control_mistakes") is not None:
            parts.append(
                f"Who missed more than {own.limits['control_mistakes']} of them got no further units, and is left out "
                "of all main results."
            )
    if people:
        parts += [sentence for sentence in (people.controls_sentence, people.with_everybody) if sentence]
    if own.survey is not None and own.collection and own.survey.onboarding:
        parts.append("Practice had to be passed.")
    if people and people.ranking:
        parts.append(
            "Annotators who always give the same answer, are far too fast, or do no better than guessing are marked by "
            "rule, and the ranking without them is reported beside the one with all."
        )
    return " ".join(parts) or TO_FILL


def _seen(own: SurveyProfile) -> str:
    if own.survey is None:
        return TO_FILL
    layouts = {
        "dialogue": "one conversation as a chat, from its beginning up to some exchange",
        "side_by_side": "two conversations beside each other",
        "turn_by_turn": "one conversation, asked about turn by turn",
        "opening": "a conversation that they open exchange by exchange",
        "chat": "two chats that they lead themselves, one after the other",
        "candidates": "the beginning of a conversation, and several replies of which one really came next",
    }
    text = f"They see {layouts[own.survey.layout]}"
    if own.lengths and packing_of(own.survey).cuts:
        text += f" ({listed(map(str, own.lengths))} exchanges)"
    text += ", with neutral names for the speakers and never a system's name."
    if own.packed.get("surface") == "normalise":
        text += " Casing, spacing and typography are made the same for people and bots."
    size = {"mean": None, **own.packed}.get("unit_size")
    return text + (f" A unit, done in one sitting, holds up to {size} items besides people's." if size else "")


def _criterion(own: SurveyProfile, question: Question) -> Iterator[Row]:
    known = CRITERIA.get(question.name)
    yield "4.1.1", "What type of quality is it?", f"{known.quality.capitalize()}." if known else TO_FILL
    yield "4.1.2", "Which aspect of the output?", f"{known.aspect.capitalize()}." if known else TO_FILL
    yield "4.1.3", "Judged by itself or against something?", f"{known.frame.capitalize()}." if known else TO_FILL
    yield "4.2.1", "Objective or subjective?", "Subjective."
    yield (
        "4.2.2",
        "Absolute or relative?",
        "Relative: two are put against each other." if relative(question) else "Absolute.",
    )
    yield "4.2.3", "Intrinsic or extrinsic?", "Intrinsic."
    yield "4.3.1", "What is it called before evaluators?", f"“{question.heading or question.name}”."
    defined = [f"{option.label}: {option.definition}" for option in question.options if option.definition]
    definition = " ".join([question.help, *defined]).strip()
    yield "4.3.2", "How is it defined for them?", f"“{definition}”" if definition else "By the question alone."
    size, values = instrument(question)
    yield "4.3.3", "How large is the instrument?", size
    yield "4.3.4", "Which values has it?", values
    yield "4.3.5", "How is it shown?", f"{shown(question).capitalize()}."
    yield "4.3.6", "If there is none: what do evaluators do?", "Not applicable."
    yield "4.3.7", "What are they asked, word for word?", f"“{question.wording}”"
    yield "4.3.8", "How is the answer elicited?", f"{elicited(question).capitalize()}."
    yield "4.3.9", "How do raw answers become scores?", _scores(own, question)
    yield "4.3.10", "How are effects and significance determined?", _tests(own)
    yield "4.3.11", "Was agreement measured, and what is it?", _agreement(own, question)


def _scores(own: SurveyProfile, question: Question) -> str:
    ranking = next((source.ranking for source in own.sources if source.ranking), None)
    if ranking is None:
        return TO_FILL
    if "win_rate" in ranking:
        what = "taken for human rather than unsure or bot" if question.name == "nature" else "favoured"
        return (
            f"Each annotation is a match, won by who is {what}; ranked by Davidson's model of all matches, beside win "
            "rates (means over opponents) and TrueSkill."
        )
    return f"Ranked by {ranking['criterion']}." if ranking.get("criterion") else TO_FILL


def _tests(own: SurveyProfile) -> str:
    made = next((source.ranking.get("bootstrap") for source in own.sources if source.ranking.get("bootstrap")), None)
    if made is None:
        return TO_FILL
    analysed = next(source for source in own.sources if source.ranking.get("bootstrap"))
    return plain(how_uncertain(analysed).strip())


def _agreement(own: SurveyProfile, question: Question) -> str:
    told = [
        f"{'people' if source.human else 'variants of ' + source.source.removeprefix('judge:')}: "
        f"{number(source.alpha[question.name][0])}{interval(source.alpha[question.name][1])}"
        for source in own.sources
        if question.name in source.alpha
    ]
    if not told:
        return f"Not on record. {TO_FILL}"
    return f"Between evaluators, Krippendorff's alpha: {'; '.join(told)}. Within evaluators: not measured."


def _ethics(profile: StudyProfile) -> Iterator[Row]:
    yield "5.1", "Was it approved by an ethics board?", TO_FILL
    kept = "Conversations between people are shown" if profile.people else "Texts by systems are shown"
    yield (
        "5.2",
        "Do outputs or answers contain personal data?",
        (
            f"{kept}. Annotators appear under pseudonyms; copies for publication (`spotbot_report --export`) bear new "
            f"ones and no times or comments. {TO_FILL}"
        ),
    )
    yield "5.3", "Do they contain special categories of such data?", TO_FILL
    yield "5.4", "Were impacts assessed?", TO_FILL
