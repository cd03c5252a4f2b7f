"""The methods paragraph of made-up studies of every survey against their judgements, counted here once more."""

import random
import re
import shutil
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.votes import votes
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import appendix
from parlai_spotbot.report.appendix.methods_text import facts_of, methods
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, own_surveys, survey_of
from parlai_spotbot.surveys.asking import asked_of_item
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.wording import listed
from tests.case_tables import cases
from tests.findings.scripted import by_chance, rows_of, small_study
from tests.report_sentences import BROKEN, NOBODY, analysed_votes
from tests.spoken import rows_of_item, spoken

STORED = Path(__file__).parents[1] / "goldens" / "studies" / "surveys"
TWO_SCALES = """
name: two_scales
title: Two scales
instructions: Read.
packing: dialogues
layout: dialogue
questions:
  - {name: fits, targets: ["entity:0"], wording: Does it fit?, scale: [1, 2, 3, 4, 5]}
  - {name: bores, targets: ["entity:0"], wording: Does it bore?, scale: {least: 0, most: 100}, better: less}
about: {question: how well?, findings: [ratings]}
"""


def text_of(study):
    (text,) = methods(facts_of(surveys_of(study)))
    assert not BROKEN.search(text), text
    assert not NOBODY.search(text), text
    return text


def headings_of(survey, names):
    return {survey.question(name).heading or name for name in names if survey.question(name).kind != "free_text"}


def check_counts(text, study, rows, people):
    """People, annotations, items, and conversations that were judged are as many as the text says."""
    items = {row.item_id for row in rows}
    annotations = {row.annotation_id for row in rows}
    noun = "item" if len(items) == 1 else "items"
    who = f"{people} people" if people > 1 else "1 person"
    assert f"{who} gave {len(annotations)} annotations of {len(items)} {noun}" in text
    shown = {conversation for row in rows for conversation in row.conversation_ids}
    of_bots = [talk.conversation_id for talk in study.conversations() if set(talk.entities) != {HUMAN}]
    seen = shown.intersection(of_bots)
    said = re.search(r", on (\d+) of the (\d+) conversations with bots\.", text)
    assert (said is None) == (len(seen) == len(of_bots))
    assert said is None or (int(said[1]), int(said[2])) == (len(seen), len(of_bots))
    between_people = len(shown) - len(seen)
    found = re.search(r"(\d+) conversations? between people (were|was|served)", text)
    assert found is None or int(found[1]) == between_people


def check_questions(text, survey, items):
    """The text says whether an item has some of the questions alone, and that each is ranked by itself."""
    everything = [item.questions or tuple(q.name for q in survey.main) for item in items]
    if survey.tasks:
        each = [{task.name for task in survey.tasks if set(names) & set(task.questions)} for names in everything]
    else:
        each = [headings_of(survey, names) for names in everything]
    dealt = max(map(len, each)) < len(set.union(*each))
    assert (f"of which an item has {max(map(len, each))}" in text) == dealt
    several = len(set.union(*each)) > 1 and not survey.spots
    assert ("within each question" in text) == (several and not survey.tasks and "corrected" in text)
    assert ("on each question by itself" in text) == (several and not survey.tasks)


@cases(
    "name people pack",
    """
- [spot_the_bot, 4, {}]
- [spot_the_user, 1, {}]
- [acute_eval, 1, {ask: [engagingness]}]
- [acute_eval, 4, {ask: [engagingness, humanness]}]
- [comparative, 4, {}]
- [dialogue_likert, 1, {}]
- [turn_likert, 4, {}]
- [turn_likert, 1, {ask: [quality]}]
- [abc_eval, 4, {}]
- [abc_eval, 1, {ask: [consistency]}]
""",
)
def test_counts_are_those_of_the_judgements(tmp_path, name, people, pack):
    study = small_study(tmp_path / "s", name, per_pair=3, selves=3, **pack)
    survey = survey_of(study.load(name))
    units = study.units(name)
    done = {unit.unit_id for unit in units[: len(units) // 2]}
    workers = [f"person {n}" for n in range(people)]
    rows = [row for row in rows_of(study, name, by_chance, workers) if row.unit_id in done]
    rows = list({(row.worker_id, row.item_id, row.target, row.question): row for row in rows}.values())
    checksums.write_jsonl(study.judgements_path(name), rows)
    analyze(study, name, bootstraps=20)
    text = text_of(Study.open(study.path))

    check_counts(text, study, rows, people)
    check_questions(text, survey, [item for unit in units for item in unit.items])
    if people == 1:
        assert "[@cameron2011]" not in text


def test_scales_that_differ_are_said_one_by_one(tmp_path):
    path = tmp_path / "two_scales.yaml"
    path.write_text(TWO_SCALES)
    study = small_study(tmp_path / "s", "dialogue_likert", per_pair=4)
    pack_study(study, own_surveys.taken(study, str(path)))
    rows = rows_of(study, "two_scales", by_chance, ["ann", "bo", "cy"])
    checksums.write_jsonl(study.judgements_path("two_scales"), rows)
    analyze(study, "two_scales", bootstraps=20)
    (text,) = methods(facts_of(surveys_of(Study.open(study.path))))
    assert "by mean rating from 0 to 100, where less is better (bores); mean rating from 1 to 5 (fits). " in text
    assert "ordinal Krippendorff's alpha" in text


@cases(
    "columns gap said",
    """
- ['', 0, 'People whose number isn''t known gave 60 votes. ']
- ['question_id', 0, 'People whose number isn''t known gave 60 votes on 10 prompts. ']
- ['question_id,judge', 0, '7 people gave 60 votes on 10 prompts. ']
- ['question_id,judge', 3, '7 people and others who are not known gave 60 votes on 10 prompts and on others that']
- ['judge', 3, '7 people and others who are not known gave 60 votes. ']
- ['one', 0, '1 person gave 60 votes. ']
""",
)
def test_voters_and_prompts_are_those_that_are_known(tmp_path, columns, gap, said):
    """Every `gap`-th vote has nothing in further columns."""
    lines = [",".join(["model_a,model_b,winner", *filter(None, [columns.replace("one", "judge")])])]
    for n in range(60):
        known = {"question_id": f"q{n % 10}", "judge": f"j{n % 7}", "one": "j"}
        more = [known[name] if not gap or n % gap else "" for name in filter(None, columns.split(","))]
        pair = ("x", "y", "z")[n % 3 :] + ("x", "y", "z")[: n % 3]
        lines.append(",".join([pair[0], pair[1], ("model_a", "tie", "model_b", "model_a")[n // 3 % 4], *more]))
    data = tmp_path / "votes.csv"
    data.write_text("\n".join(lines) + "\n")
    write_study(tmp_path / "s", votes(data, "arena"))
    study = Study.open(tmp_path / "s")
    analyze(study, "votes")
    text = text_of(study)
    assert said in text
    assert ("All answers are by one annotator" in text) is (columns == "one")
    assert ("Votes whose annotator is not known count as if each had its own." in text) is ("known" in said)
    assert "both bad" not in text
    assert "headed" not in text


def test_votes_that_found_both_bad_are_said_with_their_share(tmp_path):
    given = {"x,y,model_a": 6, "y,x,model_b": 5, "x,y,model_b": 6, "x,y,tie (bothbad)": 3}
    text = text_of(analysed_votes(tmp_path, given))
    assert "each is for one of two contestants or finds both bad. " in text
    assert "The 15.0% of the votes that found both bad say nothing of the order, and are left out of it. " in text
    instructions = appendix.instructions_of(surveys_of(Study.open(tmp_path / "study")))
    assert "The answers were given elsewhere; what people read there is not on record." in instructions


def test_questions_are_those_that_somebody_answered_so_far(tmp_path):
    study = small_study(tmp_path / "s", "turn_likert", per_pair=4, ask=["quality", "relevance", "consistency"])
    rows = [row for row in rows_of(study, "turn_likert", by_chance, ["ann"]) if row.question != "consistency"]
    assert {row.question for row in rows} == {"quality", "relevance"}
    checksums.write_jsonl(study.judgements_path("turn_likert"), rows)
    assert "are headed “Quality” and “Relevance”, of which an item has 1." in text_of(study)


def test_a_judge_that_may_guess_is_not_said_to_know_better(tmp_path):
    """And a study that grew after its first conversations says so."""
    study = small_study(tmp_path / "s", "spot_the_bot", per_pair=4, people=12)
    study.extend(more=dict.fromkeys(["ann/bob", "ann/cat", "bob/cat"], 2))
    rows = rows_of(study, "spot_the_bot", by_chance, ["m"], "judge:coin")
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), rows)
    summary = {"judge": "coin", "trained_on": "nothing", "variants": {"m": {"balanced_accuracy": 0.51}}}
    checksums.write_json(study.survey_path("spot_the_bot") / "judges" / "coin.json", summary)
    analyze(study, "spot_the_bot", bootstraps=20)
    text = text_of(Study.open(study.path))
    assert "On these bots and people its balanced accuracy is 0.51 (chance is 0.50), which may be chance. " in text
    assert "The study was extended after its first conversations: 6 conversations of 3 pairs added. " in text


def chats_of(study):
    """Return what people say in the chats of each unit, and the unit's items, which name the chats."""
    talks, items = [], []
    for number, unit in enumerate(study.units("interactive")):
        shown = []
        for place, item in enumerate(unit.items):
            names = tuple(shown)
            if len(item.partners) == 1:
                names = (f"chat {number} {place}",)
                said = [f"{names[0]} turn {turn} {number * place}" for turn in range(6)]
                more = {"provenance": {"interactor": "w"}}
                talks.append(spoken(names[0], (HUMAN, item.partners[0]), said, len(talks), **more))
                shown += names
            items.append((unit, replace(item, conversation_ids=names)))
    return talks, items


def test_ratings_and_comparisons_of_chats_are_told_apart(tmp_path):
    study = small_study(tmp_path / "s", "interactive", per_pair=0, people=0, comparisons=4)
    talks, items = chats_of(study)
    checksums.write_jsonl(study.conversations_path, talks)
    survey = get_survey("interactive")
    rows = []
    for unit, item in items:
        rng = random.Random(item.item_id)
        given = {}
        for question, target in asked_of_item(survey, item, {}):
            given[question, target] = rng.choice(survey.question(question).options).value
        rows += rows_of_item(f"a {item.item_id}", unit, item, f"w{unit.unit_id}", given, seconds=60.0)
    checksums.write_jsonl(study.judgements_path("interactive"), rows)
    analyze(study, "interactive", bootstraps=20)
    text = text_of(Study.open(study.path))
    ratings = {row.annotation_id for row in rows if row.target != "pair"}
    assert f"gave {len(items)} annotations of {len(items)} items." in text
    assert f"Analysed ratings took a median of 60 seconds each, {len(ratings) / 60:.1f} hours in all. " in text
    assert "The comparisons are ranked by share of points in Davidson's model with Jeffreys' prior" in text
    (contents,) = [one for one in surveys_of(Study.open(study.path)) if one.survey == "interactive"]
    assert contents.used(HUMAN) == (len(items), {})


def test_a_judge_that_agrees_with_nobody_is_said_where_people_do_neither(tmp_path):
    study = small_study(tmp_path / "s", "comparative", per_pair=4)
    rows = [*rows_of(study, "comparative", by_chance, ["ann", "bo"])]
    rows += rows_of(study, "comparative", by_chance, ["coin"], "judge:coin")
    checksums.write_jsonl(study.judgements_path("comparative"), rows)
    analyze(study, "comparative", bootstraps=20)
    assert "neither it nor other people agree with a person more than chance" in text_of(Study.open(study.path))


def test_of_whom_nothing_is_left_it_is_said(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=(HUMAN,), analyze=False)
    rows = study.judgements("spot_the_bot")
    controls = [
        replace(row, judgement_id=f"c{n}", annotation_id=f"c/{row.annotation_id}", control="known_human", answer="bot")
        for n, row in enumerate(rows)
        if row.question == "nature"
    ]
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), [*rows, *controls])
    with pytest.raises(UserError) as caught:
        analyze(study, "spot_the_bot", bootstraps=5)
    assert "192 × annotation by somebody who missed" in str(caught.value)
    assert "{" not in str(caught.value)
    text = text_of(Study.open(study.path))
    assert "5 people who missed more of them than allowed are left out, too. No answers are left to analyse." in text


def texts_of(study):
    return appendix.appendix_of(surveys_of(Study.open(study.path)))


def with_missed_control(rows):
    """The rows, and as many missed controls of the first annotator as leave them out."""
    first = next(row for row in rows if row.question == "quality")
    control = replace(first, judgement_id="c", annotation_id="c", item_id="c", control="known_low:0", answer="5")
    return [*rows, control]


def test_what_everybodys_answers_change_is_said_of_every_question(tmp_path):
    study = small_study(tmp_path / "s", "dialogue_likert", per_pair=4, people=0)
    rows = list(rows_of(study, "dialogue_likert", by_chance, ["ann", "bo", "cy"]))
    checksums.write_jsonl(study.judgements_path("dialogue_likert"), with_missed_control(rows))
    analyze(study, "dialogue_likert", bootstraps=20)
    text = text_of(Study.open(study.path))

    def order(workers, question):
        """The contestants by their mean ratings."""
        talks = {talk.conversation_id: talk for talk in study.conversations()}
        ratings = defaultdict(list)
        for row in {(row.worker_id, row.item_id, row.question): row for row in rows}.values():
            if row.worker_id in workers and row.question == question:
                name = talks[row.conversation_ids[0]].entities[int(row.target[-1])]
                ratings[name].append(int(row.answer))
        return sorted(ratings, key=lambda name: -sum(ratings[name]) / len(ratings[name]))

    questions = [question.name for question in survey_of(study.load("dialogue_likert")).main]
    others = [name for name in questions if order(("ann", "bo", "cy"), name) != order(("bo", "cy"), name)]
    assert 0 < len(others) < len(questions)
    assert f"With everybody's answers the order differs on {len(others)} of the {len(questions)} questions, " in text


def test_answers_after_an_analysis_are_said(tmp_path):
    study = small_study(tmp_path / "s", "comparative", per_pair=4)
    checksums.write_jsonl(study.judgements_path("comparative"), rows_of(study, "comparative", by_chance, ["ann", "bo"]))
    analyze(study, "comparative", bootstraps=20)
    assert "Analyse it again" not in text_of(Study.open(study.path))
    more = rows_of(study, "comparative", by_chance, ["cy"])
    checksums.write_jsonl(study.judgements_path("comparative"), [*study.judgements("comparative"), *more])
    assert "judgements.jsonl. Analyse it again before this text is used. " in text_of(Study.open(study.path))


def test_questions_without_agreement_are_named(tmp_path):
    study = small_study(tmp_path / "s", "dialogue_likert", per_pair=4)
    rows = list(rows_of(study, "dialogue_likert", by_chance, ["ann", "bo"]))
    alike = [replace(row, answer="3") if row.question == "relevance" else row for row in rows]
    checksums.write_jsonl(study.judgements_path("dialogue_likert"), alike)
    analyze(study, "dialogue_likert", bootstraps=20)
    assert "; on relevance it can't be estimated. " in text_of(Study.open(study.path))
    checksums.write_jsonl(study.judgements_path("dialogue_likert"), [replace(row, answer="3") for row in rows])
    analyze(study, "dialogue_likert", bootstraps=20)
    assert "Agreement between people can't be estimated: " in text_of(Study.open(study.path))


@cases(
    "openings said",
    """
- [[1, 1], "Conversations began with a first exchange of people, shown to nobody."]
- [[2, 2], "Conversations began with 2 exchanges of people, shown to nobody."]
- [[1, 0], "6 conversations of these began with a first exchange of people, shown to nobody."]
- [[0, 0], '']
""",
)
def test_openings_are_those_that_conversations_have(tmp_path, openings, said):
    study = small_study(tmp_path / "s", "dialogue_likert", per_pair=4, people=0)
    talks = [replace(talk, seed_exchanges=openings[talk.number % 2]) for talk in study.conversations()]
    checksums.write_jsonl(study.conversations_path, talks)
    text = text_of(Study.open(study.path))
    assert said in text
    assert ("shown to nobody" in text) is bool(said)


@cases(
    "page conversations said",
    """
- [de, '', true]
- [en, '', false]
- [de, ja, false]
""",
)
def test_conversations_that_nothing_tells_apart_are_in_the_language_of_the_page(tmp_path, page, conversations, said):
    study = small_study(tmp_path / "s", "dialogue_likert", per_pair=1)
    settings = {"provider": "in_house", "conversations": conversations}
    study.record("crowdsourcing", {"dialogue_likert": {"settings": settings, "limits": {}, "language": page}})
    text = text_of(Study.open(study.path))
    assert (" (people's conversations, collected 2018), in German" in text) is said
    assert (", in Japanese" in text) is (conversations == "ja")
    assert ", in English" not in text


@pytest.mark.parametrize(
    ("survey", "asks"),
    [("acute_eval", "Why did you choose this speaker?"), ("nuc", get_survey("nuc").questionnaire[0].wording)],
)
def test_what_is_asked_in_words_and_of_themselves_is_reported(tmp_path, survey, asks):
    study = small_study(tmp_path / "s", "acute_eval", per_pair=2)
    other = Study.create(tmp_path / "other", replace(study.plan, surveys=(survey,)))
    checksums.write_jsonl(other.conversations_path, study.conversations())
    other.record("crowdsourcing", {survey: {"settings": {"provider": "in_house"}, "limits": {}, "language": "en"}})
    texts = texts_of(other)
    assert f"**{asks}**" in texts["instructions.md"]
    assert (f"to be answered in words: “{asks}”" in texts["methods.md"]) is (survey == "acute_eval")


@cases(
    "surface said",
    """
- [normalise, 'All turns were shown in lower case, with one form of quotes, ']
- [keep, Turns were shown as they were written.]
""",
)
def test_the_form_in_which_turns_were_shown_is_said(tmp_path, surface, said):
    study = small_study(tmp_path / "s", "comparative", per_pair=2)
    checksums.write_jsonl(study.judgements_path("comparative"), rows_of(study, "comparative", by_chance, ["ann"]))
    packed = study.provenance()["pack"]["comparative"]
    assert packed["options"]["surface"] == "normalise"
    study.record("pack", {"comparative": {**packed, "options": {**packed["options"], "surface": surface}}})
    assert said in text_of(study)


def test_next_turns_are_said_with_their_corpora_and_groups(tmp_path):
    study = Study.open(shutil.copytree(STORED, tmp_path / "study"))
    analyze(study, "nuc", bootstraps=5)
    facts = [row for row in facts_of(surveys_of(Study.open(study.path))) if row["contents"].survey == "nuc"]
    (text,) = methods(facts)
    questions = files.read_jsonl(study.survey_path("nuc") / "questions.jsonl", lambda row, where: row)
    assert f"The questions are from {listed(sorted({row['corpus'] for row in questions}))}. " in text
    assert "Groups of people are reported apart: lab and paid. " in text
