"""Small studies for the report: conversations made up, answers drawn by a seed, and the real analysis of them."""

import random
import shutil

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.findings.analyze import analyze as analyze_study
from parlai_spotbot.judges import CAUTION
from parlai_spotbot.judges.evaluation import held_out
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, Turn, Unit, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.spoken import bots_of

SURVEY = "spot_the_bot"
SENTENCES = (
    "I spent the weekend repairing my grandmother's old bicycle.",
    "Do you like it?",
    "That sounds lovely, and where did you find the parts for it?",
    "I do not know.",
    "My sister plays the cello in a small orchestra, and they travel a lot in summer.",
    "Yes, I think so.",
    "We could go there together some day!",
)
STRENGTH = {"human": 0.8, "smollm2": 0.6, "minilm": 0.5, "tfidf": 0.45, "alice": 0.3, "eliza": 0.2, "seq2seq": 0.1}


def _conversation(pair, number, rng, text=None):
    entities = pair if number % 2 == 0 else pair[::-1]
    turns = [Turn(entities[i % 2], rng.choice(SENTENCES)) for i in range(12)]
    turns[0] = Turn(entities[0], f"SEED OPENING {number}")
    if text is not None:
        turns[3] = Turn(entities[1], text)
    name = f"{pair[0]}:{pair[1]}:{number:04d}"
    return Conversation(name, "chitchat", pair, number, entities, tuple(turns), 1, f"seed-{number}")


def _nature(name, k, rng):
    strength = STRENGTH.get(name, 0.4) - 0.04 * k
    return rng.choices(["human", "unsure", "bot"], [strength, 0.2, max(1 - strength, 0.05)])[0]


def _favoured(entities, rng):
    gap = STRENGTH.get(entities[0], 0.4) - STRENGTH.get(entities[1], 0.4)
    return rng.choices(["entity:0", "no_difference", "entity:1"], [0.35 + gap / 2, 0.3, 0.35 - gap / 2])[0]


def _annotation(conversation, k, source, worker, rng):
    name = f"{source}/{worker}/{conversation.conversation_id}/{k}"
    answers = [(f"entity:{i}", "nature", _nature(conversation.entities[i], k, rng)) for i in (0, 1)]
    answers += [("pair", f, _favoured(conversation.entities, rng)) for f in ("fluency", "sensibleness", "specificity")]
    for target, question, answer in answers:
        yield Judgement(
            f"{name}/{target}/{question}",
            name,
            SURVEY,
            "unit",
            f"item-{conversation.conversation_id}-{k}",
            (conversation.conversation_id,),
            k,
            target,
            question,
            answer,
            worker,
            source,
            seconds=rng.uniform(15, 60) if source == HUMAN else None,
        )


def _judge_file(study, judgements, conversations):
    own = [j for j in judgements if j.source == "judge:spotter"]
    variants = {w: {"description": f"variant {w}", **row} for w, row in held_out(own, conversations).items()}
    summary = {"judge": "spotter", "trained_on": {"fold": "judges"}, "variants": variants, "note": CAUTION}
    checksums.write_json(study.survey_path(SURVEY) / "judges" / "spotter.json", summary)


def make_study(
    path,
    bots=("smollm2", "minilm", "alice", "eliza"),
    per_pair=4,
    people=8,
    sources=("human", "judge:spotter"),
    text=None,
    analyze=True,
):
    """A study from plan to analysis; `text` replaces one turn in every conversation between bots."""
    rng = random.Random(3)
    plan = Plan("chitchat", bots_of(bots, "spotbot:{}"), per_pair, seed=5)
    study = Study.create(path, plan)
    conversations = [_conversation(pair, n, rng, text) for pair in plan.all_pairs() for n in range(per_pair)]
    conversations += [_conversation((HUMAN, HUMAN), n, rng) for n in range(people)]
    checksums.write_jsonl(study.conversations_path, conversations)
    items = [
        Item(
            f"item-{c.conversation_id}-{k}",
            (c.conversation_id,),
            k,
            (tuple(Utterance(i % 2, t.text) for i, t in enumerate(c.segment(k))),),
        )
        for c in conversations
        for k in plan.segments
    ]
    checksums.write_jsonl(study.units_path(SURVEY), [Unit("unit", SURVEY, "block", 0, 0, tuple(items))])
    study.record("selfplay", {"versions": {"parlai": "1.7.2"}, "promise": "Same plan: the same bytes."})
    judgements = []
    for source in sources:
        workers = [f"PLATFORM-ID-{i}" for i in range(5)] if source == HUMAN else ["words", "coherence"]
        for c in conversations:
            for k in plan.segments:
                for worker in rng.sample(workers, 2):
                    judgements += _annotation(c, k, source, worker, rng)
    if judgements:
        checksums.write_jsonl(study.judgements_path(SURVEY), judgements)
    if "judge:spotter" in sources:
        _judge_file(study, judgements, conversations)
    if judgements and analyze:
        analyze_study(study, SURVEY, bootstraps=30, backend="native")
    return study


@pytest.fixture(scope="session")
def new_study(tmp_path_factory):
    """`make_study`; what was made with the same options before is copied."""
    made = {}

    def make(path, **options):
        asked = repr(sorted(options.items()))
        if asked not in made:
            made[asked] = make_study(tmp_path_factory.mktemp("made") / "study", **options).path
        shutil.copytree(made[asked], path)
        return Study.open(path)

    return make


@pytest.fixture(scope="session")
def study(new_study, tmp_path_factory):
    """People and a judge, analysed; tests only read it and write its report."""
    return new_study(tmp_path_factory.mktemp("report") / "study")
