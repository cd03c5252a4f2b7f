"""Judges outside compare the two conversations that one person led (ABC-Eval): packed, and held against that person."""

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.case_tables import cases
from tests.spoken import bots_of, spoken

BOTS = ("ada", "bert", "carl")


def chat(person, bot):
    texts = (f"{person} and {bot}, turn {i}" for i in range(8))
    return spoken(f"{person}-{bot}", (HUMAN, bot), texts, domain="invented", seed_exchanges=0)


def compared(person, pair, better):
    """What a person said of the two conversations that they led."""
    ids = tuple(f"{person}-{bot}" for bot in pair)
    name = f"{person}/quality"
    answer = f"conversation:{better}"
    return Judgement(
        name, name, "interactive", f"u-{person}", "i", ids, 4, "pair", "quality_choice", answer, person, HUMAN
    )


def add(study, people):
    pairs = {person: (BOTS[n % 3], BOTS[(n + 1) % 3]) for n, person in enumerate(people)}
    talks = [chat(person, bot) for person, pair in pairs.items() for bot in pair]
    rows = [compared(person, pair, n % 2) for n, (person, pair) in enumerate(pairs.items())]
    before = study.conversations() if study.conversations_path.exists() else []
    checksums.write_jsonl(study.conversations_path, [*before, *talks])
    path = study.judgements_path("interactive")
    known = study.judgements("interactive") if path.exists() else []
    checksums.write_jsonl(path, [*known, *rows])


@pytest.fixture
def study(tmp_path):
    made = Study.create(tmp_path / "study", Plan("invented", bots_of(BOTS, "{}")))
    add(made, [f"p{n}" for n in range(9)])
    return made


def shown(study, survey):
    return [item for unit in study.units(survey) if not unit.replicate for item in unit.items]


def test_each_persons_two_conversations_stand_beside_each_other_once(study):
    summary = pack_study(study, "comparative", pairs="interactors")
    met = {frozenset(item.conversation_ids) for item in shown(study, "comparative")}
    asked = {frozenset(row.conversation_ids) for row in study.judgements("interactive")}
    assert met == asked
    assert len(met) == 9
    assert all(item.judged == (1, 1) for item in shown(study, "comparative"))  # the bot speaks second in all
    firsts = [
        item.conversation_ids in {r.conversation_ids for r in study.judgements("interactive")}
        for item in shown(study, "comparative")
    ]
    assert 0 < sum(firsts) < 9  # which comes first is drawn
    rows = summary["tables"]["comparisons"]
    assert rows == {f"{pair} (human_model)": {"all": 3} for pair in ("ada and bert", "ada and carl", "bert and carl")}
    before = study.units_path("comparative").read_bytes()
    assert pack_study(study, "comparative")["added_units"] == 0
    add(study, ["q0", "q1"])
    pack_study(study, "comparative")
    assert len(shown(study, "comparative")) == 11
    assert study.units_path("comparative").read_bytes().startswith(before)


@cases(
    "wanted said",
    """
- [{pairs: interactor}, '--pairs interactor: unknown']
- [{pairs: interactors, comparisons: 3}, '--comparisons: with --pairs interactors every']
- [{pairs: interactors, people: false}, '--without-people: with --pairs interactors every']
""",
)
def test_what_means_nothing_is_refused(study, wanted, said):
    with pytest.raises(UserError, match=said):
        pack_study(study, "comparative", **wanted)
    assert not study.units_path("comparative").exists()


def answered(bot, number, asked, said, told=""):
    more = {"seed_exchanges": 0, "context": ("", told)}
    return spoken(f"{bot}-{number}", (HUMAN, bot), (asked, said), number, "d", **more)


def test_answers_to_the_same_stand_beside_each_other_once(tmp_path):
    made = Study.create(tmp_path / "same", Plan("invented", bots_of(BOTS, "{}")))
    talks = [answered(bot, n, f"question {n}", f"{bot} says {n}") for bot in BOTS for n in range(4)]
    talks += [answered(BOTS[0], 9, "only one is asked", "yes"), answered(BOTS[1], 8, "question 0", "told", "be rude")]
    checksums.write_jsonl(made.conversations_path, talks)
    pack_study(made, "acute_eval", pairs="contexts", ask=("engagingness",))
    met = [item.conversation_ids for item in shown(made, "acute_eval")]
    assert len(met) == 4 * len(BOTS) * (len(BOTS) - 1) // 2
    assert len({frozenset(ids) for ids in met}) == len(met)
    assert all(first[-1] == second[-1] and first != second for first, second in met)
    assert all(item.judged == (1, 1) for item in shown(made, "acute_eval"))
    before = made.units_path("acute_eval").read_bytes()
    assert pack_study(made, "acute_eval")["added_units"] == 0
    assert made.units_path("acute_eval").read_bytes() == before
    checksums.write_jsonl(made.conversations_path, talks[-2:])
    with pytest.raises(UserError, match="no two bots' conversations with people that begin with the same"):
        pack_study(made, "comparative", pairs="contexts")
