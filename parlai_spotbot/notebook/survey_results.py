"""Results of one finding on the answers to a survey, as an object that shows itself: tables, sentences, plots."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import parlai_spotbot
from parlai_spotbot import in_html
from parlai_spotbot.errors import nearest
from parlai_spotbot.findings import findings_of, render
from parlai_spotbot.findings.analyze import check_options
from parlai_spotbot.findings.compute import compute
from parlai_spotbot.findings.finding import Finding, Result, tables_of
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.options import Equality, Options, Resampling, SurvivalOptions
from parlai_spotbot.findings.sections import CardChart, Name, Section
from parlai_spotbot.notebook.calling import takes
from parlai_spotbot.notebook.study_answers import StudyAnswers
from parlai_spotbot.options import described, option_values
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import counted, listed, source_said, upper_first, who

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BESIDE = {"ranking": ("annotators", "needs"), "survival": ("ranking",)}
"""Findings whose results a finding's sentences need: the source's accuracy, the order of the bots."""


@dataclass(frozen=True)
class SurveyResults:
    """Results of `finding` by source.

    `results` holds the result of each source, `frames` those of the only source, as in the study's ``analysis/``.
    `left_out` counts, by source and reason, the answers that are not analysed.
    """

    finding: Finding
    answers: StudyAnswers
    results: Mapping[str, Result]
    left_out: Mapping[str, Mapping[str, int]]

    @property
    def frames(self) -> Frames:
        return self._only.frames

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables by name: the finding's own, and its parts ("pairs" of a ranking)."""
        analysis = {self.finding.name: {"by_source": {name: result.frames for name, result in self.results.items()}}}
        named = tables_of([self.finding], analysis)
        return {name.removeprefix(f"{self.finding.name}_"): table for name, table in named.items()}

    @cached_property
    def sections(self) -> dict[str, Section]:
        """Sections of a report by source."""
        by_source = {name: render.tell(self.finding, result) for name, result in self.results.items()}
        return {name: section for name, section in by_source.items() if section}

    @cached_property
    def sentences(self) -> list[str]:
        """Sentences of a report, each after its source where there are several."""
        sentences = []
        for source, section in self.sections.items():
            lines = dict.fromkeys(filter(None, section.text))
            if len(self.results) > 1:
                sentences += [f"{upper_first(source_said(source))}: {line}" for line in lines]
            else:
                sentences += lines
        return sentences

    def plot(self, chart: str = "") -> Axes:
        """Draw the first chart, or the one named `chart`; a notebook shows it.

        Returns
        -------
        matplotlib.axes.Axes
            Axes of its first panel; ``.figure`` has the others.
        """
        from parlai_spotbot.report.charts import draw

        chosen = next((candidate for candidate in self._charts if chart in ("", candidate.name)), None)
        if chosen is None:
            raise ValueError(f"chart: there is no {chart!r}. {nearest(chart, [one.name for one in self._charts])}")
        drawing = draw(chosen, self._looks, "plot")
        if drawing is None:
            raise ValueError(f"chart: too little was answered to draw {chosen.name!r}.")
        _show(drawing.files["svg"])
        return drawing.figure.axes[0]

    @property
    def heading(self) -> str:
        """Heading: the sources and the number of the answers, and the reasons for those left out."""
        sources = listed([source_said(source) for source in self.results])
        reasons = [f"{n} × {why}" for source in self.results for why, n in self.left_out.get(source, {}).items()]
        heading = f"{upper_first(self.finding.name)} by {sources}: {counted(len(self.answers), 'answer')}."
        if reasons:
            heading += f" Left out: {'; '.join(reasons)}."
        return heading

    def __repr__(self) -> str:
        return "\n".join([self.heading, *self.sentences[:5]])

    def _repr_html_(self) -> str:
        from parlai_spotbot.report.charts import draw

        picture = ""
        for chart in self._charts[:1]:
            drawing = draw(chart, self._looks, "shown")
            if drawing:
                picture = base64.b64encode(drawing.files["svg"]).decode()
        tables: list[in_html.Table] = []
        for source, section in self.sections.items():
            for table in section.tables[:1]:
                title = table.title
                if len(self.sections) > 1:
                    title = f"{title}: {source_said(source)}"
                tables.append((title, table.head, [list(map(_cell, row)) for row in table.rows]))
        return in_html.shown(self.sentences[:4], tables, picture, self.heading)

    @property
    def _charts(self) -> list[CardChart]:
        return [section.chart for section in self.sections.values() if section.chart]

    @property
    def _looks(self) -> dict:
        from parlai_spotbot.report.drawing import looks

        return looks(list(self.answers.facts.bots or self.answers.study.plan.contestants))

    @property
    def _only(self) -> Result:
        return next(iter(self.results.values()))


def _cell(value: str) -> str:
    """Return what a cell of a table shows: people have the word that sentences have for them."""
    if isinstance(value, Name):
        return who(value)
    return value


@dataclass(frozen=True)
@described
class AnswersCall(Resampling):
    """Arguments of functions that compute from answers."""

    answers: StudyAnswers

    def __post_init__(self) -> None:
        given: Any = self.answers
        if hasattr(given, "columns"):
            object.__setattr__(self, "answers", parlai_spotbot.read_votes(given))
        if not isinstance(self.answers, StudyAnswers):
            raise ValueError(
                f"answers: expected a study's answers to a survey, study.answers(SURVEY), or a frame of votes, not "
                f"an object of type {type(self.answers).__name__}."
            )


@dataclass(frozen=True)
class RankCall(AnswersCall, Equality):
    """Arguments of `rank`."""


@dataclass(frozen=True)
class SurvivalCall(AnswersCall, SurvivalOptions):
    """Arguments of `survival`."""


@dataclass(frozen=True)
@described
class TrustCall(AnswersCall):
    """Arguments of `trust`."""

    judge: str


@dataclass(frozen=True)
@described
class FindingCall(AnswersCall, Options):
    """Arguments of `finding`."""

    name: str


@takes(RankCall, "answers")
def rank(call: RankCall) -> SurveyResults:
    """Rank the bots: their order, their places and every two bots' difference, with intervals and tests.

    The order is by contrasts of Davidson's model of all matches, with standard errors clustered by conversations and
    annotators, and Holm's correction over the pairs.

    Returns
    -------
    SurveyResults
        `sentences` say who is first and how sure that is; `tables` has "ranking", a row a bot, and "pairs", a row for
        every two; `plot` draws the ranking; `frames` are what ``analysis/ranking.json`` holds.

    Examples
    --------
    >>> answers = sb.demo().answers("spot_the_bot")
    >>> ranking = sb.rank(answers.of("spotter"), bootstraps=50)
    >>> ranking.sentences[0]
    "The bots can't be told apart by these data."
    >>> ranking.tables["ranking"][["bot", "win_rate", "win_rate_low", "win_rate_high"]].round(1)
         bot  win_rate  win_rate_low  win_rate_high
    0  tfidf       0.5           0.3            0.8
    1  alice       0.6           0.4            0.7
    2  eliza       0.4           0.2            0.6
    """
    return results_of(call, "ranking")


@takes(SurvivalCall, "answers")
def survival(call: SurvivalCall) -> SurveyResults:
    """Estimate how long each bot passes as human (Turnbull), which curves differ, and which features matter.

    Returns
    -------
    SurveyResults
        `tables` has "curves", a row a bot and a number of exchanges, "pairs" with Sun's log-rank test and "cox".

    Examples
    --------
    >>> curves = sb.survival(sb.demo().answers().of("spotter"), backend="native", bootstraps=50)
    >>> curves.tables["pairs"][["a", "b", "p_adjusted"]].round(3).head(3)
           a      b  p_adjusted
    0  tfidf  alice       0.154
    1  tfidf  eliza       0.278
    2  tfidf  human       0.000
    """
    return results_of(call, "survival")


@takes(AnswersCall, "answers")
def agreement(call: AnswersCall) -> SurveyResults:
    """Measure how far annotators agree: Krippendorff's alpha of each question, with intervals.

    Returns
    -------
    SurveyResults
        `tables` has "alpha", a row a question, and "agreement", how often a label is given again.

    Examples
    --------
    >>> agreed = sb.agreement(sb.demo().answers().of("spotter"), bootstraps=50)
    >>> agreed.sentences[0]
    'Agreement on who is human is not known: nothing was judged twice.'
    >>> list(agreed.tables)
    ['alpha', 'lengths', 'agreement', 'labelled_alike']
    """
    return results_of(call, "agreement")


@takes(TrustCall, "answers")
def trust(call: TrustCall) -> SurveyResults:
    """Compare an automatic judge with people, where both have answered.

    Returns
    -------
    SurveyResults
        `tables` has "trust", a row a question: how often the judge, or another person, gives a person's answer.

    Raises
    ------
    ValueError
        Where no person answered.

    Examples
    --------
    >>> sb.trust(sb.demo().answers(), judge="spotter")
    Traceback (most recent call last):
    ValueError: answers: no person answered, and a judge is trusted as far as it says what people say.
    """
    source = call.answers.of(call.judge).source
    if HUMAN not in call.answers.sources:
        raise ValueError("answers: no person answered, and a judge is trusted as far as it says what people say.")
    results = results_of(replace(call, answers=replace(call.answers, source="")), "trust")
    if source not in results.results:
        raise ValueError(f"answers: too little was answered for trust in {source}.")
    return replace(results, results={source: results.results[source]})


@takes(FindingCall, "answers")
def finding(call: FindingCall) -> SurveyResults:
    """Compute any finding of the answers' survey, by its name: that of its file in the study's folder ``analysis/``.

    Returns
    -------
    SurveyResults
        As of `rank`.

    Examples
    --------
    >>> sb.finding(sb.demo().answers("spot_the_bot"), "segments").sentences[0]
    'On average bots are called human in 25% of segments of 2 exchanges, in 26% at 5.'
    """
    return results_of(call, call.name)


def results_of(call: AnswersCall, name: str) -> SurveyResults:
    """Compute the finding `name` of the answers' survey."""
    answers = call.answers
    finding_by_name = {finding.name: finding for finding in findings_of(answers.asked)}
    if name not in finding_by_name:
        problem = f"answers: the survey {answers.survey!r} has no {name}; it has {', '.join(finding_by_name)}."
        raise ValueError(f"{problem} {nearest(name, finding_by_name, 0)}".strip())
    chosen = check_options(answers.asked, option_values(Options, vars(call)), answers.study.plan.contestants)
    option_name = finding_by_name[name].asked
    if option_name and not getattr(chosen, option_name):
        raise ValueError(f"{option_name}: expected {option_name}=True, without which {name} is not computed.")
    finding_names = (name, *BESIDE.get(name, ()))
    computed = compute(answers.judgements, answers.facts, chosen, only=finding_names)
    parts = {part: part_result["by_source"] for part, part_result in computed.items()}
    results = {}
    for source, data in parts.get(name, {}).items():
        others = {part: by_source[source] for part, by_source in parts.items() if source in by_source}
        results[source] = Result(source, data, others)
    if not results:
        raise ValueError(f"answers: too little was answered for {name}.")
    return SurveyResults(finding_by_name[name], answers, results, computed[name]["made_by"]["left_out"])


def _show(svg: bytes) -> None:
    """Let a notebook show a picture; elsewhere do nothing."""
    import sys

    if "IPython" in sys.modules:
        from IPython.core.getipython import get_ipython
        from IPython.display import SVG, display

        if get_ipython() is not None:
            display(SVG(svg))
