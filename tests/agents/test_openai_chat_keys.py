"""Where the key of `openai_chat` may be: in the environment and in the header of a request, and nowhere else."""

import json
import pickle
import traceback

import pytest

from parlai_spotbot.agents.openai_chat.agents import OpenaiChatAgent
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.chat.keys import OPENAI, Key, read_key
from tests.agents.chat_servers import KEY, ChatServer, chat_agents, replies, seen


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setenv("PARROT_KEY", KEY)
    with chat_agents() as new:
        yield new


@pytest.mark.parametrize(
    ("header", "sent"), [("Authorization", f"Bearer {KEY}"), ("api-key", KEY)], ids=["bearer", "azure"]
)
def test_the_key_goes_into_its_header_alone(make, header, sent):
    with ChatServer() as server:
        replies(make(server.url, openai_key_variable="PARROT_KEY", openai_key_header=header), "hi")
    for headers in server.headers:
        assert headers.pop(header) == sent
        assert not seen(headers)
    assert not seen(json.dumps(server.bodies) + str(server.paths))


def test_no_server_gets_a_key_that_was_not_named_for_it(make, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ChatServer() as server:
        replies(make(server.url), "hi")
    assert not seen(server.headers)
    assert read_key("", OPENAI, "x")
    assert not read_key("", "example.org", "x")


def test_a_key_neither_prints_nor_pickles():
    key = Key(KEY, "PARROT_KEY")
    assert not seen(f"{key!r} {key}")
    with pytest.raises(TypeError):
        pickle.dumps(key)


# -- where it must not be --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "options",
    [
        {"openai_key_variable": "sk-proj-4bCdEfGh1jKlMnOpQrSt"},
        {"openai_key_variable": KEY},
        {"openai_key_variable": "gsk_4bCdEfGh1jKlMnOpQrStUv"},
        {"openai_key_variable": "a8F3kLmN0pQrS7tUvWxYz2Bc"},
        {"openai_url": "http://me:T0psecretT0psecret@127.0.0.1:9/v1"},
        {"openai_url": "http://127.0.0.1:9/v1?api-key=T0psecretT0psecret"},
        {"openai_extra": '{"user": "sk-proj-4bCdEfGh1jKlMnOpQrSt"}'},
        {"openai_extra": {"user": "Bearer 4bCdEfGh1jKlMnOpQrSt"}},
        {"openai_system": f"Your key is {KEY}"},
        {"openai_model": KEY},
        {"openai_api_key": "whatever it is"},
        {"api_key": "whatever it is"},
    ],
)
def test_a_key_in_a_pool_entry_is_an_error_that_does_not_repeat_it(make, options):
    given = {"openai_url": "http://127.0.0.1:9/v1", "openai_model": "parrot-1", **options}
    for check in (OpenaiChatAgent.check_options, lambda opt: make(opt.pop("openai_url"), **opt)):
        with pytest.raises(UserError, match=r"key|password") as caught:
            check(dict(given))
        told = "".join(traceback.format_exception(caught.value))
        assert not any(part in told for part in ("4bCdEf", "T0ps", "a8F3", "whatever"))
        assert "environment" in caught.value.remedy
