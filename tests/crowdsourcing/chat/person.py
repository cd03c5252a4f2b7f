"""A scripted person who chats over HTTP as the page does, and keeps every answer of the server for a look at it."""

from __future__ import annotations

import http.client
import json
import time
from urllib.parse import parse_qs, urlsplit

PATIENCE = 60.0
"""Seconds until an answer that never comes fails a test."""


class Person:
    """One browser tab at `link`; `heard` holds the bytes of every answer."""

    def __init__(self, link: str):
        parts = urlsplit(link)
        self.address = parts.hostname, parts.port
        query = {key: values[0] for key, values in parse_qs(parts.query or parts.fragment).items()}
        self.heard: list[bytes] = []
        self.token = ""
        self.token = self.ok("enter", {"query": query})["token"]
        self.session = self.ok("session")

    # -- requests ----------------------------------------------------------------------------------------------------
    def ask(self, name: str, body: dict | None = None) -> tuple[int, dict]:
        """(status, JSON) of POST /api/name with a body, of GET without one."""
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        content = None if body is None else json.dumps(body)
        try:
            connection.request("GET" if body is None else "POST", f"/api/{name}", content, headers)
            answer = connection.getresponse()
            raw = answer.read()
        finally:
            connection.close()
        self.heard.append(raw)
        return answer.status, json.loads(raw)

    def ok(self, name: str, body: dict | None = None) -> dict:
        """The answer to a request that must be granted."""
        status, answer = self.ask(name, body)
        assert status == 200, (name, status, answer)
        return answer

    def refused(self, name: str, body: dict) -> tuple[int, str]:
        """The status and code with which a request is refused."""
        status, answer = self.ask(name, body)
        assert status >= 400, (name, status, answer)
        assert answer["error"]["text"]
        return status, answer["error"]["code"]

    # -- a unit ------------------------------------------------------------------------------------------------------
    def begin(self) -> dict:
        """Agree, and take a unit."""
        if self.session["state"] == "consent":
            self.session = self.ok("consent", {"agree": True})
        self.session = self.ok("unit", {})
        assert self.session["state"] == "working", self.session
        return self.unit

    @property
    def unit(self) -> dict:
        return self.session["unit"]

    def look(self) -> dict:
        """The unit as the server has it now."""
        self.session = self.ok("session")
        return self.unit

    def say(self, item: int, text: str) -> dict:
        """Say something next; returns the answer."""
        chat = self.look()["items"][item]["chat"]
        return self.ok("say", {"unit": self.unit["unit"], "item": item, "number": chat["next"], "text": text})

    def poll(self, item: int, have: int = 0) -> dict:
        return self.ok("chat", {"unit": self.unit["unit"], "item": item, "have": have})

    def wait(self, item: int) -> dict:
        """Poll until no answer is due."""
        until = time.monotonic() + PATIENCE
        while (answer := self.poll(item))["chat"]["partner"] == "typing":
            assert time.monotonic() < until, answer
            time.sleep(0.02)
        return answer

    def chat(self, item: int, messages: int) -> list[dict]:
        """Chat until there are so many messages; returns the turns."""
        answer = self.wait(item)
        while len(answer["turns"]) < messages:
            self.say(item, f"what do you think of number {len(answer['turns'])} ?")
            answer = self.wait(item)
        return answer["turns"]

    def answers(self, item: int) -> dict:
        """ITEM_ANSWERS that say the same of everything."""
        page = self.unit["items"][item]
        target, answer = ("pair", "conversation:1") if page["layout"] == "side_by_side" else ("entity:1", "4")
        rows = [
            {"question": q, "target": target, "answer": answer, "seconds": 1.5, "changes": 0} for q in page["questions"]
        ]
        return {"item": item, "answers": rows, "seconds": 20.0, "comment": ""}

    def rating(self, item: int) -> dict:
        return {"unit": self.unit["unit"], **self.answers(item)}

    def rate(self, item: int) -> dict:
        self.session = self.ok("rate", self.rating(item))
        return self.unit

    def submission(self) -> dict:
        return {"unit": self.unit["unit"], "items": [self.answers(2)], "comment": "", "texts_language": "en"}

    def finish(self, messages: int) -> dict:
        """Both chats, their ratings, the comparison."""
        for item in (0, 1):
            self.chat(item, messages)
            self.rate(item)
        self.session = self.ok("submit", self.submission())
        return self.session
