"""Launches a collection and stays with it: what it would cost, who may come in, and serving until all units are done.

One operator a study. Stopped in any way, kill -9 included, the same launch goes on in place: the ledger knows what is
done, the port is the one that open pages ask at, and the links stay those that were given out.
"""

from __future__ import annotations

import contextlib
import gc
import threading
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import parlai_spotbot
from parlai_spotbot import checksums, files, hints
from parlai_spotbot.crowdsourcing import dry_run
from parlai_spotbot.crowdsourcing.collection import CrowdCollection, planned
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, check_part
from parlai_spotbot.crowdsourcing.languages import check_language, language_spoken
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.platforms.tokens import operator_link, read_secret
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.surveys import as_asked, study_survey, whole_survey
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.workload import Workload, items_of_task, units_of_task
from parlai_spotbot.terminal import Say

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.chat.bots import ChatBots

COMMAND = "spotbot_crowdsource"

ONE_AT_A_TIME = (
    "A study collects one survey at a time: wait until that launch ends, or stop it with Ctrl-C (it goes on later, in "
    "place), then run the same command again."
)


def launch(request: LaunchRequest, say: Say = print) -> int:
    """Launch a collection, or estimate its cost; return an exit code. Raises `UserError` before anything is posted."""
    study = Study.open(request.study)
    data = study.load(request.survey)
    if packing_of(study_survey(data)).comes_in:
        raise UserError(f"--survey {request.survey}: comes in with its answers.", "Choose one that people can answer.")
    settings = request.settings
    if settings is None:
        settings = read_settings(request.config, provider=request.provider, language=request.language)
    part = check_part(data, request.part)
    request = replace(request, settings=settings, part=part)
    if not request.close:
        check_language(request, data, say)
    if request.dry_run:
        _planned(request, data, say)
        if request.settled:
            from parlai_spotbot.sequential.serving import forget

            with study.lock(COMMAND):
                forget(study.load(request.survey))
        say("\nnothing was posted (--dry-run)")
        return 0
    lock = CollectionPaths(study, request.survey, part).lock
    with files.lock(lock, f"{COMMAND} --survey {request.survey}", ONE_AT_A_TIME):
        if request.close:
            return _close(request, data, say)
        collection, estimate = _planned(request, data, say)
        collect = hints.command("collect", study.path, request.survey)
        if estimate.units:
            _check_live(request)
        elif not _finished(collection, "told = 0"):
            say(f"\nall units are done; to have them: {collect}")
            return 0
        reason = _serve(collection, estimate, say)
    say(f"to have the answers: {collect}")
    if reason != "done":
        say("to go on: run the same command again")
    return 0


def _check_live(request: LaunchRequest) -> None:
    """Raise `UserError` where people would be paid without --live, or could not reach the page."""
    platform = request.settings.platform
    if platform.paid and not request.live:
        raise UserError(
            f"provider {platform.name}: people would be asked to work for money, and --live is missing.",
            "Read the figures above, then run the same command with --live.",
        )
    platform.check_address(request.url)


# -- before ----------------------------------------------------------------------------------------------------------
def _planned(request: LaunchRequest, data: SurveyFiles, say: Say) -> tuple[CrowdCollection, Workload]:
    """Return the collection and its estimate, which is printed; units and controls are made where they are missing."""
    with files.no_collection():
        _prepare(request, data, say)
        packed = data.study.load(request.survey)
        collection = _collection(request, packed)
        if collection.serving and not collection.units:
            raise UserError("--deadline: it is past, and nobody has been handed a unit.", "Name a later time.")
        collection.setup.check()
        done = _finished(collection)
        controls = len(collection.controls)
        estimate = dry_run.estimate(
            request.settings, collection.survey, collection.units, collection.seeds, done, controls
        )
        say(dry_run.text_of(estimate, request.settings, collection.survey))
        if collection.serving:
            say(collection.serving.announced())
        elif plan := data.recorded("plan"):
            say(dry_run.planned_text(plan, packed.units))
        gc.freeze()  # it stays: no search for garbage goes through a large study while people wait
    return collection, estimate


def _prepare(request: LaunchRequest, data: SurveyFiles, say: Say) -> None:
    """Make units, or the plan by which they are drawn, and controls where they are missing."""
    from parlai_spotbot.surveys.controls import write_controls
    from parlai_spotbot.surveys.packing.pack_study import pack_study

    study = data.study
    warnings = []
    with study.lock(COMMAND):
        shown = data
        if request.settled or request.unit_size or request.deadline or data.settled_path.exists():
            from parlai_spotbot.sequential.serving import prepared

            mistakes = request.settings.survey(study_survey(data)).limits.control_mistakes
            shown = prepared(data, request.settled, request.unit_size, request.deadline, mistakes)
        if not data.units_path.exists():
            packed = pack_study(study, data.survey)
            shown = study.load(data.survey)
            say(f"packed: {packed['units']} units (spotbot_pack has options for how)")
            warnings = packed["warnings"]
        write_controls(shown)
    for warning in [*warnings, *data.recorded("controls").get("warnings", [])]:
        say(f"warning: {warning}")


def _collection(request: LaunchRequest, data: SurveyFiles) -> CrowdCollection:
    from parlai_spotbot.crowdsourcing.page_texts import load_texts
    from parlai_spotbot.surveys.controls import read_controls

    settings = request.settings
    whole = whole_survey(data)
    spoken = language_spoken(data.conversations, settings)
    texts, survey = load_texts(settings.language, whole, settings.texts, spoken=spoken)
    survey = as_asked(data, survey)
    controls = read_controls(data)
    mistakes = settings.survey(survey).limits.control_mistakes
    serving, units = planned(data, request.part, mistakes, request.deadline)
    if survey.tasks:
        survey = survey.task(request.part)
        units = units_of_task(units, survey)
        controls = items_of_task(controls, survey)
        if not units:
            raise UserError(
                f"{data.units_path}: no unit of the task {request.part}.",
                f"Add it: {data.command('pack')} --ask …,{request.part}",
            )
    survey = settings.survey(survey)
    if serving:  # the guarantee counts a person once
        survey = replace(survey, limits=replace(survey.limits, units_per_annotator=1))
    collection = CrowdCollection(request, data.study, survey, units, controls, texts, serving)
    if collection.group:
        collection = replace(collection, units=[unit for unit in units if unit.group == collection.group])
    return collection


def _finished(collection: CrowdCollection, where: str = "1") -> set[str]:
    """Return the ids of the finished units for which the SQL condition `where` holds."""
    from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger

    if not collection.paths.ledger.exists():
        return set()
    with Ledger(collection.paths.ledger) as ledger:
        return {handout.unit_id for handout in ledger.handouts(f"status = 'done' AND {where}")}


# -- serving ---------------------------------------------------------------------------------------------------------
def _serve(collection: CrowdCollection, estimate: Workload, say: Say) -> str:
    """Serve until all is "done", or "stopped" by a signal; return which."""
    from parlai_spotbot.crowdsourcing.chat.loading import loaded_bots
    from parlai_spotbot.crowdsourcing.mephisto_task.operator import close, serve, signals
    from parlai_spotbot.crowdsourcing.server.collection_server import CollectionProgress, make_server

    request = collection.request
    settings = request.settings
    paths = collection.paths
    setup = collection.setup
    invitation = settings.platform.invitation(collection, max(1, estimate.annotators))
    paths.make()
    title = f"{collection.study.path.resolve().name} · {collection.survey.title}"
    invited = partial(settings.platform.invited, paths)
    progress = CollectionProgress(len(collection.units), settings, title, invited)
    stop = threading.Event()

    def ready(url: str) -> None:
        state = {"port": int(url.rpartition(":")[2]), "url": request.url, "task_name": setup.task_name}
        checksums.write_json(paths.launch, {**state, "settings": settings.recorded()})
        for line in invitation(request.url or url, secret):
            say(line)
        say(f"\nhow far it is, for you alone: {operator_link(request.url or url, secret)}")
        say(f"serving at {url} until all units are done; Ctrl-C stops, and the same command goes on")

    with loaded_bots(collection, _finished(collection), say) as bots, signals(stop):
        with collection.study.lock(COMMAND):
            secret = read_secret(paths.secret, make=not paths.has_begun)
            _record(collection, bots)
        with contextlib.closing(collection.serving or contextlib.ExitStack()):
            server = make_server(collection, secret, progress, bots)
            reason = serve(setup, make_server=server, stop=stop, on_ready=ready)
    progress.close()
    if reason == "done" and collection.serving:
        close(setup)  # what was posted and isn't needed
    say(f"\n{reason}: {progress.said()}")
    return reason


def _record(collection: CrowdCollection, bots: ChatBots | None) -> None:
    """Write into provenance.json options, versions and limits, and who chats; nothing secret."""
    from importlib.metadata import version

    settings = collection.request.settings
    survey = collection.survey
    crowdsourcing = collection.study.provenance().get("crowdsourcing", {})
    about = {
        "package": f"parlai_spotbot {parlai_spotbot.__version__}",
        "mephisto": version("mephisto"),
        "settings": settings.recorded(),
        "limits": vars(survey.limits),
        "language": collection.texts["language"],
        "controls": len(collection.controls),
        "exercises": sum(map(len, survey.onboarding[:1])),
        "ids": settings.platform.ids,
    }
    if collection.serving:
        about["deadline"] = collection.serving.until
    if bots and bots.about():
        about["chat"] = {"rules": vars(survey.chat), "contestants": bots.about()}
    if collection.request.part:  # the latest launch, and that of each
        kind = "groups" if collection.group else "tasks"
        name = collection.group or collection.request.part
        about[kind] = {**crowdsourcing.get(survey.name, {}).get(kind, {}), name: dict(about)}
    collection.study.record("crowdsourcing", {**crowdsourcing, survey.name: about})


# -- closing ---------------------------------------------------------------------------------------------------------
def _close(request: LaunchRequest, data: SurveyFiles, say: Say) -> int:
    """End the collection for good: what is open expires, on the platform too."""
    from parlai_spotbot.crowdsourcing.collect import open_ledger
    from parlai_spotbot.crowdsourcing.mephisto_task.operator import close

    collection = _collection(request, data)
    with open_ledger(collection.paths) as ledger:
        close(collection.setup)
        for handout in ledger.handouts("status = 'open'"):
            ledger.end(handout.handle, "expired", max(time.time(), handout.handed_at))
        done = len(ledger.handouts("status = 'done'"))
    say(f"closed; units done: {done}, expired: {len(collection.units) - done}")
    return 0
