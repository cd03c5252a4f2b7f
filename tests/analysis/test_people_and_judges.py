"""How a judge agrees with people: against counting by hand, and Krippendorff's alpha as `agreement` has it."""

import itertools

import krippendorff
import numpy as np
import pytest

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.frames import annotations_frame
from parlai_spotbot.analysis.methods.spot_the_bot import analyze
from parlai_spotbot.analysis.people_and_judges import QUESTIONS, with_people

COLUMNS = {"nature": ("nature0", "nature1"), **{q: (q,) for q in QUESTIONS[1:]}}


@pytest.fixture(scope="module")
def frames(made_up):
    rows = annotations_frame(*made_up(seed=4)).frame
    return [rows[rows["source"] == source].reset_index(drop=True) for source in ("human", "judge:quick")]


@pytest.fixture(scope="module")
def result(frames):
    return with_people(*frames, rng=np.random.default_rng(0), replicates=300)


def pairs_of(people, judge, question):
    """Every (person's answer, other's answer, conversation, key of the person's) about the same target."""
    for p, j in itertools.product(people.itertuples(), judge.itertuples()):
        if p.item_id == j.item_id and p.annotation_id != j.annotation_id:
            for column in COLUMNS[question]:
                yield getattr(p, column), getattr(j, column), p.conversation_id, (p.annotation_id, column)


@pytest.mark.parametrize("question", QUESTIONS)
def test_shares_are_those_counted_by_hand(frames, result, question):
    people, judge = frames
    own = result["questions"][question]
    found = list(pairs_of(people, judge, question))
    assert own["pairs"] == len(found)
    by_answer = {}
    for mine, theirs, _, key in found:
        by_answer.setdefault(key, []).append(mine == theirs)
    assert own["agree"] == pytest.approx(np.mean([np.mean(same) for same in by_answer.values()]))
    among = [
        (p.annotation_id, getattr(p, c) == getattr(q, c))
        for p, q in itertools.product(people.itertuples(), people.itertuples())
        if p.item_id == q.item_id and p.worker_id != q.worker_id for c in COLUMNS[question]
    ]  # fmt: skip
    assert own["people"] == pytest.approx(np.mean([same for _, same in among]))
    assert own["people_pairs"] == len(among) / 2
    low, high = own["ci"]
    assert low < own["agree"] < high
    for worker, shares in result["variants"].items():
        mine = [m == t for m, t, *_ in pairs_of(people, judge[judge["worker_id"] == worker], question)]
        assert shares[question] == pytest.approx(np.mean(mine))


@pytest.mark.parametrize("question", ["nature", "fluency"])
def test_alpha_is_krippendorffs_of_the_pairs(frames, result, question):
    found = list(pairs_of(*frames, question))
    labels = {label: i for i, label in enumerate(sorted({str(a) for row in found for a in row[:2]}))}
    data = np.array([[labels[str(a)] for a in row[:2]] for row in found]).T
    theirs = krippendorff.alpha(data, level_of_measurement="nominal")
    own = result["questions"][question]
    assert own["alpha"] == pytest.approx(theirs, abs=1e-12)
    units = np.repeat(np.arange(len(found)), 2)
    alpha, ci = krippendorff_alpha(
        units, data.T.ravel(), np.repeat([row[2] for row in found], 2), rng=np.random.default_rng(1), replicates=2000
    )
    assert own["alpha"] == pytest.approx(alpha)
    assert own["alpha_ci"] == pytest.approx(ci, abs=0.03)


def test_a_judge_that_copies_people_agrees_and_one_that_contradicts_does_not(frames):
    people = frames[0]
    copy = people.assign(source="judge:copy", worker_id="v", annotation_id="j" + people["annotation_id"])
    first = people.drop_duplicates("item_id")
    own = with_people(first, copy[copy.index.isin(first.index)], rng=np.random.default_rng(0), replicates=50)
    assert own["questions"]["nature"]["agree"] == own["questions"]["nature"]["alpha"] == 1
    assert np.isnan(own["questions"]["nature"]["people"])  # one person each
    turned = {"human": "bot", "bot": "human", "unsure": "human"}
    other = copy.assign(nature0=copy["nature0"].map(turned), nature1=copy["nature1"].map(turned))
    own = with_people(first, other[other.index.isin(first.index)], rng=np.random.default_rng(0), replicates=50)
    assert own["questions"]["nature"]["agree"] == 0
    assert own["questions"]["nature"]["alpha"] < -0.3


def test_without_a_common_item_it_says_so(frames):
    people, judge = frames
    own = with_people(people, judge.assign(item_id="other"), rng=np.random.default_rng(0))
    assert own == {"items": 0, "questions": {}, "variants": {}, "why": "people and the judge answered no item both"}


def test_a_variants_number_does_not_weigh(frames, result):
    """Every person's answer counts once, so a variant that answers twice changes nothing for the others' items."""
    people, judge = frames
    twice = judge.assign(annotation_id="x" + judge["annotation_id"])
    both = with_people(
        people, type(judge)(np.concatenate([judge, twice]), columns=judge.columns), rng=np.random.default_rng(0)
    )
    assert both["questions"]["nature"]["agree"] == pytest.approx(result["questions"]["nature"]["agree"])


def test_it_stands_in_agreement_json_of_judges_only(made_up):
    found = analyze(*made_up(), bootstraps=10, backend="native")["agreement"]["by_source"]
    assert set(found["judge:quick"]["with_people"]["questions"]) == set(QUESTIONS)
    assert "with_people" not in found["human"]
    alone = analyze(*made_up(sources=("judge:quick",)), bootstraps=10, backend="native")["agreement"]["by_source"]
    assert "with_people" not in alone["judge:quick"]
