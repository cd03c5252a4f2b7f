"""Langfuse's and LangSmith's exports: what is a conversation, messages in all their forms, bad files."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers import langfuse, langsmith
from parlai_spotbot.importers.format import ImportRequest
from parlai_spotbot.importers.traces import messages_of, traces

FORMS = {"langfuse": langfuse.FORM, "langsmith": langsmith.FORM}


def read(name, path, **more):
    opt = dict.fromkeys(("domain", "names", "columns", "segments")) | {"seed_exchanges": 0}
    return traces(ImportRequest({**opt, "data": str(path), **more}), FORMS[name])


def said(*texts):
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]


def turns(imported):
    return {c.conversation_id: (c.entities[1], [turn.text for turn in c.turns]) for c in imported.conversations}


@pytest.fixture
def write(tmp_path):
    def save(value, name="export.json"):
        path = tmp_path / name
        path.write_text(
            "".join(json.dumps(row) + "\n" for row in value) if name.endswith("l") else json.dumps(value, indent=1)
        )
        return path

    return save


def test_langfuse_sessions_are_conversations(write):
    rows = [
        {"id": "t2", "sessionId": "s", "timestamp": "2024-05-01T10:01:00Z", "input": "and you?", "output": "me too"},
        {"id": "t1", "sessionId": "s", "timestamp": "2024-05-01T10:00:00Z", "input": "hi", "output": {"text": "hello"}},
        {"id": "t3", "sessionId": None, "input": {"messages": said("a")}, "output": said("", "b")[1]},
        {"id": "t4", "sessionId": "h", "timestamp": "1", "input": said("x"), "output": "y"},
        {"id": "t5", "sessionId": "h", "timestamp": "2", "input": said("x", "y", "z"), "output": "w"},
        {"id": "t6", "input": {"rows": [1, 2]}, "output": {"ok": True}},
    ]
    made = read("langfuse", write(rows), names="export=mine")
    assert turns(made) == {
        "s": ("mine", ["hi", "hello", "and you?", "me too"]),
        "t3": ("mine", ["a", "b"]),
        "h": ("mine", ["x", "y", "z", "w"]),
    }
    assert made.about["oddities"][-1] | {"rule": ""} == {
        "what": "records without a chat in their input and output",
        "count": 1,
        "of": 6,
        "rule": "",
    }
    assert turns(read("langfuse", write(rows, "rows.jsonl"), names="rows=mine")) == turns(made)
    assert turns(read("langfuse", write({"data": rows, "meta": {}}), names="export=mine")) == turns(made)


def test_langfuse_a_trace_with_its_observations(write):
    generation = {"type": "GENERATION", "model": "m/1", "startTime": "2", "traceId": "t"}
    tree = [
        {"id": "o1", **generation, "input": said("rewrite"), "output": "r", "parentObservationId": "x"},
        {"id": "o2", **generation, "input": said("a", "b", "c"), "output": {"role": "assistant", "content": "d"}},
        {"id": "o3", "type": "SPAN", "traceId": "t", "input": {"query": "q"}, "output": [1]},
    ]
    nested = {"id": "t", "input": {"args": []}, "output": None, "observations": tree}
    for data, name in ((nested, "trace.json"), (tree, "rows.jsonl")):
        assert turns(read("langfuse", write(data, name))) == {"t": ("m-1", ["a", "b", "c", "d"])}
    asked = nested | {"input": "a", "output": json.dumps(said("a", "b")), "observations": tree[:1]}
    assert turns(read("langfuse", write({"id": "s", "traces": [asked]}))) == {"t": ("m-1", ["a", "b"])}


def human(text):
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "HumanMessage"],
        "kwargs": {"content": text},
    }


def run(name, thread, time, **more):
    return {
        "id": name,
        "trace_id": name,
        "run_type": "chain",
        "parent_run_id": None,
        "session_id": "the project",
        "start_time": time,
        "extra": {"metadata": {"thread_id": thread, "ls_model_name": "gpt-x"}},
        **more,
    }


def test_langsmith_threads_are_conversations(write):
    ai = {"type": "ai", "content": "hello", "tool_calls": []}
    state = {"messages": [{"type": "human", "content": "hi"}, ai]}
    llm = {"inputs": {"messages": [[human("inner")]]}, "outputs": {"generations": [[{"text": "i", "message": ai}]]}}
    rows = [
        run(
            "r2",
            "th",
            "2024-01-02",
            inputs={"messages": [{"type": "human", "content": "more"}]},
            outputs={"output": "ok"},
        ),
        run("r1", "th", "2024-01-01", inputs={"messages": [{"role": "user", "content": "hi"}]}, outputs=state),
        run("c", "th", "2024-01-01", **llm) | {"trace_id": "r1", "parent_run_id": "r1", "run_type": "llm"},
        run("l", "other", "1", **llm) | {"run_type": "llm"},
    ]
    expected = {"th": ("gpt-x", ["hi", "hello", "more", "ok"]), "other": ("gpt-x", ["inner", "hello"])}
    assert turns(read("langsmith", write(rows, "runs.jsonl"))) == expected
    assert turns(read("langsmith", write({"runs": rows}))) == expected
    nested = [rows[0], rows[1] | {"child_runs": [rows[2]]}, rows[3]]
    assert turns(read("langsmith", write(nested))) == expected


def test_langsmith_examples_and_columns(write):
    rows = [{"id": "e1", "inputs": {"question": "why?"}, "outputs": {"answer": "so"}, "created_at": "1"}]
    assert turns(read("langsmith", write(rows), names="export=m")) == {"e1": ("m", ["why?", "so"])}
    odd = [{"id": "e1", "inputs": {"a": {"b": "why?"}, "c": 1}, "outputs": {"d": "so"}, "run_name": "m2"}]
    columns = "input=inputs.a.b,output=outputs.d,model=run_name"
    assert turns(read("langsmith", write(odd), columns=columns)) == {"e1": ("m2", ["why?", "so"])}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("hi", [("user", "hi")]),
        ('{"messages": [{"role": "user", "content": "hi"}]}', [("user", "hi")]),
        ("{not json", [("user", "{not json")]),
        ([human("hi")], [("user", "hi")]),
        ([{"type": "human", "data": {"content": "hi"}}], [("user", "hi")]),
        ({"choices": [{"index": 0, "message": {"role": "assistant", "content": "yo"}}]}, [("assistant", "yo")]),
        ([{"type": "text", "text": "hi"}], [("user", [{"type": "text", "text": "hi"}])]),
        (
            [{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": "yo"}],
            [("tool", ""), ("assistant", "yo")],
        ),
        ({"question": "q", "answer": "a"}, None),
        ({"rows": 3}, None),
        ([1, 2], None),
        ("  ", None),
        (None, None),
    ],
)
def test_messages_in_all_their_forms(value, found):
    messages = messages_of(value, "user")
    assert (messages if messages is None else [(m["role"], m["content"]) for m in messages]) == found


BAD = [
    ([{"id": "t", "input": {"x": 1}, "output": 2}], {}, "entry 1: no chat in it: fields 'input' and 'output'"),
    (
        [{"input": "a", "output": "b", "timestamp": "noon"}],
        {},
        "entry 1: field 'timestamp' is 'noon', expected seconds",
    ),
    ({"traces": [1]}, {}, "field 'traces', entry 1: expected an object, found int"),
    ([], {}, "no chat in it"),
    ([{"id": "t", "input": said("a"), "output": [{"role": "assistant", "content": 7}]}], {}, "field 'content' is 7"),
    ([{"input": "a", "output": "b"}], {"columns": "inptu=x"}, "no field 'inptu'. Did you mean 'input'"),
    ([{"input": "a", "output": "b"}], {"names": "x=y"}, "--names x: nobody bears that name"),
]


@pytest.mark.parametrize(("rows", "options", "says"), BAD, ids=[says for *_, says in BAD])
def test_bad_files_are_one_error(write, rows, options, says):
    with pytest.raises(UserError) as error:
        read("langfuse", write(rows), **options)
    assert says in str(error.value)


@pytest.mark.parametrize(
    "times", [("9", 10), ("2024-05-01T12:00:00+02:00", "2024-05-01T11:00:00Z"), ("2024-05-01T10:00:00Z", 1714557601000)]
)
def test_turns_stand_in_the_order_of_their_times_however_these_are_written(write, times):
    rows = [
        {"id": name, "sessionId": "s", "timestamp": time, "input": name, "output": f"to {name}"}
        for name, time in zip("ab", times, strict=True)
    ]
    assert turns(read("langfuse", write(rows[::-1])))["s"][1] == ["a", "to a", "b", "to b"]
    untimed = read("langfuse", write(rows[::-1]), columns="time=-")
    assert turns(untimed)["s"][1] == ["b", "to b", "a", "to a"]


def test_a_file_that_is_cut_off_is_said(write):
    path = write([{"id": "t", "input": "a", "output": "b"}])
    path.write_text(path.read_text()[:-4])
    with pytest.raises(UserError, match=r"not valid JSON|ends within an entry"):
        read("langfuse", path)


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=4) | st.sampled_from(["user", "human", "GENERATION", "llm"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["messages", "role", "type", "content", "kwargs", "data", "message", "generations", "text", "id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
KEYS = ["id", "traceId", "trace_id", "sessionId", "input", "output", "inputs", "outputs", "type", "run_type", "model"]


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from([*KEYS, "observations", "extra", "child_runs", "data"]), VALUES, max_size=7),
        max_size=3,
    )
)
def test_whatever_a_file_holds_is_read_or_refused(name, rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "odd.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = refused(name, path)
    assert text is None or str(path) in text


def refused(name, path):
    """What is said of a file that isn't taken."""
    try:
        read(name, path)
    except UserError as error:
        return str(error)
    return None
