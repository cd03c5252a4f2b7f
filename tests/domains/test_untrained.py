"""Folds of a user's file where no contestant learns from it, and a warning whose remedy is followed."""

import random
import re

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.domains import custom, domain_of, get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant, Conversation, Turn
from parlai_spotbot.selfplay.empty_study import begin
from parlai_spotbot.selfplay.people import draw_people
from parlai_spotbot.selfplay.plan import SelfPlayRequest, decide, may_have_learnt
from parlai_spotbot.selfplay.schedule import schedule, seeds_of
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.findings.scripted import WORDS

FUNCTIONS = {
    name: Contestant(name, model="spotbot:plain_python", opt={"plain_python": f"bot:{name}"}) for name in "abcefg"
}
FOREIGN = {"d": Contestant("d", model="my_package.agents:MyAgent")}


def write(path, count, **more):
    rng = random.Random(count)
    rows = []
    for number in range(count):
        turns = [" ".join(rng.choices(WORDS, k=7)) for _ in range(rng.choice((8, 12, 14)))]
        rows.append({"turns": turns, **{key: value(number) for key, value in more.items()}})
    files.write_jsonl(path, rows)
    return str(path)


def sizes(domain):
    return {fold: count["conversations"] for fold, count in domain.counts().items()}


@pytest.mark.parametrize("people", [None, lambda n: (f"p{n % 40}", f"q{n % 37}")])
def test_humans_judges_and_seeds_get_all(people, tmp_path):
    more = {}
    if people:
        more["people"] = people
    path = write(tmp_path / "own.jsonl", 200, **more)
    asked = SelfPlayRequest(contestants=FUNCTIONS, domain=path)
    domain = decide(tmp_path / "study", asked).domain
    found = sizes(domain)
    assert found["bots"] == 0
    assert found["humans"] > 2 * found["judges"] > 0
    assert found["seeds"] > 0
    assert domain.fold_note.endswith("No contestant learns from them, so that people, judges and seeds get all.")
    study = begin(tmp_path / "study", asked, say=[].append)
    assert sizes(domain_of(study.path, study.plan.domain)) == found
    assert decide(study.path, SelfPlayRequest(domain=path)).domain.trained is False
    with pytest.raises(UserError, match="contestant 'd' may have learnt"):
        decide(study.path, SelfPlayRequest(contestants=FUNCTIONS | FOREIGN))


def test_bots_keep_their_fold_where_one_may_learn_or_the_user_says_so(tmp_path):
    path = write(tmp_path / "own.jsonl", 60)
    plain = sizes(get_domain(path))
    assert plain["bots"] > 0
    assert sizes(decide(tmp_path / "s", SelfPlayRequest(contestants=FUNCTIONS | FOREIGN, domain=path)).domain) == plain
    training = SelfPlayRequest(contestants=FUNCTIONS, domain=path, human_pool="training")
    assert sizes(decide(tmp_path / "s", training).domain) == plain
    described = tmp_path / "cafe.yaml"
    described.write_text("name: cafe\nconversations: own.jsonl\ntrained: true\n")
    assert sizes(decide(tmp_path / "s", SelfPlayRequest(contestants=FUNCTIONS, domain=str(described))).domain) == plain
    split = write(tmp_path / "split.jsonl", 60, split=lambda n: ("train", "valid", "test")[n % 3])
    assert sizes(decide(tmp_path / "s", SelfPlayRequest(contestants=FUNCTIONS, domain=split)).domain)["bots"] == 20
    described.write_text("name: cafe\nconversations: split.jsonl\nfolds: split\ntrained: false\n")
    with pytest.raises(UserError, match="'trained' goes with folds by people or hash"):
        get_domain(str(described))
    assert custom.untrained(get_domain("chitchat")) == get_domain("chitchat")


@pytest.mark.parametrize(
    ("entry", "learns"),
    [
        ({"model": "spotbot:openai_chat"}, False),
        ({"model_file": "zoo:blender/blender_90M/model"}, False),
        ({"model_file": "/models/mine"}, True),
        ({"model": "spotbot:causal_lm"}, True),
    ],
)
def test_who_may_have_learnt(entry, learns):
    assert may_have_learnt(Contestant("x", **entry)) == learns


def played(path, domain_path, per_pair, bots="abc", people=None):
    """A study of functions over a user's file, as self-play leaves it."""
    asked = SelfPlayRequest(
        contestants={name: FUNCTIONS[name] for name in bots},
        domain=domain_path,
        conversations_per_pair=per_pair,
        human_conversations=people,
    )
    domain = decide(path, asked).domain
    study = begin(path, asked, say=[].append)
    rng = random.Random(per_pair)
    talks = []
    for job in schedule([study.plan], seeds_of(domain))[0]:
        said = [*job.seed.turns, *(" ".join(rng.choices(WORDS, k=7)) for _ in range(10))]
        turns = tuple(Turn(job.entities[place % 2], text) for place, text in enumerate(said))
        about = (job.conversation_id, study.plan.domain, job.pair, job.number, job.entities)
        talks.append(Conversation(*about, turns, seed_id=job.seed.seed_id))
    checksums.write_jsonl(study.conversations_path, [*talks, *draw_people(study.plan, domain)])
    study.record("selfplay", {})
    return Study.open(path)


def test_of_200_conversations_people_and_controls_are_left(tmp_path):
    study = played(tmp_path / "study", write(tmp_path / "own.jsonl", 200), 34)
    packed = pack_study(study)
    assert packed["annotations"] == pytest.approx(816, abs=12)
    assert not too_few(packed)
    write_controls(study.load("spot_the_bot"))
    assert len(read_controls(study.load("spot_the_bot"))) >= 12


def too_few(packed):
    return [warning for warning in packed["warnings"] if warning.startswith("too few conversations between")]


@pytest.mark.parametrize("count", [40, 70, 110])
def test_the_remedy_of_too_few_people_works_as_printed(count, tmp_path):
    study = played(tmp_path / "study", write(tmp_path / "own.jsonl", count), count // 5, FUNCTIONS)
    (warning,) = too_few(pack_study(study))
    number = int(re.search(r"--humans-per-unit (\d+)", warning)[1])
    assert not too_few(pack_study(study, humans_per_unit=number))


def test_the_remedy_of_no_controls_works_as_printed(tmp_path):
    study = played(tmp_path / "study", write(tmp_path / "own.jsonl", 60), 15, FUNCTIONS, people=1000)
    pack_study(study)
    write_controls(study.load("spot_the_bot"))
    (warning,) = study.provenance()["controls"]["spot_the_bot"]["warnings"]
    assert not read_controls(study.load("spot_the_bot"))
    assert warning.startswith("0 controls, where 4 or more")
    number = int(re.search(r"--humans-per-unit (\d+)", warning)[1])
    pack_study(study, humans_per_unit=number)
    write_controls(study.load("spot_the_bot"))
    assert len(read_controls(study.load("spot_the_bot"))) >= 4
