"""Conversations of people with bots, shown among the others (appendix G): how people fare in them, and bots."""

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.findings.scripted import rows_of, small_study, talk

SURVEY = "spot_the_bot"
WORKERS = [f"w{n}" for n in range(8)]


def script(question, target, options, item, talks, rng):
    """People are taken for bots in .45 of conversations with bots, and in .1 of those with people."""
    if question != "nature":
        return rng.choice(options)
    conversation = talks[item.conversation_ids[0]]
    name = conversation.entities[int(target[-1])]
    spotted = {HUMAN: 0.45 if conversation.kind == "human_model" else 0.1, "ann": 0.2, "bob": 0.6, "cat": 0.9}[name]
    return "bot" if rng.random() < spotted else rng.choice(["human", "human", "unsure"])


@pytest.fixture
def few(only):
    """What is asked for here is worked out, and nothing else."""
    only("with_people", "ranking")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A study, before packing, with 12 conversations of each of two bots with people among the others."""
    study = small_study(tmp_path_factory.mktemp("mixed") / "study", SURVEY, per_pair=3, people=8)
    talks = study.conversations() + [talk((HUMAN, bot), n) for bot in ("ann", "bob") for n in range(40, 52)]
    checksums.write_jsonl(study.conversations_path, talks)
    return study


def judged(study, **pack):
    pack_study(study, SURVEY, **pack)
    checksums.write_jsonl(study.judgements_path(SURVEY), rows_of(study, SURVEY, script, WORKERS))
    found = analyze(study, bootstraps=30, backend="native")
    checksums.remove(study.judgements_path(SURVEY))
    return found


@pytest.mark.usefixtures("few")
def test_the_shares_are_those_of_the_answers_and_no_other_figure_moves(mixed):
    found = judged(mixed, sources=("pairs", "human_model"))
    own = found["with_people"]["by_source"][HUMAN]
    assert own.one("whole")["conversations"] == 24
    talks = indexed(mixed.conversations())
    counts, last = {}, {}
    for row in rows_of(mixed, SURVEY, script, WORKERS):
        last[row.worker_id, row.item_id, row.question, row.target] = row
    for row in last.values():
        if row.question == "nature":
            conversation = talks[row.conversation_ids[0]]
            key = conversation.entities[int(row.target[-1])], conversation.kind == "human_model"
            counts.setdefault(key, []).append(row.answer)
    for label in own.rows("with_people"):
        for here, where in ((True, "with"), (False, "elsewhere")):
            answers = counts[label["name"], here]
            assert label[f"n_{where}"] == len(answers)
            for nature in ("human", "bot"):
                column = f"{nature}_{where}"
                share = answers.count(nature) / len(answers)
                assert label[column] == pytest.approx(share)
                assert label[f"{column}_low"] < share < label[f"{column}_high"]
    assert own["with_people"]["name"].tolist() == ["ann", "bob", HUMAN]
    p_adjusted = own["with_people"].set_index("name")["p_adjusted"]
    assert p_adjusted[HUMAN] < 0.05  # .45 against .1
    assert p_adjusted["bob"] > 0.05  # nothing differs
    ranked = found["ranking"]["by_source"][HUMAN]
    assert ranked.one("whole")["n"] == 9 * 3 * 8  # conversations of bots, lengths, annotators
    assert ranked.one("people")["labels"] == len(counts[HUMAN, False])


@pytest.mark.usefixtures("few")
def test_conversations_of_people_with_bots_alone_can_be_asked_about(mixed):
    with pytest.raises(UserError, match="no conversation between people fits"):
        pack_study(mixed, SURVEY, sources=("human_model",), humans_per_unit=0)
    found = judged(mixed, sources=("human_model",))
    own = found["with_people"]["by_source"][HUMAN]
    elsewhere = own["with_people"].set_index("name")["n_elsewhere"]
    assert elsewhere["ann"] == 0
    assert elsewhere[HUMAN] > 0
    assert main_ranking(found["ranking"]["by_source"][HUMAN]).order == []


@pytest.mark.usefixtures("few")
def test_where_there_are_none_there_is_no_such_finding(mixed):
    assert "with_people" not in judged(mixed, sources=("pairs",))
