"""Personal links: each can be revoked, also under a page that is open, replaced, and end at some time."""

import csv
import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from asking import SECRET, RecordingDesk, api, server_of
from people import SURVEY, make_study

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.collection import LaunchRequest
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.launch import launch
from parlai_spotbot.crowdsourcing.platforms.personal_links import LinkStates, known_names, renew, revoke, write_links
from parlai_spotbot.crowdsourcing.platforms.sign_in import InHouseDoor
from parlai_spotbot.crowdsourcing.platforms.tokens import in_house_link, read_secret
from parlai_spotbot.errors import UserError

BASE = "http://127.0.0.1:1234"


def query(link):
    return dict(parse_qsl(urlsplit(link).query))


@pytest.fixture
def states(tmp_path):
    (tmp_path / "study.yaml").touch()
    return LinkStates(tmp_path / "links.jsonl")


@pytest.fixture
def links(tmp_path, states):
    return write_links(tmp_path / "links.csv", ["ann", "bob"], BASE, SECRET, states)


def refusal_of(door, link):
    with pytest.raises(Refusal) as caught:
        door.enter(query(link))
    assert caught.value.status == 403
    return caught.value.text


def rows(tmp_path):
    with open(tmp_path / "links.csv", encoding="utf-8", newline="") as lines:
        return {row["annotator"]: (row["link"], row["state"]) for row in csv.DictReader(lines)}


def test_a_link_is_the_one_that_older_versions_gave(links, states):
    assert links["ann"] == in_house_link(BASE, SECRET, "ann")
    assert InHouseDoor(SECRET, states).enter(query(links["ann"])).worker == "ann"
    assert not states.path.exists()


def test_one_link_is_revoked_and_the_others_are_not(tmp_path, links, states):
    door = InHouseDoor(SECRET, LinkStates(states.path))
    inside = door.enter(query(links["ann"]))
    revoke(tmp_path / "links.csv", "ann", states)
    assert "not good any more" in refusal_of(door, links["ann"])
    assert not door.still_open(inside)
    assert door.still_open(door.enter(query(links["bob"])))
    again = write_links(tmp_path / "links.csv", ["ann", "bob"], BASE, SECRET, LinkStates(states.path))
    assert again == {"bob": links["bob"]}  # a relaunch gives it to nobody
    assert rows(tmp_path)["ann"] == ("", "revoked")
    assert known_names(tmp_path / "links.csv") == ["ann", "bob"]
    revoke(tmp_path / "links.csv", "ann", states)
    assert len(states.path.read_text().splitlines()) == 1
    assert states.path.stat().st_mode & 0o777 == 0o600


def test_who_gets_another_link_is_the_same_annotator(tmp_path, links, states):
    door = InHouseDoor(SECRET, states)
    inside = door.enter(query(links["ann"]))
    renew(tmp_path / "links.csv", "ann", states)
    new = write_links(tmp_path / "links.csv", [], BASE, SECRET, states)["ann"]
    assert new != links["ann"]
    assert door.enter(query(new)).worker == "ann"
    assert not door.still_open(inside)
    refusal_of(door, links["ann"])
    revoke(tmp_path / "links.csv", "ann", states)
    refusal_of(door, new)
    renew(tmp_path / "links.csv", "ann", states)
    refusal_of(door, new)
    assert door.enter(query(write_links(tmp_path / "links.csv", [], BASE, SECRET, states)["ann"])).worker == "ann"


@pytest.mark.parametrize("what", ["it is gone", "it is empty", "its first line is gone", "its line is another"])
def test_no_link_comes_back_as_the_list_of_revoked_ones_is_damaged(tmp_path, links, states, what):
    revoke(tmp_path / "links.csv", "ann", states)
    revoke(tmp_path / "links.csv", "bob", states)
    whole = states.path.read_text()
    door = InHouseDoor(SECRET, states)
    damaged = {
        "it is empty": "",
        "its first line is gone": whole.partition("\n")[2],
        "its line is another": whole.replace('"revoked"', '"until"'),
    }
    if what in damaged:
        states.path.write_text(damaged[what])
    else:
        states.path.unlink()
    with pytest.raises((UserError, Refusal)):
        door.enter(query(links["ann"]))
    with pytest.raises(UserError, match="changed since it was written"):
        InHouseDoor(SECRET, LinkStates(states.path)).enter(query(links["ann"]))
    with pytest.raises(UserError, match="changed since it was written"):
        states.note("cyd", "revoked")


def test_names_are_no_formulas_and_stay_the_same_annotators(tmp_path, states):
    names = ["=HYPERLINK(1)", "+1 ann", "'quoted", "Zoë, the second"]
    first = write_links(tmp_path / "links.csv", names, BASE, SECRET, states)
    assert not any(line.startswith(("=", "+", '"=')) for line in (tmp_path / "links.csv").read_text().splitlines())
    assert known_names(tmp_path / "links.csv") == names
    assert write_links(tmp_path / "links.csv", names, BASE, SECRET, states) == first


@pytest.mark.parametrize("text", ["", "x,y\n1,2\n", "annotator,link\n,http://x\n", "\ufffe"])
def test_what_is_no_list_of_links_is_named(tmp_path, text):
    (tmp_path / "links.csv").write_bytes(text.encode("utf-16-le" if text == "\ufffe" else "utf-8"))
    with pytest.raises(UserError, match="not the list of links"):
        known_names(tmp_path / "links.csv")


def test_the_list_of_an_older_version_is_read(tmp_path):
    (tmp_path / "links.csv").write_text("annotator,link\nann,http://x\n", encoding="utf-8")
    assert known_names(tmp_path / "links.csv") == ["ann"]


def test_nobody_of_that_name(tmp_path, links, states):
    with pytest.raises(UserError, match="nobody called 'anne' has a link") as caught:
        revoke(tmp_path / "links.csv", "anne", states)
    assert "ann" in caught.value.remedy
    with pytest.raises(UserError, match="nobody"):
        renew(tmp_path / "none.csv", "ann", states)
    assert not states.path.exists()


def test_over_http_an_open_page_ends_at_once(tmp_path, page, links, states):
    door = InHouseDoor(SECRET, LinkStates(states.path))
    with server_of(RecordingDesk(), page, door) as server:
        token = api(server, "enter", {"query": query(links["ann"])})[1]["token"]
        other = api(server, "enter", {"query": query(links["bob"])})[1]["token"]
        assert api(server, "session", None, token)[0] == 200
        revoke(tmp_path / "links.csv", "ann", states)  # as the command does in another process
        status, answer = api(server, "session", None, token)
        assert (status, answer["error"]["code"]) == (403, "link")
        assert api(server, "submit", {"unit": "x"}, token)[0] == 403
        assert api(server, "enter", {"query": query(links["ann"])})[0] == 403
        assert api(server, "session", None, other)[0] == 200


# -- the command -------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def launched(tmp_path_factory):
    """A study as a launch leaves it: links, a secret, an address."""
    study = make_study(tmp_path_factory.mktemp("launched") / "study")
    paths = CollectionPaths.of(study, SURVEY)
    paths.make()
    write_links(paths.links, ["ann", "bob"], BASE, read_secret(paths.secret), LinkStates(paths.link_states))
    files.write_json(paths.launch, {"port": 1234, "url": ""})
    return study


def test_the_command_revokes_and_renews_while_the_page_is_served(launched):
    paths = CollectionPaths.of(launched, SURVEY)
    secret = read_secret(paths.secret)
    door = InHouseDoor(secret, LinkStates(paths.link_states))
    old = in_house_link(BASE, secret, "ann")
    door.enter(query(old))
    with files.lock(paths.lock, "spotbot_crowdsource"), launched.lock("spotbot_collect"):  # somebody is at work
        said = []
        assert launch(LaunchRequest(launched.path, revoke="ann"), say=said.append) == 0
        refusal_of(door, old)
        assert "--new-link ann" in said[0]
        assert launch(LaunchRequest(launched.path, new_link="ann"), say=said.append) == 0
    (link,) = [line.strip() for line in said[1].splitlines() if "http" in line]
    assert link.startswith(f"{BASE}/?t=")
    assert door.enter(query(link)).worker == "ann"
    events = [json.loads(line)["event"] for line in paths.link_states.read_text().splitlines()]
    assert events == ["revoked", "renewed"]
    with pytest.raises(UserError, match="nobody called 'zoe'"):
        launch(LaunchRequest(launched.path, revoke="zoe"), say=print)
