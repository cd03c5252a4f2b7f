"""Account of each source as a whole: completeness, accuracy, and whether it may lead the page.

It is in ``analysis/annotators.json`` (`account`). A page begins with people, else with a judge that has answered
everything and tells people from bots; never with one that did a part only, or does no better than guessing, if there is
any other source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.findings.frames import Frames, ends
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import filled, source_said, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Answers

GUESSING = 0.5
"""The balanced accuracy of who guesses, or always says the same."""


@dataclass(frozen=True)
class SourceAccount:
    """Record of the quality of a source's answers as a whole.

    `answered` of the `units` that were packed have all their answers; 0 of 0 where that isn't known. `partial`: a judge
    that hasn't answered all. `accuracy`: the mean of the share of people that it calls human and of bots that it calls
    bots, unsure as half, with its interval; None where nobody asked who is human. `chance`: a judge whose interval
    doesn't lie above one half, or that has none.
    """

    source: str
    people: bool
    answered: int = 0
    units: int = 0
    partial: bool = False
    accuracy: float | None = None
    ci: tuple[float, float] | None = None
    chance: bool = False
    judged: tuple[int, int] = (0, 0)
    """How many people and how many bots the accuracy is of."""

    @property
    def doubtful(self) -> bool:
        """Return whether it leads nowhere if there is any other source."""
        return self.partial or self.chance

    @property
    def _right(self) -> str:
        """Return the share of its judgements that are right."""
        return filled(
            "in {0.accuracy:percent}{0.ci:between}, people ({0.judged[0]:,}) and bots ({0.judged[1]:,}) weighed alike; "
            "guessing in {1:percent}",
            self,
            GUESSING,
        )

    @property
    def trust(self) -> str:
        """Measure how far to trust a judge, in a sentence; "" of people, and where it isn't known or `sentences` say
        it."""
        if self.people or self.chance or self.accuracy is None:
            return ""
        return f"it tells people from bots {self._right}."

    @property
    def sentences(self) -> list[str]:
        """Return what to beware of, the worst first; [] where there is nothing."""
        who = upper_first(source_said(self.source))
        sentences = []
        if self.partial:
            sentences.append(
                f"{who} answered {self.answered:,} of {self.units:,} units: its figures are of these only."
            )
        if self.chance:
            sentences.append(
                f"{who} isn't shown to tell people from bots here: it is right {self._right}. It ranks nobody; its "
                "figures are in the CSV files."
            )
        return sentences


JUDGED = ("people", "bots", "balanced_accuracy", "balanced_accuracy_low", "balanced_accuracy_high")
"""What an account has of `pooled_detection`."""


def account(answers: Answers, accuracy: Mapping | None = None) -> dict:
    """Return what ``annotators.json`` says of a source as a whole, in one row and, where it is known who is human, how
    well all its annotators together tell (`pooled_detection`); `answered` units are those with an answer of this source
    to each of their items."""
    units = answers.facts.units
    given = {(row.unit_id, row.item_id) for row in answers.judgements}
    answered = 0
    for unit, items in units.items():
        answered += given.issuperset((unit, item) for item in items)
    # A judge says itself what it has answered: some of what it was asked may have no answer for good.
    about = answers.facts.judges.get(answers.source, {})
    if about.get("units") == len(units):
        answered = max(answered, about.get("answered", 0))
    row = {"answered": answered, "units": len(units)}
    if accuracy is not None and accuracy["bots"] and accuracy["people"]:
        row |= {key: accuracy[key] for key in JUDGED}
    return row


def account_of(source: str, annotators: Mapping) -> SourceAccount:
    """The account of a source from its data in ``annotators.json``; empty where there are none."""
    people = source == HUMAN
    row = Frames(annotators).one("account")
    answered = row.get("answered", 0)
    units = row.get("units", 0)
    accuracy = row.get("balanced_accuracy")
    low, high = ends(row, "balanced_accuracy")
    ci = None
    if low is not None and high is not None:
        ci = (low, high)
    return SourceAccount(
        source=source,
        people=people,
        answered=answered,
        units=units,
        partial=not people and answered < units,
        accuracy=accuracy,
        ci=ci,
        chance=not people and accuracy is not None and not (ci and ci[0] > GUESSING),
        judged=(row.get("people", 0), row.get("bots", 0)),
    )


def source_accounts(annotators: Mapping[str, Mapping], sources: Iterable[str]) -> list[SourceAccount]:
    """The account of each source by what the finding `annotators` holds of it, the one that a page begins with first:
    people, then complete judges before partial ones; among them those that tell people from bots, the most accurate
    first, before those that nobody has tested, and these before others."""
    return sorted([account_of(source, annotators.get(source, {})) for source in sources], key=_place)


def _place(account: SourceAccount) -> tuple:
    return (
        not account.people,
        account.partial,
        account.chance,
        account.accuracy is None,
        -(account.accuracy or 0.0),
        account.source,
    )
