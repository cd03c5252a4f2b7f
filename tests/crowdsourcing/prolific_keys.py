"""Prolific's side, on loopback: a key server with keys that change, and tokens signed by them."""

import base64
import functools
import time

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.crowdsourcing.json_server import JsonServer

PID, OTHER_PID, STUDY, SESSION, OTHER_SESSION = (digit * 24 for digit in "abcde")
ADDRESS = "https://study.example.org"


@functools.cache
def private_key(name):
    """A key of 2,048 bits; each name has its own."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public_jwk(name):
    """As it is in a key set, under the id `name`."""
    numbers = private_key(name).public_key().public_numbers()
    text = {
        k: base64.urlsafe_b64encode(v.to_bytes(-(-v.bit_length() // 8))).rstrip(b"=").decode()
        for k, v in (("n", numbers.n), ("e", numbers.e))
    }
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": name, **text}


def claims(participant=PID, session=SESSION, **changes):
    """What Prolific's token says; a claim that is changed to None is left out."""
    said = {
        "iss": "https://www.prolific.com",
        "aud": ADDRESS,
        "sub": session,
        "iat": int(time.time()),
        "exp": int(time.time()) + 300,
        "prolific": {"PROLIFIC_PID": participant, "STUDY_ID": STUDY, "SESSION_ID": session, "workspace_id": "f" * 24},
    }
    return {name: value for name, value in {**said, **changes}.items() if value is not None}


def token(said=None, key="first", kid=None, algorithm="RS256"):
    """A token signed by `key`, which names the key `kid` (itself, unless told otherwise)."""
    signer = private_key(key) if algorithm == "RS256" else key
    return jwt.encode(said or claims(), signer, algorithm=algorithm, headers={"kid": kid or str(key)})


class KeyServer(JsonServer):
    """Serves the public keys of `names`, counts how often it was asked, and fails: `down`, or with `rubbish`."""

    def __init__(self, *names):
        self.names, self.asked, self.down, self.rubbish = list(names), 0, False, None
        super().__init__()
        self.url = f"{self.base}/jwks.json"

    def answer(self, path, headers):
        self.asked += 1
        return 500 if self.down else 200, self.rubbish or {"keys": [public_jwk(name) for name in self.names]}
