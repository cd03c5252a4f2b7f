"""Neither its length nor the number of its turns tells a control among the items of a unit."""

import random
from collections import Counter

import pytest
from people_talking import chat
from sklearn.metrics import roc_auc_score

from parlai_spotbot.crowdsourcing.desk.control_mixing import mix
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.controls.lengths import in_proportion, spread
from parlai_spotbot.surveys.controls.whole_controls import WANTED
from parlai_spotbot.surveys.packing.pack_study import pack_study


def auc_of_length(units, controls, hands=10, count=2):
    """How well somebody who knows how often items of each number of turns, in all they show, are controls tells them.

    Units are handed out as the desk does, `hands` times each with `count` controls.
    """
    seen = []
    for hand in range(hands):
        for unit in units:
            for item in mix(unit.items, controls, count, f"{unit.unit_id} {hand}"):
                seen.append((tuple(sorted(map(len, item.transcripts))), item.control is not None))
    of_turns = Counter(turns for turns, _ in seen)
    known = Counter(turns for turns, is_control in seen if is_control)
    scores = [known[turns] / of_turns[turns] for turns, _ in seen]
    return roc_auc_score([is_control for _, is_control in seen], scores)


@pytest.fixture(scope="module")
def talks():
    return [chat(number, name=f"free-{number:03d}") for number in range(200)]


@pytest.mark.parametrize("segments", [(2, 3, 5)])
def test_length_tells_no_control(study_of, pool, talks, segments):
    study = study_of([*pool(bots=3, per_pair=15, people=15), *talks])
    pack_study(study, segments=segments)
    units = study.units("spot_the_bot")
    write_controls(study, "spot_the_bot")
    controls = read_controls(study, "spot_the_bot")
    assert len(controls) >= 72
    assert auc_of_length(units, controls) < 0.55


@pytest.fixture
def whole(study_of, make_conversation):
    """A packed study of bots of 3 to 6 exchanges, and so many free conversations between people of up to `longest`."""

    def make(survey, longest=10, people=240):
        rng = random.Random(1)
        bots = [
            make_conversation(f"b{n}-{i}", (f"bot{n}",) * 2, f"s{n}-{i}", rng.randint(3, 6))
            for n in (0, 1, 2)
            for i in range(20)
        ]
        study = study_of([*bots, *(chat(n, rng.randint(2, longest), f"free-{n:03d}") for n in range(people))])
        pack_study(study, survey, people=False)
        write_controls(study, survey)
        return study.units(survey), read_controls(study, survey)

    return make


@pytest.mark.parametrize(
    "survey", ["acute_eval", "comparative", "dialogue_likert", pytest.param("turn_likert", marks=pytest.mark.slow)]
)
def test_length_tells_no_control_of_whole_conversations(whole, survey):
    units, controls = whole(survey)
    assert len(controls) >= WANTED
    assert auc_of_length(units, controls, hands=30, count=1) < 0.57
    first = [len(item.transcripts[int(item.control[-1])]) for item in controls if len(item.transcripts) == 2]
    second = [len(item.transcripts[1 - int(item.control[-1])]) for item in controls if len(item.transcripts) == 2]
    longer = (
        sum(a > b for a, b in zip(first, second, strict=True)),
        sum(a < b for a, b in zip(first, second, strict=True)),
    )
    assert abs(longer[0] - longer[1]) <= max(4, sum(longer) // 5)  # the person's is as often the longer one


# -- in proportion -----------------------------------------------------------------------------------------------------
def test_lengths_are_spread_in_proportion():
    rng = random.Random(0)
    for _ in range(200):
        lengths = {k: rng.randint(1, 50) for k in rng.sample(range(1, 9), rng.randint(1, 4))}
        number = rng.randint(0, 60)
        counts = Counter(spread(lengths, number))
        assert counts.total() == number
        for k, count in lengths.items():
            assert abs(counts[k] - number * count / sum(lengths.values())) < 1


def segments(talks, k, count):
    return [(talk, ["x"] * 2 * k) for talk in talks[:count]]


def test_fewer_are_taken_rather_than_out_of_proportion_but_not_half(talks):
    def taken(pool, wanted):
        return [segment for (segment,) in in_proportion([pool], {(2,): 1, (5,): 1}, wanted)]

    by_length = {2: segments(talks, 2, 100), 5: segments(talks[100:], 5, 8)}
    assert Counter(len(turns) // 2 for _, turns in taken(by_length, 20)) == {2: 8, 5: 8}
    few = {2: segments(talks, 2, 100), 5: segments(talks[100:], 5, 1)}
    assert Counter(len(turns) // 2 for _, turns in taken(few, 20)) == {2: 19, 5: 1}
    both = {2: segments(talks, 2, 10), 5: segments(talks, 5, 10)}  # the same conversations
    assert len({talk.conversation_id for talk, _ in taken(both, 8)}) == 8
    assert taken({2: [], 5: []}, 8) == []
