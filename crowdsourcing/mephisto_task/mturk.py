"""MTurk: credentials from the usual AWS places only, handed to boto3, never written or logged; and which HITs are out.

Mephisto names a profile of ``~/.aws`` after the requester, and would ask for keys on the terminal and write them there;
here that profile must exist, or the keys must be in the environment.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.mephisto_task.setup import TaskSetup, environment_credentials
from parlai_spotbot.errors import UserError

REMEDY = (
    "Put keys of an IAM user with AmazonMechanicalTurkFullAccess into ~/.aws/credentials under [{name}], or into "
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
)

REGION = "us-east-1"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"


def use_credentials(database: Any, setup: TaskSetup) -> None:
    """Give the provider a session with credentials; `UserError` where there are none. Does nothing off MTurk."""
    if not setup.on_mturk:
        return
    store = database.get_datastore_for_provider(setup.provider_type)
    if setup.requester not in store.session_storage:
        store.session_storage[setup.requester] = _session(setup.requester)


def _session(requester: str) -> Any:
    """A session with the credentials of a requester; `UserError` where there are none."""
    from botocore.exceptions import BotoCoreError, ProfileNotFound

    try:
        session = _session_class()(profile_name=requester, region_name=REGION)
    except ProfileNotFound:
        if not environment_credentials():
            raise UserError(
                f"There are no AWS credentials for requester '{requester}'.", REMEDY.format(name=requester)
            ) from None
        session = _session_class()(region_name=REGION)
    try:
        credentials = session.get_credentials()
    except BotoCoreError as err:
        raise UserError(f"AWS credentials can't be read: {type(err).__name__}.", "Mend ~/.aws.") from None
    if credentials is None:
        raise UserError(f"The AWS profile '{requester}' has no credentials.", REMEDY.format(name=requester))
    return session


@functools.cache
def _session_class() -> type:
    import boto3
    from botocore.config import Config

    class Session(boto3.Session):
        """A session that makes each client once: Mephisto asks for one at every call, from several threads.

        A network that hangs is given up on after a minute or so.
        """

        def __init__(self, **kwargs: Any):
            super().__init__(**kwargs)
            self._clients: dict[str, Any] = {}
            self._making = threading.Lock()

        def client(self, *args: Any, **kwargs: Any) -> Any:
            kwargs.setdefault("config", Config(connect_timeout=10, read_timeout=20, retries={"max_attempts": 3}))
            key = repr((args, sorted(set(kwargs) - {"config"}), kwargs.get("endpoint_url")))
            with self._making:
                if key not in self._clients:
                    self._clients[key] = super().client(*args, **kwargs)
                return self._clients[key]

    return Session


@contextlib.contextmanager
def explained(store: Any) -> Iterator[None]:
    """Turn errors of MTurk, or of the way to it, into `UserError`s without credentials."""
    with _without_credentials(lambda: getattr(store, "session_storage", {}).values()):
        yield


@contextlib.contextmanager
def _without_credentials(sessions: Callable[[], Iterable[Any]]) -> Iterator[None]:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as err:
        text = str(err)
        for session in sessions():
            for part in session.get_credentials().get_frozen_credentials():
                text = text.replace(part or "\0", "***")
        raise UserError(
            f"MTurk: {text}", "Mend that (network, rights of the AWS user, balance) and run the same command again."
        ) from None


def posted(task_run: Any, url: str, count: int) -> list[str]:
    """The ids of all HITs of a run, those included that a crash took between their posting and our note of it.

    Such a one is found on MTurk by its type and the address that it shows, and noted now; MTurk is asked only where
    fewer than `count` are known.
    """
    store, run_id = task_run.get_provider().datastore, task_run.db_id
    query = "SELECT hit_id FROM run_mappings WHERE run_id = ?"
    with store.table_access_condition:
        hit_ids = {row["hit_id"] for row in store._get_connection().execute(query, (run_id,))}
    if len(hit_ids) >= count:
        return sorted(hit_ids)
    hit_type, seconds = store.get_run(run_id)["hit_type_id"], task_run.get_task_args().assignment_duration_in_seconds
    shown = url.replace("&", "&amp;")
    listing = _client_of(task_run).get_paginator("list_hits")
    for page in listing.paginate(PaginationConfig={"PageSize": 100}):
        for hit in page["HITs"]:
            if (
                hit["HITTypeId"] == hit_type
                and f">{shown}<" in hit.get("Question", "")
                and not _known(store, hit["HITId"])
            ):
                store.new_hit(hit["HITId"], "", seconds, run_id)
                hit_ids.add(hit["HITId"])
    return sorted(hit_ids)


def post(task_run: Any, url: str) -> None:
    """Post one HIT of the run."""
    from mephisto.abstractions.providers.mturk.mturk_utils import create_hit_with_hit_type

    store, client, args = task_run.get_provider().datastore, _client_of(task_run), task_run.get_task_args()
    run = store.get_run(task_run.db_id)
    link, hit_id, _ = create_hit_with_hit_type(
        client, run["frame_height"], url, run["hit_type_id"], lifetime_in_seconds=args.task_lifetime_in_seconds
    )
    store.new_hit(hit_id, link, args.assignment_duration_in_seconds, task_run.db_id)


def expire(task_run: Any) -> None:
    """Take the run's HITs off MTurk that nobody has handed in."""
    from mephisto.abstractions.providers.mturk.mturk_utils import expire_hit

    for hit_id in task_run.get_provider().datastore.get_unassigned_hit_ids(task_run.db_id):
        expire_hit(_client_of(task_run), hit_id)


def _client_of(task_run: Any) -> Any:
    requester = task_run.get_requester()
    return requester._get_client(requester._requester_name)


def _known(store: Any, hit_id: str) -> bool:
    with store.table_access_condition:
        return bool(store._get_connection().execute("SELECT 1 FROM hits WHERE hit_id = ?", (hit_id,)).fetchone())


def is_posted(store: Any, run_id: str, hit_id: str) -> bool:
    """Return whether the HIT was posted for that run."""
    query = "SELECT 1 FROM run_mappings WHERE run_id = ? AND hit_id = ?"
    with store.table_access_condition:
        return bool(store._get_connection().execute(query, (run_id, hit_id)).fetchone())


# -- whom MTurk knows --------------------------------------------------------------------------------------------------
def note_claim(store: Any, hit_id: str, assignment: str) -> None:
    """Somebody says that they hold the HIT by this assignment. Mephisto keeps the last one who said so of a HIT, which
    anybody may."""
    with store.table_access_condition, store._get_connection() as db:
        db.execute(
            "CREATE TABLE IF NOT EXISTS claims (hit_id TEXT, assignment_id TEXT, UNIQUE (hit_id, assignment_id))"
        )
        db.execute("INSERT OR IGNORE INTO claims VALUES (?, ?)", (hit_id, assignment))


def claimed_hit(store: Any, assignment: str) -> str | None:
    """Return the HIT by which the holder of an assignment came, as they said."""
    with store.table_access_condition:
        row = store._get_connection().execute("SELECT hit_id FROM claims WHERE assignment_id = ?", (assignment,))
        return next((hit["hit_id"] for hit in row), None)


def is_accepted(requester: Any, hit_id: str) -> bool:
    """Return whether somebody has accepted the HIT of Mephisto's `requester` on MTurk, or has handed it in there."""
    with explained(requester.datastore):
        hit = requester._get_client(requester._requester_name).get_hit(HITId=hit_id)["HIT"]
    return hit.get("NumberOfAssignmentsPending", 0) + hit.get("NumberOfAssignmentsCompleted", 0) > 0


def handed_in(data_root: Path, sandbox: bool, requester: str, assignments: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return the status on MTurk of (worker, assignment), of the HITs on which `assignments` (their ids) claim to be.

    Raises `UserError` where MTurk can't be asked. The operator may run.
    """
    hits = sorted(set(_hits_of(Path(data_root), set(assignments))))
    if not hits:
        return {}
    session = _session(requester)
    client = session.client("mturk", region_name=REGION, **({"endpoint_url": SANDBOX} if sandbox else {}))
    statuses = {}
    with _without_credentials(lambda: [session]):
        for hit in hits:
            for page in client.get_paginator("list_assignments_for_hit").paginate(HITId=hit):
                for one in page["Assignments"]:
                    statuses[one["WorkerId"], one["AssignmentId"]] = one["AssignmentStatus"].lower()
    return statuses


def _hits_of(data_root: Path, assignments: set[str]) -> Iterator[str]:
    for path in sorted(data_root.rglob("mturk.db")):
        uri = f"{path.resolve().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=10)) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for table in tables & {"hits", "claims"}:  # older versions noted no claims
                for hit_id, assignment in db.execute(f"SELECT hit_id, assignment_id FROM {table}"):
                    if assignment in assignments:
                        yield hit_id
