"""A scripted person who chats over HTTP as the page does, and keeps every answer of the server for a look at it."""

import time

from tests.crowdsourcing.asking import Client

PATIENCE = 60.0
"""Seconds until an answer that never comes fails a test."""


class Person(Client):
    """One browser tab at `link`."""

    def __init__(self, link: str):
        super().__init__(link)
        self.session = self.ok("session")

    def refused(self, name: str, body: dict) -> tuple[int, str]:
        """The status and code with which a request is refused."""
        status, answer = self.ask(name, body)
        assert status >= 400, (name, status, answer)
        assert answer["error"]["text"]
        return status, answer["error"]["code"]

    # -- a unit ------------------------------------------------------------------------------------------------------
    def begin(self) -> dict:
        """Agree, and take a unit."""
        self.session = super().begin(None)
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
