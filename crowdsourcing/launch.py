"""Launches a collection and stays with it: what it would cost, who may come in, and serving until all units are done.

One operator a study. Stopped in any way, kill -9 included, the same launch goes on in place: the ledger knows what is
done, the port is the one that open pages ask at, and the links stay those that were given out.
"""

from __future__ import annotations

import contextlib
import gc
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import parlai_spotbot
from parlai_spotbot import checksums, files, hints
from parlai_spotbot.crowdsourcing import dry_run
from parlai_spotbot.crowdsourcing.collection import CrowdCollection, LaunchRequest
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths, check_task
from parlai_spotbot.crowdsourcing.groups import check_group
from parlai_spotbot.crowdsourcing.platforms.invitations import Invitation, open_browser, welcome
from parlai_spotbot.crowdsourcing.platforms.participant_lists import PLATFORM
from parlai_spotbot.crowdsourcing.platforms.personal_links import (
    LinkStates,
    known_names,
    renew,
    revoke,
    wanted_names,
    write_links,
)
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import as_asked, get_survey, whole_survey
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.survey import Survey

COMMAND = "spotbot_crowdsource"
PATIENCE = 60.0
"""Seconds to wait for another command that has the study for a moment."""


def launch(request: LaunchRequest, say: Callable[[str], None] = print) -> int:
    """Do what was asked; returns an exit code. Raises `UserError` before anything is posted."""
    study = Study.open(request.study)
    if packing_of(get_survey(request.survey)).comes_in:
        raise UserError(f"--survey {request.survey}: comes in with its answers.", "Choose one that people can answer.")
    check_task(request.survey, request.task)
    request = replace(request, group=check_group(study, request.survey, request.group))
    if request.revoke or request.new_link:
        return _change_link(request, study, say)
    if request.dry_run:
        collection, plan = _planned(request, study, say)
        say("\nnothing was posted (--dry-run)")
        return 0
    with files.lock(CollectionPaths.of(study, request.survey, request.part).lock, COMMAND):
        if request.close:
            return _close(request, study, say)
        collection, plan = _planned(request, study, say)
        if not plan.units and not _finished(collection, "told = 0"):
            say(f"\nall units are done; to have them: {_collect(request, study)}")
            return 0
        settings = request.settings
        if plan.units and settings.paid and not request.live:
            raise UserError(
                f"provider {settings.provider}: people would be asked to work for money, and --live is missing.",
                "Read the figures above, then run the same command with --live.",
            )
        if plan.units:
            _check_url(request)
        else:
            say("\nall units are done, but Mephisto has not heard of all of them: it is told now")
        return _serve(collection, plan, say)


def _check_url(request: LaunchRequest) -> None:
    if request.settings.provider == "prolific" and not request.url.startswith("https://"):
        raise UserError(
            f"--url {request.url or 'missing'}: Prolific's participants reach the page at an https address only.",
            "Put the server behind an https proxy or tunnel and name its address.",
        )


# -- before ----------------------------------------------------------------------------------------------------------
def _planned(
    request: LaunchRequest, study: Study, say: Callable[[str], None]
) -> tuple[CrowdCollection, dry_run.LaunchEstimate]:
    """The collection and its figures, which are said; units and controls are made where they are missing."""
    with files.no_collection():
        study = _prepare(study, request.survey, say)
        collection = _collection(request, study)
        estimate = dry_run.estimate(request.settings, collection.survey, _work(collection))
        say(dry_run.said(estimate, request.settings, collection.survey))
        gc.freeze()  # it stays: no search for garbage goes through a large study while people wait
    return collection, estimate


def _prepare(study: Study, survey: str, say: Callable[[str], None]) -> Study:
    """Units and controls, made once; returns the study with them at hand."""
    from parlai_spotbot.surveys.controls import write_controls
    from parlai_spotbot.surveys.packing.pack_study import pack_study

    with briefly(study):
        if not study.units_path(survey).exists():
            packed = pack_study(study, survey)
            say(f"packed: {packed['units']} units (spotbot_pack has options for how)")
            for warning in packed["warnings"]:
                say(f"warning: {warning}")
        if not _has_controls(study, survey):
            write_controls(study, survey)
    for warning in study.provenance().get("controls", {}).get(survey, {}).get("warnings", []):
        say(f"warning: {warning}")
    return study


def _has_controls(study: Study, survey: str) -> bool:
    """Return whether the controls are newer than everything that they are made of."""
    from parlai_spotbot.surveys.controls import controls_path

    controls = controls_path(study, survey)
    if not controls.exists() or survey not in study.provenance().get("controls", {}):
        return False
    paths = [study.plan_path, study.history_path, study.conversations_path, study.units_path(survey)]
    paths += study.survey_path(survey).glob("*.yaml")
    return controls.stat().st_mtime_ns >= max(path.stat().st_mtime_ns for path in paths if path.exists())


def _collection(request: LaunchRequest, study: Study) -> CrowdCollection:
    from parlai_spotbot.crowdsourcing.desk.training import check_course
    from parlai_spotbot.crowdsourcing.page_texts import load_texts
    from parlai_spotbot.surveys.controls import read_controls

    settings = request.settings
    texts, survey = load_texts(settings.language, whole_survey(study, request.survey), settings.texts)
    survey = as_asked(study, survey)
    units, controls = study.units(request.survey), read_controls(study, request.survey)
    if request.task:
        survey = survey.task(request.task)
        units, controls = units_of_task(units, survey), [item for item in controls if _asks(item, survey)]
        if not units:
            raise UserError(
                f"{study.units_path(request.survey)}: no unit of the task {request.task}.",
                f"Add it: {hints.command('pack', study.path, request.survey)} --ask …,{request.task}",
            )
    if request.group:
        units = [unit for unit in units if unit.group == request.group]
    collection = CrowdCollection(request, study, settings.survey(survey), units, controls, texts, texts["language"])
    check_course(collection.survey)
    collection.setup.check()
    return collection


def units_of_task(units: list[Unit], survey: Survey) -> list[Unit]:
    """The units that ask what the survey, which is narrowed to a task, asks."""
    return [unit for unit in units if all(_asks(item, survey) for item in unit.items)]


def _asks(item: Item, survey: Survey) -> bool:
    return set(item.questions) <= {question.name for question in survey.questions}


def _finished(collection: CrowdCollection, where: str = "1") -> set[str]:
    """Return the ids of the finished units for which the SQL condition `where` holds."""
    from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger

    if not collection.paths.ledger.exists():
        return set()
    with contextlib.closing(Ledger(collection.paths.ledger)) as ledger:
        return {handout.unit_id for handout in ledger.handouts(f"status = 'done' AND {where}")}


def _work(collection: CrowdCollection) -> dry_run.Workload:
    study, survey, units = collection.study, collection.survey, collection.units
    unit_ids = {unit.unit_id for unit in units}
    answered = study.load(survey.name).judgements
    judgements = [row for row in answered if row.unit_id in unit_ids]
    return dry_run.Workload(units, collection.seeds, _finished(collection), judgements)


@contextlib.contextmanager
def briefly(study: Study) -> Iterator[None]:
    """Hold the study for a moment; wait for another command that has it, `PATIENCE` seconds at most."""
    until = time.monotonic() + PATIENCE
    with contextlib.ExitStack() as stack:
        while True:
            try:
                stack.enter_context(study.lock(COMMAND))
                break
            except UserError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)
        yield


# -- serving ---------------------------------------------------------------------------------------------------------
def _serve(collection: CrowdCollection, launch_estimate: dry_run.LaunchEstimate, say: Callable[[str], None]) -> int:
    from parlai_spotbot.crowdsourcing.chat.loading import loaded_bots
    from parlai_spotbot.crowdsourcing.mephisto_task.operator import serve, signals
    from parlai_spotbot.crowdsourcing.server.collection_server import ProgressLine, make_server

    request, paths = collection.request, collection.paths
    names = []
    if request.settings.provider == "in_house":
        people = 1 if known_names(paths.links) else max(1, launch_estimate.annotators)
        names = wanted_names(request.annotators, people, request.group)
    paths.make()
    secret = read_secret(paths.secret, make=request.new_secret or not paths.has_begun)
    _record(collection)
    stop, progress = threading.Event(), ProgressLine(len(collection.units))

    def ready(url: str) -> None:
        port = int(url.rpartition(":")[2])
        if previous not in (0, port) and not request.url:
            say(
                f"warning: the last launch served at port {previous}: pages that are open, and links, need the new ones"
            )
        state = {"port": port, "url": request.url, "task_name": setup.task_name, "settings": _told(request.settings)}
        checksums.write_json(paths.launch, state)
        first = welcome(collection, Invitation(request.url or url, secret, names, launch_estimate.annotators), say)
        say(f"\nserving at {url} until all units are done; Ctrl-C stops, and the same command goes on")
        if first and request.open_browser:
            open_browser(first, say)

    setup, previous = collection.setup, collection.last_port
    with loaded_bots(collection, _finished(collection), say) as bots, signals(stop):
        if bots:
            rules = {"rules": vars(collection.survey.chat), "contestants": dict(bots.about())}
            _note(collection, {"chat": rules})
        reason = serve(setup, make_server=make_server(collection, secret, progress, bots), stop=stop, on_ready=ready)
    progress.close()
    say(f"\n{reason}: {progress.said()}")
    say(f"to have the answers: {_collect(request, collection.study)}")
    if reason != "done":
        say("to go on: run the same command again")
    return 0


def _record(collection: CrowdCollection) -> None:
    """Write into provenance.json options, versions and the rule of the controls; nothing secret."""
    from importlib.metadata import version

    about = {
        "package": f"parlai_spotbot {parlai_spotbot.__version__}",
        "mephisto": version("mephisto"),
        "settings": _told(collection.request.settings),
        "limits": vars(collection.survey.limits),
        "language": collection.language,
        "controls": len(collection.controls),
        "ids": collection.request.settings.ids,
    }
    for kind, one in (("tasks", collection.request.task), ("groups", collection.request.group)):
        if one:  # the latest launch, and that of each
            recorded = collection.study.provenance().get("crowdsourcing", {}).get(collection.survey.name, {})
            about = {**about, kind: {**recorded.get(kind, {}), one: about}}
    _note(collection, about, PLATFORM)


def _note(collection: CrowdCollection, about: Mapping[str, Any], *kept: str) -> None:
    """Write into provenance.json what is known of the collection; with `kept`, only these of its keys stay."""
    with briefly(collection.study):
        crowdsourcing = collection.study.provenance().get("crowdsourcing", {})
        name = collection.survey.name
        before = {key: value for key, value in crowdsourcing.get(name, {}).items() if not kept or key in kept}
        collection.study.record("crowdsourcing", {**crowdsourcing, name: {**before, **about}})


def _told(settings: LaunchSettings) -> dict[str, Any]:
    """The settings without the codes that are worth money."""
    row = settings.to_json()
    for name in ("completion_code", "screened_out_code"):
        row[name] = "set" if row[name] else ""
    return row


# -- links -----------------------------------------------------------------------------------------------------------
def _change_link(request: LaunchRequest, study: Study, say: Callable[[str], None]) -> int:
    """Revoke or replace somebody's link, also while the page is served: its door hears of it at once."""
    paths = CollectionPaths.of(study, request.survey, request.part)
    states = LinkStates(paths.link_states)
    name = request.new_link or request.revoke
    (renew if request.new_link else revoke)(paths.links, name, states)
    last = paths.launched
    base = last.get("url") or f"http://{request.host}:{last.get('port', 0)}"
    links = write_links(paths.links, [], base, read_secret(paths.secret, make=False), states)
    if request.new_link:
        say(f"the link that {name} had opens nothing any more; the new one:\n  {links[name]}")
    else:
        say(f"revoked: the link of {name}; another one for them: --new-link {shlex.quote(name)}")
    return 0


# -- closing ---------------------------------------------------------------------------------------------------------
def _close(request: LaunchRequest, study: Study, say: Callable[[str], None]) -> int:
    """End the collection for good: what is open expires, on the platform too."""
    from parlai_spotbot.crowdsourcing.collect import open_ledger
    from parlai_spotbot.crowdsourcing.mephisto_task.operator import close

    collection = _collection(request, study)
    with open_ledger(study, request.survey, request.part) as ledger:
        close(collection.setup)
        for handout in ledger.handouts("status = 'open'"):
            ledger.end(handout.handle, "expired", max(time.time(), handout.handed_at))
        done = len(ledger.handouts("status = 'done'"))
    say(f"closed: {done} units done, {len(collection.units) - done} expired")
    return 0


def _collect(request: LaunchRequest, study: Study) -> str:
    """The command that brings the answers; what is collected is that of all groups."""
    return hints.command("collect", study.path, request.survey, task=request.task or None)
