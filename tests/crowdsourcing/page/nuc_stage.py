"""A server with a desk of Next-Utterance Classification, and what its tests and pictures read off the page."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import picking
from office import SECRET
from stage import PAGE, Stage, button, heading

from parlai_spotbot.crowdsourcing.platforms.sign_in import InHouseDoor
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, ServerOptions

CHECKS = 3
"""Attention checks in a unit."""


@contextlib.contextmanager
def serving(folder: Path, unit_size: int, **study: object) -> Iterator[Stage]:
    """A study's desk behind a real server; `study` goes to `picking.make_study`."""
    made = picking.make_study(folder / "study", unit_size=unit_size, **study)
    with PageServer(lambda: picking.desk_of(made), InHouseDoor(SECRET), SECRET, ServerOptions(PAGE)) as server:
        yield Stage(server, server.url, folder)


def enter(page, st: Stage, worker: str = "ann") -> None:
    """To the first question."""
    page.goto(st.link(worker))
    button(page, "I agree and want to take part").click()
    heading(page, "What to do")
    button(page, "I have understood").click()
    button(page, "Start").click()
    heading(page, "Conversation 1 of")


def shown(page) -> list[str]:
    """The replies as they are on the page."""
    return page.locator("[data-question] .option .text").all_inner_texts()


def said(page) -> tuple[str, ...]:
    """The turns of the conversation."""
    return tuple(page.locator(".transcript .turn:not(.next) .bubble").all_inner_texts())


def right_place(page, otherwise: int = 0) -> int:
    """Where the reply stands that a check wants; in other questions `otherwise`."""
    reply = picking.REPLIES.get(said(page))
    return shown(page).index(reply) if reply else otherwise


def kept_choices(st: Stage) -> list[tuple[str, ...]]:
    """The texts that were chosen, in the order of the unit, as the ledger has them."""
    [record] = st.kept
    items = st.server.desk.items
    return [
        tuple(items[row["item_id"]].candidates[int(a["answer"].partition(":")[2])] for a in row["answers"])
        for row in record["items"]
    ]
