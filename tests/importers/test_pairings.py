"""ParlAI's pairings.jsonl: read into a study, written from one, and back again."""

import json

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.pairings import pairings, write_pairings
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.controls import missed_by, read_controls, write_controls
from parlai_spotbot.surveys.packing.pack_study import pack_study


def dialogue(speakers, name=None, exchanges=2, text="says") -> dict:
    turns = [{"id": speakers[i % 2], "text": f"{speakers[i % 2]} {text} {i}"} for i in range(2 * exchanges)]
    return {"speakers": list(speakers), "dialogue": turns, **({"id": name} if name else {})}


def row(first=("a", "human_evaluator"), second=("human_evaluator", "b"), judged=("a", "b"), ids=(0, 1), **more) -> dict:
    known = {"is_onboarding": False, "speakers_to_eval": list(judged), "dialogue_ids": list(ids)}
    return {**known, "dialogue_dicts": [dialogue(first, "one"), dialogue(second, "two")], **more}


KNOWN = row(
    ids=(8, 9),
    judged=("good", "bad"),
    is_onboarding=True,
    correct_answer="bad",
    dialogue_dicts=[dialogue(("good", "p")), dialogue(("bad", "p"))],
)


@pytest.fixture
def write(tmp_path):
    def lines(*rows):
        path = tmp_path / "pairings.jsonl"
        path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
        return path

    return lines


def test_a_pair_becomes_an_item_and_an_onboarding_pair_a_control(write):
    made = pairings(write(KNOWN, row(tags=["x", "humanness"])), "d")
    assert [(c.conversation_id, c.entities, c.kind) for c in made.conversations] == [
        ("one", ("a", HUMAN), "human_model"),
        ("two", (HUMAN, "b"), "human_model"),
    ]
    (unit,) = made.units
    (item,) = unit.items
    assert (item.conversation_ids, item.judged, item.questions) == (("one", "two"), (0, 1), ("humanness", "reason"))
    assert [u.text for u in item.transcripts[1]][:2] == ["human_evaluator says 0", "b says 1"]
    (control,) = made.controls
    assert (control.control, control.judged, control.questions) == (
        "known_choice:1",
        (0, 0),
        ("engagingness", "reason"),
    )
    assert missed_by(control.control, {("engagingness", "pair"): "conversation:0"})
    assert set(made.plan.contestants) == {"a", "b"}
    assert made.plan.surveys == ("acute_eval",)


def test_the_second_seat_of_a_self_chat_is_the_same_bot(write):
    made = pairings(write(row(("a", "other_speaker"), ("other_speaker", "b"))), "d")
    assert [c.entities for c in made.conversations] == [("a", "a"), ("b", "b")]
    renamed = pairings(write(row(("a", "other_speaker"), ("x", "b"))), "d", names={"a": "alpha", "x": "human"})
    assert [c.entities for c in renamed.conversations] == [("alpha", "alpha"), (HUMAN, "b")]


def test_without_ids_conversations_are_told_by_what_was_said(write):
    lines = [
        {**row(), "dialogue_dicts": [dialogue(("a", "h"), text=one), dialogue(("b", "h"), text=two)]}
        for one, two in (("x", "y"), ("x", "z"))
    ]
    for line in lines:
        del line["dialogue_ids"]
    made = pairings(write(*lines), "d", names={"h": "human"})
    assert len(made.conversations) == 3
    assert sum(len(unit.items) for unit in made.units) == 2
    assert len(made.units) == 2  # both show a's conversation


BAD = [
    ([row(), "{"], {}, "line 2: not valid JSON"),
    ([row(dialogue_dicts=[dialogue(("a", "h"))])], {}, "line 1: field 'dialogue_dicts' is not a list of two"),
    ([row(speakers_to_eval=["a", 3])], {}, "line 1: field 'speakers_to_eval' is not a list of two"),
    ([{"is_onboarding": False}], {}, "field 'speakers_to_eval' is missing"),
    ([row(judged=("a", "bb"))], {}, "dialogue 1: nobody is called 'bb'"),
    ([row(judged=("a", "bb"))], {}, "Did you mean 'b'"),
    ([row(("a", "a"))], {}, "dialogue 0: 4 turns, expected two speakers"),
    ([row(), row()], {}, "line 2: shows the same two conversations as"),
    ([row(dialogue_dicts=[dialogue(("a", "b"), "one")] * 2)], {}, "holds one conversation twice"),
    (
        [row(), row(dialogue_dicts=[dialogue(("a", "h"), "one", 3), dialogue(("b", "h"), "three")])],
        {"names": {"h": "human"}},
        "line 2: field 'dialogue_dicts', dialogue 0: id 'one' stands for another",
    ),
    ([KNOWN], {}, "holds no pair to be compared"),
    ([{**KNOWN, "correct_answer": "best"}], {}, "field 'correct_answer' is 'best'"),
    ([row(is_onboarding="no")], {}, "field 'is_onboarding' is 'no'"),
    ([row()], {"names": {"human": "x"}}, "--names human: nobody bears that name"),
    ([row()], {"question": "humaness"}, "Did you mean 'humanness'"),
    (
        [row(dialogue_dicts=[dialogue(("the a", "h")), dialogue(("b", "h"))], speakers_to_eval=["the a", "b"])],
        {},
        "'the a' can't be a contestant's name",
    ),
    (
        [row(dialogue_dicts=[{"dialogue": [{"id": s, "text": "t"} for s in "abb"]}, dialogue("ab")])],
        {},
        "turn 2: is by 'b', expected 'a'",
    ),
    ([row(question="wit")], {}, "field 'question' is 'wit', expected dict"),
    ([row(question={"name": "wit", "wording": "Who?"})], {}, "field 'question'.option: None, expected a text"),
    ([row(question={"name": "w t"})], {}, "can't be a question's name"),
    ([row(dialogue_dicts=[{"dialogue": ["hi"]}, dialogue("ab")])], {}, "holds 'hi'"),
]


@pytest.mark.parametrize(("rows", "how", "says"), BAD, ids=[says for *_, says in BAD])
def test_bad_files_are_one_error(write, rows, how, says):
    with pytest.raises(UserError) as error:
        pairings(write(*rows), "d", **how)
    assert says in str(error.value)


def test_the_command_makes_a_study_that_is_not_packed_anew(write, run, tmp_path, fingerprint):
    words = ["--format", "pairings", "--data", write(KNOWN, row()), "--study", tmp_path / "study"]
    code, out, _ = run(*words)
    assert code == 0
    assert "2 conversations of a, b; 1 pair in 1 unit, 1 control" in out
    assert "next: parlai spotbot_crowdsource" in out
    study = Study.open(tmp_path / "study")
    assert len(read_controls(study, "acute_eval")) == 1
    write_controls(study, "acute_eval")
    before = fingerprint(study.path)
    assert "nothing changed" in run(*words)[1]
    with pytest.raises(UserError, match="read by spotbot_import"):
        pack_study(study, "acute_eval")
    assert fingerprint(study.path) == before


# -- there and back ----------------------------------------------------------------------------------------------------
def talk(name, entities, exchanges=3):
    turns = [Turn(e, f"opening of {name}") for e in entities]
    turns += [Turn(entities[i % 2], f"{entities[i % 2]} says {i} in {name}") for i in range(2 * exchanges)]
    pair = (min(entities), max(entities))
    return Conversation(name, "chitchat", pair, 0, entities, tuple(turns), 1, f"seed of {name}")


@pytest.fixture
def packed(tmp_path):
    from parlai_spotbot import files

    study = Study.create(
        tmp_path / "made",
        Plan.from_json(
            {"domain": "chitchat", "contestants": {n: {"model": "spotbot:eliza"} for n in ("a", "b")}}, "test"
        ),
    )
    rows = [talk(f"{bot}{n}", (bot, bot)) for bot in "ab" for n in range(5)]
    rows += [talk(f"{bot}h{n}", (bot, HUMAN)[:: 1 if n % 2 else -1]) for bot in "ab" for n in range(5)]
    rows += [talk(f"h{n}", (HUMAN, HUMAN)) for n in range(8)]
    files.write_jsonl(study.conversations_path, (c.to_json() for c in rows))
    own = tmp_path / "own.yaml"
    own.write_text('questions: {wit: {wording: "Who is wittier?", option: "{name} is wittier", control: false}}')
    pack_study(study, "acute_eval", ask=("humanness", "wit"), questions=own)
    write_controls(study, "acute_eval")
    return study


def said(units):
    """The pairs as annotators see them."""
    return {
        (tuple(tuple(u.text for u in turns) for turns in i.transcripts), i.judged, i.questions, i.conversation_ids)
        for unit in units
        for i in unit.items
    }


def test_what_is_written_comes_back(packed, tmp_path):
    path = tmp_path / "pairings.jsonl"
    controls = read_controls(packed, "acute_eval")
    assert controls
    items = {item.item_id for unit in packed.units("acute_eval") for item in unit.items}
    assert write_pairings(packed, "acute_eval", path) == len(items) + len(controls)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for line in rows:  # what ParlAI relies on
        for judged, d in zip(line["speakers_to_eval"], line["dialogue_dicts"], strict=True):
            assert judged in d["speakers"]
            assert len(set(d["speakers"])) == 2
            assert [act["id"] for act in d["dialogue"]] == [d["speakers"][i % 2] for i in range(len(d["dialogue"]))]
        assert ("correct_answer" in line) == line["is_onboarding"]
    assert "opening of" not in path.read_text()

    made = pairings(path, "chitchat")
    assert said(made.units) == said(packed.units("acute_eval"))
    kinds = {c.conversation_id: (c.kind, c.entities) for c in packed.conversations()}
    assert {c.conversation_id: (c.kind, c.entities) for c in made.conversations}.items() <= kinds.items()
    known = {(c.control, c.judged, c.transcripts) for c in controls}
    assert {(c.control, c.judged, c.transcripts) for c in made.controls} == known
    assert write_study(tmp_path / "back", made)
    assert survey_of(Study.open(tmp_path / "back"), "acute_eval") == survey_of(packed, "acute_eval")
    again = tmp_path / "again.jsonl"
    write_pairings(Study.open(tmp_path / "back"), "acute_eval", again)
    assert sorted(again.read_text().splitlines()) == sorted(path.read_text().splitlines())


def test_one_pair_may_be_asked_several_questions_in_units_of_different_people(write):
    made = pairings(write(row(tags=["humanness"]), row(tags=["knowledge"])), "d")
    items = [item for unit in made.units for item in unit.items]
    assert [item.questions[0] for item in items] == ["humanness", "knowledge"]
    assert items[0].conversation_ids == items[1].conversation_ids
    assert len(made.units) == 2
