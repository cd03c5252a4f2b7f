"""ParlAI Conversations files: who speaks, what is shown, bad lines."""

import json

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.conversations import conversations
from parlai_spotbot.study import Study


def chat(first="model_1", second="model_2", exchanges=3, **more) -> dict:
    return {
        "dialog": [[{"id": first, "text": f"a{i}"}, {"id": second, "text": f"b{i}"}] for i in range(exchanges)],
        **more,
    }


@pytest.fixture
def write(tmp_path):
    def lines(*rows, name="chats.jsonl"):
        path = tmp_path / name
        path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    return lines


def test_speakers_and_lengths(write):
    told = [{"id": "model_2", "text": "i like tea"}]
    path = write(chat(context=told), chat("model_2", "model_1"), chat("model_1", "p3", 5), chat("human", "human"))
    made = conversations([path], "chat", names={"model_1": "A", "model_2": "B"}, seed_exchanges=1)
    pairs = [(c.pair, c.number, c.entities, c.exchanges) for c in made.conversations]
    assert pairs == [
        (("A", "B"), 0, ("A", "B"), 2),
        (("A", "B"), 1, ("B", "A"), 2),
        (("A", "p3"), 0, ("A", "p3"), 4),
        (("human", "human"), 0, ("human", "human"), 2),
    ]
    assert made.conversations[0].context == ("", "i like tea")
    assert [turn.text for turn in made.conversations[0].segment(1)] == ["a1", "b1"]
    plan = made.plan
    assert (plan.exchanges, plan.segments, plan.conversations_per_pair, plan.human_conversations) == (4, (2, 3), 2, 1)
    assert set(plan.all_pairs()) == {("A", "B"), ("A", "p3")}


def test_what_this_package_wrote_comes_back(write):
    made = conversations(
        [write(chat(), chat(), chat("human", "human"))], "chat", names={"model_1": "A", "model_2": "A"}
    )
    again = conversations([write(*(c.to_json() for c in made.conversations), name="own.jsonl")], "chat")
    assert again.conversations == made.conversations
    assert len({c.conversation_id for c in made.conversations}) == 3  # two of them say the same


def test_a_study_that_can_be_judged(write, run, tmp_path, fingerprint):
    words = ["--format", "conversations", "--data", write(chat(), chat(exchanges=6)), "--study", tmp_path / "study"]
    code, out, _ = run(*words)
    assert (code, "--names model_1=model,model_2=model" in out) == (0, True)
    study = Study.open(tmp_path / "study")
    assert study.plan.segments == (2, 3, 5)
    assert [c.exchanges for c in study.conversations()] == [3, 6]
    before = fingerprint(study.path)
    code, out, _ = run(*words)
    assert (code, "nothing changed" in out) == (0, True)
    assert fingerprint(study.path) == before


def test_bots_with_people_are_read_with_both_orders_of_speaking(write, run, tmp_path):
    rows = [chat("human", "m"), chat("m", "human"), chat("a", "m"), chat("human", "human"), chat("m", "m")]
    made = conversations([write(*rows)], "chat")
    found = [(c.kind, c.pair, c.number, c.entities) for c in made.conversations]
    assert found == [
        ("pairs", ("a", "m"), 0, ("a", "m")),
        ("self", ("m", "m"), 0, ("m", "m")),
        ("human_model", ("human", "m"), 0, ("human", "m")),
        ("human_model", ("human", "m"), 1, ("m", "human")),
        ("people", ("human", "human"), 0, ("human", "human")),
    ]
    assert made.plan.human_conversations == 1
    assert set(made.plan.all_pairs()) == {("a", "m"), ("m", "m")}
    alone = conversations([write(chat("human", "m"), chat("m", "human"))], "chat").plan
    assert (alone.all_pairs(), alone.conversations_per_pair) == ([("m", "m")], 2)
    two = conversations([write(chat("human", "m"), chat("n", "human"))], "chat").plan
    assert two.all_pairs() == [("m", "n")]


BAD = [
    ([chat(), "{"], {}, "line 2: not valid JSON"),
    ([{"text": "hi"}], {}, "line 1: field 'dialog' is missing"),
    (
        [chat("a", "b", 2, dialog=[[{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], [{"id": "b", "text": "z"}]])],
        {},
        "turn 2 is by 'b', expected 'a'",
    ),
    ([chat("the model", "b")], {}, "field 'id' is 'the model'"),
    ([chat("a", "b", 1)], {"seed_exchanges": 1}, "no exchange after 1 of the seed"),
    ([chat("human", "human")], {}, "All conversations are between people"),
    ([chat()], {"names": {"model1": "A"}}, "--names model1: nobody bears that id. Did you mean 'model_1'?"),
    ([chat(conversation_id="c"), chat(conversation_id="c")], {}, "field 'conversation_id' is 'c', as in"),
    ([chat()], {"segments": [7]}, "asks for 7 exchanges"),
    ([], {}, "is empty"),
]


@pytest.mark.parametrize(("rows", "options", "says"), BAD, ids=[says for *_, says in BAD])
def test_bad_files_are_one_error(write, rows, options, says):
    with pytest.raises(UserError) as error:
        conversations([write(*rows)], "chat", **options)
    assert says in str(error.value)


def test_bad_files_leave_nothing(write, run, tmp_path):
    code, _, err = run("--format", "conversations", "--data", write("[]"), "--study", tmp_path / "study")
    assert code == 2
    assert "line 1: expected a JSON object" in err
    assert not (tmp_path / "study").exists()
