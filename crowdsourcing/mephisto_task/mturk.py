"""MTurk: credentials from the usual AWS places only, handed to boto3, never written or logged; and which HITs are out.

Mephisto names a profile of ``~/.aws`` after the requester, and would ask for keys on the terminal and write them there;
here that profile must exist, or the keys must be in the environment.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.ledger.ledger import reading
from parlai_spotbot.crowdsourcing.mephisto_task.setup import REQUESTER, TaskSetup
from parlai_spotbot.errors import UserError

REGION = "us-east-1"
SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"


def use_credentials(database: Any, setup: TaskSetup) -> None:
    """Give the provider a session with credentials; `UserError` where there are none. Does nothing off MTurk."""
    if setup.on_mturk:
        store = database.get_datastore_for_provider(setup.provider_type)
        store.session_storage[REQUESTER] = store.session_storage.get(REQUESTER) or _session()


def _session() -> Any:
    """Return a session with the AWS credentials that boto3 finds; `UserError` where there are none."""
    from botocore.exceptions import BotoCoreError

    try:
        session = _session_class()(region_name=REGION)
        credentials = session.get_credentials()
    except BotoCoreError as err:
        raise UserError(f"AWS credentials can't be read: {type(err).__name__}.", "Correct ~/.aws.") from None
    if credentials is None:
        raise UserError(
            "There are no AWS credentials.",
            "Put keys of an IAM user with AmazonMechanicalTurkFullAccess into ~/.aws/credentials, or into "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; AWS_PROFILE names a profile.",
        )
    return session


@functools.cache
def _session_class() -> type:
    import boto3
    from botocore.config import Config

    class Session(boto3.Session):
        """A session that makes a client of MTurk once: Mephisto asks for one at every call, from several threads.

        A network that hangs is given up on after a minute or so.
        """

        def __init__(self, **kwargs: Any):
            super().__init__(**kwargs)
            self._clients: dict[str | None, Any] = {}
            self._making = threading.Lock()

        def client(self, service_name: str, endpoint_url: str | None = None, **kwargs: Any) -> Any:
            config = Config(connect_timeout=10, read_timeout=20, retries={"max_attempts": 3})
            with self._making:
                if endpoint_url not in self._clients:
                    options = {**kwargs, "endpoint_url": endpoint_url, "config": config}
                    self._clients[endpoint_url] = super().client(service_name, **options)
                return self._clients[endpoint_url]

    return Session


@contextlib.contextmanager
def explained(*sessions: Any) -> Iterator[None]:
    """Turn errors of MTurk, or of the way to it, into `UserError`s without the credentials of these sessions."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as err:
        text = str(err)
        for session in sessions:
            for part in session.get_credentials().get_frozen_credentials():
                text = text.replace(part or "\0", "***")
        raise UserError(
            f"MTurk: {text}", "Correct that (network, rights of the AWS user, balance) and run the same command again."
        ) from None


def _rows(store: Any, query: str, *values: str) -> list[Any]:
    """Return the rows of a query to Mephisto's store of the provider."""
    with store.table_access_condition:
        return store._get_connection().execute(query, values).fetchall()


def posted(task_run: Any, url: str, count: int) -> int:
    """Return how many HITs of a run are out, those included that a crash took between their posting and our note of it.

    Such a one is found on MTurk by its type and the address that it shows, and noted now; MTurk is asked only where
    fewer than `count` are known.
    """
    store, run_id = task_run.get_provider().datastore, task_run.db_id
    hits = len(_rows(store, "SELECT hit_id FROM run_mappings WHERE run_id = ?", run_id))
    if hits >= count:
        return hits
    hit_type, seconds = store.get_run(run_id)["hit_type_id"], task_run.get_task_args().assignment_duration_in_seconds
    shown = url.replace("&", "&amp;")
    listing = _client_of(task_run).get_paginator("list_hits")
    for page in listing.paginate(PaginationConfig={"PageSize": 100}):
        for hit in page["HITs"]:
            ours = hit["HITTypeId"] == hit_type and f">{shown}<" in hit.get("Question", "")
            if ours and not _rows(store, "SELECT 1 FROM hits WHERE hit_id = ?", hit["HITId"]):
                store.new_hit(hit["HITId"], "", seconds, run_id)
                hits += 1
    return hits


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


def is_posted(store: Any, run_id: str, hit_id: str) -> bool:
    """Return whether the HIT was posted for that run."""
    return bool(_rows(store, "SELECT 1 FROM run_mappings WHERE run_id = ? AND hit_id = ?", run_id, hit_id))


# -- workers and assignments -------------------------------------------------------------------------------------------
def note_claim(store: Any, hit_id: str, assignment: str) -> None:
    """Note that somebody claims to hold the HIT by this assignment; anybody may, and Mephisto keeps the last claim."""
    with store.table_access_condition, store._get_connection() as db:
        db.execute(
            "CREATE TABLE IF NOT EXISTS claims (hit_id TEXT, assignment_id TEXT, UNIQUE (hit_id, assignment_id))"
        )
        db.execute("INSERT OR IGNORE INTO claims VALUES (?, ?)", (hit_id, assignment))


def claimed_hit(store: Any, assignment: str) -> str | None:
    """Return the HIT by which the holder of an assignment came, as they said."""
    rows = _rows(store, "SELECT hit_id FROM claims WHERE assignment_id = ?", assignment)
    return rows[0]["hit_id"] if rows else None


def is_accepted(requester: Any, hit_id: str) -> bool:
    """Return whether somebody has accepted the HIT of Mephisto's `requester` on MTurk, or has handed it in there."""
    with explained(*requester.datastore.session_storage.values()):
        hit = requester._get_client(requester._requester_name).get_hit(HITId=hit_id)["HIT"]
    return hit.get("NumberOfAssignmentsPending", 0) + hit.get("NumberOfAssignmentsCompleted", 0) > 0


def handed_in(data_root: Path, sandbox: bool, assignments: Iterable[str]) -> dict[tuple[str, str], str]:
    """Return the status on MTurk of (worker, assignment), of the HITs on which `assignments` (their ids) claim to be.

    Raises `UserError` where MTurk can't be asked. The operator may run.
    """
    hits = sorted(set(_hits_of(Path(data_root), set(assignments))))
    if not hits:
        return {}
    session = _session()
    client = session.client("mturk", SANDBOX if sandbox else None, region_name=REGION)
    statuses = {}
    with explained(session):
        for hit in hits:
            for page in client.get_paginator("list_assignments_for_hit").paginate(HITId=hit):
                for one in page["Assignments"]:
                    statuses[one["WorkerId"], one["AssignmentId"]] = one["AssignmentStatus"].lower()
    return statuses


def _hits_of(data_root: Path, assignments: set[str]) -> Iterator[str]:
    for path in sorted(data_root.rglob("mturk.db")):
        with reading(path) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for table in tables & {"hits", "claims"}:  # older versions noted no claims
                for hit_id, assignment in db.execute(f"SELECT hit_id, assignment_id FROM {table}"):
                    if assignment in assignments:
                        yield hit_id
