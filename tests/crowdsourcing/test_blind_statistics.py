"""Neither bytes nor times tell human from bot: classifiers are set on what browsers got, and on how long it took."""

import http.client
import json
import random
import re
import time
from dataclasses import replace

import numpy as np
import pytest

from parlai_spotbot.crowdsourcing.desk import desk as desk_module
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
from tests.crowdsourcing.asking import server_of
from tests.crowdsourcing.blind import MARK, NATURES, Browser, controls, talk
from tests.crowdsourcing.office import Office


class Drawn:
    """Stands in for `secrets` so that the test sees the same chance every time."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def token_hex(self, size):
        return self.rng.randbytes(size).hex()


def as_text(page, place, count):
    """An item as its bytes, with its place in the unit; a run of words in its texts is one word."""
    plain = json.loads(json.dumps(page))
    for turn in plain["transcripts"][0]["turns"]:
        turn["text"] = re.sub(r"\w+( \w+)*", "w", turn["text"])
    return f"{place}/{count} {json.dumps(plain)}"


def as_numbers(page, handle, place, count):
    """What can be measured of an item: lengths, places, what was drawn, the handle."""
    transcript = page["transcripts"][0]
    sizes = [len(turn["text"]) for turn in transcript["turns"]]
    drawn = [len(json.dumps(page)), place, count, len(sizes), sum(sizes), max(sizes), min(sizes), sizes[0], sizes[-1]]
    drawn += [sum(sizes[0::2]), sum(sizes[1::2]), transcript["entities"][0]["side"] == "left"]
    drawn += [transcript["entities"][0]["name"] == "Entity A", transcript["entities"][0]["key"] == "entity:0"]
    drawn += [page["questions"].index(name) for name in sorted(page["questions"])]
    return [*map(float, drawn), *bytes.fromhex(handle)[:4]]


def auc_of_bytes(rows, truths):
    """Cross-validated AUC of a logistic regression on how often each n-gram (n up to 5) of bytes comes."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    counts = CountVectorizer(analyzer="char", ngram_range=(1, 5), lowercase=False, min_df=20)
    grams = counts.fit_transform([as_text(page, place, count) for page, _, place, count, _ in rows])
    varying = np.flatnonzero(grams.max(0).toarray() > grams.min(0).toarray())
    model = make_pipeline(MaxAbsScaler(), LogisticRegression(C=0.1, max_iter=200))
    return _auc(model, grams[:, varying].astype(float), truths)


def auc_of_numbers(numbers, truths):
    """Cross-validated AUC of boosted trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees = HistGradientBoostingClassifier(max_iter=40, learning_rate=0.1, random_state=0)
    return _auc(trees, np.array(numbers, dtype=float), truths)


def _auc(model, features, truths):
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(cross_val_score(model, features, np.array(truths), cv=folds, scoring="roc_auc").mean())


ITEMS = 4000


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory):
    """4,000 items as 200 browsers got them, each of another conversation: [(page, handle, place, count, entities)]."""
    rng = random.Random(5)
    natures = [NATURES[number % 4] for number in range(ITEMS)]
    rng.shuffle(natures)
    talks = [talk(number, natures[number], rng, exchanges=3) for number in range(ITEMS)]
    survey = get_survey("spot_the_bot")
    survey = replace(survey, consent=(), onboarding=(), limits=replace(survey.limits, units_per_annotator=1))
    folder = tmp_path_factory.mktemp("blind")
    (folder / "index.html").write_text("page")
    units = pack(talks, PackOptions("spot_the_bot", (3,), 20, 5, 1))
    office = Office(survey, units, controls(10_000, 120), talks, folder / "ledger.db")
    rows = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(desk_module, "secrets", Drawn(7))
        with server_of(office.desk, folder) as server:
            for number in range(len(units)):
                unit = Browser(server, f"annotator {number}").ok("unit", {})["unit"]
                for place, page in enumerate(unit["items"]):
                    name = int(MARK.search(json.dumps(page).encode())[1])
                    if name < ITEMS:
                        rows.append((page, unit["unit"], place, len(unit["items"]), natures[name]))
    assert len({row[0]["transcripts"][0]["turns"][0]["text"] for row in rows}) == ITEMS
    return rows


TRUTHS = {
    "the first speaker is human": lambda entities: entities[0] == HUMAN,
    "the second speaker is human": lambda entities: entities[1] == HUMAN,
    "both are human": lambda entities: entities == (HUMAN, HUMAN),
}


@pytest.mark.parametrize(
    "truth",
    [
        "the first speaker is human",
        pytest.param("the second speaker is human", marks=pytest.mark.slow),
        pytest.param("both are human", marks=pytest.mark.slow),
    ],
)
def test_bytes_do_not_tell_human_from_bot(handed_out, truth):
    """AUC within .5 ± .03. Where nothing leaks, the AUC of 2,000 against 2,000 items has a standard error of .0091
    (√((n₁ + n₀ + 1) / 12 n₁n₀); .0105 for 1,000 against 3,000), so .03 is about three of them; a leak worth an AUC of
    .56 is found with a probability above .99. The draws of the test are fixed, so it can't fail by chance."""
    truths = [TRUTHS[truth](entities) for *_, entities in handed_out]
    found = auc_of_bytes(handed_out, truths), auc_of_numbers([as_numbers(*row[:4]) for row in handed_out], truths)
    print(f"{truth}: AUC of bytes {found[0]:.3f}, of lengths, places and what was drawn {found[1]:.3f}")
    assert abs(found[0] - 0.5) < 0.03
    assert abs(found[1] - 0.5) < 0.03


def leaky_name(page, rng):
    if rng.random() < 0.4:
        for entity, name in zip(page["transcripts"][0]["entities"], ("Entity A", "Entity B"), strict=True):
            entity["name"] = name


def leaky_space(page, rng):
    if rng.random() < 0.2:
        page["transcripts"][0]["turns"][0]["text"] += " "


@pytest.mark.slow
@pytest.mark.parametrize("leak", [leaky_name, leaky_space])
def test_the_classifiers_find_small_leaks(handed_out, leak):
    """Enough to be noticed: a byte more in a fifth of the humans' items, or two fifths of them drawn differently."""
    rng = random.Random(11)
    truths, rows = [], json.loads(json.dumps(handed_out))
    for page, *_, entities in rows:
        truths.append(entities[0] == HUMAN)
        if entities[0] == HUMAN:
            leak(page, rng)
    found = auc_of_bytes(rows, truths), auc_of_numbers([as_numbers(*row[:4]) for row in rows], truths)
    print(f"{leak.__name__}: AUC of bytes {found[0]:.3f}, of lengths, places and what was drawn {found[1]:.3f}")
    assert max(found) > 0.53


@pytest.mark.slow
def test_times_do_not_tell_human_from_bot(serve):
    """The game, where the server knows who is a bot when it answers: 3,600 items, of each the times of opening an
    exchange and of deciding on both entities. The standard error of the AUC is .0096 to .0111 where times tell nothing,
    so that one of three AUCs is further than .03 from .5 about once in a hundred times, twice running once in ten
    thousand: 3,600 further items decide then. The ledger doesn't wait for the disk here: less noise, so a difference
    would show sooner."""
    rng = random.Random(6)
    count = 3600
    natures = [NATURES[number % 4] for number in range(2 * count)]
    rng.shuffle(natures)
    talks = [talk(number, natures[number], rng, exchanges=3) for number in range(2 * count)]
    survey = get_survey("spot_the_bot_game")
    limits = replace(survey.limits, units_per_annotator=1, controls_per_unit=0)
    survey = replace(survey, consent=(), onboarding=(), limits=limits)
    office, server = serve(survey, talks, PackOptions("spot_the_bot_game", (3,), 20, 5, 1))
    office.ledger._db.execute("PRAGMA synchronous = OFF")
    half = len(office.units) // 2
    for first in (0, half):
        times, entities = measured(server, range(first, first + half), natures)
        assert len(times) == count
        found = {name: auc_of_numbers(times, list(map(truth, entities))) for name, truth in TRUTHS.items()}
        print(f"AUC of times: {found}")
        if all(abs(auc - 0.5) < 0.03 for auc in found.values()):
            break
    else:
        pytest.fail(f"twice running: {found}")
    human = [pair[0] == HUMAN for pair in entities]
    slower = np.array(times) + np.array(human)[:, None] * 0.5 * np.median(times)
    assert auc_of_numbers(slower, human) > 0.53


def measured(server, numbers, natures):
    """What these annotators' browsers can measure: three times an item, and what its entities are."""
    times, entities = [], []
    for number in numbers:
        token = Browser(server, f"annotator {number}").token
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        unit = timed(connection, token, "unit", {})[1]["unit"]
        for page in unit["items"]:
            which = {"unit": unit["unit"], "item": page["item"]}
            decide = {**which, "question": "nature", "answer": "human", "seconds": 1.0}
            times.append(
                [
                    timed(connection, token, "open", {**which, "opened": 1})[0],
                    timed(connection, token, "decide", {**decide, "target": "entity:0"})[0],
                    timed(connection, token, "decide", {**decide, "target": "entity:1"})[0],
                ]
            )
            entities.append(natures[int(MARK.search(json.dumps(page).encode())[1])])
        connection.close()
    return times, entities


def timed(connection, token, name, body):
    """Seconds until the answer, and the answer."""
    start = time.perf_counter()
    connection.request("POST", f"/api/{name}", json.dumps(body), {"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    content = response.read()
    seconds = time.perf_counter() - start
    assert response.status == 200, content
    return seconds, json.loads(content)
