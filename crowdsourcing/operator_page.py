"""A page for whoever runs the collection, while it runs: how far it is, who is stuck, what was refused, backups, pay.

It has a link of its own, which only the study's secret can make; any other address under it is unknown, as all others.
It is made on the server; all that its script does is to ask for it again every few seconds. Annotators bear their
pseudonyms.
"""

from __future__ import annotations

import html
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parlai_spotbot.crowdsourcing import tokens
from parlai_spotbot.crowdsourcing.api_requests import refusal
from parlai_spotbot.crowdsourcing.handlers import BaseHandler
from parlai_spotbot.wording import minutes_said

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.backups import BackupClock
    from parlai_spotbot.crowdsourcing.contract import Refusal
    from parlai_spotbot.crowdsourcing.desk import Desk

OPERATOR = "page of the operator"
ADDRESS = r"/operator/([A-Za-z0-9_.-]+)(/style\.css|/watch\.js)?"
EVERY = 10
"""Seconds until the page asks for itself again."""

FRESH = 2.0
"""Seconds for which what the ledger said is shown again, however often the page is asked for."""

MOST = 30
"""Rows of a table."""

LONG = 2.0
"""Somebody who has had a unit for so many times the usual time may be stuck,"""

LEAST = 5.0
"""and for so many minutes: where a unit takes seconds, whoever reads is not."""

STYLE = b"""
body {font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a}
body {background: #fff}
table {border-collapse: collapse; margin: .5rem 0 1.5rem}
th, td {text-align: left; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid #ccc}
td.n {text-align: right; font-variant-numeric: tabular-nums}
h2 {font-size: 1.1rem; margin-top: 2rem}
strong {color: #9b1c1c}
"""

SCRIPT = b"""
setInterval(async () => {
  try {
    const text = await (await fetch(location.href)).text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    document.querySelector("main").replaceWith(fresh.querySelector("main"));
  } catch {
    document.querySelector("h1").textContent = "The collection does not answer";
  }
}, %d);
""" % (1000 * EVERY)

PARTS = {"/style.css": ("text/css", STYLE), "/watch.js": ("text/javascript", SCRIPT)}


def operator_link(base: str, secret: bytes) -> str:
    """Where the operator's page is, for the server at `base`."""
    return f"{base.rstrip('/')}/operator/{tokens.sign(secret, OPERATOR, {})}"


@dataclass
class OperatorWatch:
    """What the page tells that the ledger doesn't know: `name` of the collection, what a unit pays, and backups; counts
    what the server refuses. `clock` is seconds since the epoch."""

    name: str
    secret: bytes
    pay: float = 0.0
    currency: str = ""
    minimum_wage: float = 0.0
    backups: BackupClock | None = None
    clock: Callable[[], float] = time.time
    refusals: Counter[tuple[int, str]] = field(default_factory=Counter)
    last: dict[tuple[int, str], float] = field(default_factory=dict)
    shown: tuple[float, str] = (0.0, "")

    def refused(self, reason: Refusal) -> None:
        """The server has refused a request."""
        self.refusals[reason.status, reason.code] += 1
        self.last[reason.status, reason.code] = self.clock()

    def page(self, desk: Desk) -> str:
        """The page, as of now. To be called in the desk's thread."""
        now = self.clock()
        if not self.shown[1] or now - self.shown[0] >= FRESH:
            self.shown = now, _page(self.name, self._parts(desk, now))
        return self.shown[1]

    def _parts(self, desk: Desk, now: float) -> list[str]:
        counts, handouts = desk.counts(), desk.ledger.handouts("status IN ('open', 'done')")
        done = [(h.finished_at - h.handed_at) / 60 for h in handouts if h.status == "done" and h.finished_at]
        usual = statistics.median(done) if done else None
        at_work = sorted((h for h in handouts if h.status == "open"), key=lambda h: h.handed_at)
        rows = []
        for handout in at_work:
            minutes = (now - handout.handed_at) / 60
            stuck = usual is not None and minutes > max(LONG * usual, LEAST)
            note = "longer than usual: perhaps stuck" if stuck else ""
            left = round((handout.deadline - now) / 60)
            rows.append((tokens.pseudonym(self.secret, handout.worker), round(minutes), left, note))
        progress = [(name, counts[name]) for name in ("done", "open", "free", "returned", "expired")]
        people = [("annotators", counts["annotators"]), ("stopped", counts["stopped"])]
        untold = sum(h.status == "done" and not h.told for h in handouts)
        return [
            f"<p>{counts['done']} of {counts['units']} units are done; {_when(now)} UTC.</p>",
            _table("Progress", ("units", "how many"), [*progress, *people, ("not told to the platform", untold)]),
            self._pay(usual),
            _table("At work", ("annotator", "minutes", "minutes left", "note"), rows),
            self._refused(now),
            self._backups(now),
        ]

    def _pay(self, usual: float | None) -> str:
        if usual is None or not self.pay:
            text = "No unit is done yet." if usual is None else f"A unit takes {usual:.0f} minutes, and is not paid."
            return f"<h2>Pay</h2><p>{text}</p>"
        hourly = 60 * self.pay / usual if usual else float("inf")
        low = hourly < self.minimum_wage
        per_hour = f"{hourly:.2f} {html.escape(self.currency)} an hour"
        text = f"Half of the units took {usual:.1f} minutes or less, which is {per_hour}."
        warn = f" <strong>That is less than the minimum wage, {self.minimum_wage:.2f}.</strong>" if low else ""
        return f"<h2>Pay</h2><p>{text}{warn} Reading and practice come on top.</p>"

    def _refused(self, now: float) -> str:
        busy = sum(count for (status, _), count in self.refusals.items() if status == 503)
        rows = [
            (status, code, count, f"{now - self.last[status, code]:.0f} s ago")
            for (status, code), count in self.refusals.most_common()
        ]
        told = f"<p><strong>{busy} requests were told to wait (503).</strong></p>" if busy else ""
        return told + _table("Refused requests", ("status", "why", "how often", "last"), rows)

    def _backups(self, now: float) -> str:
        if self.backups is None or (self.backups.last_at is None and not self.backups.trouble):
            return "<h2>Backups</h2><p>There is none yet.</p>"
        told = []
        if self.backups.trouble:
            told.append(f"<strong>The last one failed: {html.escape(self.backups.trouble)}.</strong>")
        if self.backups.last_at is not None:
            told.append(f"The ledger was last backed up {minutes_said((now - self.backups.last_at) / 60)} ago.")
        return f"<h2>Backups</h2><p>{' '.join(told)}</p>"


def _when(now: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now))


def _table(heading: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    rows = list(rows)
    if not rows:
        return f"<h2>{heading}</h2><p>None.</p>"
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:MOST])
    more = f"<p>And {len(rows) - MOST} more.</p>" if len(rows) > MOST else ""
    return f"<h2>{heading}</h2><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: Any) -> str:
    kind = ' class="n"' if isinstance(value, int) else ""
    return f"<td{kind}>{html.escape(str(value))}</td>"


def _page(name: str, parts: Iterable[str]) -> str:
    name = html.escape(name)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}: the collection</title>'
        '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        '<link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="ADDRESS/style.css"><script defer src="ADDRESS/watch.js"></script></head>'
        f"<body><main><h1>{name}</h1>{''.join(parts)}</main></body></html>"
    )


class OperatorHandler(BaseHandler):
    """The operator's page, its style and its script; a wrong link is like an address that there is not."""

    async def get(self, token: str, part: str | None) -> None:
        watch: OperatorWatch = self.settings["watch"]
        try:
            tokens.read(watch.secret, OPERATOR, token)
        except tokens.BadToken:
            self.refuse(refusal(404))
            return
        if part:
            kind, content = PARTS[part]
            self.set_header("Content-Type", f"{kind}; charset=utf-8")
            self.write(content)
            return
        page = await self.intake.acall(watch.page, self.intake.desk)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.write(page.replace("ADDRESS", f"/operator/{token}", 2))

    def other(self, *parts: str) -> None:
        """Any other method: as for an address that there is not."""
        self.refuse(refusal(404))

    post = put = patch = delete = options = head = other
