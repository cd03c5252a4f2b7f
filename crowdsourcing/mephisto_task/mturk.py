"""MTurk: credentials from the usual AWS places only, handed to boto3, never written or logged; and which HITs are out.

Mephisto names a profile of ``~/.aws`` after the requester, and would ask for keys on the terminal and write them there;
here that profile must exist, or the keys must be in the environment.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator
from typing import Any

from parlai_spotbot.crowdsourcing.mephisto_task.setup import TaskSetup, environment_credentials
from parlai_spotbot.errors import UserError

REMEDY = (
    "Put keys of an IAM user with AmazonMechanicalTurkFullAccess into ~/.aws/credentials under [{name}], or into "
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
)


def use_credentials(database: Any, setup: TaskSetup) -> None:
    """Give the provider a session with credentials; `UserError` where there are none. Does nothing off MTurk."""
    if not setup.on_mturk:
        return
    from botocore.exceptions import BotoCoreError, ProfileNotFound
    from mephisto.abstractions.providers.mturk.mturk_datastore import MTURK_REGION_NAME

    store = database.get_datastore_for_provider(setup.provider_type)
    if setup.requester in store.session_storage:
        return
    try:
        session = _session_class()(profile_name=setup.requester, region_name=MTURK_REGION_NAME)
    except ProfileNotFound:
        if not environment_credentials():
            raise UserError(
                f"There are no AWS credentials for requester '{setup.requester}'.", REMEDY.format(name=setup.requester)
            ) from None
        session = _session_class()(region_name=MTURK_REGION_NAME)
    try:
        found = session.get_credentials()
    except BotoCoreError as err:
        raise UserError(f"AWS credentials can't be read: {type(err).__name__}.", "Mend ~/.aws.") from None
    if found is None:
        raise UserError(f"The AWS profile '{setup.requester}' has no credentials.", REMEDY.format(name=setup.requester))
    store.session_storage[setup.requester] = session


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
    """What MTurk or the way to it answers with becomes a `UserError`, without any credential in it."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as err:
        text = str(err)
        for session in getattr(store, "session_storage", {}).values():
            for part in session.get_credentials().get_frozen_credentials():
                text = text.replace(part or "\0", "***")
        raise UserError(
            f"MTurk: {text}", "Mend that (network, rights of the AWS user, balance) and run the same command again."
        ) from None


def posted(task_run: Any, url: str, wanted: int) -> list[str]:
    """The ids of all HITs of a run, those included that a crash took between their posting and our note of it.

    Such a one is found on MTurk by its type and the address that it shows, and noted now; MTurk is asked only where
    fewer than `wanted` are known.
    """
    store, run_id = task_run.get_provider().datastore, task_run.db_id
    query = "SELECT hit_id FROM run_mappings WHERE run_id = ?"
    with store.table_access_condition:
        known = {row["hit_id"] for row in store._get_connection().execute(query, (run_id,))}
    if len(known) >= wanted:
        return sorted(known)
    requester = task_run.get_requester()
    hit_type, seconds = store.get_run(run_id)["hit_type_id"], task_run.get_task_args().assignment_duration_in_seconds
    shown = url.replace("&", "&amp;")
    listing = requester._get_client(requester._requester_name).get_paginator("list_hits")
    for page in listing.paginate(PaginationConfig={"PageSize": 100}):
        for hit in page["HITs"]:
            if (
                hit["HITTypeId"] == hit_type
                and f">{shown}<" in hit.get("Question", "")
                and not _known(store, hit["HITId"])
            ):
                store.new_hit(hit["HITId"], "", seconds, run_id)
                known.add(hit["HITId"])
    return sorted(known)


def _known(store: Any, hit_id: str) -> bool:
    with store.table_access_condition:
        return bool(store._get_connection().execute("SELECT 1 FROM hits WHERE hit_id = ?", (hit_id,)).fetchone())


def is_posted(store: Any, run_id: str, hit_id: str) -> bool:
    """Whether the HIT was posted for that run."""
    query = "SELECT 1 FROM run_mappings WHERE run_id = ? AND hit_id = ?"
    with store.table_access_condition:
        return bool(store._get_connection().execute(query, (run_id, hit_id)).fetchone())
