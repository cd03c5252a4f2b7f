"""Nothing that a browser gets tells a bot from a human: every byte of whole visits is read, and classifiers are set on
bytes and times.

The invented conversations name themselves in every turn (q12t3q is turn 3 of conversation 12), so that it shows in the
bytes which turns were sent. Texts are drawn without regard to who is a bot, so whatever predicts it would be a leak.
"""

import base64
import binascii
import http.client
import json
import random
import re
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from office import Office, answers

from parlai_spotbot.crowdsourcing import desk as desk_module
from parlai_spotbot.crowdsourcing.doors import InHouseDoor
from parlai_spotbot.crowdsourcing.mephisto_task.setup import PAGE
from parlai_spotbot.crowdsourcing.server import Server
from parlai_spotbot.crowdsourcing.tokens import LINK, sign
from parlai_spotbot.records import HUMAN, Conversation, Item, Turn, Utterance
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing import PackOptions, pack

SECRET = bytes(range(32))
MARK = re.compile(rb"q(\d+)t(\d+)q")
BOTS = ("zzbotalpha", "zzbotbeta")
NATURES = ((HUMAN, HUMAN), BOTS, (HUMAN, BOTS[0]), (BOTS[1], HUMAN))
NAMES = (b"bot", b"opening", b"reply", b"talk", b"seed", b"domain", b"control")
WORDS = (
    "so well i think the weather music dogs is are was nice today my your house work never always maybe it".split()  # noqa: SIM905
)

PAGE_KEYS = {"item", "layout", "transcripts", "questions", "opening"}
TRANSCRIPT_KEYS = {"key", "name", "entities", "turns"}
SESSION_KEYS = {"state", "survey", "texts", "language", "progress", "consent", "onboarding", "unit", "game", "finish",
                "why", "onboarding_result", "accepted"}  # fmt: skip


# -- what is served ----------------------------------------------------------------------------------------------------
def talk(number, entities, rng, exchanges=8):
    """A conversation whose texts are drawn alike whoever speaks."""
    turns = [Turn(HUMAN, f"zzopening{number}"), Turn(HUMAN, f"zzreply{number}")]
    for place in range(2 * exchanges):
        words = " ".join(rng.choices(WORDS, k=rng.randint(2, 12)))
        turns.append(Turn(entities[place % 2], f"q{number}t{place}q {words}"))
    pair = tuple(sorted(entities))
    return Conversation(f"zztalk{number}", "zzdomain", pair, number, entities, tuple(turns), 1, f"zzseed{number}")


def controls(first, count=12):
    """Known segments, named like the others."""
    kinds = ("known_human", "known_bot:0", "known_bot:1")
    return [
        Item(f"zzcontrol{number}", (f"zztalk{number}",), 3,
             (tuple(Utterance(t % 2, f"q{number}t{t}q well") for t in range(6)),), kinds[number % 3])
        for number in range(first, first + count)
    ]  # fmt: skip


@pytest.fixture
def serve(tmp_path):
    """serve(survey, talks, options, known): the office and the server, with the built page where there is one."""
    running = []

    def start(survey, talks, options, known=()):
        page = PAGE
        if not (page / "index.html").is_file():
            page = tmp_path / "page"
            page.mkdir()
            (page / "index.html").write_text("<p>not built</p>")
        office = Office(survey, pack(talks, options), list(known), talks, tmp_path / "ledger.db")
        server = Server(office.desk, InHouseDoor(SECRET), page, tmp_path / "refused.jsonl", secret=SECRET)
        server.start()
        running.append(server)
        return office, server

    yield start
    for server in running:
        server.stop()


class Browser:
    """Keeps every byte that it gets, `seen`; `pages` are the page items as they came."""

    def __init__(self, server, worker):
        self.server = server
        self.worker = worker
        self.seen = b""
        self.token = ""
        self.token = self.ask("enter", {"query": {"t": sign(SECRET, LINK, {"worker": worker})}})["token"]

    def get(self, method, path, body=b"", more=""):
        """The whole response, headers and all."""
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n{more}\r\n"
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as connection:
            connection.sendall(head.encode() + body)
            received = b"".join(iter(lambda: connection.recv(65536), b""))
        self.seen += received
        return received

    def ask(self, name, body=None):
        content = b"" if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        response = self.get(method, f"/api/{name}", content, f"Authorization: Bearer {self.token}\r\n")
        return json.loads(response.partition(b"\r\n\r\n")[2])

    def turns(self):
        """Which turns were seen: {(conversation, turn)}."""
        return {(int(talk), int(turn)) for talk, turn in MARK.findall(self.seen)}


def whole_visit(browser, survey):
    """Everything that one can ask for, mistakes included; units until there is none."""
    browser.get("GET", "/")
    for path in ("/api/session", "/api/nothing", "/../ledger.db", "/ledger.db"):
        for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE"):
            browser.get(method, path)
    state = browser.ask("session")
    assert state["state"] == "consent"
    state = browser.ask("consent", {"agree": True})
    hidden = [piece for exercise in survey.onboarding[0] for piece in re.split(r"\{[^}]*\}", exercise.explanation)]
    assert all(json.dumps(piece)[1:-1].encode() not in browser.seen for piece in hidden if len(piece) > 20)
    items = [
        answers(survey, page, lambda q, t, key={(q, t): a[0] for q, t, a in exercise.key}: key.get((q, t)))
        for page, exercise in zip(state["onboarding"]["items"], survey.onboarding[0], strict=True)
    ]
    for item in items:
        item["answers"] = [answer for answer in item["answers"] if answer["answer"] is not None]
    state = browser.ask("onboarding", {"items": items})
    assert state["onboarding_result"]["passed"]
    state = browser.ask("unit", {})
    while state["state"] == "working":
        state = one_unit(browser, survey, state["unit"])
    assert state["state"] == "finished"


def one_unit(browser, survey, unit):
    handle = unit["unit"]
    if survey.layout == "opening":
        for page in unit["items"]:
            play(browser, handle, page)
        unit = browser.ask("session")["unit"]
    body = {"unit": handle, "items": [answers(survey, page, opinion) for page in unit["items"]], "comment": "é"}
    browser.ask("submit", {**body, "items": body["items"][1:]})
    browser.ask("submit", {**body, "unit": "f" * 32})
    browser.ask("return", {"unit": "1"})
    browser.ask("session")
    state = browser.ask("submit", body)
    assert state["accepted"]
    assert browser.ask("submit", {**body, "comment": "again"})["error"]["code"] == "doubled"
    return browser.ask("unit", {}) if state["state"] == "ready" else state


def opinion(question, target):
    return "human" if question == "nature" else "no_difference"


CLOSED = ("decided", "all_open")


def play(browser, handle, page):
    """Open some exchanges, decide, open more; at no time is anything sent that isn't open."""
    number, opened = page["item"], page["opening"]["opened"]

    def nothing_unopened(page):
        marks = {(int(talk), int(turn)) for talk, turn in MARK.findall(json.dumps(page).encode())}
        talk = marks.copy().pop()[0]
        assert marks == {(talk, turn) for turn in range(2 * opened)}
        assert max(turn for seen, turn in browser.turns() if seen == talk) < 2 * opened

    nothing_unopened(page)
    decide = {"unit": handle, "item": number, "question": "nature", "answer": "human", "seconds": 1.0}
    for target in ("entity:0", "entity:1"):
        for _ in range(number % 2):
            answer = browser.ask("open", {"unit": handle, "item": number, "opened": opened})
            if "item" in answer:
                opened += 1
                nothing_unopened(answer["item"])
        nothing_unopened(browser.ask("decide", {**decide, "target": target})["item"])
        browser.ask("decide", {**decide, "target": target, "answer": "bot"})
    assert browser.ask("open", {"unit": handle, "item": number, "opened": opened})["error"]["code"] in CLOSED
    nothing_unopened(browser.ask("session")["unit"]["items"][number])


# -- every byte --------------------------------------------------------------------------------------------------------
def secrets_of(office):
    """What no byte may hold: names of systems and of what is inside, ids, seeds, marks of known segments."""
    inside = "known_human known_bot is_human conversation_id seed_id item_id unit_id block_id control_mistakes"
    unseen = f'{inside} controls_per_unit mephisto TornadoServer Traceback agent- "truth "exchanges"'.encode().split()
    unseen += [b"zz" + name for name in NAMES]
    for unit in office.units:
        unseen += [unit.unit_id.encode(), unit.block_id.encode(), *(item.item_id.encode() for item in unit.items)]
    return unseen + [handout.chance.encode() for handout in office.ledger.handouts()]


def unfolded(data):
    """The bytes, and what is folded up in them as base64 or hexadecimal digits."""
    yield data
    for found in set(re.findall(rb"[A-Za-z0-9_-]{16,}", data)):
        try:
            yield base64.urlsafe_b64decode(found + b"=" * (-len(found) % 4))
            yield bytes.fromhex(found.decode())
        except (ValueError, binascii.Error):
            pass


@pytest.mark.parametrize("name", ["spot_the_bot", "spot_the_bot_game"])
def test_every_byte_that_annotators_get(serve, name):
    rng = random.Random(1)
    talks = [talk(number, NATURES[number % 4], rng) for number in range(32)]
    survey = get_survey(name)
    survey = replace(survey, limits=replace(survey.limits, units_per_annotator=2, control_mistakes=99))
    lengths = (8,) if survey.layout == "opening" else (2, 3, 5)
    office, server = serve(survey, talks, PackOptions(name, lengths, 8, 2, 2), controls(100))
    browsers = [Browser(server, f"annotator {number}") for number in range(4)]
    for browser in browsers:
        whole_visit(browser, survey)
    items = {item.item_id: item for unit in office.units for item in unit.items}
    items |= {item.item_id: item for item in office.controls}
    secrets = secrets_of(office)
    for browser in browsers:
        mine = office.ledger.handouts("worker = ?", browser.worker)
        others = [handout.handle.encode() for handout in office.ledger.handouts("worker <> ?", browser.worker)]
        for data in unfolded(browser.seen):
            assert [secret for secret in secrets + others if secret in data] == []
        allowed = {mark for handout in mine for i in handout.items for mark in shown(items[i])}
        assert len(mine) == 2
        if survey.layout == "opening":
            assert browser.turns() < allowed
        else:
            assert browser.turns() == allowed
        assert len(browser.seen) > 100_000


def shown(item):
    """The (conversation, turn) of an item."""
    return {
        (int(talk), int(turn))
        for transcript in item.transcripts for utterance in transcript
        for talk, turn in MARK.findall(utterance.text.encode())
    }  # fmt: skip


def test_answers_hold_known_fields_and_no_others(serve):
    rng = random.Random(2)
    survey = get_survey("spot_the_bot")
    talks = [talk(number, NATURES[number % 4], rng) for number in range(16)]
    survey = replace(survey, onboarding=())
    _, server = serve(survey, talks, PackOptions("spot_the_bot", (2, 3), 8, 2, 1), controls(100))
    browser = Browser(server, "ann")
    sessions = [browser.ask("session"), browser.ask("consent", {"agree": True}), browser.ask("unit", {})]
    unit = sessions[-1]["unit"]
    assert set(unit) == {"unit", "seconds_left", "items"}
    assert re.fullmatch(r"[0-9a-f]{32}", unit["unit"])
    body = {"unit": unit["unit"], "items": [answers(survey, page, opinion) for page in unit["items"]], "comment": ""}
    sessions.append(browser.ask("submit", body))
    for session in sessions:
        assert set(session) <= SESSION_KEYS
        assert set(session["progress"]) <= {"done", "allowance", "used"}
    for number, page in enumerate(unit["items"]):
        assert set(page) <= PAGE_KEYS
        assert page["item"] == number
        for transcript in page["transcripts"]:
            assert set(transcript) == TRANSCRIPT_KEYS
            assert all(set(entity) == {"key", "name", "side"} for entity in transcript["entities"])
            assert all(set(turn) == {"entity", "text"} for turn in transcript["turns"])


@pytest.mark.skipif(not (PAGE / "index.html").is_file(), reason="the page is not built")
def test_the_page_s_own_files_know_nothing(serve):
    rng = random.Random(3)
    talks = [talk(number, NATURES[number % 4], rng) for number in range(8)]
    survey = get_survey("spot_the_bot")
    office, server = serve(survey, talks, PackOptions("spot_the_bot", (2,), 8, 2, 1), controls(100))
    browser = Browser(server, "ann")
    files = [path for path in PAGE.rglob("*") if path.is_file()]
    for path in files:
        name = path.relative_to(PAGE).as_posix()
        response = browser.get("GET", "/" if name == "index.html" else f"/{name}")
        assert response.startswith(b"HTTP/1.1 200")
        assert response.endswith(path.read_bytes())
    hidden = [secret for secret in secrets_of(office) if secret != b'"exchanges"']
    for exercise in (exercise for attempt in survey.onboarding for exercise in attempt):
        hidden += [text.encode() for _, text in exercise.turns]
    assert [secret for secret in hidden if secret in browser.seen] == []
    assert MARK.search(browser.seen) is None
    assert len(files) >= 3


# -- conversation text is data -----------------------------------------------------------------------------------------
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "</script><!--",
    "&lt;b&gt; &amp; &#x41; \"quoted\" 'too'",
    "\u202egnirts tfel ot thgir\u202c \u200f\u200e\u2067x\u2069",
    "🦉👩\u200d👧🏳️\u200d🌈 e\u0301\u0327 ﷽",
    "x" * 10_000,
    "長" * 10_000,
    "line\nline\r\nline\ttab\u2028\u2029\x0b\x00\x07\x7f end",
    "\\u0041 \\n \\\\ %41 ${x} {{y}}",
    '{"is": "json"}',
    "\ufeff\ufffe\uffff\U0010ffff",
    " leading and trailing ",
    "javascript:alert(1)",
    "'; DROP TABLE x; --",
)


def test_conversation_text_arrives_as_it_is(serve):
    survey = get_survey("spot_the_bot")
    survey = replace(survey, consent=(), onboarding=(), limits=replace(survey.limits, controls_per_unit=0))
    talks = []
    for number in range(4):
        said = [Turn(BOTS[i % 2], HOSTILE[(number + i) % len(HOSTILE)]) for i in range(len(HOSTILE))]
        opening = (Turn(HUMAN, "a"), Turn(HUMAN, "b"))
        talks.append(Conversation(f"c{number}", "d", BOTS, number, BOTS, (*opening, *said), 1, f"s{number}"))
    office, server = serve(survey, talks, PackOptions("spot_the_bot", (7,), 4, 0, 1, surface="keep"))
    browser = Browser(server, "ann")
    response = browser.get("POST", "/api/unit", b"{}", f"Authorization: Bearer {browser.token}\r\n")
    head, _, content = response.partition(b"\r\n\r\n")
    assert b"Content-Type: application/json" in head
    assert b"X-Content-Type-Options: nosniff" in head
    assert content.isascii()
    sent = [turn["text"] for page in json.loads(content)["unit"]["items"] for turn in page["transcripts"][0]["turns"]]
    kept = [utterance.text for item in office.units[0].items for utterance in item.transcripts[0]]
    assert sent == kept
    assert set(sent) == set(HOSTILE)


# -- bytes and times tell nothing --------------------------------------------------------------------------------------
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
        with Server(office.desk, InHouseDoor(SECRET), folder, folder / "r.jsonl", secret=SECRET) as server:
            for number in range(len(units)):
                unit = Browser(server, f"annotator {number}").ask("unit", {})["unit"]
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


@pytest.mark.parametrize("truth", sorted(TRUTHS))
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


def leaky_field(page, rng):
    if rng.random() < 0.2:
        page["known"] = None


def leaky_order(page, rng):
    if rng.random() < 0.4:
        page["questions"] = sorted(page["questions"])


@pytest.mark.slow
@pytest.mark.parametrize("leak", [leaky_name, leaky_space, leaky_field, leaky_order])
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
    exchange and of deciding on both entities. The standard error of the AUC is .0096 where times tell nothing. The
    ledger doesn't wait for the disk here: less noise, so a difference would show sooner."""
    rng = random.Random(6)
    count = 3600
    natures = [NATURES[number % 4] for number in range(count)]
    rng.shuffle(natures)
    talks = [talk(number, natures[number], rng, exchanges=3) for number in range(count)]
    survey = get_survey("spot_the_bot_game")
    limits = replace(survey.limits, units_per_annotator=1, controls_per_unit=0)
    survey = replace(survey, consent=(), onboarding=(), limits=limits)
    office, server = serve(survey, talks, PackOptions("spot_the_bot_game", (3,), 20, 5, 1))
    office.ledger._db.execute("PRAGMA synchronous = OFF")
    truths, times = [], []
    for number in range(len(office.units)):
        token = Browser(server, f"annotator {number}").token
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        unit = timed(connection, token, "unit", {})[1]["unit"]
        for page in unit["items"]:
            which = {"unit": unit["unit"], "item": page["item"]}
            decide = {**which, "question": "nature", "answer": "human", "seconds": 1.0}
            times.append([
                timed(connection, token, "open", {**which, "opened": 1})[0],
                timed(connection, token, "decide", {**decide, "target": "entity:0"})[0],
                timed(connection, token, "decide", {**decide, "target": "entity:1"})[0],
            ])  # fmt: skip
            truths.append(natures[int(MARK.search(json.dumps(page).encode())[1])])
        connection.close()
    assert len(times) == count
    for name, truth in TRUTHS.items():
        found = auc_of_numbers(times, [truth(entities) for entities in truths])
        print(f"{name}: AUC of times {found:.3f}")
        assert abs(found - 0.5) < 0.03
    slower = np.array(times) + np.array([[entities[0] == HUMAN] for entities in truths]) * 0.5 * np.median(times)
    assert auc_of_numbers(slower, [entities[0] == HUMAN for entities in truths]) > 0.53


def timed(connection, token, name, body):
    """Seconds until the answer, and the answer."""
    start = time.perf_counter()
    connection.request("POST", f"/api/{name}", json.dumps(body), {"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    content = response.read()
    seconds = time.perf_counter() - start
    assert response.status == 200, content
    return seconds, json.loads(content)
