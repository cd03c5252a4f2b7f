"""The rules of chats as a launch may set them, what it would cost, and where a chat stands from what was said alone."""

import pytest

from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatMessage, ChatRating, ChatRecord
from parlai_spotbot.crowdsourcing.chat.chat_state import ChatState
from parlai_spotbot.crowdsourcing.dry_run import estimate
from parlai_spotbot.crowdsourcing.settings import LaunchSettings, parse_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey, survey
from parlai_spotbot.surveys.packing.partners import partner_units
from tests.case_tables import cases

RULE = survey.ChatRules(messages=4, most_messages=6)


@cases(
    "row named",
    """
- [{mesages: 3}, unknown key 'mesages'.*'messages']
- [{messages: 0}, 'chat.messages: ']
- [{messages: 200}, more than 'most_messages']
- [{longest_delay: -1}, 'chat.longest_delay: ']
""",
)
def test_a_wrong_rule_is_named(row, named):
    with pytest.raises(UserError, match=named):
        parse_settings({"chat": row}, "settings.yaml")


def test_a_dry_run_reckons_with_what_the_papers_interactors_took():
    about = get_survey("interactive")
    found = estimate(LaunchSettings(pay=5.0), about, partner_units(about, ("a", "b", "c"), 6, 0))
    assert (found.units, found.annotators) == (18, 2)
    assert found.minutes_per_unit == pytest.approx(2 * 8.08)


# -- where a chat stands ---------------------------------------------------------------------------------------------
def state(turns, now=100.0, status="open", rated=False, reached=True, hidden=0.0):
    """`turns` said a second apart; the last one is shown `hidden` seconds later."""
    chat = ChatRecord("h" * 32, 0, "chat-1", "eliza", 7, status)
    said = tuple(ChatMessage("c", i, f"turn {i}", float(i), i + hidden * (i == turns - 1)) for i in range(turns))
    return ChatState(RULE, chat, said, ChatRating("c", {}, "", 0.0) if rated else None, reached, now)


@cases(
    "said step following may_rate",
    """
- [{turns: 0}, chatting, 0, false]
- [{turns: 1}, chatting, null, false]
- [{turns: 2, now: 5.0, hidden: 20.0}, chatting, null, false]
- [{turns: 4}, chatting, 4, true]
- [{turns: 5}, chatting, null, false]
- [{turns: 6}, rating, null, true]
- [{turns: 6, rated: true}, done, null, false]
- [{turns: 0, reached: false}, locked, null, false]
- [{turns: 3, status: failed}, failed, null, false]
- [{turns: 5, status: failed}, rating, null, true]
""",
)
def test_where_a_chat_stands(said, step, following, may_rate):
    now = state(**said)
    assert (now.step, now.next, now.may_rate) == (step, following, may_rate)
    told = now.to_json()
    assert (told["next"], told["may_rate"]) == (following, may_rate)
    assert (told["poll_seconds"] is None) == (told["partner"] != "typing")
