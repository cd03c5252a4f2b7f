"""A platform: where annotators are recruited, what that costs, how they come in and how they are identified."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.crowdsourcing.desk.contract import Statuses
from parlai_spotbot.errors import UserError

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.collection import CrowdCollection
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
    from parlai_spotbot.crowdsourcing.mephisto_task.finished_units import FinishedUnits
    from parlai_spotbot.crowdsourcing.platforms.sign_in import Door
    from parlai_spotbot.crowdsourcing.settings import LaunchSettings

Invitation = Callable[[str, bytes], Iterable[str]]
"""Makes of the page's address and the secret the lines that say where annotators come in."""


@dataclass(frozen=True)
class Platform:
    """All that the package knows of a platform: a subclass has at least a `door` and an `invitation`.

    Parameters
    ----------
    name : str
        Name of the platform and of its module; the value of `--provider`.
    ids : str
        How annotators are identified, as provenance.json records it.
    fee : float
        The platform's fee as a share of pay and bonus; fees change, and the setting `fee` replaces it.
    paid : bool
        Whether people are paid real money, or expect to be: it goes live only with `--live`.
    required : tuple of (setting, remedy)
        Settings that may not be missing, each with how to come by it; `pay` is one wherever people are paid.
    https : str
        Sentence that says who reaches the page at an https address only; "" where any address will do.
    linger : float
        Seconds for which the page is served after the last unit: its annotator may reload it.
    provider_type : str
        Mephisto's name of its provider; that for in-house annotators posts nothing and pays nobody.
    confirms : bool
        Whether an answer counts only once the platform's list (`statuses`) has who handed it in.
    """

    name: str
    ids: str
    fee: float = 0.0
    paid: bool = False
    required: tuple[tuple[str, str], ...] = ()
    https: str = ""
    linger: float = 120.0
    provider_type: str = "spotbot_in_house"
    confirms: bool = False

    def problems(self, settings: LaunchSettings) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with well-formed settings, each time with what to do about it."""
        for name, remedy in self.required:
            if not getattr(settings, name):
                yield f"provider is '{self.name}' and '{name}' is missing", remedy
        if self.paid and not settings.pay:
            yield f"provider is '{self.name}' and 'pay' is missing", "Set the pay for a unit."

    def check_address(self, url: str) -> None:
        """Raise `UserError` where people could not reach the page at the address `url`."""
        if self.https and not url.startswith("https://"):
            raise UserError(
                f"--url {url or 'missing'}: {self.https}",
                "Put the server behind an https proxy or tunnel and name its address.",
            )

    def qualifications(self, settings: LaunchSettings) -> tuple[dict, ...]:
        """Return what the settings require of workers, in the form of Mephisto's provider."""
        return ()

    def door(self, collection: CrowdCollection, secret: bytes, crowd: FinishedUnits) -> Door:
        """Return the door by which annotators come in; `secret` signs links, `crowd` is Mephisto's task.

        A door that has to remember who came writes rows into the journal `collection.paths.bindings`, with pseudonyms
        as `participant`: those of people who withdraw are removed.
        """
        raise NotImplementedError

    def invitation(self, collection: CrowdCollection, needed: int) -> Invitation:
        """Return the message that is printed once the page is served; all units need `needed` annotators or more.

        It is made before anything is posted, so that options may be refused.
        """
        raise NotImplementedError

    def invited(self, paths: CollectionPaths) -> list[str] | None:
        """Return the names of all who can come; None where others may come, too."""
        return None

    def statuses(self, paths: CollectionPaths, registrations: Collection[str]) -> Statuses:
        """Return the status of (worker, registration) on the platform's list; `UserError` where it can't be asked.

        `registrations` are those of visitors who have handed in, but for what is "approved" or "rejected" already: that
        doesn't change any more. Rejected work is left out, and so is what isn't on the list.
        """
        raise NotImplementedError
