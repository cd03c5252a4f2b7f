"""Openers, or people, of one's own: files stand in for folds of a domain, and all else is the domain's."""

import json
import shutil

import pytest
import yaml
from test_own_study import BOTS, run

from parlai_spotbot.domains import domain_of, get_domain, over
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study

ASKED = {"contestants": BOTS, "conversations_per_pair": 4, "human_conversations": 6}


def openers(path, count=5, more=()):
    rows = [{"turns": [f"What of {n}?", f"Much of {n}."]} for n in range(count)]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, *({"turns": list(turns)} for turns in more)]))
    return str(path)


def people(path, count=8, more=()):
    rows = [{"turns": [f"{side} {i} of {n}" for i in range(6) for side in ("ask", "say")]} for n in range(count)]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, *({"turns": list(turns)} for turns in more)]))
    return str(path)


def test_own_openers_with_the_people_that_are_there(tmp_path):
    base = get_domain("chitchat")
    first = base.episodes("humans")[0]
    path = openers(tmp_path / "mine.jsonl", more=[first.turns[:2]])
    said = []
    summary = run(tmp_path / "s", said, seeds=path, **ASKED)
    study = Study.open(tmp_path / "s")
    assert study.plan.domain == "chitchat+mine"
    assert study.plan.segments == base.segments
    rows = study.conversations()
    bots = [row for row in rows if row.kind == "pairs"]
    assert (len(bots), summary.people) == (4, 6)
    seeds = {(f"What of {n}?", f"Much of {n}.") for n in range(5)} | {first.turns[:2]}
    assert {tuple(turn.text for turn in row.turns[:2]) for row in bots} <= seeds
    theirs = {episode.turns: episode.episode_id for episode in base.episodes("humans")}
    humans = [row for row in rows if row.kind == "people"]
    assert {row.seed_id for row in humans} <= set(theirs.values()) - {first.episode_id}
    domain = domain_of(study.path, study.plan.domain)
    assert len(domain.episodes("humans")) == len(theirs) - 1
    for fold in ("bots", "judges"):
        assert domain.episodes(fold) == base.episodes(fold)
    assert "1 conversations between people are left out" in "\n".join(said)
    about = study.provenance()["selfplay"]["domain"]
    assert about["base"] == "chitchat"
    assert "Seeds: from files of one's own" in about["note"]


def test_own_people_alone(tmp_path):
    known = get_domain("chitchat").episodes("bots")[0].turns
    path = people(tmp_path / "talks.jsonl", more=[known])
    run(tmp_path / "s", humans=path, **ASKED)
    study = Study.open(tmp_path / "s")
    assert study.plan.domain == "chitchat+talks"
    rows = study.conversations()
    assert {row.turns[0].text[:5] for row in rows if row.entities == (HUMAN, HUMAN)} == {"ask 0"}
    domain, base = domain_of(study.path, study.plan.domain), get_domain("chitchat")
    assert domain.episodes("seeds") == base.episodes("seeds")
    assert len(domain.episodes("humans")) == 8  # not the one that bots may know


def test_both_and_a_description_that_says_the_same(tmp_path):
    seeds, humans = openers(tmp_path / "o.jsonl"), people(tmp_path / "p.jsonl")
    both = over("chitchat", seeds, humans)
    row = {"name": "mine", "base": "chitchat", "conversations": {"seeds": "o.jsonl", "humans": "p.jsonl"}}
    (tmp_path / "d.yaml").write_text(yaml.safe_dump(row))
    described = get_domain(str(tmp_path / "d.yaml"))
    for fold in ("bots", "judges", "humans", "seeds"):
        turns = [[episode.turns for episode in own.episodes(fold)] for own in (both, described)]
        assert turns[0] == turns[1]
    assert described.segments == get_domain("chitchat").segments


@pytest.mark.slow
def test_the_same_command_goes_on_and_another_file_is_refused(tmp_path):
    path = openers(tmp_path / "mine.jsonl")
    run(tmp_path / "s", seeds=path, **ASKED)
    before = (tmp_path / "s" / "conversations.jsonl").read_bytes()
    for asked in ({"seeds": path}, {"seeds": path, "domain": "chitchat"}, {"domain": "chitchat+mine"}, {}):
        assert run(tmp_path / "s", **asked).complete
    assert (tmp_path / "s" / "conversations.jsonl").read_bytes() == before
    others = (({"domain": "chitchat"}, "domain: the study has"), ({"humans": path}, "differs in: conversations"))
    for asked, says in others:
        with pytest.raises(UserError, match=says):
            run(tmp_path / "s", **asked)
    openers(tmp_path / "mine.jsonl", count=7)
    with pytest.raises(UserError, match="differs in: sha256"):
        run(tmp_path / "s", seeds=path)
    (tmp_path / "mine.jsonl").unlink()
    with pytest.raises(UserError, match="no such file") as error:
        run(tmp_path / "s", seeds=path)
    assert "Leave --domain, --seeds and --humans out" in error.value.remedy
    assert run(tmp_path / "s", conversations_per_pair=5).complete  # the study keeps a copy
    shutil.rmtree(tmp_path / "s" / "domain")
    with pytest.raises(UserError, match="none that is known, and there is no copy"):
        run(tmp_path / "s")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"seeds": "none.jsonl"}, "no such file of conversations"),
        ({"seeds": "openers.txt"}, r"expected a file of conversations \(.jsonl\)"),
        ({"seeds": "short.jsonl"}, "line 1: field 'turns': 1 turn"),
        ({"humans": "short.jsonl", "human_pool": "training"}, "--humans and --human-pool training"),
        ({"seeds": "good.jsonl", "domain": "good.jsonl"}, "is a domain of your own files"),
        ({"seeds": "good.jsonl", "conversations_per_pair": 6}, "has only 5 seeds"),
    ],
)
def test_what_is_wrong_is_named_and_leaves_nothing(tmp_path, monkeypatch, asked, says):
    monkeypatch.chdir(tmp_path)
    openers(tmp_path / "good.jsonl")
    (tmp_path / "short.jsonl").write_text('{"turns": ["only one"]}\n')
    with pytest.raises(UserError, match=says):
        run(tmp_path / "s", **{**ASKED, **asked})
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"conversations": "o.jsonl"}, "files are of the folds seeds or humans"),
        ({"conversations": {"train": "o.jsonl"}}, "files are of the folds seeds or humans"),
        ({"conversations": {"seeds": "o.jsonl"}, "folds": "hash"}, "'folds' and 'hidden_test' don't go with 'base'"),
        ({"conversations": {"seeds": "o.jsonl"}, "base": "chitchatt"}, "unknown domain 'chitchatt'"),
    ],
)
def test_a_wrong_description_over_a_base_is_named(tmp_path, row, says):
    openers(tmp_path / "o.jsonl")
    (tmp_path / "d.yaml").write_text(yaml.safe_dump({"name": "mine", "base": "chitchat", **row}))
    with pytest.raises(UserError, match=says):
        get_domain(str(tmp_path / "d.yaml"))


def test_the_papers_people_do_not_begin_like_a_seed_either(tmp_path):
    trained = get_domain("chitchat").episodes("bots")
    path = openers(tmp_path / "mine.jsonl", more=[episode.turns[:2] for episode in trained])
    run(tmp_path / "s", seeds=path, human_pool="training", **ASKED)
    assert not [row for row in Study.open(tmp_path / "s").conversations() if row.kind == "people"]
