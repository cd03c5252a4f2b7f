"""Small studies and the annotators of them: each says what a script says of a question, and knows who is who."""

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.answers import Options
from parlai_spotbot.findings.compute import compute
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Item, Judgement, indexed
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.asking import asked_of_item
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.spoken import rows_of_item, spoken

Script = Callable[[str, str, list[str], Item, dict[str, Conversation], random.Random], str]
"""(question, target, options, item, conversations by id, generator) -> the answer."""

WORDS = ("river", "stone", "lamp", "bread", "window", "garden", "letter", "music", "winter", "bicycle", "market")


def talk(pair: tuple[str, str], number: int) -> Conversation:
    """A conversation of six exchanges, the first of them the seed."""
    rng = random.Random(f"{pair} {number}")
    entities = pair if number % 2 == 0 else pair[::-1]
    texts = (" ".join(rng.choices(WORDS, k=8)) for _ in range(12))
    return spoken(f"{pair[0]}:{pair[1]}:{number:04d}", entities, texts, number, seed_id=f"seed-{number}")


def small_study(
    path: Path,
    survey: str,
    bots: Sequence[str] = ("ann", "bob", "cat"),
    per_pair: int = 2,
    people: int = 4,
    selves: int = 0,
    **pack: object,
) -> Study:
    """A study with units: bots with each other, with themselves (`selves` of each), people with people."""
    plan = Plan("chitchat", {bot: Contestant(bot, model=f"spotbot:{bot}") for bot in bots}, max(per_pair, 1), seed=5)
    study = Study.create(path, plan)
    talks = [talk(pair, n) for pair in plan.all_pairs() for n in range(per_pair)]
    talks += [talk((bot, bot), n) for bot in bots for n in range(selves)]
    talks += [talk((HUMAN, HUMAN), n) for n in range(people)]
    checksums.write_jsonl(study.conversations_path, talks)
    pack_study(study, survey, **pack)
    return study


def rows_of(
    study: Study,
    survey: str,
    script: Script,
    workers: Sequence[str],
    source: str = HUMAN,
    seconds: float | None = 30.0,
    items: int | None = None,
    seed: int = 0,
) -> Iterator[Judgement]:
    """Every worker answers every unit, or the first so many `items`, as the script says."""
    asked, talks = survey_of(study.load(survey)), indexed(study.conversations())
    pages = [(unit, item) for unit in study.units(survey) for item in unit.items][:items]
    for worker in workers:
        rng = random.Random(f"{seed} {worker}")
        for unit, item in pages:
            name, given = f"{source}/{worker}/{unit.unit_id}/{item.item_id}", {}
            while todo := [pair for pair in asked_of_item(asked, item, given) if pair not in given]:
                for question, target in todo:
                    options = [option.value for option in asked.question(question).options]
                    answer = script(question, target, options, item, talks, rng) if options else "it listens"
                    given[question, target] = answer
            yield from rows_of_item(
                name, unit, item, worker, given, source, seconds=seconds if source == HUMAN else None
            )


def answered(study: Study, survey: str, *parts: Iterator[Judgement], only: Collection[str] = ()) -> dict[str, dict]:
    """Write these judgements and analyse them; `only` are the findings to compute, which are then not written."""
    rows = [row for part in parts for row in part]
    checksums.write_jsonl(study.judgements_path(survey), rows)
    if only:
        return compute(rows, SurveyData(study, survey).facts, Options(bootstraps=20), only=only)
    return analyze(study, survey, bootstraps=20)


# -- scripts -----------------------------------------------------------------------------------------------------------
def by_chance(question, target, options, item, talks, rng):
    return rng.choice(options)


def always_first(question, target, options, item, talks, rng):
    """The same answer to everything: "human", the first of two, the lowest rating."""
    return options[0]


def always_last(question, target, options, item, talks, rng):
    return options[-1]


def never_decided(question, target, options, item, talks, rng):
    """Ties wherever the survey has them, else the first."""
    return next((option for option in ("no_difference", "neither", "unsure", "3") if option in options), options[0])


def knowing(question, target, options, item, talks, rng):
    """Who is human, and the bot whose name comes first in the alphabet."""
    first = talks[item.conversation_ids[0]]
    if question == "nature":
        return "human" if first.entities[int(target[-1])] == HUMAN else "bot"
    if target == "pair" and len(item.conversation_ids) == 2:
        names = [min(talks[own].entities) for own in item.conversation_ids]
        return "conversation:0" if names[0] <= names[1] else "conversation:1"
    if target == "pair":
        if first.entities[0] == first.entities[1]:
            return "no_difference"
        return f"entity:{int(first.entities[0] > first.entities[1])}"
    return rng.choice(options)


def always_unsure(question, target, options, item, talks, rng):
    """Nobody is called human or a bot, and no feature is decided."""
    return "unsure" if question == "nature" else never_decided(question, target, options, item, talks, rng)


def ann_is_human(question, target, options, item, talks, rng):
    """Ann passes as human and is preferred; of the others answers are drawn."""
    talk = talks[item.conversation_ids[0]]
    if question == "nature" and "ann" in talk.entities:
        return "human" if talk.entities[int(target[-1])] == "ann" else rng.choice(["bot", "bot", "unsure"])
    return by_chance(question, target, options, item, talks, rng)
