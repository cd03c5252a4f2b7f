"""Prolific's signed study URLs, against a key server of our own: nobody comes in by what they make up."""

import base64
import functools
import hashlib
import hmac
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import jwt
import pytest
import yaml
from cryptography.hazmat.primitives import serialization

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.platforms import prolific, tokens
from parlai_spotbot.crowdsourcing.platforms.prolific import ProlificDoor, SignedUrls
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from tests.crowdsourcing.asking import SECRET
from tests.crowdsourcing.prolific_keys import (
    ADDRESS,
    OTHER_PID,
    OTHER_SESSION,
    PID,
    SESSION,
    STUDY,
    KeyServer,
    claims,
    private_key,
    token,
)


@pytest.fixture
def keys():
    server = KeyServer("first")
    yield server
    server.close()


@pytest.fixture
def door(keys, tmp_path):
    return make_door(keys, tmp_path)


def make_door(keys, tmp_path, **more):
    settings = LaunchSettings(prolific_study=STUDY, completion_code="DONE", screened_out_code="OUT")
    return ProlificDoor(SECRET, "mine", settings, tmp_path / "prolific.jsonl", SignedUrls(ADDRESS, keys.url, **more))


def coming(signed="", participant=PID, session=SESSION, study=STUDY):
    """The query of a page's address, with a token that Prolific signed for the same ids unless told otherwise."""
    return {
        "study": tokens.sign(SECRET, tokens.STUDY, {"study": "mine"}),
        "PROLIFIC_PID": participant,
        "STUDY_ID": study,
        "SESSION_ID": session,
        "prolific_token": signed or token(claims(participant, session)),
    }


def turned_away(door, query, status=403):
    with pytest.raises(Refusal) as caught:
        door.enter(query)
    assert caught.value.status == status
    return caught.value.text


def test_who_prolific_signed_for_comes_in_under_their_id(door, keys):
    visitor = door.enter(coming())
    assert (visitor.worker, visitor.registration) == (PID, "")
    door.enter(coming(participant=OTHER_PID, session=OTHER_SESSION))
    assert keys.asked == 1  # the keys are kept


def public_pem():
    key = private_key("first").public_key()
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def signed_with_the_public_key():
    """HS256 with the public key as its secret, which everybody knows; made by hand, as no library makes it."""
    parts = [{"alg": "HS256", "kid": "first", "typ": "JWT"}, claims()]
    body = b".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
    signature = hmac.new(public_pem(), body, hashlib.sha256).digest()
    return (body + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


def changed(part):
    """A good token of which one part says something else."""
    parts = token().split(".")
    said = json.loads(base64.urlsafe_b64decode(parts[part] + "=="))
    said |= {"more": 1}
    parts[part] = base64.urlsafe_b64encode(json.dumps(said).encode()).rstrip(b"=").decode()
    return ".".join(parts)


CLAIMS = """
for another site: {aud: https://elsewhere.example.org}
for a longer name: {aud: https://study.example.org.evil.org}
without an end: {exp: null}
over: {exp: now -120}
not yet begun: {nbf: now +3600}
an end as text: {exp: "1700000000"}
an end that is a list: {exp: [1700000000]}
an end before time: {exp: -1}
made tomorrow: {iat: now +86400, exp: now +172800}
made after its end: {iat: now +0, exp: now -30}
a beginning as text: {iat: soon}
another issuer: {iss: https://prolific.com.evil.org}
an issuer that is like it: {iss: https://notprolific.com}
no ids: {prolific: null}
ids that are none: {prolific: {PROLIFIC_PID: 1, STUDY_ID: [], SESSION_ID: null}}
another participant's: {participant: eeeeeeeeeeeeeeeeeeeeeeee}
"""


def claiming(change):
    """A token that Prolific signed, with other claims; times count from now."""
    said = {name: str(value).split("now ") for name, value in change.items()}
    times = {name: int(time.time()) + int(parts[1]) for name, parts in said.items() if len(parts) > 1}
    return token(claims(**change | times))


FORGED = {name: functools.partial(claiming, change) for name, change in yaml.safe_load(CLAIMS).items()} | {
    "another key under a known name": lambda: token(key="evil", kid="first"),
    "a key that nobody knows": lambda: token(key="evil"),
    "no algorithm": lambda: jwt.encode(claims(), None, algorithm="none", headers={"kid": "first"}),
    "the public key as a shared secret": signed_with_the_public_key,
    "a shared secret": lambda: token(key="x" * 32, kid="first", algorithm="HS256"),
    "a changed header": lambda: changed(0),
    "a changed claim": lambda: changed(1),
    "an endless end": lambda: token(claims(exp=10**400)),
    "not a token": lambda: "a.b.c",
    "deep": lambda: base64.urlsafe_b64encode(b"[" * 3000).decode() + ".e30.e30",
    "very long": lambda: "a" * 100_000,
}


@pytest.mark.parametrize("how", FORGED)
def test_what_is_made_up_or_somebody_else_s_opens_nothing(door, how, caplog, tmp_path):
    caplog.set_level("INFO")
    turned_away(door, coming(FORGED[how]()))
    assert caplog.messages
    assert (tmp_path / "prolific.jsonl").read_text() == ""
    assert door.enter(coming()).worker == PID  # and what is sound does, after it


@pytest.mark.parametrize("issuer", [None, "prolific", "https://api.prolific.com/", "https://www.prolific.com"])
def test_an_issuer_is_prolific_however_it_is_written(door, issuer):
    assert door.enter(coming(token(claims(iss=issuer)))).worker == PID


def test_a_submission_belongs_to_one_participant(door, keys, tmp_path, caplog):
    caplog.set_level("INFO")
    door.enter(coming())
    door.enter(coming(token(claims(exp=int(time.time()) + 400))))  # the same, opened again
    for one in (door, make_door(keys, tmp_path)):  # after a restart too
        turned_away(one, coming(participant=OTHER_PID))
        assert "two participants" in caplog.text
        caplog.clear()
    assert door.enter(coming(participant=OTHER_PID, session=OTHER_SESSION)).worker == OTHER_PID


def test_another_study_at_prolific_opens_nothing(door):
    """Anybody may make a study there whose address is this one; Prolific signs that too."""
    ids = {"PROLIFIC_PID": PID, "STUDY_ID": "9" * 24, "SESSION_ID": SESSION}
    turned_away(door, coming(token(claims(prolific=ids)), study="9" * 24))


def test_the_site_counts_however_it_is_written(door):
    for aud in ("study.example.org", ["x", f"{ADDRESS}/?study=x"]):
        assert door.enter(coming(token(claims(aud=aud)))).worker == PID


def test_keys_may_change(door, keys, monkeypatch):
    door.enter(coming())
    keys.names = ["second"]
    turned_away(door, coming(token(claims(OTHER_PID, OTHER_SESSION), "second"), OTHER_PID, OTHER_SESSION))
    assert keys.asked == 1  # not sooner than half a minute after the last time: floods of made-up names cost nothing
    with monkeypatch.context() as later:
        later.setattr(prolific, "AGAIN_SECONDS", 0.0)
        door.enter(coming(token(claims(OTHER_PID, OTHER_SESSION), "second"), OTHER_PID, OTHER_SESSION))
    assert keys.asked == 2
    turned_away(door, coming(token(key="first")))  # no longer among Prolific's


def test_a_key_server_that_is_down_makes_people_wait(keys, tmp_path, monkeypatch):
    keys.down = True
    door = make_door(keys, tmp_path)
    assert "tries" in turned_away(door, coming(), 503)
    turned_away(door, coming(), 503)
    assert keys.asked == 1
    keys.down = False
    monkeypatch.setattr(prolific, "AGAIN_SECONDS", 0.0)
    door.enter(coming())
    keys.down = True
    turned_away(door, coming(token(key="evil")), 503)
    door.enter(coming(participant=OTHER_PID, session=OTHER_SESSION))  # the keys that are there serve


RUBBISH = {
    "a page to log in to the network": b"<html>Please log in</html>",
    "keys that are none": b'{"keys": ["first", 3]}',
    "nothing that JSON can hold": b"[" * 100_000,
}


@pytest.mark.parametrize("what", RUBBISH)
def test_a_key_server_that_answers_with_rubbish_makes_people_wait(keys, tmp_path, monkeypatch, what):
    """They were told that Prolific had not signed for them, each after asking once more."""
    door = make_door(keys, tmp_path)
    keys.rubbish = RUBBISH[what]
    for _ in range(3):
        turned_away(door, coming(), 503)
    assert keys.asked == 1
    keys.rubbish = None
    monkeypatch.setattr(prolific, "AGAIN_SECONDS", 0.0)
    assert door.enter(coming()).worker == PID


def test_a_key_server_that_never_ends_holds_up_nobody_whose_key_is_there(door, monkeypatch):
    """A made-up name of a key held everybody at the door, for as long as the key server took."""
    door.enter(coming())
    monkeypatch.setattr(prolific, "AGAIN_SECONDS", 0.0)
    asked, ended = threading.Event(), threading.Event()
    monkeypatch.setattr(door.signed._server, "get_signing_keys", lambda: (asked.set(), ended.wait(20), [])[-1])
    with ThreadPoolExecutor(1) as threads:
        made_up = threads.submit(turned_away, door, coming(token(key="evil")))
        assert asked.wait(20)
        assert door.enter(coming(participant=OTHER_PID, session=OTHER_SESSION)).worker == OTHER_PID
        turned_away(door, coming(token(key="evil")), 503)
        ended.set()
        made_up.result()


def test_a_page_is_reloaded_after_its_token_is_over_but_nobody_comes_late(keys, tmp_path):
    ahead = [0.0]
    door = make_door(keys, tmp_path, clock=lambda: time.time() + ahead[0])
    query, late = coming(), coming(participant=OTHER_PID, session=OTHER_SESSION)
    door.enter(query)
    ahead[0] = 3600.0
    assert door.enter(query).worker == PID
    assert "again" in turned_away(door, late)
    again = make_door(keys, tmp_path, clock=lambda: time.time() + 3600)  # after a restart too
    assert again.enter(query).worker == PID
    turned_away(again, late)
