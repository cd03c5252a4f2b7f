"""The survey nuc: versions, groups with shares of corpora, checks, growth, what may reach a browser, clear errors."""

import json
import random
import re
from collections import Counter

import pytest
import yaml

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.controls import missed_by, read_controls, write_controls
from parlai_spotbot.surveys.controls.checks import FILES, checks, language_of, make_checks
from parlai_spotbot.surveys.nuc_groups import read_groups
from parlai_spotbot.surveys.nuc_questions import NucQuestion, read_questions, write_questions
from parlai_spotbot.surveys.packing.candidates import key_of, questions_path
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.texts.normal_forms import bare_text
from tests.analysis.made_up import questions
from tests.case_tables import case_table, cases
from tests.in_process import spotbot


@pytest.fixture(scope="module")
def made():
    return [*questions("movies", 60), *questions("ubuntu", 60)]


@pytest.fixture
def study(tmp_path, made):
    pool = {"eliza": Contestant("eliza", model="spotbot:eliza"), "alice": Contestant("alice", model="spotbot:alice")}
    own = Study.create(tmp_path / "study", Plan("chitchat", pool, seed=5))
    write_questions(own.path / "nuc" / "questions.jsonl", made)
    return own


def pack(study, unit_size=12, annotators=2, **wanted):
    return pack_study(study, "nuc", unit_size=unit_size, annotators_per_segment=annotators, **wanted)


def groups_file(tmp_path, **groups):
    path = tmp_path / "groups.yaml"
    path.write_text(yaml.safe_dump({"subject": "Ubuntu", "groups": groups}), encoding="utf-8")
    return path


def test_four_versions_have_different_questions_and_nobody_gets_two_units(study):
    summary = pack(study)
    units = study.units("nuc")
    assert len(units) == summary["units"] == 8
    versions = {}
    for unit in units:
        versions.setdefault(unit.rotation, set()).add(frozenset(item.item_id for item in unit.items))
    assert all(len(own) == 1 for own in versions.values())
    ids = [item for own in versions.values() for item in next(iter(own))]
    assert len(ids) == len(set(ids)) == 48
    assert len({unit.block_id for unit in units}) == 1
    orders = [[item.item_id for item in unit.items] for unit in units if unit.rotation == 0]
    assert orders[0] != orders[1]
    key = key_of(study.load("nuc"))
    for unit in units:
        own = [key[item.item_id] for item in unit.items]
        assert Counter(question.corpus for question in own) == {"movies": 6, "ubuntu": 6}
        assert len({question.conversation_id for question in own}) == 12


def test_in_a_version_no_question_gives_another_away(tmp_path, study):
    """A corpus so small that conversations lend each other candidates all the time."""
    few = questions("movies", 30, 8)
    write_questions(tmp_path / "few.jsonl", few)
    pack(study, unit_size=2, annotators=1, nuc_questions=tmp_path / "few.jsonl")
    key = key_of(study.load("nuc"))
    for unit in study.units("nuc"):
        own = [key[item.item_id] for item in unit.items]
        for one in own:
            said = {bare_text(text) for text in (*one.context, one.answer)}
            for other in own:
                if other is not one:
                    assert not said & {bare_text(text) for text in other.candidates}


def test_groups_get_their_shares_and_as_many_common_questions_as_can_be(tmp_path, study):
    path = groups_file(
        tmp_path,
        paid={"people": 9, "corpora": {"movies": 1, "ubuntu": 1}, "recruited": "paid"},
        lab={"people": 4, "corpora": {"movies": 1, "ubuntu": 3}, "recruited": "lab", "expertise": "expert"},
    )
    summary = pack(study, groups=path)
    units = study.units("nuc")
    assert Counter(unit.group for unit in units) == {"paid": 9, "lab": 4}
    key = key_of(study.load("nuc"))
    for unit in units:
        shares = Counter(key[item.item_id].corpus for item in unit.items)
        assert shares == ({"movies": 6, "ubuntu": 6} if unit.group == "paid" else {"movies": 3, "ubuntu": 9})
    shown = {group: {i.item_id for u in units if u.group == group for i in u.items} for group in ("paid", "lab")}
    assert len(shown["paid"] & shown["lab"]) == 4 * (3 + 6)
    assert summary["tables"]["questions of each group"]["lab"] == {"people": 4, "movies": 3, "ubuntu": 9}
    assert Counter(unit.rotation % 4 for unit in units if unit.group == "paid") == {0: 3, 1: 2, 2: 2, 3: 2}
    assert Study.open(study.path).provenance()["pack"]["nuc"]["options"]["groups"][0]["expertise"] == "expert"
    expertise = survey_of(study.load("nuc")).questionnaire[-1]
    assert "Ubuntu" in expertise.wording


def test_the_same_again_changes_nothing_and_more_people_add_units(tmp_path, study):
    pack(study, groups=groups_file(tmp_path, paid={"people": 5}))
    before = study.units_path("nuc").read_bytes()
    assert pack(study, groups=tmp_path / "groups.yaml")["added_units"] == 0
    assert pack_study(study, "nuc")["added_units"] == 0
    assert study.units_path("nuc").read_bytes() == before
    grown = groups_file(tmp_path, paid={"people": 7}, lab={"people": 2, "corpora": {"ubuntu": 1}})
    assert pack(study, unit_size=None, annotators=None, groups=grown)["added_units"] == 4
    after = study.units_path("nuc").read_bytes()
    assert after.startswith(before)
    assert len({unit.unit_id for unit in study.units("nuc")}) == 9


def test_units_with_answers_are_never_packed_anew(study):
    pack(study)
    files.write_text(study.survey_path("nuc") / "crowdsourcing" / "ledger.db", "x")
    for wanted in ({"unit_size": 10}, {"annotators": 1}):
        with pytest.raises(UserError, match="holds answers to these units"):
            pack(study, **wanted)
    assert pack(study, annotators=3)["added_units"] == 4


def test_questions_made_anew_leave_what_is_packed(tmp_path, study, made):
    pack(study)
    write_questions(study.path / "nuc" / "questions.jsonl", made[:100])
    pack(study)
    assert read_questions(questions_path(study.load("nuc"))) == made
    files.write_text(study.survey_path("nuc") / "crowdsourcing" / "ledger.db", "x")
    write_questions(tmp_path / "other.jsonl", made[::-1])
    with pytest.raises(UserError, match="holds answers"):
        pack(study, nuc_questions=tmp_path / "other.jsonl")


def test_no_unit_says_which_candidate_is_right_or_where_anything_came_from(study, made):
    pack(study)
    write_controls(study.load("nuc"))
    for unit in study.units("nuc"):
        for item in unit.items:
            row = item.to_json()
            assert set(row) == {
                "item_id",
                "conversation_ids",
                "exchanges",
                "transcripts",
                "control",
                "judged",
                "candidates",
            }
            assert row["control"] is None
    text = study.units_path("nuc").read_text(encoding="utf-8")
    for question in made:
        assert question.question_id not in text
    assert '"true"' not in text
    assert "uniform" not in text
    places = Counter(question.true for question in key_of(study.load("nuc")).values())
    assert set(places) == {0, 1, 2, 3, 4}
    page = json.dumps(get_survey("nuc").to_json())
    for hidden in ("controls_per_unit", "annotators_per_item", "known_candidate"):
        assert hidden not in page


def test_options_are_as_many_as_candidates(tmp_path, study):
    count = 7
    write_questions(tmp_path / "made.jsonl", questions("movies", 40, count))
    pack(study, unit_size=5, nuc_questions=tmp_path / "made.jsonl")
    values = [option.value for option in survey_of(study.load("nuc")).question("second").options]
    assert values == [f"candidate:{i}" for i in range(count)]
    write_controls(study.load("nuc"))
    assert {len(item.candidates) for item in read_controls(study.load("nuc"))} == {min(count, 5)}


# -- attention checks ------------------------------------------------------------------------------------------------
def test_checks_are_graded_by_the_first_choice_and_a_constant_answer_fails():
    items = make_checks(5, 3)
    assert len(items) >= 4 * get_survey("nuc").limits.controls_per_unit
    for item, check in zip(items, checks(), strict=True):
        right = item.candidates.index(check["reply"])
        for place in range(5):
            answers = {("first", "conversation:0"): f"candidate:{place}", ("second", "conversation:0"): "candidate:0"}
            assert missed_by(item.control, answers) == (place != right)
        assert missed_by(item.control, {})
    assert len({item.control for item in items}) >= 4
    assert make_checks(5, 3) == items
    assert make_checks(5, 4) != items


@pytest.mark.parametrize("language", FILES)
def test_checks_share_no_text_and_only_the_reply_takes_up_a_word(language):
    texts = [text for check in checks(language) for text in (*check["turns"], check["reply"], *check["others"])]
    assert len(set(map(bare_text, texts))) == len(texts)
    assert len(checks(language)) == len(checks())
    assert [len(check["others"]) for check in checks(language)] == [len(check["others"]) for check in checks()]

    def stems(text):
        words = re.findall(r"\w+", text.lower())
        return {word[:5] for word in words if len(word) > 4 or word in ("cat", "film", "riss")}

    for check in checks(language):
        said = set().union(*map(stems, check["turns"]))
        assert said & stems(check["reply"]), check["reply"]
        for other in check["others"]:
            assert not said & stems(other), other


@pytest.mark.parametrize(
    ("language", "turns"),
    [
        ("en", ["did you see it?", "no, I was at home and had to work until nine", "what a pity"]),
        ("en", ["movies word3x2 said", "ubuntu word7x1 said"]),
        ("de", ["hast du das gesehen?", "nein, ich war zu hause und musste bis neun arbeiten", "das ist aber schade"]),
        ("", ["昨日見ましたか", "いいえ、家にいました", "残念です"]),
        ("", ["tu as vu le film hier soir ?", "non, j'étais à la maison avec ma famille", "c'est dommage"]),
        ("", ["¿has visto la película de ayer?", "no, a mi hermana le encanta, pero a mí no", "qué pena"]),
        ("", ["hai visto il film di ieri sera?", "no, ero a casa con la mia famiglia", "che peccato"]),
        ("", ["widziałeś ten film?", "nie, byłem w domu i do późna miałem dużo pracy", "a to szkoda"]),
        ("", ["هل رأيت ذلك؟", "لا، كنت في البيت"]),
        ("en", []),
    ],
)
def test_checks_are_in_the_language_of_the_questions(tmp_path, language, turns):
    assert language_of(turns) == language
    if not turns:
        return
    pool = {"a": Contestant("a", model="spotbot:eliza"), "b": Contestant("b", model="spotbot:alice")}
    study = Study.create(tmp_path / "study", Plan("chitchat", pool))
    made = []
    for number in range(8):
        context = tuple(f"{turn} {number}" for turn in turns)
        replies = tuple(f"{turns[0]} {number} {place} r" for place in range(5))
        speakers = tuple(n % 2 for n in range(len(turns) + 1))
        made.append(NucQuestion(f"q{number}", "own", f"c{number}", context, speakers, replies, 0))
    write_questions(study.path / "nuc" / "questions.jsonl", made)
    pack_study(study, "nuc", unit_size=1, annotators_per_segment=1)
    data = study.load("nuc")
    write_controls(data)
    shown = {item.transcripts[0][0].text for item in read_controls(data)}
    expected = {check["turns"][0] for check in checks(language)} if language else set()
    assert shown == expected
    warned = data.recorded("controls")["warnings"]
    assert [text.split(":")[0] for text in warned] == ([] if language else ["no attention checks"])


def test_a_study_of_ones_own_conversations_begins_with_packing(tmp_path):
    rng = random.Random(1)
    said = ("ich war gestern mit dem hund im wald", "das ist schön, wie war es dort", "kalt, aber die sonne kam heraus")
    rows = [{"turns": [f"{rng.choice(said)} {n} {turn}" for turn in range(6)]} for n in range(120)]
    (tmp_path / "own.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (tmp_path / "pool.yaml").write_text("a: spotbot:eliza\nb: spotbot:alice\n", encoding="utf-8")
    folder = ("--study", tmp_path / "study", "--survey", "nuc")
    options = ("--versions", 2, "--unit-size", 8, "--annotators-per-item", 3)
    spotbot("pack", *folder, "--pool", tmp_path / "pool.yaml", "--domain", tmp_path / "own.jsonl", *options)
    study = Study.open(tmp_path / "study")
    assert len(study.units("nuc")) == 6
    assert {question.corpus for question in key_of(study.load("nuc")).values()} == {"own"}
    write_controls(study.load("nuc"))
    assert {item.transcripts[0][0].text for item in read_controls(study.load("nuc"))} == {
        check["turns"][0] for check in checks("de")
    }


# -- errors ----------------------------------------------------------------------------------------------------------
@cases(
    "options said",
    r"""
- [{unit_size: 40}, 'corpus ''movies'': the smallest of 4 versions has 1\d questions, but 20 are needed']
- [{annotators: 0}, '--annotators-per-item 0']
- [{unit_size: 0}, '--unit-size 0']
- [{nuc_questions: none.jsonl}, 'none\.jsonl: no such file of questions']
- [{groups: none.yaml}, 'none\.yaml: no such file']
""",
)
def test_what_cannot_be_is_a_clear_error(study, options, said):
    with pytest.raises(UserError, match=said) as caught:
        pack(study, **options)
    assert caught.value.remedy
    assert not study.units_path("nuc").exists()


def test_questions_that_people_cannot_be_shown_are_named(tmp_path, study):
    write_questions(tmp_path / "many.jsonl", questions("movies", 40, 11))
    with pytest.raises(UserError, match=r"many\.jsonl: question q\w+ has 11 candidates"):
        pack(study, nuc_questions=tmp_path / "many.jsonl")
    files.write_text(tmp_path / "empty.jsonl", "")
    with pytest.raises(UserError, match=r"empty\.jsonl: holds no question"):
        pack(study, nuc_questions=tmp_path / "empty.jsonl")


@case_table(__file__, "bad_groups")
def test_a_wrong_file_of_groups_is_named_with_its_field(tmp_path, row, error):
    path = tmp_path / "groups.yaml"
    path.write_text(yaml.safe_dump(row), encoding="utf-8")
    with pytest.raises(UserError, match=error) as caught:
        read_groups(path, ["movies", "ubuntu"])
    assert str(path) in caught.value.problem
    assert caught.value.remedy
