"""Packing whole conversations on disk: repeated, grown, asked for more, with other options, from the command line."""

import shutil

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.scripts.spotbot_pack import SpotbotPack
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.case_tables import case_table, cases
from tests.surveys.packed import contents, judge


@pytest.fixture
def chats(make_conversation, pool):
    """Pairs, self-chats, conversations with people, and people's."""

    def make(bots=3, each=6, people=12, humans=0):
        found = pool(bots=bots, per_pair=2, people=people)
        for bot in (f"bot{n}" for n in range(bots)):
            found += [make_conversation(f"{bot}-self-{n}", (bot, bot), f"self {bot} {n}", 4) for n in range(each)]
            found += [make_conversation(f"{bot}-h-{n}", (HUMAN, bot), f"h {bot} {n}", 4) for n in range(humans)]
        return found

    return make


def cells(summary):
    """Return the comparisons of each two contestants on each question."""
    rows = summary["tables"]["comparisons"].items()
    return {(pair, question): count for pair, own in rows for question, count in own.items()}


@pytest.mark.parametrize("survey", ["acute_eval", "turn_likert"])
def test_the_same_again_changes_nothing(study_of, chats, survey):
    study = study_of(chats())
    first = pack_study(study, survey)
    assert first["units"] == first["added_units"] > 0
    before = contents(study)
    assert pack_study(Study.open(study.path), survey) == {**first, "added_units": 0}
    assert contents(study) == before
    assert survey in Study.open(study.path).plan.surveys
    units = study.units_path(survey).read_bytes()
    checksums.remove(study.units_path(survey))
    pack_study(study_of(chats()[::-1]), survey)
    assert study.units_path(survey).read_bytes() == units
    left = {row["reason"]: row["count"] for row in first["left_out"]}
    assert left == {
        "between two bots, not asked about (--source)": 6,
        "more than units have room for, or kept for controls": 3,
    }


def test_acute_eval_asks_engagingness_of_every_two_contestants(study_of, chats):
    summary = pack_study(study_of(chats(humans=5)), "acute_eval")
    names = ["bot0", "bot1", "bot2", HUMAN]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    sources = ("self", "human_model")
    assert cells(summary) == {(f"{a} and {b} ({s})", "engagingness"): 5 for s in sources for a, b in pairs}
    assert summary["smallest_unit"] >= 1
    assert summary["largest_unit"] == 5


def test_comparative_asks_everything_and_a_quarter_twice(study_of, chats):
    study = study_of(chats(each=12))
    summary = pack_study(study, "comparative")
    assert set(cells(summary).values()) == {12}
    assert summary["largest_unit"] == 1
    assert 0.1 < summary["units"] / summary["blocks"] - 1 < 0.4
    assert {item.questions for unit in study.units("comparative") for item in unit.items} == {()}
    pack_study(study, "comparative", ask=("quality", "relevance"))
    asked = {item.questions for unit in study.units("comparative") for item in unit.items}
    assert asked == {("quality", "relevance")}


def test_a_study_that_grew_or_is_asked_for_more_keeps_what_is_there(study_of, chats):
    study = study_of(chats(bots=2, each=3))
    pack_study(study, "acute_eval", comparisons=3)
    judge(study, "acute_eval", {("engagingness", "pair"): "conversation:0"})
    before = study.units_path("acute_eval").read_bytes()
    study = study_of(chats())
    summary = pack_study(study, "acute_eval")
    grown = study.units_path("acute_eval").read_bytes()
    assert grown.startswith(before)
    assert set(cells(summary).values()) == {3}
    assert len(cells(summary)) == 6

    summary = pack_study(study, "acute_eval", comparisons=5, ask=("humanness", "engagingness"))
    more = study.units_path("acute_eval").read_bytes()
    assert more.startswith(grown)
    assert len(more) > len(grown)
    assert set(cells(summary).values()) == {5}
    assert len(cells(summary)) == 12

    shutil.rmtree(study.survey_path("acute_eval"))  # who takes the survey out begins again
    assert {question for _, question in cells(pack_study(study, "acute_eval"))} == {"engagingness"}


@cases(
    "how named",
    """
- [{comparisons: 2}, 'comparisons 3 there, 2 here']
- [{people: false}, people True there]
- [{ask: [humanness]}, questions]
""",
)
def test_other_options_on_judged_units_are_refused(study_of, chats, how, named):
    study = study_of(chats())
    pack_study(study, "acute_eval", comparisons=3)
    judge(study, "acute_eval", {("engagingness", "pair"): "conversation:0"})
    before = contents(study)
    with pytest.raises(UserError, match=named):
        pack_study(study, "acute_eval", **how)
    assert contents(study) == before
    checksums.remove(study.judgements_path("acute_eval"))
    pack_study(study, "acute_eval", **how)  # nothing answered any more: packed again


@case_table(__file__, "refused")
def test_the_command_refuses_in_one_line(study_of, chats, capsys, words, error):
    study = study_of(chats())
    with pytest.raises(SystemExit) as end:
        SpotbotPack.main("--study", str(study.path), "--survey", "acute_eval", *words)
    assert end.value.code == 2
    assert error in capsys.readouterr().err
    assert not study.survey_path("acute_eval").exists()


def test_each_bot_is_compared_with_itself_where_that_is_asked_for(study_of, chats):
    """A/A tests (Li et al. 2019, "Question Optimization"): one model as both speakers, two of its conversations."""
    study = study_of(chats(people=0))
    pack_study(study, "acute_eval", comparisons=4)
    before = study.units_path("acute_eval").read_bytes()
    recorded = study.provenance()["pack"]["acute_eval"]["options"]
    assert "same" not in recorded  # as in studies of earlier versions
    judge(study, "acute_eval", {("engagingness", "pair"): "conversation:0"})
    grown = pack_study(study, "acute_eval", comparisons=4, same=True)
    assert study.units_path("acute_eval").read_bytes().startswith(before)
    bots = ["bot0", "bot1", "bot2"]
    expected = {(f"{a} and {b} (self)", "engagingness"): 4 for i, a in enumerate(bots) for b in bots[i:]}
    assert cells(grown) == expected
    entities = {c.conversation_id: c.entities for c in study.conversations()}
    met = [item for unit in study.units("acute_eval") for item in unit.items]
    alike = [i for i in met if entities[i.conversation_ids[0]][0] == entities[i.conversation_ids[1]][0]]
    assert len(alike) == 12
    assert all(len(set(item.conversation_ids)) == 2 for item in alike)
    assert len({frozenset(item.conversation_ids) for item in alike}) == 12
    again = pack_study(study, "acute_eval", comparisons=4)  # once chosen it stays
    assert again["added_units"] == 0


def test_one_bot_alone_can_be_compared_with_itself_and_ratings_compare_nothing(study_of, chats):
    study = study_of([c for c in chats(people=0) if set(c.entities) == {"bot0"}])
    with pytest.raises(UserError, match="a comparison takes two"):
        pack_study(study, "comparative")
    assert cells(pack_study(study, "comparative", same=True, comparisons=3)) == {("bot0 and bot0 (self)", "all"): 3}
    with pytest.raises(UserError, match="--same: means nothing for survey dialogue_likert"):
        pack_study(study, "dialogue_likert", same=True)
