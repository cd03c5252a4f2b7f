"""The crowd's server draws units from what was answered, until every pair is settled, whatever stops it on the way."""

import asyncio
import re
import shutil
import time
from itertools import product
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from axe_playwright_python.sync_playwright import Axe

from parlai_spotbot import checksums, files
from parlai_spotbot.crowdsourcing.collection import planned
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.platforms.tokens import in_house_link, operator_link
from parlai_spotbot.crowdsourcing.server.collection_server import CollectionProgress
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, PageServerOptions
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Unit, indexed
from parlai_spotbot.sequential.account import account
from parlai_spotbot.sequential.course import Course
from parlai_spotbot.sequential.outlook import line, note
from parlai_spotbot.sequential.outlook import page as operator_page
from parlai_spotbot.sequential.registration import read_pool, registered
from parlai_spotbot.sequential.serving import Serving, prepared
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls, truth, write_controls
from tests.crowdsourcing import annotators
from tests.crowdsourcing import crowdsource_process as process
from tests.crowdsourcing.office import SECRET, answers, conversations, desk_of, spot_the_bot
from tests.crowdsourcing.page.stage import DESKTOP, PHONE, page_in
from tests.crowdsourcing.page.test_demo_pages import RULES
from tests.crowdsourcing.people import SURVEY, Annotator, Launch
from tests.in_process import spotbot
from tests.spoken import bots_of

SETTLED = {"until": "settled", "margin": 0.1, "budget": 160}
OPTIONS = ("--until", "settled", "--margin", "0.1", "--budget", "160", "--unit-size", "5")


def make_study(path, bots=3, per_pair=60):
    names = [f"bot{i}" for i in range(bots)]
    study = Study.create(path, Plan("chitchat", bots_of(names), per_pair, segments=(2, 3)))
    checksums.write_jsonl(study.conversations_path, conversations(bots, per_pair, people=2 * per_pair))
    return study


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    return make_study(tmp_path_factory.mktemp("once") / "study")


@pytest.fixture
def study(once, tmp_path):
    return Study.open(shutil.copytree(once.path, tmp_path / "study"))


def opinions(study):
    """What everybody thinks: of two bots the one with the lower number is human; by the texts that are shown."""
    talks, known = indexed(study.conversations()), {}
    for item in read_pool(study.load(SURVEY)):
        first, second = talks[item.conversation_ids[0]].entities
        natures = ("human", "bot") if first < second else ("bot", "human")
        known[_texts(item)] = (HUMAN, HUMAN) if first == second else natures
    return known | {_texts(item): truth(item.control) for item in read_controls(study.load(SURVEY))}


def _texts(item):
    return tuple(turn.text for turn in item.transcripts[0])


def replayed(study):
    """Draw all units again, each when the same had come back as then; returns what units.jsonl would hold."""
    serving, _ = planned(study.load(SURVEY), "", 1)
    course, drawn = Course(serving.plan, serving.pool, indexed(study.conversations())), []
    points = {name: block.points for name, block in serving.course.blocks.items() if block.points is not None}
    for unit in serving.drawn:
        for event in unit.since:
            course.happen(event, points)
        drawn.append(course.draw())
    return "".join(files.dumps(unit.to_json()) + "\n" for unit in drawn)


def check_replay(study):
    assert replayed(study) == study.units_path(SURVEY).read_text(encoding="utf-8")


# -- the command -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_until_settled_over_three_kills(study):
    def comes():
        person = Annotator(next(links), known)
        return person, person.begin(person.survey)

    with Launch(study, *OPTIONS, "--annotators", "60", "--deadline", "2999-01-01") as launched:
        address = launched.ready()
        links, known = iter(launched.links().values()), opinions(study)
        Annotator(next(links), known).work()
        _operator(launched, next(links))
        held, session = comes()
        body = held.submission(session)
        launched.kill()  # with a unit handed out
    with open(study.units_path(SURVEY), "ab") as units:
        units.write(b'{"unit_id": "torn')  # as by a kill while a unit is written
    assert spotbot("collect", "--study", study.path, code=1)
    with Launch(study, *OPTIONS) as launched:
        assert launched.ready() == address
        assert held.ask("submit", body)[0] == 200
        launched.kill()  # just after a submission
    lost = planned(study.load(SURVEY), "", 1)[0].draw()  # as by a kill between a unit's writing and its hand-out
    with Launch(study, *OPTIONS) as launched:
        launched.ready()
        finder, found = comes()
        assert {_texts(item) for item in lost.items} < shown(found)
        launched.kill()
    with Launch(study, *OPTIONS) as launched:
        launched.ready()
        shy, given = comes()
        shy.ok("return", {"unit": given["unit"]["unit"]})
        late, session = comes()
        assert len(shown(given) & shown(session)) <= 2, "but for controls, nobody sees what another one gave back"
        finder.ok("submit", finder.submission(found))
        while session["state"] == "working":  # each comes before the one before has handed in
            body, (person, session) = late.submission(session), comes()
            if session["state"] == "working":
                late.ok("submit", body)
                late = person
        assert (session["state"], launched.process.poll()) == ("finished", None), "it waits for who is at work"
        assert late.ok("submit", body)["accepted"]
        assert launched.ended() == 0
    assert "all pairs are settled" in launched.said
    assert "3 of 3 pairs settled" in launched.said
    check_replay(study)
    _finished_study(study)
    _blind(study, [finder, shy, late])


def _operator(launched, link):
    """The operator's page is at the address that the terminal tells, and nowhere for others."""
    page, person = re.search("for you alone: (.+)", launched.said)[1], Annotator(link, {})
    text = re.sub("</?bdi>", "", asked(page)[1])
    parts = "0 of 3 pairs settled", "bot1 – bot2", "1 done", "t the latest after", "at the deadline, 2999-01-01 00:00"
    assert not [part for part in parts if part not in text]
    server, _, token = page.partition("operator?t=")
    nothing = asked(f"{server}nothing")
    for forged in ("", f"?t={token[:-1]}", f"?t={link.partition('t=')[2]}", f"?t={person.token}"):
        assert asked(f"{server}operator{forged}") == nothing
    assert nothing[0] == 404


def asked(address):
    try:
        with urlopen(address) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def shown(session):
    return {annotators.texts_of(page) for page in session["unit"]["items"]}


def _finished_study(study):
    """All later commands work, and a launch has nothing to do."""
    for command in ("collect", "check", "analyze", "report"):
        spotbot(command, "--study", study.path)
    assert study.provenance()["served_plans"] == {SURVEY: registered(study.load(SURVEY)).digest}
    done = {row.unit_id for row in study.judgements(SURVEY)}
    assert done == {unit.unit_id for unit in planned(study.load(SURVEY), "", 1)[1]}
    assert len(study.units(SURVEY)) == len(done) + 1, "one was given back"
    assert account(study.load(SURVEY))["departures"] == []
    out, _ = spotbot("crowdsource", "--study", study.path)
    assert "all units are done" in out
    _, err = spotbot("crowdsource", "--study", study.path, *OPTIONS[:4], "--budget", 70, "--unit-size", 5, code=2)
    assert "budget 160 there, 70 here" in err
    lenient = study.path / "lenient.yaml"
    lenient.write_text("limits: {control_mistakes: 5}")
    _, err = spotbot("crowdsource", "--study", study.path, "--config", lenient, code=2)
    assert "registered with control_mistakes 1, not 5" in err
    _, err = spotbot("pack", "--study", study.path, code=2)
    assert "units are drawn" in err


def _blind(study, people):
    """Nothing that a browser got names a bot, a conversation, an item, a unit or the plan."""
    names = {"bot0", "-bot1", "bot2", "sequential", "settled", "operator"}  # a token begins with spotbot1
    for unit in study.units(SURVEY):
        names |= {unit.unit_id, *(item.item_id for item in unit.items)}
        names |= {name for item in unit.items for name in item.conversation_ids}
    for person in people:
        assert not [name for name in names if name.encode() in person.seen]


def test_people_rate_until_means_are_told_apart(study):
    options = ("--until", "settled", "--budget", "90", "--unit-size", "2", "--annotators", "45")
    survey, talks, worth = "dialogue_likert", indexed(study.conversations()), {"bot1": "2", "bot2": "1"}
    with Launch(study, *options, survey=survey) as launched:
        launched.ready()
        known = {_texts(item): "11" for item in read_controls(study.load(survey))}
        for item in read_pool(study.load(survey)):
            known[_texts(item)] = [worth.get(name, "5") for name in talks[item.conversation_ids[0]].entities]
        for link in launched.links().values():
            Annotator(link, known, survey).work()
        assert launched.ended() == 0
    assert re.search(r"[45] of 6 pairs settled", launched.said), launched.said[-700:]
    spotbot("collect", "--study", study.path, "--survey", survey)
    told = account(study.load(survey))
    assert {row["a"] for row in told["pairs"] if row["verdict"] == "better"} >= {HUMAN, "bot0"}
    assert (told["ended"], told["departures"]) == ("budget", [])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--budget", "4"], "--budget 4: expected at least one unit of 5"),
        (["--budget", "0"], "--budget 0"),
        (["--margin", "0.5"], "--margin 0.5"),
        (["--level", "1"], "--level 1"),
        (["--unit-size", "0"], "--unit-size 0"),
        (["--decides", "sensible"], "--decides sensible"),
        (["--deadline", "tomorrow"], "--deadline tomorrow: no time"),
        (["--deadline", "2020-01-01T00:00"], "--deadline: it is past"),
        (["--survey", "turn_likert"], "--margin 0.1: no two means of ratings are found equal"),
        (["--survey", "interactive"], "compares no two contestants"),
    ],
)
def test_bad_input_is_an_error_and_leaves_nothing(study, options, words):
    _, err = spotbot("crowdsource", "--study", study.path, *OPTIONS, *options, code=2)
    assert words in " ".join(err.split())
    assert not list(study.path.glob("surveys/*/crowdsourcing"))


def test_a_dry_run_decides_nothing_and_units_that_were_packed_stay(study):
    for budget in (60, 70):
        out, _ = spotbot("crowdsource", "--study", study.path, *OPTIONS[:4], "--budget", budget, "--dry-run")
        assert f"at most {budget} answers" in out
    assert "at most 1 unit each" in out
    _, err = spotbot("crowdsource", "--study", study.path, "--margin", 0.2, "--dry-run", code=2)
    assert "--margin: goes with --until 'settled'" in err
    spotbot("pack", "--study", study.path)
    before = study.units_path(SURVEY).read_bytes()
    _, err = spotbot("crowdsource", "--study", study.path, *OPTIONS, code=2)
    assert "packed already" in err
    assert study.units_path(SURVEY).read_bytes() == before


def test_before_the_first_draw_other_commands_tell_how_it_goes_on(ready):
    assert planned(ready.load(SURVEY), "", 1, "2020-01-01T00:00")[1] == []
    for words in (("analyze",), ("export", "--format", "label_studio", "--out", ready.path / "tasks.json")):
        _, err = spotbot(*words, "--study", ready.path, code=2)
        assert "--until settled --margin 0.1 --budget 160 --decides nature --unit-size 5" in " ".join(err.split())


# -- the desk, without Mephisto ----------------------------------------------------------------------------------------
def desk(study, **limits):
    """A desk on the study as it is now, as a new process has it."""
    data = study.load(SURVEY)
    survey, serving = spot_the_bot(units_per_annotator=1, **limits), Serving(data, registered(data))
    seeds = {talk.conversation_id: talk.seed_id for talk in study.conversations()}
    ledger = Ledger(CollectionPaths(study, SURVEY).ledger)
    return desk_of(survey, serving.drawn, ledger, serving=serving, seeds=seeds, controls=read_controls(data))


@pytest.fixture
def ready(study):
    with study.lock("test"):
        write_controls(prepared(study.load(SURVEY), SettledRequest(**SETTLED), 5))
    return study


def work(at, known, worker, wrong=False):
    """Do a unit; returns the session afterwards."""
    session = at.next_unit(Visitor(worker))
    if session["state"] != "working":
        return session
    unit, turned = session["unit"], {"human": "bot", "bot": "human"}

    def item(page):
        natures = known[annotators.texts_of(page)]
        right = natures if not wrong else [turned[one] for one in natures]
        return answers(at.survey, page, lambda q, t: right[int(t[-1])] if q == "nature" else "no_difference")

    return at.submit(Visitor(worker), {"unit": unit["unit"], "items": [item(page) for page in unit["items"]]})


def test_careless_people_are_handed_units_and_paid_and_do_not_count(ready):
    at, known = desk(ready), opinions(ready)
    work(at, known, "careless", wrong=True)
    counts = at.counts()
    assert (counts["answers"], counts["stopped"], counts["done"]) == (0, 1, 1)
    work(at, known, "careful")
    answered = at.counts()["answers"]
    assert answered > 0
    at.ledger.close()
    assert desk(ready).counts()["answers"] == answered, "as after a new start"
    check_replay(ready)


def test_one_who_walks_away_keeps_nobody_from_being_counted(ready):
    at, known = desk(ready), opinions(ready)
    assert at.next_unit(Visitor("away"))["state"] == "working"
    for number in range(30):
        work(at, known, f"a{number}")
    counts = at.counts()
    assert (counts["settled"], counts["open"], counts["ended"]) == (3, 1, "settled")
    assert f"1 out since {time.strftime('%H:%M', time.localtime(counts['out_since']))}" in line(counts, 0, "")
    at.ledger.close()
    again = desk(ready)
    assert (again.counts()["settled"], again.counts()["answers"]) == (counts["settled"], counts["answers"])
    check_replay(ready)


def test_another_unit_takes_the_place_of_one_that_is_given_back(ready):
    at, known = desk(ready), opinions(ready)
    given = at.next_unit(Visitor("shy"))
    drawn = at.stock.serving.drawn[0]
    at.give_back(Visitor("shy"), {"unit": given["unit"]["unit"]})
    assert at.stock.serving.course.out == 0
    work(at, known, "next")
    conversations = {name for unit in at.stock.serving.drawn for item in unit.items for name in item.conversation_ids}
    assert len(conversations) == 10
    assert at.stock.serving.drawn[1].since == (-1,)
    assert at.counts()["done"] == 1
    at.ledger.close()
    again = desk(ready)
    assert again.stock.free == set()
    assert again.stock.serving.course.blocks[drawn.unit_id].lost
    check_replay(ready)


def test_a_plan_that_was_changed_is_not_served(ready):
    at = desk(ready)
    at.ledger.close()
    plan = checksums.read_json(ready.settled_path(SURVEY))
    checksums.write_json(ready.settled_path(SURVEY), plan | {"level": 0.8})
    with pytest.raises(UserError, match="not the plan with which this collection began"):
        desk(ready)


def test_with_an_older_ledger_it_goes_on(ready):
    known, path = opinions(ready), CollectionPaths(ready, SURVEY).ledger
    for number in range(4):
        at = desk(ready)
        work(at, known, f"a{number}")
        at.ledger.close()
        if not number:
            shutil.copy(path, older := path.with_name("older.db"))
    shutil.copy(older, path)
    at = desk(ready)
    assert at.counts()["done"] == 1
    assert work(at, known, "next")["accepted"]


def test_after_the_deadline_only_what_is_out_is_taken(ready):
    at, known = desk(ready), opinions(ready)
    work(at, known, "early")
    assert at.next_unit(Visitor("at work"))["state"] == "working"
    at.stock.serving.deadline = time.time()
    assert work(at, known, "too late")["state"] == "finished"
    assert (at.counts()["units"], at.counts()["done"], at.counts()["ended"]) == (2, 1, "deadline")
    work(at, known, "at work")
    assert at.counts()["units"] == at.counts()["done"] == 2


SERVED = {"pairs": 3, "settled": 1, "equal": 0, "answers": 9, "expected": 4, "until": "", "ended": ""}


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({}, "at most 40.00; 20 units to go, by …"),
        (SERVED, "expected to end after about 6 units more, by …; at the latest after 20 units more, by …"),
        (SERVED | {"expected": 30}, "20.00 USD spent, 40.00 expected in all, at most 40.00; at the latest after"),
        (SERVED | {"ended": "budget"}, "; ended: the budget is spent"),
    ],
)
def test_the_line_in_the_terminal_foresees_the_end_by_the_latest_pace(figures, said):
    counts = {
        "units": 40,
        "done": 20,
        "open": 2,
        "free": 18,
        "out_since": 0,
        "annotators": 20,
        "stopped": 0,
        "latest": 20,
    }
    counts |= {"since": time.time() - 60, **figures}
    text = line(counts, 1.0, "USD")
    assert (figures.get("ended") or "more, by ") in note(counts)
    assert said in re.sub(r"by (\S+ )?\d\d:\d\d", "by …", text)


@pytest.mark.parametrize("letters", ["n", "名", "اسم", "meta-llama/Llama-3.1-8B-Instruct-"])
def test_pairs_of_long_names_are_read_on_the_operator_s_page_of_a_phone(letters, chromium):
    a, b = ((letters * 61)[:58] + f"-{place}" for place in range(2))
    verdicts = ("better", "equal", "open")
    pairs = [{"a": a, "b": b, "verdict": name, "evidence": 1, "needed": 3, "n": 9, "share": 0.5} for name in verdicts]
    counts = {"units": 9, "done": 2, "open": 1, "free": 6, "annotators": 2, "stopped": 0, "latest": 2, "allowance": 1}
    counts |= {"since": time.time() - 60, "out_since": 0}
    served = SERVED | {"margin": 0.15, "open_pairs": 2, "budget": 90}
    tab = chromium.new_context(viewport=PHONE).new_page()
    tab.set_content(operator_page("study", counts | served, pairs, [], None, 1.0, "USD", "n"))
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    names = tab.locator(".pairs tbody th").all()
    assert all(one.bounding_box()["width"] > 0.8 * PHONE["width"] for one in names)
    assert names[1].inner_text().endswith("within 15%")
    tab.set_content(operator_page("study", counts, [], [], ["ann"], 1.0, "USD", "n"))
    option = tab.locator(".amber .whole")
    assert option.inner_text() == "--annotators 6."
    assert option.evaluate("(one) => one.getClientRects().length") == 1
    tab.context.close()


@pytest.mark.parametrize("settled", [True, False])
def test_the_operator_s_page_is_kept_up_to_date_and_bars_nobody(ready, tmp_path, chromium, settled):
    def make():
        fixed = Unit("u", SURVEY, "b", 0, 0, tuple(read_pool(ready.load(SURVEY))[:3]))
        return desk(ready) if settled else desk_of(spot_the_bot(), [fixed], Ledger(tmp_path / "ledger.db"))

    (tmp_path / "index.html").write_text("page")
    money, known = LaunchSettings(pay=2.0, fee=0.5), opinions(ready)
    options = PageServerOptions(tmp_path, operator_page=CollectionProgress(9, money, "study <b> · Spot The Bot").page)
    with PageServer(make, InHouseDoor(SECRET), SECRET, options) as server:
        page = page_in(chromium, DESKTOP)
        page.clock.install()
        page.goto(operator_link(server.url, SECRET))
        assert page.get_by_text("study <b> · Spot The Bot").count() == 1
        page.get_by_text("0 out", exact=False).wait_for()
        server.intake.call(work, server.desk, known, "ann")
        page.clock.run_for(5000)
        page.get_by_text("3.00 USD").wait_for()
        for size, scheme in product((DESKTOP, PHONE), ("light", "dark")):
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            assert Axe().run(page, options=RULES).response["violations"] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        rows = page.get_by_role("row").all_inner_texts()
    assert not page.said
    assert len(rows) == (6 if settled else 2)  # pairs, and the annotator, each with a heading
    page.clock.run_for(5000)
    page.get_by_text("The server doesn't answer").wait_for()
    page.context.close()


@pytest.mark.slow
def test_two_hundred_annotators_and_an_operator_that_is_killed_three_times(tmp_path):
    study = make_study(tmp_path / "study", bots=6, per_pair=60)
    record = annotators.Record()
    with process.CrowdsourceProcess(study, 200, options=(*OPTIONS[:4], "--budget", "700")) as server:

        async def disturb(record):
            for units in (3, 15, 30):
                while len(record.accepted) < units:
                    await asyncio.sleep(0.02)
                server.kill()
                await asyncio.to_thread(server.start)

        known, survey = opinions(study), get_survey(SURVEY)
        process.run(annotators.meet(server.links(), survey, known, (0.0, 1.0), 30.0, record, disturb))
    found = process.verify(study, record)
    assert found["units done"] > 40
    assert record.retries > 0
    check_replay(study)


def test_two_hundred_annotators_of_all_kinds(tmp_path, monkeypatch):
    from parlai_spotbot.crowdsourcing.desk import sessions

    monkeypatch.setattr(sessions, "GRACE", 0.0)
    study = make_study(tmp_path / "study", bots=6, per_pair=60)
    with study.lock("test"):
        shown = prepared(study.load(SURVEY), SettledRequest(until="settled", margin=0.05, budget=700), 5)
        write_controls(shown)
    record, secret = annotators.Record(), bytes(range(32))
    (tmp_path / "index.html").write_text("page")
    options = InHouseDoor(secret), secret, PageServerOptions(tmp_path)
    with PageServer(lambda: desk(study, minutes_per_unit=4 / 60), *options) as server:
        links = [in_house_link(server.url, secret, f"annotator-{number}") for number in range(200)]
        process.run(annotators.meet(links, get_survey(SURVEY), opinions(study), (0.0, 0.1), 8.0, record))
        counts = server.intake.call(server.desk.counts)
        server.intake.call(server.desk.stock.serving.close)
    found = process.verify(study, record)
    assert found["units done"] == counts["done"]
    assert counts["answers"] > 200  # though of 200 units about 25 were given back or late, each at its worst
    check_replay(study)
