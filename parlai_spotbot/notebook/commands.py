"""Public functions that do what the commands of the same names do, with a command's options as their arguments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot import plugin
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.options import Options
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.importers.import_request import ImportOptions, ImportRequest
from parlai_spotbot.judges import Judge
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.notebook.calling import as_value_error, in_python, names_of, takes
from parlai_spotbot.notebook.playing import Bot, Progress, names_in, selfplay
from parlai_spotbot.notebook.study_answers import Study
from parlai_spotbot.options import described, option_values
from parlai_spotbot.reading import encoded
from parlai_spotbot.selfplay.plan import PlayOptions
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import expect_study
from parlai_spotbot.surveys import own_surveys, survey_at
from parlai_spotbot.surveys.pack_request import PackRequest

if TYPE_CHECKING:
    from parlai_spotbot.findings.comparison import Comparison
    from parlai_spotbot.findings.plans import SizePlan
    from parlai_spotbot.surveys import Survey

IMPORTERS = "parlai_spotbot.importers"
OPENED = "the study, as `Study.open(PATH)` gives it"


@dataclass(frozen=True)
@described
class Opened:
    """Argument of functions on a study."""

    study: Study

    def __post_init__(self) -> None:
        expect_study(self.study)


@dataclass(frozen=True)
@described
class OfStudy(Opened):
    """Arguments of functions on one survey of a study."""

    survey: str = "spot_the_bot"


@dataclass(frozen=True)
@described
class Pilot(Progress):
    """Arguments of `plan` beside its options."""

    request: PlanRequest | None = None
    study: Study | None = None

    def __post_init__(self) -> None:
        if self.study:
            expect_study(self.study)


@dataclass(frozen=True)
class PlanCall(PlanRequest, Pilot):
    """Arguments of `plan`."""


@takes(PlanCall, "survey")
def plan(call: PlanCall) -> SizePlan:
    """Plan how many conversations and annotations a study needs, or how many more after a pilot.

    Returns
    -------
    SizePlan
        `text` is what ``spotbot_plan`` prints, `numbers` are its numbers, `write` writes it as JSON, `keep` keeps it
        in the study, for the methods text.

    Examples
    --------
    >>> needed = sb.plan(bots=4, difference=0.3, simulations=0)
    >>> needed.numbers["asked"]["needed"]
    73

    ``print(needed.text)`` shows the whole plan, ``sb.plan(study=pilot)`` what a pilot still needs.
    """
    from parlai_spotbot.findings import plans

    return plans.plan(call.request or call, call.study, call.progress)


@dataclass(frozen=True)
class PackCall(PackRequest, OfStudy):
    """Arguments of `pack`."""


@takes(PackCall)
def pack(call: PackCall) -> dict:
    """Pack a study's conversations into units, what one annotator or judge does in one sitting.

    The same call again changes nothing; a study that grew gets further units. `survey` may be a YAML file of your own.

    Returns
    -------
    dict
        The summary that ``spotbot_pack`` prints: ``units``, ``annotations``, ``left_out``, ``warnings``, …

    Examples
    --------
    >>> study = sb.demo()
    >>> sb.pack(study, "acute_eval", comparisons=2, ask="engagingness")["annotations"]
    12
    """
    from parlai_spotbot.findings import check_findings
    from parlai_spotbot.surveys.packing.pack_study import pack_study

    if own_surveys.is_file(call.survey):
        check_findings(own_surveys.read_survey(call.survey), call.survey)
    with call.study.lock("pack"):
        return pack_study(
            call.study, own_surveys.taken(call.study, call.survey), **option_values(PackRequest, vars(call))
        )


@dataclass(frozen=True)
@described
class OneJudge(JudgeRequest):
    """Arguments that say which judge, and what it may cost."""

    judge: str | Judge | None = None
    _: KW_ONLY
    seed: int | None = None

    def checked(self, survey: Survey, settled: SettledRequest | None) -> Callable[[int], Judge]:
        """Return what makes the judge, of a study's seed, after all that can be wrong before it answers."""
        if isinstance(self.judge, Judge):
            one = self.judge
            return lambda seed: one
        specs = self.specs(survey, settled)
        if len(specs) != 1:
            raise UserError(f"--judge: {len(specs)} judges.", "Name one; several are several calls.")
        if self.seed is None:
            return specs[0].make
        given = self.seed
        return lambda seed: specs[0].make(given)


@dataclass(frozen=True)
class JudgeCall(OneJudge, SettledRequest, Progress, OfStudy):
    """Arguments of `judge_study`."""


@takes(JudgeCall)
def judge_study(call: JudgeCall) -> dict:
    """Let one automatic judge answer a study's units, as far as it has not yet; no substitute for people.

    Without `judge`, it is the language model that `url` and `model` name, or else the spotter. Several judges are
    several calls. With ``until="settled"`` nothing is packed: what is shown next is drawn by the answers so far, and
    the judge stops as soon as every two contestants are settled.

    Returns
    -------
    dict
        What ``surveys/SURVEY/judges/NAME.json`` holds: ``units``, ``answered``, ``variants``, ``usage``, …
        A warning counts answers that are missing.

    Examples
    --------
    >>> study = sb.demo()
    >>> made = sb.judge_study(study, url="http://127.0.0.1:8000/v1", model="parrot-1", yes=True, progress=False)
    >>> made["answered"] == made["units"]
    True
    >>> study.answers().of("parrot-1")
    <960 answers to spot_the_bot by judge:parrot-1>

    ``key="MY_KEY"`` names the environment variable that holds the server's key.
    """
    from parlai_spotbot.judges import run
    from parlai_spotbot.judges.summary import accounted

    settled = SettledRequest.asked(vars(call))
    judge = call.checked(survey_at(call.survey, call.study), settled)(call.study.plan.seed)
    with call.study.lock("judge_study"):
        data = call.study.load(call.survey)
        summaries = run.let_judge(data, [judge], call.yes, str, call.progress, settled)
    _warn_missing(*accounted(summaries))
    return summaries[judge.name]


def _warn_missing(missing: Mapping[str, int], remedy: str, problem: str) -> None:
    """Warn of missing parts, with their remedy; raise `UserError` for a problem."""
    counts = "; ".join(f"{n:,} × {what}" for what, n in missing.items())
    if problem:
        raise UserError(f"{problem}: {counts}.", remedy)
    if missing:
        warnings.warn(f"missing: {counts}. {remedy}".strip(), stacklevel=4)


@dataclass(frozen=True)
class AnalyzeCall(Options, Progress, OfStudy):
    """Arguments of `analyze`."""


@takes(AnalyzeCall)
def analyze(call: AnalyzeCall) -> dict[str, dict]:
    """Compute every statistic of a survey and write it to the study's folder ``surveys/SURVEY/analysis``.

    Returns
    -------
    dict
        What was written, by the name of its file. Nothing is written unless everything could be computed.

    Examples
    --------
    >>> made = sb.analyze(sb.demo(), bootstraps=50, progress=False)
    >>> made["ranking"]["by_source"]["judge:spotter"]["ranking"]["bot"].tolist()
    ['tfidf', 'alice', 'eliza']
    """
    from parlai_spotbot.findings.analyze import analyze as analysis

    with call.study.lock("analyze"):
        return analysis(call.study, call.survey, progress=call.progress, **option_values(Options, vars(call)))


@dataclass(frozen=True)
@described
class ReportCall(Opened):
    """Arguments of `report`."""

    survey: str | None = None
    without: tuple[str, ...] = ()


@takes(ReportCall)
def report(call: ReportCall) -> Path:
    """Write a study's report, one HTML page that opens anywhere; its surveys must be analysed.

    Returns
    -------
    Path
        The page, ``report/index.html`` in the study's folder.

    Examples
    --------
    >>> study = sb.demo()
    >>> made = sb.analyze(study, bootstraps=50, progress=False)
    >>> sb.report(study).name
    'index.html'
    """
    from parlai_spotbot.report.page import build_report

    return build_report(call.study, call.survey, call.without)


@dataclass(frozen=True)
@described
class ImportCall(ImportOptions, Progress):
    """Arguments of `import_study`."""

    format: str
    data: str | Path | Sequence[str | Path]
    study: str | Path
    survey: str = "spot_the_bot"


@takes(ImportCall, "data")
def import_study(call: ImportCall) -> Study:
    r"""Bring other people's data into a study: chats, judgements, votes, the papers' releases.

    Returns
    -------
    Study
        The study, new or with what was added. A warning counts the rows that could not be used.

    Examples
    --------
    >>> rows = "model_a,model_b,winner\n" + "ada,bob,model_a\nbob,cleo,tie\nada,cleo,model_a\n" * 20
    >>> _ = open("arena.csv", "w").write(rows)
    >>> study = sb.import_study("votes", "arena.csv", study="studies/arena", progress=False)
    >>> sb.rank(study.answers("votes"), bootstraps=50).tables["ranking"]["bot"].tolist()
    ['ada', 'bob', 'cleo']
    """
    bring = plugin.find(IMPORTERS, "FORMAT", call.format, "--format")
    data = call.data
    if not isinstance(data, (str, Path)):
        data = ",".join(map(str, data))
    request = ImportRequest(str(data), str(call.study), call.survey, **option_values(ImportOptions, vars(call)))
    with encoded(request.encoding, request.data):
        message = in_python(bring(request))
    if call.progress:
        print(message)
    for line in request.left_out.lines():
        warnings.warn(in_python(line), stacklevel=3)
    return Study.open(call.study)


@dataclass(frozen=True)
@described
class CompareCall(PlayOptions, SettledRequest, Progress):
    """Arguments of `compare`."""

    new: Bot
    old: Bot
    study: str | Path = Path("new-vs-old")
    _: KW_ONLY
    survey: str = "spot_the_bot"
    judge: str | Judge | Mapping[str, Any] = "spotter"
    gate: str | Path | None = None


@takes(CompareCall)
def compare(call: CompareCall) -> Comparison:
    """Find out whether one bot is better than another: both play, a judge answers. The same call goes on, or says it.

    They are called new and old, or as a study of the same two that ``spotbot compare`` began calls them.

    With ``until="settled"`` the judge stops as soon as that is known, or that they are equal within `margin`; without
    it all is judged, and `margin` is that of the analysis.

    With `gate` a judge without a valid certificate is a ValueError: as a rule before anybody plays, else afterwards,
    when its answers are stored. The sentence names what vouches for it.

    Returns
    -------
    Comparison
        `verdict` is "better", "worse" or "undecided"; `rate` with `ci` is the share of decided matches that `new` wins;
        ``str()`` has it in a sentence. The page behind it is ``report/index.html`` in the study's folder.

    Examples
    --------
    >>> def old(text):
    ...     return "hm"
    >>> found = sb.compare(
    ...     "spotbot:eliza", old, study="studies/eliza", conversations_per_pair=3, progress=False,
    ...     judge={"url": "http://127.0.0.1:8000/v1", "model": "parrot-1", "yes": True},
    ... )
    >>> found.verdict
    'undecided'
    """
    from parlai_spotbot.evaluation import Evaluation
    from parlai_spotbot.findings import comparison
    from parlai_spotbot.findings.survey_data import load
    from parlai_spotbot.judges.certificate import gate

    judging: Mapping[str, Any] = {"judge": call.judge}
    if isinstance(call.judge, Mapping):
        judging = call.judge
    evaluation = Evaluation.from_options(vars(call))
    evaluation_asked = evaluation.checked()
    request = _one_judge(**judging)
    with as_value_error("judge", names_of(OneJudge)):
        judge_of = request.checked(evaluation_asked, evaluation.settled)
    certificate = None
    if call.gate is not None:
        certificate = gate.asked_certificate(call.gate, Path(call.study), evaluation_asked.name, judge_of(0).name)
    new, old = names_in(call.study, {"new": call.new, "old": call.old})
    options = option_values(PlayOptions, vars(call))
    study = selfplay({new: call.new, old: call.old}, call.study, progress=call.progress, **options)
    judge = judge_of(study.plan.seed)
    with study.lock("compare"), as_value_error("judge", names_of(OneJudge)):
        done = evaluation.run(study, [judge], request.yes, str, call.progress)
    _warn_missing(done.missing, done.remedy, done.problem)
    contents = load(study, done.survey)
    comparison_found = comparison.compare(contents, judge.source, new, old)
    if certificate is None:
        return comparison_found
    return comparison_found.vouched_by(certificate, contents)


@takes(OneJudge, "judge")
def _one_judge(call: OneJudge) -> OneJudge:
    """Return a judge that `compare` is given, checked."""
    return call
