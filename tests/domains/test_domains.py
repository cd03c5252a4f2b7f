"""Domains: names, folds and contexts, read through ParlAI's own teachers from files in its own formats."""

import pytest

from parlai_spotbot.domains import DOMAINS, FOLDS, Domain, Episode, get_domain
from parlai_spotbot.domains.parlai_tasks import each_once
from parlai_spotbot.errors import UserError
from parlai_spotbot.tasks.chitchat import data
from tests.case_tables import cases

PAPERS = ("dailydialog", "empathetic_dialogues", "convai2")


@cases(
    "asked name segments contexts",
    """
- [chitchat, chitchat, [2, 3, 5], false]
- [DD, dailydialog, [2, 3, 5], false]
- [empathetic, empathetic_dialogues, [1, 2, 3], true]
- [personachat, convai2, [2, 3, 5], true]
""",
)
def test_names_and_aliases(asked, name, segments, contexts):
    domain = get_domain(asked)
    assert (domain.name, domain.segments, domain.contexts) == (name, tuple(segments), contexts)


def test_unknown_domain_suggests_the_nearest():
    with pytest.raises(UserError, match="Did you mean 'dailydialog'"):
        get_domain("dailydialg")
    with pytest.raises(UserError, match="unknown domain ''"):
        get_domain("")


def test_chitchat_is_the_task_with_people():
    domain = get_domain("chitchat")
    for fold in FOLDS:
        chats = data.conversations(fold)
        assert domain.episodes(fold) == [Episode(c.conversation_id, c.turns, people=c.people) for c in chats]
    counts = domain.counts()
    assert {fold: counts[fold]["people"] for fold in FOLDS} == {
        fold: len({person for chat in data.conversations(fold) for person in chat.people}) for fold in FOLDS
    }


@pytest.mark.parametrize("name", PAPERS)
def test_folds_of_the_papers_domains_share_no_conversation_and_lose_none(name, datapath):
    folds = {fold: get_domain(name).episodes(fold, datapath) for fold in FOLDS}
    everything = [episode.turns for episodes in folds.values() for episode in episodes]
    assert len(set(everything)) == len(everything)
    assert len(folds["bots"]) == 6
    assert all("train" in episode.turns[0] for episode in folds["bots"])
    held_out = folds["judges"] + folds["humans"] + ([] if name != "convai2" else folds["seeds"])
    assert len(held_out) == 12
    assert all("valid" in episode.turns[0] for episode in held_out)
    assert folds["judges"]
    assert folds["humans"]
    assert folds["seeds"]
    if name != "convai2":
        assert len(folds["seeds"]) == 5
        assert all("test" in episode.turns[0] for episode in folds["seeds"])


@pytest.mark.parametrize("name", PAPERS)
def test_turns_are_whole_and_in_order(name, datapath, made_up):
    for episode in get_domain(name).episodes("bots", datapath):
        conversation = episode.turns[0].split()[0]
        number = int(conversation.removeprefix("train"))
        whole = made_up(conversation, 6 if name == "convai2" else 4 + number % 3)
        # ParlAI's empathetic_dialogues gives pairs only, so a last turn without an answer is missing
        expected = whole[: len(whole) // 2 * 2] if name == "empathetic_dialogues" else whole
        assert list(episode.turns) == expected


def test_a_conversation_of_two_splits_stands_in_the_bots_fold_only(tmp_path):
    import json

    from parlai.core import build_data

    folder = tmp_path / "dailydialog"
    folder.mkdir()
    row = {"topic": "t", "dialogue": [{"emotion": "e", "act": "a", "text": text} for text in ("a", "b", "c")]}
    for split in ("train", "valid", "test"):
        (folder / f"{split}.json").write_text(json.dumps(row) + "\n")
    build_data.mark_done(str(folder), version_string="None")
    domain = get_domain("dailydialog")
    assert [len(domain.episodes(fold, tmp_path)) for fold in FOLDS] == [1, 0, 0, 0]


def test_unreadable_data_say_what_to_do(tmp_path):
    from parlai.core import build_data

    (tmp_path / "dailydialog").mkdir()
    build_data.mark_done(str(tmp_path / "dailydialog"), version_string="None")  # marked as there, but it is not
    with pytest.raises(UserError, match=r"the train split of ParlAI's task 'dailydialog' can't be read") as error:
        get_domain("dailydialog").episodes("seeds", tmp_path)
    assert "parlai display_data -t dailydialog" in error.value.remedy


def test_another_task_of_parlai_is_a_domain(datapath):
    domain = get_domain("dailydialog:no_start")
    assert domain == Domain("dailydialog:no_start", "dailydialog:no_start", (2, 3, 5), description="A ParlAI task.")
    assert domain.name not in DOMAINS
    # this teacher gives both sides of each conversation, the second without its first turn, and pairs only
    whole = [episode.turns for episode in get_domain("dailydialog").episodes("seeds", datapath)]
    assert [e.turns for e in domain.episodes("seeds", datapath)] == [t[: len(t) // 2 * 2] for t in whole]


@pytest.mark.parametrize("words", ["abcd abc", "abcde abcd", "abcd bcd", "abcd bcde", "ab ab", "ab+ abcd+"])
def test_twins_are_kept_once_and_others_all(words):
    """A + marks those that are kept; without it, the first one alone is."""
    episodes = [(tuple(word.rstrip("+")), ("", "")) for word in words.split()]
    assert each_once(episodes) == (episodes if "+" in words else episodes[:1])
