"""Comparison of a new contestant with an old one by one source's ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from parlai_spotbot import in_html
from parlai_spotbot.analysis.verdict.probe import BETTER, EQUAL, WORSE
from parlai_spotbot.findings import audit, criteria
from parlai_spotbot.findings.frames import Frames, ends
from parlai_spotbot.findings.rankings import WIN_RATE, Ranking
from parlai_spotbot.findings.result import SETTLED as ANYTIME
from parlai_spotbot.findings.settled import audit_of
from parlai_spotbot.judges.certificate.gate import vouched
from parlai_spotbot.wording import filled, source_said, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.judges.certificate import Certificate

UNDECIDED = "undecided"

ANSWERS = {BETTER: "Yes", WORSE: "No", UNDECIDED: "Not known"}
"""Beginning of the answer whether a new bot is better than an old one."""

POINTS = "share of points"
RATING = "mean rating"

HAS = {
    POINTS: "has {0.rate:percent}{0.ci:between} of the points",
    RATING: "has a mean rating of {0.rate:number}{0.ci:between_number}",
}

SETTLED = {
    "better": "{0.new} is {0.verdict} than {0.old}: it {2}; settled after {answers:answer} of at most {budget}, by {1}",
    "equal": "{0.new} and {0.old} are equal within {margin:percent} of the points: {0.new} has "
    "{0.rate:percent}{0.ci:between}; settled after {answers:answer} of at most {budget}, by {1}",
    "open": "{0.new} and {0.old} can't be told apart: {0.new} {2}; not settled after {answers:answer}, by {1}",
}
"""Sentences on two contestants that were judged until settled, by their verdict."""


@dataclass(frozen=True)
class Comparison:
    """`verdict` on the contestant `new` beside `old`, by `source`.

    `rate` with its interval `ci` (95 %) is the share of decided matches that `new` wins or, where the survey has
    `scores` instead of matches, by how much its score is higher; None where nothing was decided. `why` the source can't
    order the two, "" where it can. `settled` is how it ended where it judged until settled: `rate` is then the share of
    points against `old`, or the mean rating, and two that are equal within the margin are undecided. `equal` says
    within which margin the two are equal where a study of fixed size shows it, "" elsewhere. `probes` are what is known
    of what the verdict assumes (`findings.audit`). `vouched` says what vouches for a judge that had to have a
    certificate.
    """

    new: str
    old: str
    source: str
    verdict: str
    what: str
    rate: float | None = None
    ci: Sequence[float | None] | None = None
    why: str = ""
    settled: Mapping | None = None
    probes: tuple[Mapping, ...] = ()
    equal: str = ""
    vouched: str = ""

    @property
    def cause(self) -> Mapping | None:
        """Return why a verdict is missing that further conversations don't give; see `audit.cause`."""
        return audit.cause(self.probes)

    def vouched_by(self, certificate: Certificate, contents: SurveyData) -> Comparison:
        """Return the comparison with what vouches for it; `NotVouched` where it isn't one for its answers."""
        means = contents.of("trust", self.source).rows("means")
        return replace(self, vouched=vouched(certificate, contents, self.source, (self.new, self.old), means))

    def _repr_html_(self) -> str:
        return in_html.shown([f"{self}."], [])

    def __str__(self) -> str:
        """Return the verdict in a sentence."""
        return self._vouched_for(self._sentence())

    @property
    def answer(self) -> str:
        """Return the answer to the question whether `new` is better than `old`, which names them."""
        if self.settled:
            return f"{ANSWERS[self.verdict]}: {self}"
        if self.why:
            why = self.why
            if not why.startswith((self.new, self.old)):
                why = upper_first(why)
            return self._vouched_for(f"{ANSWERS[UNDECIDED]}, by {source_said(self.source)}. {why}")
        text = ANSWERS[self.verdict]
        if self.equal:
            text = f"No, the two are {self.equal}"
        return self._vouched_for(f"{text}: {self._figures('it', 'its')}")

    def _vouched_for(self, text: str) -> str:
        """Return a text with what vouches for the judge."""
        if not self.vouched:
            return text
        if self.why:
            return f"{text}. The judge is {self.vouched}"
        return f"{text}, {self.vouched}"

    def _sentence(self) -> str:
        source = source_said(self.source)
        if self.settled:
            text = SETTLED[self.settled["verdict"]]
            return filled(text, self, source, filled(HAS[self.what], self), **self.settled)
        if self.why:
            why = "{1} can't tell whether {0.new} or {0.old} is better: {0.why}"
            return upper_first(filled(why, self, source))
        text = "{0.new} is {0.verdict} than {0.old}"
        it = "it"
        whose = "its"
        if self.verdict == UNDECIDED:
            text = "{0.new} and {0.old} can't be told apart"
            it = self.new
            whose = f"{self.new}'s"
        if self.equal:
            text = "{0.new} and {0.old} are {0.equal}"
        return f"{filled(text, self)}: {self._figures(it, whose)}"

    def _figures(self, it: str, whose: str) -> str:
        """Return the figures on `new`, which is called `it`, given what the verdict rests on, and by whom."""
        if self.rate is None:
            text = "no match was decided"
        elif self.what == WIN_RATE:
            text = "{1} wins an estimated {0.rate:percent}{0.ci:between} of decided matches"
        else:
            text = "{2} {0.what} is higher by {0.rate:number}{0.ci:between_number}"
        given = [row["given"] for row in self.probes if row["given"]]
        if given and (self.equal or self.verdict != UNDECIDED):
            text += ", {4}"
        return filled(text + ", by {3}", self, it, whose, source_said(self.source), *given)


def compare(contents: SurveyData, source: str, new: str, old: str) -> Comparison:
    """Return what `source` says of two contestants, the only ones of a study; undecided where it ranks nobody."""
    settled = contents.of(ANYTIME, source)
    if "ranking" in settled:
        return _settled(settled, source, new, old)
    ranking = contents.ranking(source)
    if not ranking.order:
        return Comparison(new, old, source, UNDECIDED, WIN_RATE)
    row = criteria.pair_verdict(ranking, new, old)
    ci = ends(row, "estimate")
    verdict = row.get("verdict")
    equal = ""
    if verdict == EQUAL:
        equal = criteria.equal_within(ranking)
    if verdict not in (BETTER, WORSE):
        verdict = UNDECIDED
    what = ranking.score_title
    if ranking.of_matches:
        what = WIN_RATE
    return Comparison(
        new,
        old,
        source,
        verdict=verdict,
        what=what,
        rate=row.get("estimate"),
        ci=None if None in ci else tuple(ci),
        why=_unknown(ranking, row, new, old),
        probes=tuple(ranking.audit),
        equal=equal,
    )


def _settled(frames: Frames, source: str, new: str, old: str) -> Comparison:
    """Return what a source says that judged until settled."""
    data = frames.one("whole")
    ranking = Ranking(frames)
    [pair] = [row for row in ranking.pairs if {row["a"], row["b"]} == {new, old}]  # people may be rated, too
    verdict = UNDECIDED
    if pair["verdict"] == BETTER:
        verdict = BETTER if pair["a"] == new else WORSE
    settled = {name: data[name] for name in ("ended", "answers", "budget", "margin")} | {"verdict": pair["verdict"]}
    return Comparison(
        new,
        old,
        source,
        verdict=verdict,
        what=RATING if data.get("rated") else POINTS,
        rate=ranking.contestants[new]["score"],
        ci=ranking.ends(new, "score"),
        settled=settled,
        probes=tuple(audit_of(frames)),
    )


def _unknown(ranking: Ranking, row: Mapping, new: str, old: str) -> str:
    """Return why it is not known which of two is better; "" where it is known, or may be with more answers."""
    for name in (new, old):
        if name in ranking.too_few:
            return f"{name} has {ranking.too_few[name]:,} comparisons, too few to be ranked"
    groups = ranking.groups
    if len(groups) > 1 and not any({new, old} <= set(group) for group in groups):
        return criteria.NOT_KNOWN["groups"]
    if not row:
        return ranking.why
    reason = criteria.reason_of(ranking, row).rstrip(".")
    for pair in ((new, old), (old, new)):  # the question names both
        reason = reason.replace(" – ".join(pair), "the two")
    return reason
