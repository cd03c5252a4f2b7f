"""What contestants behind servers will take is said before they are asked, and holds; --max-cost refuses more."""

import json
import re

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.forecast import check_cost, forecasts
from parlai_spotbot.selfplay.schedule import ConversationJob, Seed
from tests.agents.chat_servers import ChatServer
from tests.in_process import spotbot

OPTIONS = {"openai_url": "https://api.example.org/v1", "openai_model": "m", "openai_system": ""}
PRICES = {"openai_price_prompt": 1.0, "openai_price_completion": 2.0}


def served(name, **options):
    return Contestant(name, model="spotbot:openai_chat", opt={**OPTIONS, **options})


def job(*entities, seed=("Hi!", "Hello."), context=("", "")):
    return ConversationJob("c", entities, 0, entities, Seed("s", seed, context), 0)


def test_requests_and_tokens_of_one_conversation_by_hand():
    bots = {"a": served("a", **PRICES, max_new_tokens=100), "b": Contestant("b", model="spotbot:eliza")}
    [row] = forecasts(bots, [[job("a", "b")]], 3)
    seed = (1 + 8) + (2 + 8)  # a token for three bytes, eight for a message
    trial = 8 + 2 * 40
    assert row["requests"] == 3 + 1
    assert row["prompt_tokens"] == trial + sum(8 + seed + turns * (40 + 8) for turns in (0, 2, 4))
    assert row["completion_tokens"] == 4 * 40
    assert row["cost"] == pytest.approx((row["prompt_tokens"] + 2 * row["completion_tokens"]) / 1e6)
    assert row["cost_at_most"] > row["cost"]


def test_self_chats_count_both_sides_and_a_long_conversation_no_more_than_the_context():
    bots = {"a": served("a", openai_context=300, max_new_tokens=100)}
    [one] = forecasts(bots, [[job("a", "a")]], 2)
    assert one["requests"] == 2 * 2 + 1
    assert one["cost"] is None
    [long] = forecasts(bots, [[job("a", "a")]], 200)
    assert long["prompt_tokens"] <= 400 * 200 + 100


def test_nothing_is_said_of_others_and_of_what_is_played():
    bots = {"a": served("a"), "b": Contestant("b", model="spotbot:eliza")}
    assert forecasts(bots, [], 3) == []
    assert forecasts(bots, [[job("b", "b")]], 3) == []


@pytest.mark.parametrize(
    ("bots", "limit", "says"),
    [
        ({"a": served("a", **PRICES)}, 1e-6, r"--max-cost 1e-06: a may cost 0.00\d+ USD; nothing was played"),
        ({"a": served("a")}, 1.0, "no prices of a. Add openai_price_prompt"),
        ({"a": served("a", **PRICES)}, 0.0, "expected more than 0"),
        ({"b": served("b", **PRICES), "a": served("a")}, 1.0, "no prices of a. Add openai_price_prompt"),
    ],
)
def test_a_limit_of_cost_that_does_not_hold_is_an_error(bots, limit, says):
    rows = forecasts(bots, [[job(*(list(bots) * 2)[:2])]], 3)
    with pytest.raises(UserError, match=says):
        check_cost(rows, limit)


def test_a_limit_that_holds_and_a_server_of_ones_own_are_none():
    check_cost(forecasts({"a": served("a", **PRICES)}, [[job("a", "b")]], 3), 1.0)
    check_cost(forecasts({"a": served("a", openai_url="http://127.0.0.1:1/v1")}, [[job("a", "b")]], 3), 1.0)
    check_cost([], 1.0)


def test_the_forecast_is_what_is_asked(tmp_path):
    with ChatServer(lambda body: f"{len(body['messages'])}: well, I see what you mean.") as server:
        pool = tmp_path / "pool.yaml"
        opt = {"openai_url": server.url, "openai_model": "parrot-1", **PRICES}
        pool.write_text(json.dumps({"parrot": {"model": "spotbot:openai_chat", "opt": opt}, "eliza": "spotbot:eliza"}))
        words = ["selfchat", "--pool", pool, "--study", tmp_path / "s", "--conversations-per-pair", 3]
        words += ["--exchanges", 3, "--segments", "2,3"]
        _, refused = spotbot(*words, "--max-cost", "0.0001", code=2)
        assert "nothing was played" in refused
        assert server.bodies == []
        out, _ = spotbot(*words, "--max-cost", 1)
        asked = len(server.bodies)
        said = re.search(r"parrot asks its server for about (\d+) requests, with ([\d,]+) tokens", out)
        assert int(said[1]) == asked == 3 * 3 + 1
        again, _ = spotbot(*words)
        assert "asks its server" not in again
    usage = json.loads((tmp_path / "s" / "provenance.json").read_text())["selfplay"]["contestants"]["parrot"]["usage"]
    assert usage["cost"] < 1
