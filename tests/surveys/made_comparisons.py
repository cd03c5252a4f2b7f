"""Random studies: what every packing must hold; conversations and options made up for the tests of comparisons."""

from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.packing.whole_items import WholeOptions

SENTINEL = "xyzzyseed"
ASKED = ("engagingness", "humanness")
SETTINGS = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None)


def packed(number, studies, pack, check, too_few=None, growing=lambda asked: asked):
    """Pack so many random studies, shuffled and in two steps, too; count what was tried. Some are `too_few` to pack."""
    tried = Counter()

    @settings(SETTINGS, max_examples=number)
    @given(studies, st.randoms(use_true_random=False), st.integers(0, 55))
    def packing(study, chance, first):
        conversations, asked = study
        try:
            units = pack(conversations, asked)
        except UserError as err:
            assert too_few in str(err)  # noqa: PT017
            return
        check(conversations, units, asked)
        mixed = conversations.copy()
        chance.shuffle(mixed)
        assert pack(mixed, asked) == units
        tried["packings"] += 1
        tried["units"] += len(units)

        # In two steps: what is there stays, what is new is added, a third step adds nothing.
        asked = growing(asked)
        try:
            early = pack(conversations[:first], asked)
        except UserError:
            return
        later = early + pack(conversations, asked, early)
        check(conversations, later, asked)
        assert pack(conversations, asked, later) == []
        tried["grown"] += 1

    packing()
    return tried


def options(**change) -> WholeOptions:
    known = {"questions": ASKED, "sources": ("self",), "companions": ("reason",), "spread": "items", "unit_size": 4}
    return WholeOptions("acute_eval", **{**known, **change})


def self_chats(make, bots=3, each=8, people=8, exchanges=3, seeds=True):
    found = [
        make(f"{bot}-{n}", (bot, bot), f"s {bot} {n}" if seeds else "s", exchanges, sentinel=SENTINEL)
        for bot in (f"bot{i}" for i in range(bots))
        for n in range(each)
    ]
    return found + [make(f"p-{n}", (HUMAN, HUMAN), f"p{n}", exchanges, sentinel=SENTINEL) for n in range(people)]


@st.composite
def studies(draw, make):
    bots = [f"bot{i}" for i in range(draw(st.integers(2, 4)))]
    few = draw(st.booleans())
    seed_id = st.integers(0, 3 if few else 1000).map("s{}".format) if draw(st.booleans()) else st.just("")
    exchanges = st.integers(draw(st.sampled_from([0, 1])), 3)
    found = []
    kinds = {"self": 0, "pairs": 0, "human_model": 0}
    for number in range(draw(st.integers(2, 30))):
        kind = draw(st.sampled_from(["self", "pairs", "human_model", "people"]))
        a, b = draw(st.permutations(bots))[:2]
        entities = {
            "self": (a, a),
            "pairs": (a, b),
            "human_model": draw(st.permutations([HUMAN, a])),
            "people": (HUMAN, HUMAN),
        }[kind]
        found.append(make(f"c{number}", tuple(entities), draw(seed_id), draw(exchanges), sentinel=SENTINEL))
        if kind != "people":
            kinds[kind] += bool(found[-1].exchanges)
    there = [kind for kind, number in kinds.items() if number]
    whole = draw(st.booleans())
    asked = options(
        questions=ASKED[: draw(st.integers(1, 2))],
        spread="" if whole else "items",
        everything=whole,
        sources=tuple((there or ["self"])[: draw(st.integers(1, max(1, len(there))))]),
        people=draw(st.booleans()),
        comparisons=draw(st.one_of(st.none(), st.integers(1, 6))),
        unit_size=draw(st.integers(1, 6)),
        annotators_per_item=draw(st.integers(1, 2)),
        repeated=draw(st.sampled_from([0.0, 0.5, 1.0])),
        seed=draw(st.integers(0, 5)),
    )
    return found, asked
