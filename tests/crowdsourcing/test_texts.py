"""Texts in other languages and in a user's own way: merged, complete for German, and checked key by key."""

import json
import re
from pathlib import Path

import pytest
import yaml

from parlai_spotbot import crowdsourcing
from parlai_spotbot.crowdsourcing import page_texts
from parlai_spotbot.crowdsourcing.desk.refusals import REASONS, REFUSALS
from parlai_spotbot.crowdsourcing.page_texts import load_texts
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.features import with_features
from parlai_spotbot.surveys.survey import Limits

ROOM = Path(crowdsourcing.__file__).parent
SURVEY = get_survey("spot_the_bot")
SURVEYS = ("spot_the_bot", "spot_the_bot_game")


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
    assert page_texts.languages() == ["de", "en"]


def test_german_covers_every_text_of_page_and_server():
    german = yaml.safe_load((ROOM / "texts" / "de.yaml").read_text(encoding="utf-8"))
    assert sorted(german["page"]) == sorted(page_texts.page_texts())
    found, _ = load_texts("de", SURVEY)
    assert found["language"] == "de"
    same = {key for key, text in page_texts.page_texts().items() if found[key] == text}
    assert same <= {"direction", "game_name"}  # "ltr", "Name"


@pytest.mark.parametrize("name", SURVEYS)
def test_german_covers_every_text_of_the_survey(name):
    survey = get_survey(name)
    _, german = load_texts("de", survey)
    english, translated = seen(survey), seen(german)
    assert english.keys() == translated.keys()
    same = {where: text for where, text in english.items() if translated[where] == text}
    assert set(same.values()) <= {"Bot"}, same
    for where, text in english.items():
        assert set(re.findall("{.*?}", text)) == set(re.findall("{.*?}", translated[where])), where
        if where[0] == "instructions":
            assert text.count("\n\n") == translated[where].count("\n\n")
            assert re.findall(r"[−-]?\d+", text) == re.findall(r"[−-]?\d+", translated[where])


@pytest.mark.parametrize("name", SURVEYS)
def test_a_translation_changes_nothing_but_words(name):
    survey = get_survey(name)
    _, german = load_texts("de", survey)
    for one, other in zip(survey.questions, german.questions, strict=True):
        assert [o.value for o in one.options] == [o.value for o in other.options]
        for key in ("name", "kind", "targets", "required", "after", "when", "shuffle"):
            assert getattr(one, key) == getattr(other, key)
    for one, other in zip(sum(survey.onboarding, ()), sum(german.onboarding, ()), strict=True):
        assert (one.turns, one.key) == (other.turns, other.key)
    assert (survey.name, survey.layout, survey.limits, survey.game) == (
        german.name,
        german.layout,
        german.limits,
        german.game,
    )


@pytest.mark.parametrize("name", SURVEYS)
@pytest.mark.parametrize("asked", [(), ("fluency",), ("sensibleness", "specificity")])
def test_in_german_too_nothing_is_said_of_features_that_are_not_asked(name, asked):
    survey = with_features(load_texts("de", get_survey(name))[1], asked)
    english = with_features(get_survey(name), asked)
    texts = [survey.instructions, *survey.consent, survey.example.explanation]
    texts += [exercise.explanation for own in survey.onboarding for exercise in own]
    stems = {
        "fluency": ("sprachfluss",),
        "sensibleness": ("sinnvoll", "sinnhaft"),
        "specificity": ("genau", "nur in dieses"),
    }
    for feature, own in stems.items():
        assert any(stem in text.lower() for text in texts for stem in own) == (feature in asked), feature
    assert "drei Hinsichten" not in survey.instructions
    assert ("vergleich" in survey.consent[0]) == bool(asked)
    assert [own.key for own in sum(survey.onboarding, ())] == [own.key for own in sum(english.onboarding, ())]
    for one, other in ((english, survey), (english.example, survey.example)):
        assert one != other
    assert not set(words(survey.to_json()["example"])) & set(words({"explanation": english.example.explanation}))


def test_texts_of_ones_own_stay_where_features_are_left_out_unless_they_say_how(own):
    mine = load_texts(own("survey: {instructions: Who, example: {explanation: Look.}}"), SURVEY)[1]
    survey = with_features(mine, ("fluency",))
    assert (survey.instructions, survey.example.explanation) == ("Who", "Look.")
    paragraphs = "\\n\\n".join("abcd")
    told = 'survey: {instructions: "%s", features: {compare: "Now: {features}."}}'
    survey = with_features(load_texts(own(told % paragraphs), SURVEY)[1], ("fluency",))
    assert survey.instructions.split("\n\n") == ["a", "b", "Now: Fluency.", "d"]
    with pytest.raises(UserError, match=r"survey\.features.compare: stands for paragraph 3 of 4 .* which have 1 here"):
        load_texts(own(told % "a"), SURVEY)
    with pytest.raises(UserError, match=r"nothing is put instead of \{feature\}"):
        load_texts(own('survey: {features: {compare: "{feature}"}}'), SURVEY)


# -- a user's own ----------------------------------------------------------------------------------------------------
def test_what_a_file_does_not_say_stays_in_english(own):
    path = own("language: fr\npage: {hand_in: Remettre}\nsurvey:\n  questions:\n    fluency: {heading: Aisance}\n")
    found, survey = load_texts(path, SURVEY, {"back": "Retour"})
    assert (found["hand_in"], found["back"], found["cancel"]) == ("Remettre", "Retour", "Cancel")
    assert found["language"] == "fr"
    assert survey.question("fluency").heading == "Aisance"
    assert survey.question("fluency").wording == SURVEY.question("fluency").wording
    assert survey.consent == SURVEY.consent
    assert load_texts(own(""), SURVEY)[1] == SURVEY


def test_the_section_of_a_survey_goes_before_the_general_one_and_concerns_it_only(own):
    path = own("survey: {title: One, thanks: Bye}\nsurveys: {spot_the_bot_game: {title: Two}}\n")
    assert load_texts(path, SURVEY)[1].title == "One"
    game = load_texts(path, get_survey("spot_the_bot_game"))[1]
    assert (game.title, game.thanks) == ("Two", "Bye")


def test_limits_instructions_and_a_further_question(own):
    path = own("""
survey:
  instructions: Read, then answer.
  consent: ["Pay: {pay}. Write to {contact}."]
  limits: {units_per_annotator: 5, minutes_per_unit: 12.5, control_mistakes: 0}
  entities: [Left, Right]
  questions:
    specificity: {help: Only here}
    extra_why:
      kind: free_text
      wording: What gave it away?
      required: false
      after: [nature]
      when: [{question: nature, values: [bot]}]
    extra_mood:
      kind: scale
      targets: [entity:0, entity:1]
      wording: How cheerful is {entity}?
      options: {"1": gloomy, "2": {label: neither}, "3": {label: cheerful, definition: full of joy}}
""")
    survey = load_texts(path, SURVEY)[1]
    assert survey.instructions == "Read, then answer."
    assert survey.limits == Limits(units_per_annotator=5, minutes_per_unit=12.5, control_mistakes=0)
    assert survey.entities == ("Left", "Right")
    assert [q.name for q in survey.questions[:4]] == [q.name for q in SURVEY.questions]
    assert survey.question("specificity").help == "Only here"
    why, mood = survey.questions[4:]
    assert (why.kind, why.targets, why.required, why.after) == ("free_text", ("pair",), False, ("nature",))
    assert why.when[0].values == ("bot",)
    assert [(o.value, o.label, o.definition) for o in mood.options] == [
        ("1", "gloomy", ""),
        ("2", "neither", ""),
        ("3", "cheerful", "full of joy"),
    ]
    assert mood.required


def test_exercises_of_ones_own(own):
    path = own("""
survey:
  example:
    turns: [hello there, hello there]
    key: {nature: {entity:0: human, entity:1: bot}}
    explanation: The second one parrots.
  onboarding:
    - - turns: [a, b, c, d]
        key: {nature: {entity:0: [human, unsure], entity:1: bot}, fluency: {pair: no_difference}}
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


WRONG = [
    ("pages: {}", "unknown key 'pages'", "Did you mean 'page'"),
    ("page: {hand_inn: Go}", "page: unknown key 'hand_inn'", "Did you mean 'hand_in'"),
    ("page: {hand_in: 3}", r"page\.hand_in: expected a valid string", ""),
    ("page: {step: 'Step {numer} of {total}'}", r"page\.step: .*\{numer\}.*\{number\}, \{total\}", ""),
    ("page: {step: 'Step {number}'}", r"page\.step: the placeholder \{total\} is missing", "Put it"),
    ("page: [a]", "page: expected an object", ""),
    ("language: 5", "language: expected a valid string", ""),
    ("language: very german", "language: expected a code like 'de'", ""),
    ("page: {a: {b}", "not valid YAML", "Mend"),
    ("survey: {titel: x}", "survey: unknown key 'titel'", "Did you mean 'title'"),
    ("surveys: {spot_the_bott: {}}", "surveys: unknown key 'spot_the_bott'", "Did you mean 'spot_the_bot'"),
    ("survey: {consent: Yes please}", r"survey\.consent: expected a valid array", ""),
    ("survey: {consent: ['Write to {contat}']}", r"consent\[0\]: .*\{contat\}.*\{contact\}", ""),
    ("survey: {entities: [A, A]}", "two different names", ""),
    ("survey: {limits: {units_per_anotator: 2}}", "unknown key 'units_per_anotator'", "units_per_annotator"),
    ("survey: {limits: {units_per_annotator: 0}}", "units_per_annotator", "Correct"),
    ("survey: {questions: {fluensy: {help: x}}}", "unknown key 'fluensy'", "Did you mean 'fluency'.*extra_"),
    ("survey: {questions: {fluency: {kind: scale}}}", r"fluency: unknown key 'kind'", ""),
    ("survey: {questions: {fluency: {required: false}}}", r"fluency: unknown key 'required'", ""),
    ("survey: {questions: {nature: {wording: 'Is {entitiy} human?'}}}", r"\{entitiy\}.*\{entity\}", ""),
    ("survey: {questions: {nature: {options: {robot: {label: R}}}}}", "unknown key 'robot'", "bot"),
    ("survey: {questions: {why: {kind: free_text, wording: Why}}}", "begins with 'extra_'", "Call it 'extra_why'"),
    ("survey: {questions: {extra_why: {kind: text, wording: Why}}}", "kind: expected 'choice'", ""),
    ("survey: {questions: {extra_why: {kind: free_text}}}", r"extra_why: 'wording' is missing", ""),
    ("survey: {questions: {extra_why: {kind: choice, wording: Why}}}", "options are", ""),
    ("survey: {questions: {extra_why: {kind: free_text, wording: Why, after: [natur]}}}", "comes after", ""),
    ("survey: {onboarding: [[{}, {}]]}", "rounds of 2 exercises, the survey of 4 and 4", "for each"),
    ("survey: {example: {turns: [a, b, c]}}", "3 turns, expected whole exchanges", ""),
    ("survey: {example: {key: {nature: {entity:0: roboter}}}}", "'roboter' is no answer", ""),
    ("survey: {example: {explanation: 'So {entity:0} it is'}}", r"\{entity:0\}.*none", ""),
    ("survey: {onboarding: [[{turns: [a, b], key: {}}]]}", "'explanation' is missing", ""),
]


@pytest.mark.parametrize(("content", "problem", "remedy"), WRONG, ids=[content[:40] for content, _, _ in WRONG])
def test_what_is_wrong_is_named_with_its_place_and_remedy(own, content, problem, remedy):
    path = own(content)
    with pytest.raises(UserError) as error:
        load_texts(path, SURVEY)
    assert error.value.problem.startswith(str(path))
    assert re.search(problem, error.value.problem), error.value.problem
    assert re.search(remedy, error.value.remedy), error.value.remedy


def test_a_language_that_is_not_there_suggests_what_is():
    with pytest.raises(UserError, match=r"neither a language .* nor a file.*Known: de, en"):
        load_texts("dee", SURVEY)
    with pytest.raises(UserError, match=r"settings.yaml: texts: unknown key 'bak'"):
        load_texts("en", SURVEY, {"bak": "x"}, "settings.yaml: texts")


def test_the_examples_of_the_readme_work(own):
    text = (ROOM / "texts" / "README.md").read_text(encoding="utf-8")
    blocks = [block for block in re.split(r"\n(?=\S)", text.replace("\n\n    ", "\n\n\n    ")) if "    " in block]
    yamls = [re.sub(r"(?m)^    ", "", block.split("\n\n\n", 1)[1]) for block in blocks if "\n\n\n" in block]
    whole, exercises, question = yamls
    found, survey = load_texts(own(whole), SURVEY)
    assert (found["language"], found["hand_in"], survey.limits.units_per_annotator) == ("fr", "Remettre", 5)
    assert survey.question("nature").options[2].label == "Don't know"
    indented = [re.sub("(?m)^", "  ", part) for part in (exercises, question)]
    survey = load_texts(own("survey:\n" + "\n".join(indented)), SURVEY)[1]
    assert len(survey.onboarding) == 1
    assert survey.question("extra_why").kind == "free_text"


# -- two conversations, one judged speaker -----------------------------------------------------------------------------
def test_names_and_exercises_of_two_conversations(own):
    path = own("""
survey:
  conversations: [Links, Rechts]
  speakers: [Eins, Zwei]
  other: Wer anders
  questions: {humanness: {options: {conversation:0: {label: "{name} ist es"}}}}
  onboarding:
    - - turns: [hi, hello]
        second: [hi, hi hi]
        judged: [1, 1]
        key: {humanness: {pair: conversation:0}}
        explanation: "{speaker:0} grüßt, {speaker:1} in {conversation:1} wiederholt sich."
""")
    _, survey = load_texts(path, get_survey("acute_eval"))
    assert (survey.conversations, survey.speakers) == (("Links", "Rechts"), ("Eins", "Zwei"))
    assert survey.other == "Wer anders"
    assert survey.question("humanness").options[0].label == "{name} ist es"
    ((exercise,),) = survey.onboarding
    assert (exercise.second, exercise.judged) == (((0, "hi"), (1, "hi hi")), (1, 1))
    assert exercise.key == (("humanness", "pair", ("conversation:0",)),)


def test_an_exercise_of_turns_names_those_of_the_judged_speaker(own):
    told = "survey: {{onboarding: [[{{turns: [a, b, c, d], judged: {}, key: {{relevance: {}}}, explanation: x}}]]}}"
    survey = get_survey("turn_likert")
    _, found = load_texts(own(told.format("[1]", '{"turn:1": "1", "turn:3": ["4", "5"]}')), survey)
    assert found.onboarding[0][0].key == (("relevance", "turn:1", ("1",)), ("relevance", "turn:3", ("4", "5")))
    for judged, key, words in (
        ("[1]", '{"turn:0": "1"}', "turn:0"),
        ("[2]", '{"turn:1": "1"}', "judged"),
        ("[0, 1]", '{"turn:1": "1"}', "judged"),
    ):
        with pytest.raises(UserError, match=words):
            load_texts(own(told.format(judged, key)), survey)
