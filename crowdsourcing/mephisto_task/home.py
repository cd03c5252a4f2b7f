"""Keeps Mephisto inside a study's folder: no ``~/.mephisto``, no prompts, nothing written beside its own code.

Stock Mephisto, when it is imported, writes a configuration into the home folder, makes a folder in site-packages, loads
all of ParlAI and the architects of rented servers, and gives every log line to two handlers; later it asks on the
terminal where data should go. The hooks here run between the loading of its modules and their first use; `database`
then points all of it at one data root.
"""

from __future__ import annotations

import functools
import importlib
import logging
import os
import sqlite3
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import wrapt
import yaml

from parlai_spotbot import compat, files
from parlai_spotbot.errors import UserError

if TYPE_CHECKING:
    from mephisto.abstractions.databases.local_database import LocalMephistoDB

CONFIG = "mephisto.operations.config_handler"
DIRS = "mephisto.utils.dirs"
LOGGERS = "mephisto.utils.logger_core"
REGISTRY = "mephisto.operations.registry"

PLATFORMS = {
    "mturk": "mephisto.abstractions.providers.mturk.mturk_provider",
    "mturk_sandbox": "mephisto.abstractions.providers.mturk_sandbox.sandbox_mturk_provider",
}
"""The paid platforms, each loaded with its client once it is asked for."""

_root: Path | None = None


@functools.cache
def install() -> None:
    """Prepare for ``import mephisto``, which is not done here. Further calls do nothing."""
    compat.install()
    wrapt.register_post_import_hook(_no_home, CONFIG)
    wrapt.register_post_import_hook(_own_folders, DIRS)
    wrapt.register_post_import_hook(_standard_loggers, LOGGERS)
    wrapt.register_post_import_hook(_few_abstractions, REGISTRY)


def _no_home(module: ModuleType) -> None:
    """Importing Mephisto writes no configuration; until `database` is called there is none."""
    read = module.get_config
    module.init_config = lambda: None
    module.get_config = lambda: read() or {}
    module.DEFAULT_CONFIG_FILE = os.devnull


def _own_folders(module: ModuleType) -> None:
    """Data and temporary files lie in the data root; without one there is an error where stock Mephisto asks."""
    module.get_root_data_dir = lambda: str(_chosen())
    module.get_mephisto_tmp_dir = lambda: str((_root or Path(os.devnull)) / "tmp")


def _chosen() -> Path:
    if _root is None:
        raise UserError("Mephisto has no data root yet.", "Call home.database(DATA_ROOT) first.")
    return _root


def _few_abstractions(module: ModuleType) -> None:
    def get_crowd_provider_from_type(provider_type: str) -> type:
        if provider_type in PLATFORMS:
            importlib.import_module(PLATFORMS[provider_type])
        return provider_of(provider_type)

    provider_of = module.get_crowd_provider_from_type
    module.fill_registries = lambda: None
    module.get_crowd_provider_from_type = get_crowd_provider_from_type
    module.get_valid_provider_types = lambda: [*module.PROVIDERS, *PLATFORMS]


def _standard_loggers(module: ModuleType) -> None:
    """Mephisto's loggers have no handlers of their own, so a line appears once, where the program wants it."""
    module.get_logger = lambda name, **_: logging.getLogger(name)


def database(data_root: Path | str, countries: tuple[str, ...] | None = None) -> LocalMephistoDB:
    """Point Mephisto at `data_root` (made if missing) and open its database there.

    It is in WAL mode, so that readers and a review beside the operator don't block it. Commits are not forced to the
    disk one by one: after a power cut the next launch sets the mirror right from the ledger, which is. `countries` (ISO
    codes) is where live MTurk offers tasks; empty for Mephisto's own choice, None for what was set before.
    """
    global _root
    install()
    _root = Path(data_root).resolve()
    path = _root / "config.yml"
    if countries is not None or not path.exists():
        locales = {"allowed_locales": [{"Country": code} for code in countries]} if countries else {}
        config = {"core": {"main_data_directory": str(_root)}, "mturk": locales}
        files.write_text(path, yaml.safe_dump(config, sort_keys=False))
    import mephisto  # noqa: F401

    sys.modules[CONFIG].DEFAULT_CONFIG_FILE = str(path)
    # Mephisto finds the classes of its rows in its registry.
    from parlai_spotbot.crowdsourcing.mephisto_task import blueprint, provider  # noqa: F401

    return _database_class()(str(_root / "database.db"))


@functools.cache
def _database_class() -> type:
    from mephisto.abstractions.databases.local_database import LocalMephistoDB
    from mephisto.data_model.task_run import TaskRun

    class StudyDatabase(LocalMephistoDB):
        """Mephisto's database, whose connections wait for each other, and which closes those of all threads.

        A task run is loaded once: stock Mephisto parses its configuration again for every path of a file.
        """

        def __init__(self, database_path: str):
            self._runs: dict[str, TaskRun] = {}
            super().__init__(database_path)

        def optimized_load(self, target_cls: type, db_id: str, row: Any = None) -> Any:
            return self._runs.get(db_id) if target_cls is TaskRun else None

        def cache_result(self, target_cls: type, value: Any) -> None:
            if target_cls is TaskRun:
                self._runs[value.db_id] = value

        def _get_connection(self) -> sqlite3.Connection:
            previous = self.conn.get(threading.get_ident())
            connection = super()._get_connection()
            if connection is not previous:
                for setting in ("busy_timeout = 30000", "journal_mode = WAL", "synchronous = NORMAL"):
                    connection.execute(f"PRAGMA {setting}")
            return connection

        def shutdown(self) -> None:
            with self.table_access_condition:
                for connection in self.conn.values():
                    connection.close()
                self.conn.clear()

    return StudyDatabase
