"""Description of a survey: names, source, purpose and times."""

from dataclasses import dataclass, replace
from typing import Self

Took = tuple[float, str]
"""Seconds that an annotation took elsewhere, and where that stands."""


PILOTED = ("matches", "choices", "ratings")
"""What `findings.plans.pilot` plans after a pilot, too."""


@dataclass(frozen=True)
class Planning:
    """Defaults of a plan.

    `of` is "matches" (who is spotted later), "choices" (between two conversations), "ratings", "shares" (of a
    conversation's turns that show a behaviour), "taken" (for human, of simulated users), or "recalls" (of people and of
    contestants that answer the same questions). `difference` is of shares of what was decided, in points, or of shares
    of turns, judgements or answers, and so is `rating_sd`, the standard deviation of one.
    """

    of: str
    difference: float
    annotations_per_worker: float
    ties: float = 0.0
    conversation_correlation: float = 0.06
    worker_correlation: float = 0.02
    rating_sd: float = 1.0


@dataclass(frozen=True)
class About:
    """A survey's names and numbers.

    `title` is in headings, `short` in tables, `in_text` in sentences; `question` is what the survey finds out.
    `cite` are keys of `report.citations`. `took` is what a launch computes with until its own annotators' times are
    known, `planning` what a plan does; None where no paper says. `findings` names what is
    computed from the answers: folders of `findings`, or single findings as "folder.name".
    """

    title: str = ""
    short: str = ""
    in_text: str = ""
    question: str = "what was found?"
    cite: tuple[str, ...] = ()
    took: Took | None = None
    planning: Planning | None = None
    findings: tuple[str, ...] = ()

    def named(self, name: str) -> Self:
        """Return the same with the missing names made of a survey's `name`."""
        words = name.replace("_", " ")
        title = self.title or words.capitalize()
        short = self.short or title
        in_text = words
        if self.title:
            in_text = short
        return replace(self, title=title, short=short, in_text=self.in_text or in_text)
