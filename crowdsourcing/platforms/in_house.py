"""People in the house, with personal signed links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.personal_links import known_names, wanted_names, write_links
from parlai_spotbot.crowdsourcing.platforms.platform import Invitation, Platform
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door, signed

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.collection import CrowdCollection
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths

SHOWN = 10
"""Number of links that are printed; all are in links.csv."""


class InHouseDoor(Door):
    """Personal links: whoever holds one is that annotator. A bare name opens nothing."""

    name = "in_house"

    def __init__(self, secret: bytes):
        self.secret = secret

    def enter(self, query: Mapping[str, str]) -> Visitor:
        return Visitor(signed(self.secret, tokens.LINK, query, "t")["worker"])


class InHouse(Platform):
    """Numbered people, or those whose names the user gives."""

    def door(self, collection: CrowdCollection, secret: bytes, crowd: Any) -> InHouseDoor:
        return InHouseDoor(secret)

    def invited(self, paths: CollectionPaths) -> list[str]:
        return known_names(paths.links)

    def invitation(self, collection: CrowdCollection, needed: int) -> Invitation:
        path = collection.paths.links
        default = 1 if known_names(path) else needed
        names = wanted_names(collection.request.annotators, default, collection.group)

        def lines(base: str, secret: bytes) -> Iterator[str]:
            links = write_links(path, names, base, secret)
            yield f"\nlinks, one for each annotator ({len(links)}): {path}"
            for name, link in list(links.items())[:SHOWN]:
                yield f"  {name}: {link}"
            if len(links) < needed:
                yield f"warning: all units need {needed} annotators or more: raise --annotators"

        return lines


PLATFORM = InHouse("in_house", ids="personal links", linger=0.0)
