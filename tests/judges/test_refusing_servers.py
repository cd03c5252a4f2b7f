"""Servers that refuse what most take (GPT-5, o-series, Gemma, streaming alone): one mechanism for judges and bots."""

import json
import re

import openai._base_client as openai_client
import pytest
import yaml

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import language_model
from parlai_spotbot.judges.language_model.options import read_options
from parlai_spotbot.judges.run import judge_study
from tests.agents.chat_servers import ChatServer, Refused, answers_to, chat_agents, replies
from tests.case_tables import cases
from tests.judges.small_study import SURVEY, spot_study

REFUSALS = yaml.safe_load("""
max_tokens, as GPT-5:
- "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
- '"max_tokens"'
- 400
max_tokens, as a strict one:
- "[{'type': 'extra_forbidden', 'loc': ('body', 'max_tokens'), 'msg': 'Extra inputs are not permitted'}]"
- '"max_tokens"'
- 422
temperature, as o3:
- "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) is supported."
- '"temperature": (?!1[,}])'
- 400
seed: ["Unrecognized request argument supplied: seed", '"seed"', 400]
system, as Gemma: [System role not supported, '"role": "system"', 400]
system, as llama.cpp:
- "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/..."
- '"role": "system"'
- 500
system, as o1-mini:
- "Unsupported value: 'messages[0].role' does not support 'system' with this model."
- '"role": "system"'
- 400
no stream: ["This model only supports streaming: set stream=true.", '"stream": false', 400]
a schema: [response_format json_schema is not supported, json_schema, 400]
any format: [Bad request, '"response_format"', 400]
""")
"""What a server says, the pattern of the requests that it refuses, and its status."""

ALL = ["max_tokens, as GPT-5", "temperature, as o3", "seed", "system, as o1-mini", "no stream", "any format"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(openai_client, "INITIAL_RETRY_DELAY", 0.01)


def refusing(names, say):
    def checked(body):
        for message, refuses, status in map(REFUSALS.get, names):
            if re.search(refuses, json.dumps(body)):
                raise Refused(status, message)
        return say(body)

    return checked


@pytest.mark.parametrize("names", [[name] for name in REFUSALS] + [ALL], ids=[*REFUSALS, "all"])
def test_what_a_server_refuses_is_asked_otherwise_and_said_once(tmp_path, names, capsys):
    study = spot_study(tmp_path / "study")
    with ChatServer(refusing(names, answers_to)) as server:
        options = read_options({"url": server.url, "model": "parrot-1", "retries": 0, "temperature": 0.3}, "test")
        summary = judge_study(study.load(SURVEY), language_model.JUDGE(0, "hosted", options), progress=False)
        refused = len(server.bodies) - 8
    assert summary["missing"]["n"] == 0
    assert len(names) <= refused <= len(names) + 1  # of a format: JSON without a schema, then none
    asked = summary["model"]["asked"]
    raw = (study.survey_path(SURVEY) / "judges" / "hosted" / "raw.jsonl").read_text().splitlines()
    form = server.bodies[-1].get("response_format", {"type": "text"})["type"]
    assert f'"answer_format":"{form}"' in raw[-1].replace(": ", ":")
    assert len(asked) == refused
    said = capsys.readouterr().out
    assert all(said.count(f"is now asked {change}") == 1 for change in asked)
    assert summary["usage"]["answers_without_count"] == 0
    sent = server.bodies[-1]
    assert ("system" in [row["role"] for row in sent["messages"]]) != any(name.startswith("system") for name in names)
    assert "You are an annotator" in sent["messages"][0]["content"]
    if any("max_tokens" in name for name in names):
        assert sent["max_completion_tokens"] == 148


@pytest.mark.parametrize(
    "names", [[name] for name in REFUSALS if "format" not in name and "schema" not in name] + [ALL]
)
def test_a_contestant_is_asked_otherwise_too(names):
    with chat_agents() as new, ChatServer(refusing(names, lambda body: "well, hello there you")) as server:
        agent = new(server.url, temperature=0.3, openai_retries=0, openai_system="Be Sam.")
        acts = replies(agent, *"abc")
        provenance = agent.provenance()
    assert [act["text"] for act in acts] == ["well, hello there you"] * 3
    assert len(server.bodies) == 1 + 3 + len(provenance["asked"])
    assert provenance["usage"]["replies"] == 4
    assert "Be Sam." in server.bodies[-1]["messages"][0]["content"]


@cases(
    "message given",
    """
- ['''temperature'' must be at most 2', {temperature: 3}]
- [Unknown field 'topk', {openai_extra: {topk: 3}}]
- ['max_tokens is too large: 90000. It is at most 4096.', {max_new_tokens: 900, openai_context: 9000}]
""",
)
def test_what_the_user_should_correct_is_an_error(message, given):
    def say(body):
        raise Refused(400, message)

    with chat_agents() as new, ChatServer(say) as server, pytest.raises(UserError, match=r"HTTP 400.*Correct"):
        new(server.url, **given)


def test_the_words_of_the_file_of_case_63(tmp_path):
    """A user's own 'max_completion_tokens' stays."""
    study = spot_study(tmp_path / "study")
    given = {"url": "", "model": "parrot-1", "extra": {"max_completion_tokens": 500, "temperature": None}}
    with ChatServer(refusing(ALL[:1], answers_to)) as server:
        options = read_options({**given, "url": server.url}, "test")
        summary = judge_study(study.load(SURVEY), language_model.JUDGE(0, "hosted", options), progress=False)
    assert (summary["missing"]["n"], server.bodies[-1]["max_completion_tokens"]) == (0, 500)
