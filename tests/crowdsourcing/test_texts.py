"""Texts in other languages and in a user's own way: merged, complete for German, and checked key by key."""

import json
import re
from pathlib import Path

import pytest
import yaml

from parlai_spotbot import crowdsourcing
from parlai_spotbot.crowdsourcing import page_texts
from parlai_spotbot.crowdsourcing.desk.refusals import REASONS, REFUSALS
from parlai_spotbot.crowdsourcing.desk.sessions import filled
from parlai_spotbot.crowdsourcing.page_texts import PLACEHOLDER, load_texts
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey
from tests.case_tables import case_table

ROOM = Path(crowdsourcing.__file__).parent
SURVEY = get_survey("spot_the_bot")
SURVEYS = ("spot_the_bot", "spot_the_bot_game", "spot_the_user")


@pytest.fixture
def own(tmp_path):
    """Write a file of texts; returns its path."""

    def write(content: str) -> Path:
        path = tmp_path / "mine.yaml"
        path.write_text(content, encoding="utf-8")
        return path

    return write


def words(value, where=()):
    """Every text of a survey as JSON that a reader sees, by its place; without what is never shown."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from words(part, (*where, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from words(part, (*where, number))
    elif isinstance(value, str):
        yield where, value


def seen(survey) -> dict:
    row = survey.to_json() | {"onboarding": [[e.explanation for e in exercises] for exercises in survey.onboarding]}
    row["example"] = {"explanation": row["example"]["explanation"]}
    for key in ("name", "layout", "limits", *(() if survey.layout == "side_by_side" else ("conversations",))):
        del row[key]
    for question in row["questions"]:
        names = ("wording", "help", "heading")
        labels = [o for o in question["options"] if not o["value"].startswith("entity:")]
        question |= {"options": [{"label": o["label"], "definition": o["definition"]} for o in labels]}
        for key in set(question) - {*names, "options"}:
            del question[key]
    return {where: text for where, text in words(row) if text}


# -- English and German ----------------------------------------------------------------------------------------------
def test_english_is_what_the_page_and_the_server_say():
    page = json.loads((ROOM / "webapp" / "src" / "texts.en.json").read_text(encoding="utf-8"))
    found, survey = load_texts("en", SURVEY)
    assert survey == SURVEY
    assert found["language"] == "en"
    assert found.items() >= page.items()
    assert found["refused_late"] == REFUSALS["late"][1]
    assert found["why_controls"] == REASONS["controls"]
    assert page_texts.languages() == ["de", "en", "es"]


def test_german_covers_every_text_of_page_and_server():
    german = yaml.safe_load((ROOM / "texts" / "de.yaml").read_text(encoding="utf-8"))
    assert sorted(german["page"]) == sorted(page_texts.page_texts())
    found, _ = load_texts("de", SURVEY)
    assert found["language"] == "de"
    same = {key for key, text in page_texts.page_texts().items() if found[key] == text}
    assert same <= {"direction", "game_name"}  # "ltr", "Name"


@pytest.mark.parametrize("name", SURVEYS)
def test_one_is_singular_in_every_consent(name):
    for survey in (get_survey(name), load_texts("de", get_survey(name))[1]):
        for one in ("1", "45"):
            text = "".join(filled(paragraph, dict.fromkeys(("units", "minutes"), one)) for paragraph in survey.consent)
            nouns = re.findall(rf"\b{one} (?:task|minute|Aufgabe|Minute)(s|n)?\b", text)
            assert set(map(bool, nouns)) == {one == "45"}


@pytest.mark.parametrize("name", SURVEYS)
def test_german_covers_every_text_of_the_survey(name):
    survey = get_survey(name)
    _, german = load_texts("de", survey)
    english, translated = seen(survey), seen(german)
    assert english.keys() == translated.keys()
    same = {where: text for where, text in english.items() if translated[where] == text}
    assert set(same.values()) <= {"Bot"}, same
    for where, text in english.items():
        assert set(PLACEHOLDER.findall(text)) == set(PLACEHOLDER.findall(translated[where])), where
        if where[0] == "instructions":
            assert text.count("\n\n") == translated[where].count("\n\n")
            assert re.findall(r"[−-]?\d+", text) == re.findall(r"[−-]?\d+", translated[where])


# -- a user's own ----------------------------------------------------------------------------------------------------
def test_what_a_file_does_not_say_stays_in_english(own):
    path = own("language: fr\npage: {hand_in: Remettre}\nsurvey:\n  questions:\n    fluency: {heading: Aisance}\n")
    found, survey = load_texts(path, SURVEY, {"back": "Retour"})
    assert (found["hand_in"], found["back"], found["close"]) == ("Remettre", "Retour", "Close")
    assert found["language"] == "fr"
    assert survey.question("fluency").heading == "Aisance"
    assert survey.question("fluency").wording == SURVEY.question("fluency").wording
    assert survey.consent == SURVEY.consent


def test_instructions_and_a_further_question(own):
    path = own("""
survey:
  instructions: Read, then answer.
  consent: ["Pay: {pay}. Write to {contact}."]
  entities: [Left, Right]
  questions:
    specificity: {help: Only here}
    extra_why:
      kind: free_text
      targets: [pair]
      wording: What gave it away?
      required: false
      after: [nature]
      when: [{question: nature, values: [bot]}]
""")
    survey = load_texts(path, SURVEY)[1]
    assert survey.instructions == "Read, then answer."
    assert survey.entities == ("Left", "Right")
    assert [q.name for q in survey.questions[:4]] == [q.name for q in SURVEY.questions]
    assert survey.question("specificity").help == "Only here"
    why = survey.questions[4]
    assert (why.kind, why.targets, why.required, why.after) == ("free_text", ("pair",), False, ("nature",))
    assert why.when[0].values == ("bot",)


def test_exercises_of_ones_own(own):
    path = own("""
survey:
  example:
    turns: [hello there, hello there]
    key: {nature: {entity:0: [human], entity:1: [bot]}}
    explanation: The second one parrots.
  onboarding:
    - - turns: [a, b, c, d]
        key: {nature: {entity:0: [human, unsure], entity:1: [bot]}, fluency: {pair: [no_difference]}}
        explanation: "{entity:1} spells the alphabet."
""")
    survey = load_texts(path, SURVEY)[1]
    assert survey.example.turns == ((0, "hello there"), (1, "hello there"))
    ((exercise,),) = survey.onboarding
    assert exercise.turns == ((0, "a"), (1, "b"), (0, "c"), (1, "d"))
    assert exercise.key == (
        ("nature", "entity:0", ("human", "unsure")),
        ("nature", "entity:1", ("bot",)),
        ("fluency", "pair", ("no_difference",)),
    )


@case_table(__file__, "refused")
def test_what_is_wrong_is_named_with_its_place(own, content, error):
    path = own(content)
    with pytest.raises(UserError) as raised:
        load_texts(path, SURVEY)
    assert raised.value.problem.startswith(str(path))
    assert re.search(error, str(raised.value)), str(raised.value)


def test_a_language_that_is_not_there_suggests_what_is():
    with pytest.raises(UserError, match=r"neither a language .* nor a file.*'?de"):
        load_texts("dee", SURVEY)
    with pytest.raises(UserError, match=r"settings.yaml: texts: unknown key 'bak'"):
        load_texts("en", SURVEY, {"bak": "x"}, "settings.yaml: texts")
