"""A plan is carried out: more conversations of single pairs, by what is typed or by a plan's table."""

from collections import Counter

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import indexed
from parlai_spotbot.selfplay.more import more_asked
from parlai_spotbot.selfplay.plan import SelfPlayRequest, decide
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.case_tables import case_table
from tests.selfplay.test_how_it_is_played import asked, run


@pytest.fixture
def path(tmp_path):
    run(tmp_path / "s", asked(conversations_per_pair=2))
    return tmp_path / "s"


def of_pairs(path):
    return Counter(row.pair for row in Study.open(path).conversations() if row.kind == "pairs")


def test_a_pair_gets_more_and_the_rest_stays(path):
    before = indexed(Study.open(path).conversations())
    pack_study(Study.open(path))
    packed = {item.item_id for unit in Study.open(path).units("spot_the_bot") for item in unit.items}
    assert run(path, SelfPlayRequest(more={"b/a": 3})).complete
    assert of_pairs(path) == {("a", "b"): 5, ("a", "c"): 2, ("b", "c"): 2}
    after = indexed(Study.open(path).conversations())
    assert {name: after[name] for name in before} == before
    assert Study.open(path).extended_by() == ["3 conversations of a/b added"]
    study = Study.open(path)
    pack_study(study)
    shown = Counter(
        name for unit in study.units("spot_the_bot") for item in unit.items for name in set(item.conversation_ids)
    )
    assert packed <= {item.item_id for unit in study.units("spot_the_bot") for item in unit.items}
    assert {name for name in after if name.startswith("a:b:")} <= set(shown)


def test_the_same_command_goes_on_until_it_is_done(path):
    more = SelfPlayRequest(more={"a/b": 1, "b/c": 2})
    Study.open(path).extend(more={"a/b": 1, "b/c": 2})  # and then it was stopped
    assert decide(path, more).extension == {}
    assert run(path, more).complete
    assert of_pairs(path) == {("a", "b"): 3, ("a", "c"): 2, ("b", "c"): 4}
    assert decide(path, more).extension == {"more": {"a/b": 1, "b/c": 2}}  # said again, it is more again
    run(path, more)
    assert of_pairs(path) == {("a", "b"): 4, ("a", "c"): 2, ("b", "c"): 6}


def test_what_is_typed_says_which():
    assert more_asked("a/b=2, b/c=1,a/b=1") == {"a/b": 3, "b/c": 1}
    assert more_asked(None) is None
    for text in ("a/b", "a/b=0", "a=3", "a/b=-1"):
        with pytest.raises(UserError, match="isn't A/B=N"):
            more_asked(text)


@case_table(__file__, "edited_plans")
def test_a_plan_that_was_edited_after_play_is_refused_and_nothing_is_lost(path, old, new, says):
    plan, kept = path / "study.yaml", (path / "conversations.jsonl").read_bytes()
    text = plan.read_text()
    assert old in text
    checksums.write_text(plan, text.replace(old, new))
    with pytest.raises(UserError, match=says):
        run(path, SelfPlayRequest())
    assert (path / "conversations.jsonl").read_bytes() == kept
    checksums.write_text(plan, text)
    assert run(path, SelfPlayRequest()).complete


def test_who_is_left_out_plays_no_more_and_keeps_what_it_said(path):
    Study.open(path).extend(left_out=["c"])
    assert run(path, SelfPlayRequest(conversations_per_pair=3)).complete
    assert of_pairs(path) == {("a", "b"): 3, ("a", "c"): 2, ("b", "c"): 2}
    Study.open(path).extend(left_out=[])
    assert run(path, SelfPlayRequest()).complete
    assert of_pairs(path) == {("a", "b"): 3, ("a", "c"): 3, ("b", "c"): 3}
