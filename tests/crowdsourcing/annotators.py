"""Simulated annotators: each is a coroutine with browser tabs of its own that behaves as the page does, or worse.

They keep their own record of what the server told them, against which the ledger is checked afterwards.
"""

import asyncio
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.surveys.survey import Survey
from tests.crowdsourcing.office import answers, practised

KINDS = {"forging": 20, "slow": 20, "returning": 20, "six tabs": 20, "twice": 20, "vanishing": 6, "careless": 6}
"""How many of 200 annotators are of each kind; the others are plain."""

GIVE_UP = 240.0
"""Seconds after which a request that never got through counts as lost."""

ENDED = 60.0
"""The same for a request for a unit: the operator ends by itself when all units are done, whoever still waits."""

COMING_IN = ("consent", "onboarding")
"""States before the first unit, of people, too, who had to wait for one."""

Answer = Callable[[str, str], object]


class Lost(Exception):
    """A request that was not answered within `GIVE_UP`."""


@dataclass
class Record:
    """What the annotators were told: `accepted` the body that each handle was accepted with, `holders` who got which
    handle, `waits` the seconds of each kind of request and `moments` when they were granted, `refused` the refusals,
    `odd` what should not happen."""

    accepted: dict[str, dict] = field(default_factory=dict)
    holders: dict[str, str] = field(default_factory=dict)
    returned: set[str] = field(default_factory=set)
    late: set[str] = field(default_factory=set)
    ends: Counter = field(default_factory=Counter)
    waits: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    moments: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    refused: Counter = field(default_factory=Counter)
    retries: int = 0
    forged: Counter = field(default_factory=Counter)
    odd: list[str] = field(default_factory=list)


class Tab:
    """One browser tab: one connection, kept open; a request is sent again, with pauses, until it is answered."""

    def __init__(self, base: str, record: Record, token: str = ""):
        parts = urlsplit(base)
        self.address = parts.hostname, parts.port
        self.record, self.token, self.spent = record, token, 0.0
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, name: str, body: dict | None = None, token: str | None = None) -> tuple[int, dict]:
        """(status, JSON) of POST /api/name with a body, of GET without one."""
        began = time.monotonic()
        attempt = 0
        while True:
            try:
                status, answer = await asyncio.wait_for(self._once(name, body, token), 60)
            except (TimeoutError, OSError, asyncio.IncompleteReadError):
                self.close()
                status, answer = 0, {}
            if status not in (0, 429, 503):
                self.record.waits[name].append(time.monotonic() - began)
                self.spent += time.monotonic() - began
                if status != 200:
                    self.record.refused[name, status, answer["error"]["code"]] += 1
                return status, answer
            if time.monotonic() - began > (ENDED if name == "unit" else GIVE_UP):
                raise Lost(name)
            self.record.retries += 1
            await asyncio.sleep(min(2.0, 0.1 * 2**attempt) * random.uniform(0.75, 1.25))
            attempt += 1

    async def _once(self, name: str, body: dict | None, token: str | None) -> tuple[int, dict]:
        if self.streams is None:
            self.streams = await asyncio.open_connection(*self.address, limit=2**22)
        reader, writer = self.streams
        content = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{'GET' if body is None else 'POST'} /api/{name} HTTP/1.1",
            f"Host: {self.address[0]}",
            f"Authorization: Bearer {self.token if token is None else token}",
            f"Content-Length: {len(content)}",
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        answer = await reader.readexactly(int(fields["content-length"]))
        return int(head[0].split()[1]), json.loads(answer)

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


def texts_of(page_item: dict) -> tuple[str, ...]:
    """What an item shows, by which known segments are recognised."""
    return tuple(turn["text"] for transcript in page_item["transcripts"] for turn in transcript["turns"])


class Annotator:
    """One simulated person.

    Parameters
    ----------
    survey : Survey
        With the keys of the onboarding: simulated annotators have learnt their lesson.
    known : dict
        The natures of the entities of known segments, by `texts_of`.
    think : (float, float)
        Seconds between two steps.
    """

    def __init__(
        self, link: str, kind: str, survey: Survey, known: dict, record: Record, think: tuple[float, float], seed: int
    ):
        self.base, self.query = link.partition("/?")[0], {k: v[0] for k, v in parse_qs(urlsplit(link).query).items()}
        self.kind, self.survey, self.known, self.record, self.think = kind, survey, known, record, think
        self.rng = random.Random(f"annotator {seed}")
        self.name = f"annotator {seed}"
        self.tab = Tab(self.base, record)
        self.given_back = 0

    async def pause(self, times: float = 1.0) -> None:
        await asyncio.sleep(times * self.rng.uniform(*self.think))

    async def work(self) -> None:
        """From the link to the last unit."""
        try:
            state = await self.come_in()
            while state["state"] in ("ready", "waiting", "working"):
                if state["state"] == "waiting":
                    await asyncio.sleep(self.rng.uniform(2.0, 4.0))
                    state = await self.must("unit", {})
                    state = await self.come_in() if state["state"] in COMING_IN else state
                    continue
                state = await self.one_unit(state)
            self.record.ends[state["state"]] += 1
        except Lost as lost:
            if str(lost) == "unit":
                self.record.ends["operator ended"] += 1
            else:
                self.record.odd.append(f"{self.name}: {lost} was never answered")
        finally:
            self.tab.close()

    async def must(self, name: str, body: dict | None = None) -> dict:
        """A request that has to be granted; the session otherwise."""
        status, answer = await self.tab.ask(name, body)
        if status == 200:
            return answer
        # The last unit went to somebody else while this one practised; or one came back while this one waited.
        came_back = name == "unit" and answer["error"]["code"] in COMING_IN
        if (name, status) != ("onboarding", 409) and not came_back:
            self.record.odd.append(f"{self.name} ({self.kind}): {name} got {status} {answer}")
        return (await self.tab.ask("session"))[1]

    # -- coming in -----------------------------------------------------------------------------------------------------
    async def come_in(self) -> dict:
        """Enter, agree, practise, get the first unit; the seconds that the server took for all of it are noted."""
        began = time.monotonic()
        self.tab.token = (await self.must("enter", {"query": self.query}))["token"]
        state = await self.must("session")
        if state["state"] == "consent":
            await self.pause()
            state = await self.must("consent", {"agree": True})
        while state["state"] == "onboarding":
            await self.pause()
            state = await self.must("onboarding", self.practised(state))
        if state["state"] == "ready":
            await self.pause()
            state = await self.must("unit", {})
        if state["state"] == "working":
            self.record.waits["registration"].append(self.tab.spent)
            self.record.waits["registration with pauses"].append(time.monotonic() - began)
        return state

    def practised(self, session: dict) -> dict:
        return practised(self.survey, session["onboarding"])

    # -- a unit --------------------------------------------------------------------------------------------------------
    async def one_unit(self, state: dict) -> dict:
        """Do a unit in this annotator's way; returns the session after it."""
        state = await (self.from_six_tabs() if self.kind == "six tabs" else self.must("unit", {}))
        if state["state"] != "working":
            return state
        unit = state["unit"]
        self.record.holders[unit["unit"]] = self.name
        self.record.moments["hand-out"].append(time.monotonic())
        if self.kind == "vanishing":
            return {"state": "vanished"}
        if self.kind == "returning" and self.given_back < 2:
            self.given_back += 1
            await self.pause()
            self.record.returned.add(unit["unit"])
            return await self.must("return", {"unit": unit["unit"]})
        if self.kind == "forging":
            await self.forge(unit)
        await self.pause(3.0 if self.kind == "slow" else 1.0)
        return await self.hand_in(self.filled(unit))

    async def from_six_tabs(self) -> dict:
        """Six tabs ask for a unit at once; all must get the same one."""
        tabs = [Tab(self.base, self.record, self.tab.token) for _ in range(6)]
        answers = await asyncio.gather(*(tab.ask("unit", {}) for tab in tabs))
        for tab in tabs:
            tab.close()
        handles = {answer["unit"]["unit"] for _, answer in answers if answer.get("state") == "working"}
        if len(handles) > 1 or {status for status, _ in answers} != {200}:
            self.record.odd.append(f"{self.name}: six tabs got {len(handles)} units, {[s for s, _ in answers]}")
        return answers[0][1]

    def filled(self, unit: dict) -> dict:
        """A whole submission."""
        words = f"{self.name} — «ok» 🦉 {self.rng.random()}"
        items = [self.answered(page, self.opinion(page)) for page in unit["items"]]
        return {"unit": unit["unit"], "items": items, "comment": words, "texts_language": "en"}

    def opinion(self, page: dict) -> Answer:
        """What this annotator says of an item: right where it is known, unless careless; anything elsewhere."""
        natures = self.known.get(texts_of(page))

        def answer(question: str, target: str) -> object:
            if question == "nature" and natures:
                right = natures[int(target[-1])]
                return right if self.kind != "careless" else {"human": "bot", "bot": "human"}[right]
            options = [option.value for option in self.survey.question(question).options]
            return self.rng.choice(options)

        return answer

    def answered(self, page: dict, answer: Answer) -> dict:
        return answers(self.survey, page, answer)

    async def hand_in(self, body: dict) -> dict:
        """Submit; who submits twice does so at the same time and from two tabs, and once more with other answers."""
        handle = body["unit"]
        if self.kind not in ("twice", "six tabs"):
            status, answer = await self.tab.ask("submit", body)
        else:
            second = Tab(self.base, self.record, self.tab.token)
            (status, answer), (again, _) = await asyncio.gather(
                self.tab.ask("submit", body), second.ask("submit", body)
            )
            other, _ = await second.ask("submit", {**body, "comment": "other words"})
            second.close()
            if again != status or (status == 200 and other != 409):
                self.record.odd.append(f"{self.name}: submitted twice, got {status}, {again}, then {other}")
        if status == 200 and answer.get("accepted") is True:
            self.record.accepted[handle] = body
            self.record.moments["submission"].append(time.monotonic())
            return answer
        if status == 410:
            self.record.late.add(handle)
        else:
            self.record.odd.append(f"{self.name} ({self.kind}): submit got {status} {answer}")
        return (await self.tab.ask("session"))[1]

    # -- forging -------------------------------------------------------------------------------------------------------
    async def forge(self, unit: dict) -> None:
        """Try to be somebody else: with their handle, with changed and made-up tokens, with a bare name."""
        others = [handle for handle, holder in self.record.holders.items() if holder != self.name]
        victim = self.rng.choice(others) if others else "0" * 32
        body = {**self.filled(unit), "unit": victim}
        place = self.rng.randrange(len(self.tab.token))
        token = self.tab.token
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        payload = {"door": "in_house", "worker": "annotator-1", "registration": "", "data": {"door": "in_house"}}
        made_up = tokens.sign_session(bytes(32), payload, time.time())
        link = tokens.sign(bytes(32), tokens.LINK, {"worker": "annotator-1"})
        for name, sent, with_token in (
            ("submit", body, None),
            ("return", {"unit": victim}, None),
            ("open", {"unit": victim, "item": 0}, None),
            ("submit", body, changed),
            ("submit", body, made_up),
            ("enter", {"query": {"t": link}}, None),
            ("enter", {"query": {"worker_id": "annotator-1", "t": token}}, None),
        ):
            status, _ = await self.tab.ask(name, sent, with_token)
            self.record.forged["accepted" if status == 200 else "refused"] += 1


def kinds_of(number: int) -> list[str]:
    """The kinds of `number` annotators, in the shares of `KINDS`, in an order that mixes them."""
    kinds = [kind for kind, of_200 in KINDS.items() for _ in range(max(1, round(of_200 * number / 200)))]
    kinds += ["plain"] * (number - len(kinds))
    random.Random("kinds").shuffle(kinds)
    return kinds[:number]


async def meet(
    links: list[str],
    survey: Survey,
    known: dict,
    think: tuple[float, float],
    arrive: float,
    record: Record,
    disturb: Callable[[Record], object] | None = None,
    kinds: list[str] | None = None,
    of: type[Annotator] = Annotator,
) -> None:
    """All annotators at once, each coming within the first `arrive` seconds; `disturb` is a coroutine beside them."""
    people = [
        of(link, kind, survey, known, record, think, number)
        for number, (link, kind) in enumerate(zip(links, kinds or kinds_of(len(links)), strict=True))
    ]

    async def later(person: Annotator) -> None:
        await asyncio.sleep(person.rng.uniform(0, arrive))
        await person.work()

    beside = asyncio.create_task(disturb(record)) if disturb else None
    await asyncio.gather(*map(later, people))
    if beside:
        beside.cancel()
        await asyncio.gather(beside, return_exceptions=True)


def busiest(moments: list[float], window: float = 5.0) -> float:
    """How many a second in the busiest `window` seconds."""
    ordered = sorted(moments)
    most = first = 0
    for last, moment in enumerate(ordered):
        while ordered[first] < moment - window:
            first += 1
        most = max(most, last - first + 1)
    return most / window
