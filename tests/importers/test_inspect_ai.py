"""Logs of Inspect: samples and epochs are conversations; what was put aside comes back; bad logs."""

import json
import sys

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.format import ImportRequest
from parlai_spotbot.importers.inspect_ai import _read

LONG = "a text that was put aside"


def read(data, **more):
    opt = dict.fromkeys(("domain", "names", "columns", "segments")) | {"seed_exchanges": 0}
    return _read(ImportRequest({**opt, "data": str(data), **more}))


def sample(name, epoch=1, **more):
    messages = [
        {"id": "m0", "role": "system", "content": "be kind"},
        {"id": "m1", "role": "user", "content": "attachment://abc", "source": "input"},
        {
            "id": "m2",
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": f"answer {epoch}"}],
            "source": "generate",
            "model": "m",
        },
    ]
    return {
        "id": name,
        "epoch": epoch,
        "input": "x",
        "target": "y",
        "messages": messages,
        "attachments": {"abc": LONG},
        "scores": {"match": {"value": "C"}},
        **more,
    }


def log(*samples, model="openai/gpt-4o"):
    return {"version": 2, "status": "success", "eval": {"eval_id": "e", "model": model}, "samples": list(samples)}


@pytest.fixture
def write(tmp_path):
    def save(value, name="log.json"):
        path = tmp_path / name
        path.write_text(json.dumps(value, indent=2))
        return path

    return save


def test_each_sample_and_epoch_is_a_conversation(write, tmp_path):
    path = write(log(sample("a"), sample("a", 2), sample(3, uuid="u")))
    made = read(path)
    assert {c.conversation_id: (c.entities, [t.text for t in c.turns], c.context) for c in made.conversations} == {
        "e-a-1": (("human", "openai-gpt-4o"), [LONG, "answer 1"], ("", "be kind")),
        "e-a-2": (("human", "openai-gpt-4o"), [LONG, "answer 2"], ("", "be kind")),
        "u": (("human", "openai-gpt-4o"), [LONG, "answer 1"], ("", "be kind")),
    }
    other = log(sample("a"), model="other") | {"eval": {"model": "other", "eval_id": "f"}}
    write(other, "second.json")
    both = read(tmp_path, names="openai/gpt-4o=mine")
    assert set(both.plan.contestants) == {"mine", "other"}
    assert {row["what"].split(" (")[0]: row["count"] for row in both.about["oddities"]} == {
        "messages of the system in front": 4,
        "parts of messages that are no text": 4,
    }


BAD = [
    ([], "field 'eval' is missing"),
    ({"eval": {}}, "field 'model' is missing"),
    ({"eval": {"model": "m"}}, "field 'samples' is missing"),
    (log(3), "field 'samples', entry 1: expected an object"),
    (log(sample("a", messages=None)), "entry 1: field 'messages' is None"),
    (log(sample("a", messages=[{"role": "x", "content": ""}])), "message 1: field 'role' is 'x'"),
    (log(sample("a"), sample("a")), "entry 2: field 'conversation_id' is 'e-a-1', as in"),
]


@pytest.mark.parametrize(("value", "says"), BAD, ids=[says for _, says in BAD])
def test_bad_logs_are_one_error(write, value, says):
    with pytest.raises(UserError) as error:
        read(write(value))
    assert says in str(error.value)


def test_a_log_that_is_cut_off_or_nested_deep_is_no_log(write):
    path = write(log(sample("a")))
    for text in (path.read_text()[:-9], '{"eval": ' + "[" * 100_000):
        path.write_text(text)
        with pytest.raises(UserError, match="not a valid JSON log"):
            read(path)


def test_without_inspect_it_is_said_how_eval_files_are_read(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    (tmp_path / "x.eval").write_bytes(b"PK")
    with pytest.raises(UserError, match="pip install inspect_ai"):
        read(tmp_path / "x.eval")


def test_eval_files_are_read_by_inspect(write, tmp_path):
    logs = pytest.importorskip("inspect_ai.log")
    about = {"created": "2024-05-01T10:00:00Z", "task": "t", "dataset": {}, "config": {}, "model": "m", "eval_id": "e"}
    made = logs.EvalLog.model_validate({"eval": about, "samples": [sample("a")]})
    logs.write_eval_log(made, str(tmp_path / "log.eval"))
    [talk] = read(tmp_path / "log.eval").conversations
    assert ([t.text for t in talk.turns], talk.entities) == ([LONG, "answer 1"], ("human", "m"))
    (tmp_path / "cut.eval").write_bytes((tmp_path / "log.eval").read_bytes()[:50])
    with pytest.raises(UserError, match="not a valid log"):
        read(tmp_path / "cut.eval")
