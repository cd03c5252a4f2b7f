"""Every sentence of a study's report as text, and checks that hold for the sentences of any study."""

import re

from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.votes import votes
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import first_screen
from parlai_spotbot.report.appendix.methods_text import facts_of, methods
from parlai_spotbot.report.chapters import chapter_of
from parlai_spotbot.report.lead import in_order
from parlai_spotbot.report.page import told_of_study
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.report.second_screen import second_screen
from parlai_spotbot.study import Study

BROKEN = re.compile(r"\bnan\b|\bNone\b(?! of)|\binf\b|– of the points|with –|\(–\)|\.\.(?!\.)|\{|\}| %s")
NOBODY = re.compile(r"\b0 (people|persons?|annotators)\b(?! of)")
WITH_INTERVAL = re.compile(
    r"(?<!\w)(?P<value>[−\d.]+)%? [(\[](?:95% interval )?(?P<low>[−\d.]+)%?(?: to |, )(?P<high>[−\d.]+)%?[)\];,]"
)
LEVEL = 0.05


def analysed_votes(folder, given):
    """Return an analysed study of votes: how often each "a,b,winner" was given."""
    data = folder / "votes.csv"
    data.write_text("model_a,model_b,winner\n" + "".join(f"{row}\n" * times for row, times in given.items()))
    write_study(folder / "study", votes(data, "arena"))
    study = Study.open(folder / "study")
    analyze(study, "votes")
    return study


def sentences(study):
    """Return what the report of a study says: {place: [sentence, …]}, the two screens first."""
    read = in_order(surveys_of(study))
    chapters = [chapter_of(SurveyView(own, f"{own.survey}-" if number else "")) for number, own in enumerate(read)]
    whole = [section for _, told in told_of_study([own.view for own in chapters]) for _, section in told]
    first, second = first_screen.first_screen(chapters[0]), second_screen(chapters, whole, "", ())
    people = [first.lead.card.people_text] if first.lead else []
    found = {
        "first screen": [first.answer, *first.uncertain, *people, first.step.text if first.step else ""],
        "second screen": [f"{what}: {text}" for what, text in second.how]
        + [*(alarm["text"] for alarm in second.alarms), *(own.answer for own in second.others)],
        "methods": methods(facts_of(read)),
    }
    parts = [part for chapter in chapters for section in chapter.sections for part in section.parts]
    for part in parts:
        found.setdefault(f"source {part.source}", []).extend(part.text)
    return {place: [text for text in texts if text] for place, texts in found.items()}


def check(study):
    """Assert of the sentences of a study what is true of any; return them."""
    told = sentences(study)
    every = [text for texts in told.values() for text in texts]
    for text in every:
        assert not BROKEN.search(text), text
        assert not NOBODY.search(text), text
        for value, low, high in WITH_INTERVAL.findall(text):
            value, low, high = (float(number.replace("−", "-")) for number in (value, low, high))
            assert low - 1 <= value <= high + 1 or low > high, text  # both rounded to whole per cents
    answer, *others = told["first screen"]
    for text in others:
        assert text not in answer, text
    if any("not told apart" in text for text in others):  # how many are is not said as well
        assert not any("differ clearly (" in text or "differs clearly (" in text for text in others), others
    first = surveys_of(study)[0]
    for contents in surveys_of(study):
        if study.judgements_path(contents.survey).exists():
            _check_survey(contents, contents.survey == first.survey, told)
    return told


def _check_survey(contents, is_first, told):
    judged = next(text for text in told["second screen"] if text.startswith("Judged by: "))
    voters = re.search(r"\b(\d+) (?:person|people) \(", judged)
    if not contents.counted and is_first:
        workers = {row.worker_id for row in contents.judgements if row.source == HUMAN}
        assert (int(voters[1]) if voters else 0) == len(workers), judged
        shown = re.search(r"segments of (.*) exchanges?$", told["second screen"][0])
        lengths = {row.exchanges for row in contents.judgements}
        assert shown is None or set(map(int, re.findall(r"\d+", shown[1]))) == lengths, told["second screen"][0]
    for source, own in contents.analysis["ranking"].items():
        _check_beside_people(own, told.get(f"source {source}", []))


def _check_beside_people(own, texts):
    """What is said of bots beside people goes by the adjusted test of their difference."""
    for text in texts:
        for how, names in re.findall(r"(less often|more often): ((?:[\w-]+ \(\d+%\)(?:, | and )?)+)", text):
            rows = {row["bot"]: row for row in own.rows("ranking") if "apart" in row}
            for name in re.findall(r"([\w-]+) \(", names) if rows else ():
                assert rows[name]["p_people"] < LEVEL, text
                assert (rows[name]["apart"] < 0) == (how == "less often"), text
