"""How the three studies under studies/ were made; run once, since what is stored there is to stay as it is.

    python tests/goldens/made_studies.py NEW_FOLDER

`rules` is a tournament of bots by rule with an automatic judge; `people` is imported: made-up bots, annotators of known
kinds (two miss the controls) and a judge beside them; `surveys` has every survey, answered by annotators who go by
whom they like. Another version of the library may make other studies of it, which is why they are stored.
"""

from __future__ import annotations

import contextlib
import csv
import os
import random
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
for room in ("", "analysis", "report"):
    sys.path.insert(0, str(HERE.parent / room))

from parlai_spotbot import checksums  # noqa: E402
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, Turn, Utterance  # noqa: E402
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze  # noqa: E402
from parlai_spotbot.scripts.spotbot_import import SpotbotImport  # noqa: E402
from parlai_spotbot.scripts.spotbot_judge import SpotbotJudge  # noqa: E402
from parlai_spotbot.scripts.spotbot_pack import SpotbotPack  # noqa: E402
from parlai_spotbot.scripts.spotbot_selfchat import SpotbotSelfchat  # noqa: E402
from parlai_spotbot.scripts.spotbot_tournament import SpotbotTournament  # noqa: E402
from parlai_spotbot.study import Study  # noqa: E402

WORDS = {
    "who": ("my sister", "an old friend", "the neighbour", "our teacher", "my cousin", "a colleague"),
    "does": ("paints", "repairs", "collects", "sells", "draws", "photographs"),
    "what": ("boats", "clocks", "kites", "lamps", "bridges", "gardens", "violins"),
    "when": ("in summer", "every Sunday", "at night", "since last year", "before breakfast"),
}
FORMS = (
    "{who} {does} {what} {when}.",
    "I heard that {who} {does} {what}!",
    "do you like {what}?",
    "oh, {what} {when}, that sounds lovely.",
    "why would {who} care for {what}?",
    "Yes, {when} I think of {what}.",
)
HUMANLIKE = {HUMAN: 0.85, "ada": 0.7, "bob": 0.4, "cleo": 0.15}
"""How often each of the study of people is taken for human by who looks."""
LIKED = {HUMAN: 1.5, "alice": 0.7, "eliza": -0.2, "parrot": -1.0}
"""How annotators of the study of all surveys like whom."""
POOL = """\
alice: {model: spotbot:alice}
eliza: {model: spotbot:eliza}
parrot: {model: repeat_query}
"""
SEGMENTS = (2, 3, 5)


def said(rng: random.Random, dull: bool = False) -> str:
    """A made-up sentence; dull bots know one form only."""
    form = FORMS[2] if dull and rng.random() < 0.7 else rng.choice(FORMS)
    return form.format(**{kind: rng.choice(words) for kind, words in WORDS.items()})


def conversation(name: str, entities: tuple[str, str], number: int, rng: random.Random, turns: int = 12, seed=1):
    spoken = tuple(Turn(entities[t % 2], said(rng, entities[t % 2] in ("cleo", "parrot"))) for t in range(turns))
    return Conversation(name, "chitchat", tuple(sorted(entities)), number, entities, spoken, seed, f"opening-{number}")


# -- rules ----------------------------------------------------------------------------------------------------------
def rules() -> None:
    SpotbotTournament.main("--study", "rules", "--pool", "rules", "--conversations-per-pair", "3", "--bootstraps", "50")


# -- people ---------------------------------------------------------------------------------------------------------
def people() -> None:
    rng = random.Random(11)
    bots = ("ada", "bob", "cleo")
    pairs = [(a, b) for i, a in enumerate(bots) for b in bots[i + 1 :]]
    talks = [conversation(f"{a}-{b}-{n}", (a, b) if n % 2 else (b, a), n, rng) for a, b in pairs for n in range(4)]
    talks += [conversation(f"people-{n}", (HUMAN, HUMAN), n, rng) for n in range(7)]
    checksums.write_jsonl(Path("chats.jsonl"), [talk.to_json() for talk in talks])
    SpotbotImport.main(format="conversations", data="chats.jsonl", domain="chitchat", study="people")
    SpotbotPack.main(study="people", unit_size=7, humans_per_unit=2)
    study = Study.open("people")
    controls = made_controls(talks[-3:])
    checksums.write_jsonl(study.survey_path("spot_the_bot") / "controls.jsonl", [item.to_json() for item in controls])
    rows = people_answers(study, controls, rng)
    with open("answers.csv", "w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    SpotbotImport.main(format="judgements", data="answers.csv", study="people")
    SpotbotJudge.main(study="people", judges="spotter")
    SpotbotAnalyze.main(study="people", bootstraps=50, backend="native", wage=12.0)


def made_controls(talks: list[Conversation]) -> list[Item]:
    """One conversation of people as it is, two with a parrot in the place of one of them."""
    items = []
    for talk, control in zip(talks, ("known_human", "known_bot:0", "known_bot:1"), strict=True):
        texts = [turn.text for turn in talk.segment(5)]
        if control != "known_human":
            place = int(control[-1])
            texts[place::2] = ["that is a good idea"] * len(texts[place::2])
        shown = tuple(Utterance(i % 2, text.lower()) for i, text in enumerate(texts))
        items.append(Item(f"control-{control.replace(':', '-')}", (talk.conversation_id,), 5, (shown,), control))
    return items


def people_answers(study: Study, controls: list[Item], rng: random.Random) -> list[dict]:
    """A unit each: most look, annotator a6 always says bot, a7 and a8 answer by chance and miss the controls."""
    talks, rows = {talk.conversation_id: talk for talk in study.conversations()}, []
    workers: dict[str, set] = {}
    for number, unit in enumerate(study.units("spot_the_bot")):
        free = [f"a{i % 10}" for i in range(number, number + 10)]
        seen = {item.conversation_ids[0] for item in unit.items}
        worker = next((w for w in free if not workers.setdefault(w, set()) & seen), free[0])
        workers[worker] |= seen
        for place, item in enumerate([*unit.items, *controls[:2]]):
            entities = talks[item.conversation_ids[0]].entities
            at = f"2026-01-{1 + number:02d}T10:{2 * place:02d}"
            rows.append(
                {
                    "annotation_id": f"{unit.unit_id}-{worker}-{place}",
                    "conversation_id": item.conversation_ids[0],
                    "exchanges": item.exchanges,
                    "worker_id": worker,
                    "unit_id": unit.unit_id,
                    "item_id": item.item_id,
                    "control": item.control or "",
                    **people_answer(worker, entities, item, rng),
                    "seconds": round(rng.uniform(15, 60), 1),
                    "started_at": f"{at}:00+00:00",
                    "submitted_at": f"{at}:55+00:00",
                }
            )
    return rows


def people_answer(worker: str, entities: tuple[str, str], item: Item, rng: random.Random) -> dict:
    chance = worker in ("a7", "a8")
    natures = []
    for place, name in enumerate(entities):
        if item.control and not chance:
            natures.append("bot" if item.control == f"known_bot:{place}" or worker == "a6" else "human")
        elif item.control:
            natures.append("human" if item.control == f"known_bot:{place}" else "bot")
        else:
            share = 0.5 if chance else 0.0 if worker == "a6" else HUMANLIKE[name] - 0.03 * item.exchanges
            natures.append("human" if rng.random() < share else rng.choice(["bot", "bot", "bot", "unsure"]))
    lead = 0.0 if chance else HUMANLIKE[entities[0]] - HUMANLIKE[entities[1]]
    features = {}
    for feature in ("fluency", "sensibleness", "specificity"):
        drawn = lead + rng.gauss(0, 0.5)
        features[feature] = "no_difference" if abs(drawn) < 0.2 else "entity:0" if drawn > 0 else "entity:1"
    return {"nature0": natures[0], "nature1": natures[1], **features}


# -- surveys --------------------------------------------------------------------------------------------------------
def surveys() -> None:
    Path("pool.yaml").write_text(POOL, encoding="utf-8")
    common = ("--study", "surveys", "--pool", "pool.yaml", "--conversations-per-pair", "3", "--exchanges", "5")
    for more in (("--human-conversations", "4"), ("--self",)):
        SpotbotSelfchat.main(*common, *more)
    study, rng = Study.open("surveys"), random.Random(5)
    chats = [
        conversation(f"chat-{bot}-{n}", (HUMAN, bot), n, rng, 10, 0) for bot in study.plan.contestants for n in range(3)
    ]
    checksums.write_jsonl(study.conversations_path, [talk.to_json() for talk in [*study.conversations(), *chats]])
    for survey in ("spot_the_bot", "spot_the_bot_game"):
        SpotbotPack.main(study="surveys", survey=survey, unit_size=10, humans_per_unit=3)
        scripted(Study.open("surveys"), survey)
    asked = {
        "acute_eval": {"ask": "engagingness,humanness", "comparisons": 5},
        "comparative": {"ask": "quality,consistency", "comparisons": 5},
        "dialogue_likert": {"ask": "quality,consistency,relevance"},
        "turn_likert": {"ask": "quality,relevance"},
    }
    for survey, more in asked.items():
        SpotbotPack.main(study="surveys", survey=survey, source="self,human_model", without_people=True, **more)
        scripted(Study.open("surveys"), survey)
    SpotbotPack.main(
        study="surveys", survey="abc_eval", source="human_model", ask="consistency,empathy", without_people=True
    )
    behaviours(Study.open("surveys"))
    next_turns(Study.open("surveys"))
    voted(Study.open("surveys"))


def scripted(study: Study, survey: str) -> None:
    """Every unit is answered by an annotator who goes by `LIKED`, and two surveys by source judge:coin, by chance."""
    from test_several_surveys import chosen

    from parlai_spotbot.surveys import survey_of
    from parlai_spotbot.surveys.asking import asked_of_item

    asked, rows = survey_of(study, survey), []
    talks = {talk.conversation_id: talk for talk in study.conversations()}
    for source, faithful in ((HUMAN, True), ("judge:coin", False)):
        if source != HUMAN and survey not in ("acute_eval", "dialogue_likert"):
            continue
        rng = random.Random(f"{survey} {source}")
        for number, unit in enumerate(study.units(survey)):
            for item in unit.items:
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
                        opened(survey, q, value, item, rng),
                        t,
                        q,
                        value,
                        f"w{number % 6}",
                        source,
                        seconds=round(rng.uniform(20, 60), 1) if faithful else None,
                    )
                    for (q, t), value in given.items()
                ]
    checksums.write_jsonl(study.judgements_path(survey), [row.to_json() for row in rows])


def opened(survey: str, question: str, value: str, item: Item, rng: random.Random) -> int:
    """How many exchanges were open at an answer: in the game, natures are decided sooner or later."""
    if survey != "spot_the_bot_game" or question != "nature" or value == "unsure":
        return item.exchanges
    return rng.randint(1, item.exchanges)


def behaviours(study: Study) -> None:
    """Annotators of ABC-Eval, with gold dialogues and trainings."""
    from made_abc_eval import COMMON, RATES, answered, labelled, rounds
    from made_up import answers_for

    from parlai_spotbot.surveys.abc_eval.label_frame import TASK_OF
    from parlai_spotbot.surveys.abc_eval.labels import possible
    from parlai_spotbot.surveys.controls import read_controls, write_controls
    from parlai_spotbot.surveys.controls.gold import key_of

    write_controls(study, "abc_eval")
    rates = dict(zip(study.plan.contestants, RATES.values(), strict=True))
    bots = {talk.conversation_id: talk.entities[1] for talk in study.conversations()}
    rng, rows, truth = random.Random(7), [], {}
    for number, unit in enumerate(study.units("abc_eval")):
        for item in unit.items:
            task = TASK_OF[item.questions[0]]
            own, given = COMMON | rates[bots[item.conversation_ids[0]]], {}
            for turn in range(1, 2 * item.exchanges, 2):
                labels = truth.setdefault((item.item_id, turn), labelled(rng, task, own))
                given[turn] = labelled(rng, task, own) if rng.random() < 0.1 else labels
            who = (f"w{(number + unit.replicate) % 6}", HUMAN)
            rows += answered(unit.unit_id, item, task, given, answers_for, who, number)
    golds = {key_of(item.control)[0]: item for item in read_controls(study, "abc_eval")}
    for number in range(6):
        task = ("consistency", "empathy")[number % 2]
        key = dict(key_of(golds[task].control)[1])
        if number % 3 == 0:
            key[1] = next(labels for labels in sorted(possible(task), key=sorted) if labels != key[1])
        rows += answered(f"g{number}", golds[task], task, key, answers_for, (f"w{number // 2}", HUMAN), number)
    checksums.write_jsonl(study.judgements_path("abc_eval"), [row.to_json() for row in rows])
    checksums.write_jsonl(study.survey_path("abc_eval") / "training.jsonl", rounds(("consistency", "empathy")))


def next_turns(study: Study) -> None:
    """Questions on next turns for people of two groups."""
    import made_up
    import yaml

    from parlai_spotbot.surveys.controls import write_controls
    from parlai_spotbot.surveys.nuc_questions import write_questions
    from parlai_spotbot.surveys.packing.pack_study import pack_study

    write_questions(
        study.path / "nuc" / "questions.jsonl", [*made_up.questions("movies", 16), *made_up.questions("ubuntu", 20)]
    )
    groups = {
        "paid": {"people": 8, "corpora": {"movies": 1, "ubuntu": 1}, "recruited": "paid"},
        "lab": {"people": 4, "corpora": {"movies": 1, "ubuntu": 2}, "recruited": "lab"},
    }
    Path("groups.yaml").write_text(yaml.safe_dump({"subject": "Ubuntu", "groups": groups}), encoding="utf-8")
    pack_study(study, "nuc", unit_size=6, annotators_per_segment=2, groups=Path("groups.yaml"))
    write_controls(study, "nuc")
    checksums.write_jsonl(study.judgements_path("nuc"), (row.to_json() for row in made_up.answers_of(study)))


def voted(study: Study) -> None:
    """Votes of an arena on the contestants, imported and put beside the other surveys."""
    rng, bots = random.Random(9), list(study.plan.contestants)
    rows = ["question_id,model_a,model_b,winner,judge,language"]
    for n in range(160):
        a, b = rng.sample(range(len(bots)), 2)
        weights = [3, 1, 1, 1] if a < b else [1, 3, 1, 1]
        word = rng.choices(("model_a", "model_b", "tie", "tie (bothbad)"), weights)[0]
        rows.append(f"q{n % 60},{bots[a]},{bots[b]},{word},voter-{n % 20},{'English' if n % 4 else 'French'}")
    Path("arena.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    SpotbotImport.main(format="votes", data="arena.csv", study="arena")
    shutil.copytree(Path("arena") / "surveys" / "votes", study.survey_path("votes"))
    study.extend(surveys=["votes"])
    study.record("import", Study.open("arena").provenance()["import"])


STUDIES = {"rules": rules, "people": people, "surveys": surveys}
LEFT = ("report", ".lock")
"""What isn't stored; of `rules` and `surveys`, nor is an analysis."""


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder):
        for name in names:
            STUDIES[name]()
            for part in LEFT:
                path = Path(name) / part
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            if name == "rules":
                for path in Path(name).glob("surveys/*/analysis"):
                    shutil.rmtree(path)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(Path(sys.argv[1]), sys.argv[2:] or list(STUDIES))
