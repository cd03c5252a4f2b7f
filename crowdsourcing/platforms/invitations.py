"""Invitations: the links of a launch, printed in the terminal, and the first one opened in a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass

from parlai_spotbot.crowdsourcing.collection import CrowdCollection
from parlai_spotbot.crowdsourcing.platforms.personal_links import LinkStates, write_links
from parlai_spotbot.crowdsourcing.platforms.tokens import study_link

SHOWN = 10
"""So many links are printed; all are in links.csv."""


@dataclass(frozen=True)
class Invitation:
    """The page's address, what signs links to it, who in the house gets one, and how many annotators the units need."""

    address: str
    secret: bytes
    names: list[str]
    annotators: int


def welcome(collection: CrowdCollection, invitation: Invitation, say: Callable[[str], None]) -> str:
    """Say where annotators come in; returns the first link, "" where there are none."""
    base, secret, names = invitation.address, invitation.secret, invitation.names
    provider, paths = collection.request.settings.provider, collection.paths
    first = ""
    if provider == "in_house":
        links = write_links(paths.links, names, base, secret, LinkStates(paths.link_states))
        say(f"\nlinks, one for each annotator ({len(links)}): {paths.links}")
        for name, link in list(links.items())[:SHOWN]:
            say(f"  {name}: {link}")
        first = next(iter(links.values()), "")
        if len(links) < invitation.annotators:
            say(f"warning: for all units there must be {invitation.annotators} annotators or more: raise --annotators")
    elif provider == "prolific":
        say("\nthe link for the study at Prolific (“I'll use URL parameters”):")
        say(f"  {study_link(base, secret, collection.setup.task_name)}")
        if collection.request.settings.accept_unverified_ids:
            say(
                "warning: its links need no signature of Prolific's (accept_unverified_ids), so one person with the "
                "link can take part as many; spotbot_collect --submissions leaves out whom Prolific doesn't know"
            )
        else:
            say("  its links must be signed at Prolific (“secure your study's URL”): others open nothing")
    else:
        say(f"\nposting to {provider}; the page is at {base}")
    return first


def open_browser(link: str, say: Callable[[str], None]) -> None:
    """Open the link in a browser where there is a screen, else say it."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform in ("darwin", "win32")
    if not screen or not webbrowser.open(link):
        say(f"open this in a browser: {link}")
