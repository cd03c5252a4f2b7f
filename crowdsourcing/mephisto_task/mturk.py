"""MTurk: a client with the AWS credentials that boto3 finds, which are never written; and the HITs that are out.

Mephisto would name a profile of ``~/.aws`` after the requester, ask for keys on the terminal and write them there.
"""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from parlai_spotbot.crowdsourcing.desk.contract import Statuses
from parlai_spotbot.crowdsourcing.ledger.ledger import reading
from parlai_spotbot.crowdsourcing.mephisto_task.setup import MTURK, REQUESTER
from parlai_spotbot.errors import UserError

SANDBOX = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"


def use_credentials(database: Any, provider_type: str) -> None:
    """Give the provider a client with credentials; `UserError` where there are none. Does nothing off MTurk.

    Mephisto asks a session for a client at every call, from several threads, which may share one client.
    """
    if provider_type in MTURK:
        client = _client(provider_type)
        store = database.get_datastore_for_provider(provider_type)
        store.session_storage[REQUESTER] = SimpleNamespace(client=lambda *_, **__: client)


def _client(provider_type: str) -> Any:
    """Return a client of MTurk or its sandbox, which gives up on a network that hangs after a minute or so."""
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    try:
        session = boto3.Session(region_name="us-east-1")
        credentials = session.get_credentials()
    except BotoCoreError as err:
        raise UserError(f"AWS credentials can't be read: {type(err).__name__}.", "Correct ~/.aws.") from None
    if credentials is None:
        raise UserError(
            "There are no AWS credentials.",
            "Put keys of an IAM user with AmazonMechanicalTurkFullAccess into ~/.aws/credentials, or into "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; AWS_PROFILE names a profile.",
        )
    config = Config(connect_timeout=10, read_timeout=20, retries={"max_attempts": 3})
    endpoint = SANDBOX if provider_type == "mturk_sandbox" else None
    return session.client("mturk", endpoint_url=endpoint, config=config)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Turn errors of MTurk, or of the way to it, into `UserError`s."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as err:
        raise UserError(
            f"MTurk: {err}", "Correct that (network, rights of the AWS user, balance) and run the same command again."
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
    store = task_run.get_provider().datastore
    run_id = task_run.db_id
    hits = len(_rows(store, "SELECT hit_id FROM run_mappings WHERE run_id = ?", run_id))
    if hits >= count:
        return hits
    hit_type = store.get_run(run_id)["hit_type_id"]
    seconds = task_run.get_task_args().assignment_duration_in_seconds
    shown = url.replace("&", "&amp;")
    paginator = _client_of(task_run.get_requester()).get_paginator("list_hits")
    for page in paginator.paginate(PaginationConfig={"PageSize": 100}):
        for hit in page["HITs"]:
            is_ours = hit["HITTypeId"] == hit_type and f">{shown}<" in hit.get("Question", "")
            if is_ours and not _rows(store, "SELECT 1 FROM hits WHERE hit_id = ?", hit["HITId"]):
                store.new_hit(hit["HITId"], "", seconds, run_id)
                hits += 1
    return hits


def post(task_run: Any, url: str) -> None:
    """Post one HIT of the run."""
    from mephisto.abstractions.providers.mturk.mturk_utils import create_hit_with_hit_type

    store = task_run.get_provider().datastore
    client = _client_of(task_run.get_requester())
    args = task_run.get_task_args()
    run = store.get_run(task_run.db_id)
    link, hit_id, _ = create_hit_with_hit_type(
        client, run["frame_height"], url, run["hit_type_id"], lifetime_in_seconds=args.task_lifetime_in_seconds
    )
    store.new_hit(hit_id, link, args.assignment_duration_in_seconds, task_run.db_id)


def expire(task_run: Any) -> None:
    """Take the run's HITs off MTurk that nobody has handed in."""
    from mephisto.abstractions.providers.mturk.mturk_utils import expire_hit

    client = _client_of(task_run.get_requester())
    for hit_id in task_run.get_provider().datastore.get_unassigned_hit_ids(task_run.db_id):
        expire_hit(client, hit_id)


def _client_of(requester: Any) -> Any:
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
    with explained():
        hit = _client_of(requester).get_hit(HITId=hit_id)["HIT"]
    return hit.get("NumberOfAssignmentsPending", 0) + hit.get("NumberOfAssignmentsCompleted", 0) > 0


def handed_in(data_root: Path, provider_type: str, assignments: Iterable[str]) -> Statuses:
    """Return the status on MTurk of (worker, assignment), of the HITs on which `assignments` (their ids) claim to be.

    Raises `UserError` where MTurk can't be asked. The operator may run.
    """
    hits = sorted(set(_hits_of(data_root, set(assignments))))
    if not hits:
        return {}
    client = _client(provider_type)
    statuses = {}
    with explained():
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
