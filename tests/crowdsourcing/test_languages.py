"""Launches in other languages: complete or refused before any work, with exercises in the conversations' language."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from parlai_spotbot import checksums, crowdsourcing
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.page_texts import load_texts
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.crowdsourcing.translated import untranslated, untranslated_page
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.shipped import data
from tests.case_tables import cases
from tests.spoken import bots_of, spoken

GERMAN = (
    "abc_eval",
    "acute_eval",
    "comparative",
    "dialogue_likert",
    "interactive",
    "nuc",
    "spot_the_bot",
    "spot_the_bot_game",
    "spot_the_user",
    "turn_likert",
)
SHIPPED = [("de", name) for name in GERMAN] + [("es", "spot_the_bot")]

SAID = {
    "german": ["ich war gestern mit dem rad am see und habe gebadet", "das klingt schön, war das wasser schon warm"],
    "english": [
        "i went to the lake with my bike and had a swim",
        "that sounds nice, was the water warm enough for you",
    ],
    "japanese": ["昨日は自転車で湖に行って泳ぎました", "いいですね、水はもう暖かかったですか"],
}


@pytest.fixture
def study_in(tmp_path):
    """Make a study of two bots, and some people, who speak a language."""

    def make(language: str) -> Study:
        said = SAID[language] * 3
        talks = []
        for number in range(8):
            names = ("a", "b")
            if number > 5:
                names = (HUMAN, HUMAN)
            lines = [*said[:5], f"{said[5]} {number}"]
            talks.append(spoken(f"c{number}", names, lines, number, seed_exchanges=1, seed_id=f"s{number}"))
        study = Study.create(tmp_path / language, Plan("chitchat", bots_of(["a", "b"]), 2, segments=(2,)))
        checksums.write_jsonl(study.conversations_path, talks)
        return study

    return make


def tried(study: Study, survey: str = "spot_the_bot", **settings) -> list[str]:
    """Return what a dry run says."""
    said: list[str] = []
    launch(LaunchRequest(study.path, survey, settings=LaunchSettings(**settings), dry_run=True), said.append)
    return said


# -- complete --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("language", "name"), SHIPPED)
@pytest.mark.parametrize("spoken_in", ["", "en"])
def test_no_text_of_a_shipped_language_is_missing(language, name, spoken_in):
    english = get_survey(name)
    texts, survey = load_texts(language, english, spoken=spoken_in)
    assert untranslated_page(texts) == {}
    assert untranslated(survey, [question.name for question in survey.questions]) == {}
    assert list(map(len, survey.onboarding)) == list(map(len, english.onboarding))
    assert bool(survey.example) == bool(english.example)


@pytest.mark.parametrize(("language", "name"), SHIPPED)
def test_consents_and_instructions_speak_of_english_only_where_it_is_spoken(language, name):
    word = {"de": "Englisch", "es": "inglés"}[language]
    if name == "interactive":  # nobody knows before what will be said
        return
    for spoken_in, holds in (("", False), ("en", True), ("fr", False)):
        _, survey = load_texts(language, get_survey(name), spoken=spoken_in)
        assert (word in survey.consent[0]) == (word in survey.instructions) == holds
        assert (word in survey.features.consent) == (holds and bool(survey.features.consent))


@pytest.mark.parametrize("language", ["de", "es"])
def test_exercises_are_in_the_language_of_the_conversations(language):
    survey = get_survey("spot_the_bot")
    _, own = load_texts(language, survey)
    _, of_english = load_texts(language, survey, spoken="en")
    _, of_others = load_texts(language, survey, spoken="fr")
    assert of_english.example.turns == survey.example.turns
    assert own.example.turns != survey.example.turns
    assert own.example.key == survey.example.key
    assert own.example.explanation == of_english.example.explanation
    assert not {one.turns for one in sum(own.onboarding, ())} & {one.turns for one in sum(survey.onboarding, ())}
    assert (of_others.example, of_others.onboarding) == (None, ())


@pytest.mark.parametrize("language", ["de", "es"])
def test_conversations_of_exercises_have_the_same_turns(language):
    path = Path(crowdsourcing.__file__).parent / "texts" / f"{language}.yaml"
    translated = yaml.safe_load(path.read_text(encoding="utf-8"))["conversations"]
    english = data("conversations")
    assert {name: len(turns) for name, turns in translated.items()} == {name: len(english[name]) for name in translated}
    for name, turns in translated.items():
        # What is said twice is said twice in the other language, too: the exercises are about that.
        assert len(set(turns)) == len(set(english[name]))


# -- at a launch -----------------------------------------------------------------------------------------------------
@cases(
    "language conversations said note",
    """
- [german, '', de, false]
- [english, '', de, false]
- [german, fr, de, true]
- [german, '', en, false]
- [german, de, en, true]
- [english, '', en, false]
- [japanese, '', en, true]
- [japanese, '', de, false]
- [japanese, ja, de, true]
""",
)
def test_exercises_in_another_language_are_left_out_and_that_is_said(study_in, language, conversations, said, note):
    lines = tried(study_in(language), language=said, conversations=conversations)
    assert any("are left out" in line for line in lines) is note


def test_texts_that_are_missing_stop_a_launch_before_any_work(study_in, tmp_path):
    study = study_in("german")
    before = {path for path in study.path.rglob("*") if path.name != ".lock"}
    path = tmp_path / "fr.yaml"
    path.write_text("language: fr\npage: {hand_in: Remettre}\n", encoding="utf-8")
    said: list[str] = []
    request = LaunchRequest(study.path, settings=LaunchSettings(language=str(path)))
    for dry_run in (True, False):
        with pytest.raises(
            UserError, match="language fr: texts of the page or of --survey spot_the_bot are in English only"
        ):
            launch(replace(request, dry_run=dry_run), said.append)
    assert {path for path in study.path.rglob("*") if path.name != ".lock"} == before
    # What is listed is a file that completes the texts.
    missing = yaml.safe_load(next(text for text in said if text.startswith("language:")))
    assert "hand_in" not in missing["page"]
    assert missing["page"]["back"] == "Back"
    assert missing["survey"]["questions"]["fluency"]["heading"] == "Fluency"
    missing["page"]["hand_in"] = "Remettre"
    path.write_text(yaml.safe_dump(missing), encoding="utf-8")
    assert any("nothing was posted" in line for line in tried(study, language=str(path)))


def test_a_file_of_ones_own_is_laid_over_the_shipped_language(study_in, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("language: de\nsurvey: {title: Wer spricht hier?}\n", encoding="utf-8")
    texts, survey = load_texts(path, get_survey("spot_the_bot"))
    german = load_texts("de", get_survey("spot_the_bot"))
    assert (texts, survey) == (german[0], replace(german[1], title="Wer spricht hier?"))
    tried(study_in("german"), language=str(path))


def test_a_file_in_english_may_say_as_little_as_it_likes(study_in, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("survey: {title: Who is it?}\n", encoding="utf-8")
    tried(study_in("english"), language=str(path))


# -- tasks and their training ----------------------------------------------------------------------------------------
ABC = get_survey("abc_eval")
PARTS = [task.name for task in ABC.tasks]


@pytest.mark.parametrize("part", PARTS)
def test_a_task_is_in_german_with_what_it_means(part):
    english = ABC.task(part)
    german = load_texts("de", ABC)[1].task(part)
    assert german.title != english.title
    assert german.instructions.count("\n") == english.instructions.count("\n")
    assert untranslated(german, german.tasks[0].questions) == {}
    for before, after in zip(english.tasks[0].definitions, german.tasks[0].definitions, strict=True):
        assert (after.label, len(after.counts), len(after.counts_not)) == (
            before.label,
            len(before.counts),
            len(before.counts_not),
        )
        assert [one.label for one in after.examples] == [one.label for one in before.examples]
        assert not {one.turn for one in after.examples} & {one.turn for one in before.examples}


@pytest.mark.parametrize("part", PARTS)
def test_gold_dialogues_are_in_the_language_of_the_conversations(part):
    english = ABC.task(part).training
    own = load_texts("de", ABC)[1].task(part).training
    of_english = load_texts("de", ABC, spoken="en")[1].task(part).training
    of_others = load_texts("de", ABC, spoken="fr")[1].task(part).training
    assert of_others == ()
    assert load_texts("en", ABC, spoken="de")[1].task(part).training == english
    for translated in filter(None, (own, of_english)):
        assert [(gold.id, gold.role, gold.key) for gold in translated] == [
            (gold.id, gold.role, gold.key) for gold in english
        ]
    assert [[turn.text for turn in gold.turns] for gold in of_english] == [
        [turn.text for turn in gold.turns] for gold in english
    ]
    for gold, before in zip(own, english, strict=True):
        for number, turn in enumerate(gold.turns):
            earlier = before.turns[number]
            assert (bool(turn.user), bool(turn.bot), bool(turn.why)) == (
                bool(earlier.user),
                bool(earlier.bot),
                bool(earlier.why),
            )
            assert not turn.bot or turn.bot != earlier.bot
        # What is said twice is said twice in the other language, too.
        said = [turn.bot for turn in gold.turns if turn.bot]
        assert len(set(said)) == len({turn.bot for turn in before.turns if turn.bot})


@cases("spoken note", "[['', false], [de, false], [en, false], [fr, true]]")
def test_a_task_is_launched_in_german_and_a_training_that_is_left_out_is_said(study_in, spoken, note):
    settings = LaunchSettings(language="de", conversations=spoken)
    said: list[str] = []
    request = LaunchRequest(study_in("german").path, "abc_eval", part="empathy", settings=settings, dry_run=True)
    launch(request, said.append)
    assert any("which decides who may work, is left out" in line for line in said) is note
    assert any("nothing was posted" in line for line in said)


def test_missing_texts_of_a_task_are_listed_as_a_file_that_completes_them(study_in, tmp_path):
    path = tmp_path / "fr.yaml"
    path.write_text("language: fr\nsurvey: {tasks: {empathy: {title: Empathie}}}\n", encoding="utf-8")
    study = study_in("german")
    said: list[str] = []
    settings = LaunchSettings(language=str(path))
    request = LaunchRequest(study.path, "abc_eval", part="empathy", settings=settings, dry_run=True)
    with pytest.raises(UserError, match="language fr: texts of the page or of --survey abc_eval"):
        launch(request, said.append)
    missing = yaml.safe_load(next(text for text in said if text.startswith("language:")))
    task = missing["survey"]["tasks"]["empathy"]
    assert "title" not in task
    assert "title" not in missing["survey"]
    assert task["definitions"]["empathetic"]["short"] == ABC.task("empathy").tasks[0].definitions[0].short
    task["title"] = "Empathie"
    path.write_text(yaml.safe_dump(missing), encoding="utf-8")
    launch(request, said.append)
    assert any("nothing was posted" in line for line in said)


@cases(
    "row problem",
    """
- [{tasks: {empaty: {}}}, unknown key 'empaty'.*empathy]
- [{tasks: {empathy: {titel: x}}}, "tasks.empathy: unknown key 'titel'"]
- [{tasks: {empathy: {title: ''}}}, 'tasks.empathy.title: expected a text']
- [{tasks: {empathy: {definitions: {empatic: {}}}}}, "definitions: unknown key 'empatic'"]
- [{tasks: {empathy: {definitions: {empathetic: {counts: [a]}}}}}, 'counts: 1 entries, expected 4']
- [{tasks: {empathy: {dialogues: {empathy-9: []}}}}, "dialogues: unknown key 'empathy-9'"]
- [{tasks: {empathy: {dialogues: {empathy-1: [a, b]}}}}, 'dialogues.empathy-1: expected a list of 36 texts']
- [{tasks: {empathy: {instructions: 'see {where}'}}}, 'unknown placeholder {where}']
""",
)
def test_wrong_texts_of_a_task_are_named_by_their_place(tmp_path, row, problem):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"language": "fr", "survey": row}), encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        load_texts(path, ABC)[1].task("empathy")


def test_a_survey_without_tasks_has_no_texts_of_some(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("language: fr\nsurvey: {tasks: {empathy: {}}}\n", encoding="utf-8")
    with pytest.raises(UserError, match="tasks: unknown key 'empathy'"):
        load_texts(path, get_survey("spot_the_bot"))
