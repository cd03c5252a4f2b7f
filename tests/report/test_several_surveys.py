"""A study with several surveys, by the commands a user types: bots talk with each other and themselves, annotators who
know whom they like answer every survey, and one page sets the methods side by side."""

import random

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.records import HUMAN, Judgement, indexed
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from parlai_spotbot.scripts.spotbot_pack import SpotbotPack
from parlai_spotbot.scripts.spotbot_plan import SpotbotPlan
from parlai_spotbot.scripts.spotbot_report import SpotbotReport
from parlai_spotbot.scripts.spotbot_selfchat import SpotbotSelfchat
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.asking import asked_of_item

SURVEYS = ("spot_the_bot", "acute_eval", "comparative", "dialogue_likert", "turn_likert")
LIKED = {HUMAN: 1.5, "alice": 0.7, "eliza": -0.2, "parrot": -1.0}
"""How annotators like whom: the order that every method should find."""

POOL = """\
alice: {model: spotbot:alice}
eliza: {model: spotbot:eliza}
parrot: {model: repeat_query}
"""


def answer(study: Study, survey: str) -> None:
    """Every unit is answered by an annotator who goes by `LIKED`, and by chance; source judge:coin only by chance."""
    asked, rows = survey_of(study, survey), []
    talks = indexed(study.conversations())
    for source, faithful in ((HUMAN, True), ("judge:coin", False)):
        rng = random.Random(f"{survey} {source}")
        for number, unit in enumerate(study.units(survey)):
            for item in unit.items:
                if item.control:
                    continue
                given: dict = {}
                while todo := [pair for pair in asked_of_item(asked, item, given) if pair not in given]:
                    for question, target in todo:
                        given[question, target] = chosen(asked.question(question), target, item, talks, rng, faithful)
                name = f"{source}/{unit.unit_id}/{item.item_id}"
                rows += [
                    Judgement(
                        f"{name}/{q}/{t}",
                        name,
                        survey,
                        unit.unit_id,
                        item.item_id,
                        item.conversation_ids,
                        item.exchanges,
                        t,
                        q,
                        value,
                        f"w{number % 6}",
                        source,
                        seconds=rng.uniform(20, 60) if faithful else None,
                    )
                    for (q, t), value in given.items()
                ]
    checksums.write_jsonl(study.judgements_path(survey), rows)


def chosen(question, target, item, talks, rng, faithful, liked=LIKED):
    values = [option.value for option in question.options]
    if not values:
        return "it listens"
    if not faithful:
        return rng.choice(values)
    first = talks[item.conversation_ids[0]]
    if question.kind == "scale":
        place = int(target.split(":")[1])
        who = first.entities[place] if target.startswith("entity") else first.shown[place].speaker
        return str(min(5, max(1, round(3 + liked[who] + rng.gauss(0, 0.8)))))
    if question.name == "nature":
        who = first.entities[int(target[-1])]
        return "human" if liked[who] + rng.gauss(0, 1) > 0.5 else "bot"
    if len(item.conversation_ids) == 2:
        names = [talks[c].entities[e] for c, e in zip(item.conversation_ids, item.judged, strict=True)]
    else:
        names = list(first.entities)
    lead = liked[names[0]] - liked[names[1]] + rng.gauss(0, 1)
    if abs(lead) < 0.3 and len(values) > 2:
        return next(value for value in values if value[-1] not in "01")
    return next(value for value in values if value.endswith("0" if lead > 0 else "1"))


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    pool, path = folder / "pool.yaml", folder / "study"
    pool.write_text(POOL)
    common = ("--study", path, "--pool", pool, "--conversations-per-pair", 10, "--exchanges", 5)
    for more in (("--human-conversations", 12), ("--self",)):
        SpotbotSelfchat.main(*map(str, common + more))
    for survey in SURVEYS:
        more = {"unit_size": 10} if survey == "spot_the_bot" else {}
        SpotbotPack.main(study=str(path), survey=survey, **more)
        answer(Study.open(path), survey)
        SpotbotAnalyze.main(study=str(path), survey=survey, bootstraps=60)
    SpotbotReport.main(study=str(path))
    return Study.open(path)


@pytest.mark.slow
@pytest.mark.parametrize("survey", SURVEYS)
def test_each_survey_can_be_planned_on_from_there(several, capsys, survey):
    SpotbotPlan.main(study=str(several.path), survey=survey)
    out = capsys.readouterr().out
    assert "alice / eliza" in out
    assert "settled" in out
    assert (several.analysis_path(survey) / "plan.json").exists()
