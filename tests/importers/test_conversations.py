"""ParlAI Conversations files: who speaks, and what is shown."""

import json

import pytest
import yaml

from parlai_spotbot.importers.conversations import ConversationReader
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study


def chat(first="model_1", second="model_2", exchanges=3, **more) -> dict:
    return {
        "dialog": [[{"id": first, "text": f"a{i}"}, {"id": second, "text": f"b{i}"}] for i in range(exchanges)],
        **more,
    }


def read(*paths, **options):
    return ConversationReader(ImportRequest(",".join(map(str, paths)), domain="chat", **options)).study("conversations")


@pytest.fixture
def write(tmp_path):
    def lines(*rows, name="chats.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return lines


def test_speakers_and_lengths(write):
    told = [{"id": "model_2", "text": "i like tea"}]
    path = write(chat(context=told), chat("model_2", "model_1"), chat("model_1", "p3", 5), chat("human", "human"))
    made = read(path, names="model_1=A,model_2=B", seed_exchanges=1)
    pairs = [[[*c.pair], c.number, [*c.entities], c.exchanges] for c in made.conversations]
    assert pairs == yaml.safe_load("""
        - [[A, B], 0, [A, B], 2]
        - [[A, B], 1, [B, A], 2]
        - [[A, p3], 0, [A, p3], 4]
        - [[human, human], 0, [human, human], 2]
    """)
    assert made.conversations[0].context == ("", "i like tea")
    assert [turn.text for turn in made.conversations[0].segment(1)] == ["a1", "b1"]
    plan = made.plan
    assert (plan.exchanges, plan.segments, plan.conversations_per_pair, plan.human_conversations) == (4, (2, 3), 2, 1)
    assert set(plan.all_pairs()) == {("A", "B"), ("A", "p3")}


def test_what_this_package_wrote_comes_back(write):
    made = read(write(chat(), chat(), chat("human", "human")), names="model_1=A,model_2=A")
    again = read(write(*(c.to_json() for c in made.conversations), name="own.jsonl"))
    assert again.conversations == made.conversations
    assert len({c.conversation_id for c in made.conversations}) == 3  # two of them say the same


def test_a_study_that_can_be_judged(write, run, tmp_path, fingerprint):
    words = ["--format", "conversations", "--data", write(chat(), chat(exchanges=6)), "--study", tmp_path / "study"]
    assert run(*words)[0] == 0
    study = Study.open(tmp_path / "study")
    assert study.plan.segments == (2, 3, 5)
    assert [c.exchanges for c in study.conversations()] == [3, 6]
    before = fingerprint(study.path)
    code, out, _ = run(*words)
    assert (code, "nothing changed" in out) == (0, True)
    assert fingerprint(study.path) == before


def test_bots_with_people_are_read_with_both_orders_of_speaking(write):
    rows = [chat("human", "m"), chat("m", "human"), chat("a", "m"), chat("human", "human"), chat("m", "m")]
    made = read(write(*rows))
    found = [[c.kind, [*c.pair], c.number, [*c.entities]] for c in made.conversations]
    assert found == yaml.safe_load("""
        - [pairs, [a, m], 0, [a, m]]
        - [self, [m, m], 0, [m, m]]
        - [human_model, [human, m], 0, [human, m]]
        - [human_model, [human, m], 1, [m, human]]
        - [people, [human, human], 0, [human, human]]
    """)
    assert made.plan.human_conversations == 1
    assert set(made.plan.all_pairs()) == {("a", "m"), ("m", "m")}
    alone = read(write(chat("human", "m"), chat("m", "human"))).plan
    assert (alone.all_pairs(), alone.conversations_per_pair) == ([("m", "m")], 2)
    assert read(write(chat("human", "m"), chat("n", "human"))).plan.all_pairs() == [("m", "n")]


def test_both_speakers_of_a_named_file_are_one_bot(write, run, tmp_path):
    """Self-chats as `parlai self_chat` writes them."""
    told = [{"id": "context", "text": f"your persona: i am {seat}."} for seat in (0, 1)]
    among = chat()
    among["dialog"].insert(0, told)
    one = write(chat(context=told), among, chat(), chat())
    two, people = write(*[chat()] * 4, name="b"), write(*[chat("a", "b")] * 8, name="c")
    words = ["--data", f"x={one},y={two},human={people}", "--study", tmp_path / "study"]
    code, _, err = run("--format", "conversations", *words)
    assert code == 0, err
    study = Study.open(tmp_path / "study")
    assert study.plan.surveys == ("acute_eval",)
    own = [c for c in study.conversations() if c.pair == ("x", "x")]
    assert [(c.kind, len(c.turns)) for c in own] == [("self", 6)] * 4
    assert {c.context for c in own[:2]} == {("your persona: i am 0.", "your persona: i am 1.")}
    summary = pack_study(study, "acute_eval")
    counts = {name.partition(" (")[0]: sum(row.values()) for name, row in summary["tables"]["comparisons"].items()}
    assert counts == dict.fromkeys(("human and x", "human and y", "x and y"), 4)
