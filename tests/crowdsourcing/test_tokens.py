"""Tokens: what was signed comes back, nothing else is accepted, purposes and studies don't mix."""

import base64
import contextlib
import hashlib
import hmac
import itertools
import stat
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.errors import UserError

SECRET = bytes(range(32))
PURPOSES = (tokens.LINK, tokens.STUDY, tokens.SESSION)
ANY_TEXT = st.text(st.characters(), max_size=40)  # lone surrogates too


@given(ANY_TEXT, st.sampled_from(PURPOSES))
def test_what_was_signed_comes_back(worker, purpose):
    token = tokens.sign(SECRET, purpose, {"worker": worker})
    assert tokens.read(SECRET, purpose, token) == {"worker": worker}


def test_every_byte_counts_even_the_bits_that_base64_ignores():
    token = tokens.sign(SECRET, tokens.LINK, {"worker": "a"})
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= +/"
    for place, right in enumerate(token):
        for character in alphabet:
            if character != right:
                with pytest.raises(tokens.BadToken):
                    tokens.read(SECRET, tokens.LINK, token[:place] + character + token[place + 1 :])


@pytest.mark.parametrize("signed", PURPOSES)
def test_purposes_and_studies_do_not_mix(signed):
    token = tokens.sign(SECRET, signed, {"worker": "a"})
    for secret, used in itertools.product((SECRET, bytes(32)), PURPOSES):
        if (secret, used) != (SECRET, signed):
            with pytest.raises(tokens.BadToken):
                tokens.read(secret, used, token)
    for other in (token[:-1], token[1:], f"{token}.{token}", token * 100, "", None):
        with pytest.raises(tokens.BadToken):
            tokens.read(SECRET, signed, other)


def test_the_signature_is_the_hmac_that_it_is_said_to_be():
    body = "spotbot1." + base64.urlsafe_b64encode(b'{"worker":"a"}').decode().rstrip("=")
    key = hmac.new(SECRET, b"spotbot1 link of an annotator", hashlib.sha256).digest()
    mac = base64.urlsafe_b64encode(hmac.new(key, body.encode(), hashlib.sha256).digest()).decode().rstrip("=")
    assert tokens.sign(SECRET, tokens.LINK, {"worker": "a"}) == f"{body}.{mac}"


def test_a_session_ends():
    token = tokens.sign_session(SECRET, {"worker": "a"}, now=1000.0, seconds=60)
    assert tokens.read_session(SECRET, token, now=1059.9)["worker"] == "a"
    with pytest.raises(tokens.ExpiredToken) as caught:
        tokens.read_session(SECRET, token, now=1060.0)
    assert caught.value.payload["worker"] == "a"


def test_the_study_s_link_leaves_the_place_holders_to_prolific():
    link = tokens.study_link("https://example.org", SECRET, "mine")
    assert "&PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}" in link
    assert tokens.read(SECRET, tokens.STUDY, parse_qs(urlsplit(link).query)["study"][0]) == {"study": "mine"}


def test_the_secret_is_made_once_and_is_nobody_else_s_to_read(tmp_path):
    path = tmp_path / "new" / "secret"
    secret = tokens.read_secret(path, make=True)
    assert len(secret) == 32
    assert tokens.read_secret(path) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert tokens.read_secret(tmp_path / "other", make=True) != secret
    assert tokens.pseudonym(secret, "ann") != tokens.pseudonym(tokens.read_secret(tmp_path / "other"), "ann")


def test_a_secret_with_a_bit_that_flipped_is_none(tmp_path):
    """Links opened nothing any more, and everybody had another pseudonym."""
    path = tmp_path / "secret"
    secret = tokens.read_secret(path, make=True)
    whole = path.read_bytes()
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        with contextlib.suppress(UserError):
            assert tokens.read_secret(path) == secret
    path.write_text(secret.hex() + "\n")  # of an older release
    assert tokens.read_secret(path) == secret
