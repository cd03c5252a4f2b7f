"""Public functions that do what the commands of the same names do, with a command's options as their arguments."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
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
from parlai_spotbot.notebook.calling import in_python, takes
from parlai_spotbot.notebook.playing import Bot, Progress, names_in, selfplay
from parlai_spotbot.notebook.study_answers import Study
from parlai_spotbot.options import described, option_values
from parlai_spotbot.selfplay.plan import PlayOptions
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import expect_study
from parlai_spotbot.surveys import own_surveys, survey_at
from parlai_spotbot.surveys.pack_request import PackRequest

if TYPE_CHECKING:
    from parlai_spotbot.findings.comparison import Comparison
    from parlai_spotbot.findings.plans import SizePlan

IMPORTERS = "parlai_spotbot.importers"
OPENED = "the study, as `Study.open(PATH)` gives it"


@dataclass(frozen=True)
@described
class Opened:
    """Argument of what is done with a study."""

    study: Study

    def __post_init__(self) -> None:
        expect_study(self.study)


@dataclass(frozen=True)
@described
class OfStudy(Opened):
    """Arguments of what is done with one survey of a study."""

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
        `text` is what ``spotbot_plan`` prints, `numbers` are its numbers, `write` writes it as JSON.

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
class JudgeCall(JudgeRequest, SettledRequest, Progress, OfStudy):
    """Arguments of `judge_study`."""

    judge: str | Judge | None = None
    _: KW_ONLY
    seed: int | None = None


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
    if isinstance(call.judge, Judge):
        judges = [call.judge]
    else:
        specs = call.specs(survey_at(call.survey, call.study), settled)
        seed = call.seed
        if seed is None:
            seed = call.study.plan.seed
        judges = [spec.make(seed) for spec in specs]
    if len(judges) != 1:
        raise UserError(f"--judge: {len(judges)} judges.", "Name one; several are several calls.")
    with call.study.lock("judge_study"):
        summaries = run.let_judge(call.study, call.survey, judges, call.yes, str, call.progress, settled)
    missing, remedy, problem = accounted(summaries)
    counts = "; ".join(f"{n:,} × {what}" for what, n in missing.items())
    if problem:
        raise UserError(f"{problem}: {counts}.", remedy)
    if missing:
        warnings.warn(f"missing: {counts}. {remedy}", stacklevel=3)
    return summaries[judges[0].name]


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


@takes(CompareCall)
def compare(call: CompareCall) -> Comparison:
    """Find out whether one bot is better than another: both play, a judge answers. The same call goes on, or says it.

    They are called new and old, or as a study of the same two that ``spotbot compare`` began calls them.

    With ``until="settled"`` the judge stops as soon as that is known, or that they are equal within `margin`; without
    it all is judged, and `margin` is that of the analysis.

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
    from parlai_spotbot.findings import comparison
    from parlai_spotbot.findings.survey_data import load

    progress = call.progress
    given = dict(vars(call))
    analysis = {}
    if call.until is None and call.margin:
        analysis["margin"] = given.pop("margin")
    judging: Mapping[str, Any] = {"judge": call.judge}
    if isinstance(call.judge, Mapping):
        judging = call.judge
    settling = {}
    settled = SettledRequest.asked(given)
    if settled:
        from parlai_spotbot.sequential.registration import check_request

        check_request(survey_at(call.survey), settled)
        settling = settled.named()
    new, old = names_in(call.study, {"new": call.new, "old": call.old})
    options = option_values(PlayOptions, vars(call))
    study = selfplay({new: call.new, old: call.old}, call.study, progress=progress, **options)
    survey = own_surveys.taken(study, call.survey)
    if settled is None:
        pack(study, survey)
    made = judge_study(study, survey, progress=progress, **judging, **settling)
    analyze(study, survey, progress=progress, **analysis)
    report(study, survey)
    return comparison.compare(load(study, survey), f"judge:{made['judge']}", new, old)
