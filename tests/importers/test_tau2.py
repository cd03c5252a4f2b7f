"""Logs of users: whose the user's side is, what the agent says first, tasks, ids; tau2's files and others' traces."""

import json

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.tau2 import UserReader
from parlai_spotbot.records import HUMAN, PERSON
from tests.findings.made_up_users import simulations, written


def read(data, **more):
    return UserReader(ImportRequest(data=str(data), **more)).study("tau2")


def test_tau2s_files(tmp_path):
    simulated = written(tmp_path / "a.json", "a", 3, trials=2, llm="gpt-4.1")
    people = written(tmp_path / "b.json", "b", 3)
    made = read(f"{simulated},human={people}")
    assert made.survey == "spot_the_user"
    assert made.plan.users == ["user:gpt-4.1"]
    assert made.plan.surveys == ("spot_the_user",)
    assert {c.entities for c in made.conversations} == {("user:gpt-4.1", "gpt-agent"), (HUMAN, "gpt-agent")}
    assert {c.seed_id for c in made.conversations} == {"retail:0", "retail:1", "retail:2"}
    assert not any("###" in turn.text or "Hi! How can I" in turn.text for c in made.conversations for turn in c.turns)
    counted = {row["what"]: row["count"] for row in made.about["oddities"]}
    assert counted["conversations that the agent opens"] == 9
    assert len(read(f"one={simulated},two={simulated}").conversations) == 12  # their ids are alike
    assert read(f"one={simulated}").plan.users == ["one"]
    assert read(simulated, names="user=mine").plan.users == ["mine"]
    assert read(people).plan.users == []
    assert any("users are read as people" in note for note in read(people).about["notes"])
    assert read(f"human={people}").about["notes"] == read(f"a={simulated}").about["notes"]  # who they are is said


def test_tasks_are_those_of_a_file_that_says_no_domain(tmp_path):
    simulated = written(tmp_path / "a.json", "a", 3)
    lines = [json.dumps(row) for row in simulations("b", 3)["simulations"]]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    made = read(f"sim={simulated},human={tmp_path / 'b.jsonl'}")
    assert {talk.seed_id for talk in made.conversations} == {"0", "1", "2"}


def test_a_file_as_tau2_writes_it(tmp_path):
    """Calls of tools by both sides, their results, turns without a text, and other marks of an end say nothing."""
    plain = simulations("a", 4, llm="openai/gpt-4.1")
    full = json.loads(json.dumps(plain))
    call = [{"id": "c1", "name": "get_order", "arguments": {"id": "#1"}, "requestor": "assistant"}]
    for number, row in enumerate(full["simulations"]):
        said = [{**message, "tool_calls": None, "turn_idx": 0, "cost": 0.1} for message in row["messages"]]
        said[-1]["content"] = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")[number % 3]
        result = {"role": "tool", "id": "c1", "content": "{}", "requestor": "assistant", "error": False}
        of_user = {"role": "user", "content": None, "tool_calls": call}
        said[2:2] = [{**said[0], "content": None, "tool_calls": call}, result, {**said[0], "content": ""}]
        said[1:1] = [of_user, result]
        row["messages"] = said
    for name, contents in {"plain": plain, "full": full}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(contents))
    first, other = (read(f"sim={tmp_path / name}.json").conversations for name in ("plain", "full"))
    assert [talk.turns for talk in other] == [talk.turns for talk in first]


CHAT = [("assistant", "Hello!"), ("user", "I want a refund"), ("assistant", "Which order?"), ("user", "4711")]
MESSAGES = [{"role": role, "content": text} for role, text in CHAT]
PROMPT = {f"gen_ai.prompt.{place}.{key}": row[key] for place, row in enumerate(MESSAGES) for key in row}
COMPLETION = {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Sent back."}
PARTS = [{"role": "assistant", "parts": [{"type": "text", "content": "Which order?"}], "finish_reason": "stop"}]
OTLP = [{"key": key, "value": {"stringValue": value}} for key, value in (PROMPT | COMPLETION).items()]


@pytest.mark.parametrize(
    "row",
    [
        {"task_id": 4, "reward": 1.0, "traj": MESSAGES, "trial": 0},
        {"model": "agent", "messages": MESSAGES},
        {"model": "agent", "input": MESSAGES[:3], "output": []},
        {"sessionId": "s", "input": MESSAGES[:2], "output": {"role": "assistant", "content": "Which order?"}},
        {"call_id": "c", "transcript_object": [{**message, "words": []} for message in MESSAGES]},
        {"attributes": PROMPT | COMPLETION},
        {"attributes": {name.replace("gen_ai.prompt.", "llm.input_messages."): PROMPT[name] for name in PROMPT}},
        {
            "attributes": {
                "gen_ai.input.messages": json.dumps(MESSAGES[:2]),
                "gen_ai.output.messages": json.dumps(PARTS),
            }
        },
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "1", "attributes": OTLP}]}, {"scope": {}}]}]},
        {
            "id": "1",
            "turns.0.role": "user",
            "turns.0.text": CHAT[1][1],
            "turns.1.role": "agent",
            "turns.1.text": CHAT[2][1],
        },
    ],
)
def test_traces(row, tmp_path):
    path = tmp_path / "logs.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    made = read(f"sim={path}")
    assert [c.entities for c in made.conversations] == [("sim", "agent")]
    assert [turn.text for turn in made.conversations[0].turns][:2] == ["I want a refund", "Which order?"]
    assert made.conversations[0].seed_id == str(row.get("task_id", ""))


def test_which_person_it_was_is_kept_as_a_checksum(tmp_path):
    people = written(tmp_path / "b.json", "b", 4, each=2)
    made = read(f"sim={written(tmp_path / 'a.json', 'a', 2, each=1)},human={people}")
    persons = [talk.provenance.get(PERSON) for talk in made.conversations if HUMAN in talk.entities]
    assert (len(persons), len(set(persons)), None in persons) == (4, 2, False)
    assert "b 0" not in persons
    assert not any(talk.provenance for talk in made.conversations if "sim" in talk.entities)
    read(f"human={people}", columns="person=-")


def test_a_user_may_not_be_called_as_the_agent(tmp_path):
    path = written(tmp_path / "a.json", "a", 2, llm="u")
    with pytest.raises(UserError, match=r"agent of .* is called gpt-agent, too"):
        read(f"gpt-agent={path}")


@pytest.mark.parametrize("field", ["user_simulator", "user_model", "simulator", "metadata.user_model"])
def test_a_row_may_name_the_simulator(field, tmp_path):
    path = tmp_path / "logs.jsonl"
    inner, _, last = field.rpartition(".")
    named = {last: "gpt-5"}
    if inner:
        named = {inner: named}
    rows = [{"id": 1, "conversation": MESSAGES, **named}, {"id": 2, "conversation": MESSAGES}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = read(path)
    assert {talk.conversation_id: talk.entities[0] for talk in made.conversations} == {"1": "user:gpt-5", "2": HUMAN}
    counted = {row["what"]: row["count"] for row in made.about["oddities"]}
    assert counted["conversations whose user nobody names"] == 1


@pytest.mark.parametrize("odd", [None, 1, "x", [], [1], {}, [{"a": None}]])
@pytest.mark.parametrize("field", ["resourceSpans", "scopeSpans", "spans", "attributes", "value"])
def test_an_odd_span_is_counted_or_refused(field, odd, tmp_path):
    span = {"attributes": [{"key": "gen_ai.prompt.0.role", "value": odd}, *OTLP] if field == "value" else OTLP}
    if field == "attributes":
        span = {"attributes": odd}
    row = {"resourceSpans": [{"scopeSpans": odd if field == "scopeSpans" else [{"spans": [span]}]}]}
    if field == "spans":
        row = {"resourceSpans": [{"scopeSpans": [{"spans": odd}]}]}
    if field == "resourceSpans":
        row = {"resourceSpans": odd}
    sound = {"model": "agent", "messages": MESSAGES}
    path = tmp_path / "logs.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (row, sound, sound | {"id": 2})))
    assert len(read(f"sim={path}").conversations) in (2, 3)
