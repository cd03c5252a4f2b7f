"""The operator's page: how the collection goes, by a link that nobody else can make; annotators see nothing of it."""

import urllib.error
import urllib.request

import pytest
from people import Annotator, known_of
from test_collect import Collection

from parlai_spotbot.crowdsourcing import tokens
from parlai_spotbot.crowdsourcing.backups import BackupClock
from parlai_spotbot.crowdsourcing.doors import InHouseDoor
from parlai_spotbot.crowdsourcing.operator_page import OPERATOR, OperatorWatch, operator_link
from parlai_spotbot.crowdsourcing.server import PageServer, ServerFiles


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A collection in which anna and bob took a quarter of an hour each; cyd has had a unit for two hours, dan a new
    one."""
    made = Collection(tmp_path_factory.mktemp("watched") / "study", bots=3, per_pair=6, people=12)
    page = tmp_path_factory.mktemp("page")
    (page / "index.html").write_text("the page")
    made.unit("cyd")
    for worker in ("anna", "bob"):
        made.unit(worker)
        made.clock.pass_by(15 * 60)
        made.work(worker)
    made.clock.pass_by(90 * 60)
    made.unit("dan")
    made.secret = tokens.read_secret(made.paths.secret, make=False)
    backups = BackupClock(made.paths, clock=made.clock)
    backups.make()
    server = PageServer(made.desk, InHouseDoor(made.secret), ServerFiles(page, made.paths.refused), made.secret)
    server.watch = OperatorWatch("mine <b>", made.secret, 2.0, "USD", 10.0, backups, made.clock)
    with server:
        made.url, made.watch = server.url, server.watch
        yield made


def got(url, method="GET"):
    """Status, headers and text."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as err:
        return err.code, err.headers, err.read().decode()


def test_it_tells_how_the_collection_goes(served):
    link = operator_link(served.url, served.secret)
    status, headers, page = got(link)
    assert status == 200
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Cache-Control"] == "no-store"
    units = len(served.study.units(served.survey.name))
    assert f"2 of {units} units are done" in page
    assert "<h1>mine &lt;b&gt;</h1>" in page
    assert "15.0 minutes or less, which is 8.00 USD an hour" in page
    assert "less than the minimum wage, 10.00" in page
    assert "The ledger was last backed up 1 minute ago" in page
    assert page.count("perhaps stuck") == 1
    names = [tokens.pseudonym(served.secret, worker) for worker in ("cyd", "dan")]
    assert page.index(names[0]) < page.index("perhaps stuck") < page.index(names[1])
    assert not any(worker in page for worker in ("anna", "cyd"))
    style = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert style.startswith("/operator/")
    assert got(served.url + style)[1]["Content-Type"].startswith("text/css")
    assert page.count("<script") == 1


def test_what_is_refused_is_counted(served):
    link = operator_link(served.url, served.secret)
    got(f"{served.url}/api/session")
    served.clock.pass_by(5)
    page = got(link)[2]
    row = '<td class="n">401</td><td>token</td>'
    assert row in page
    served.watch.refused(type("Busy", (), {"status": 503, "code": "busy"}))
    served.watch.backups.trouble = "the disk is <full>"
    served.clock.pass_by(5)
    page = got(link)[2]
    assert "1 requests were told to wait (503)" in page
    assert "The last one failed: the disk is &lt;full&gt;." in page


def test_nobody_else_gets_it(served):
    session = tokens.sign_session(served.secret, {"worker": "anna"}, served.clock())
    forged = [
        "x",
        session,
        tokens.sign(bytes(32), OPERATOR, {}),
        tokens.in_house_link("", served.secret, "anna").partition("t=")[2],
        operator_link("", served.secret).rpartition("/")[2][:-1],
    ]
    unknown = got(f"{served.url}/nowhere")
    for token in forged:
        for part in ("", "/style.css", "/watch.js"):
            found = got(f"{served.url}/operator/{token}{part}")
            assert (found[0], found[2]) == (404, unknown[2])
    link = operator_link(served.url, served.secret)
    assert got(link, "POST")[0] == 404
    assert got(link, "DELETE")[0] == 404


def test_annotators_see_nothing_of_it(served):
    eve = Annotator(tokens.in_house_link(served.url, served.secret, "eve"), known_of(served.study, served.survey.name))
    status, session = eve.ask("session")
    assert status == 200
    assert "operator" not in repr(session).lower()
    assert "operator" not in got(served.url)[2]


def test_it_can_be_read_by_everybody_and_shows_what_is_new(served, chromium):
    from axe_playwright_python.sync_playwright import Axe

    page, said = chromium.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.clock.install()
    page.goto(operator_link(served.url, served.secret))
    assert Axe().run(page).response["violations"] == []
    assert page.locator("table").first.evaluate("t => getComputedStyle(t).borderCollapse") == "collapse"
    assert page.locator("main").count() == 1
    began = page.locator("main > p").first.inner_text()
    served.clock.pass_by(60)
    page.clock.fast_forward(60_000)
    page.wait_for_function("began => document.querySelector('main > p').innerText !== began", arg=began)
    assert said == []
    page.close()
