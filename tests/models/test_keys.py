"""Keys are refused however deep they stand, and never shown."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.chat.keys import refuse_keys
from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import shown
from parlai_spotbot.selfplay.pool import PoolEntry
from parlai_spotbot.selfplay.pool_summary import as_json, pool_text
from tests.case_tables import case_table

KEY = "sk-proj-abcdefgh1234567890abcdefgh"


@case_table(__file__, "refused")
def test_a_key_is_refused_however_deep_it_stands(options, name):
    with pytest.raises(UserError) as told:
        refuse_keys(options, "pool.yaml: mine")
    assert told.value.problem == f"pool.yaml: mine: option '{name}' holds a key."
    assert KEY not in str(told.value)


@pytest.mark.parametrize(
    "options",
    [{"extra": {"prompt_cache_key": "x", "max_tokens": 5, "stop": ["\n"]}}, {"pad_token": "</s>"}, {"secret": ""}],
)
def test_other_options_are_not(options):
    refuse_keys(options, "pool.yaml: mine")


def test_a_pool_is_shown_without_its_keys():
    opt = {
        "openai_key": KEY,
        "temperature": 0.7,
        "extra": {"headers": {"Authorization": "Basic dXNlcjpwYXNz"}, "n": [KEY]},
    }
    assert shown(opt) == {
        "openai_key": "(not shown)",
        "temperature": 0.7,
        "extra": {"headers": {"Authorization": "(not shown)"}, "n": ["[key]"]},
    }
    entries = [PoolEntry("mine", Contestant.from_json("mine", {"model": "spotbot:openai_chat", "opt": opt}, "pool"))]
    for text in (pool_text(entries), str(as_json(entries, []))):
        assert KEY not in text
        assert "sk-proj" not in text
        assert "dXNlcjpwYXNz" not in text
