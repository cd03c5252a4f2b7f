"""Keeps Mephisto inside a study's folder: no ``~/.mephisto``, no prompts, nothing written beside its own code.

Stock Mephisto, when it is imported, writes a configuration into the home folder, makes a folder in site-packages, loads
all of ParlAI and the architects of rented servers, and gives every log line to two handlers; later it asks on the
terminal where data should go. The hooks here run between the
loading of its modules and their first use; `use` then points all of it at one data root.
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
from parlai_spotbot.crowdsourcing.mephisto_task.datastore import pragmas
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import read_yaml

if TYPE_CHECKING:
    from mephisto.abstractions.databases.local_database import LocalMephistoDB

CONFIG = "mephisto.operations.config_handler"
DIRS = "mephisto.utils.dirs"
LOGGERS = "mephisto.utils.logger_core"
REGISTRY = "mephisto.operations.registry"
ABSTRACTIONS = (
    "mephisto.abstractions.providers.mock.mock_provider",
    "mephisto.abstractions.blueprints.mock.mock_blueprint",
)
"""What of stock Mephisto is loaded beside our own: the mocks that its contract tests use."""

PLATFORMS = {
    "mturk": "mephisto.abstractions.providers.mturk.mturk_provider",
    "mturk_sandbox": "mephisto.abstractions.providers.mturk_sandbox.sandbox_mturk_provider",
}
"""The paid platforms, each loaded with its client once it is asked for."""

HANDED_IN = ("completed", "accepted", "rejected", "soft_rejected")
"""Statuses of units whose agent is done."""

_root: Path | None = None


@functools.cache
def install() -> None:
    """Prepare for ``import mephisto``, which is not done here. Further calls do nothing."""
    compat.install()
    wrapt.register_post_import_hook(_no_home, CONFIG)
    wrapt.register_post_import_hook(_own_folders, DIRS)
    wrapt.register_post_import_hook(_one_log_line, LOGGERS)
    wrapt.register_post_import_hook(_few_abstractions, REGISTRY)


def _no_home(module: ModuleType) -> None:
    """Importing Mephisto writes no configuration; until `use` there is none."""
    read = module.get_config
    module.init_config = lambda: None
    module.get_config = lambda: read() or {}
    _point(module, os.devnull)


def _point(config: ModuleType, path: str) -> None:
    config.DEFAULT_CONFIG_FOLDER = os.path.join(os.path.dirname(path), "")
    config.DEFAULT_CONFIG_FILE = path


def _own_folders(module: ModuleType) -> None:
    """Data and temporary files lie in the data root; without one there is an error where stock Mephisto asks."""
    module.get_root_data_dir = lambda: str(_chosen())
    module.get_mephisto_tmp_dir = lambda: str((_root or Path(os.devnull)) / "tmp")


def _chosen() -> Path:
    if _root is None:
        raise UserError("Mephisto has no data root yet.", "Call home.use(DATA_ROOT) before opening its database.")
    return _root


def _few_abstractions(module: ModuleType) -> None:
    def fill_registries() -> None:
        for name in ABSTRACTIONS:
            importlib.import_module(name)

    def get_crowd_provider_from_type(provider_type: str) -> type:
        if provider_type in PLATFORMS:
            importlib.import_module(PLATFORMS[provider_type])
        return provider_of(provider_type)

    provider_of, valid_types = module.get_crowd_provider_from_type, module.get_valid_provider_types
    module.fill_registries = fill_registries
    module.get_crowd_provider_from_type = get_crowd_provider_from_type
    module.get_valid_provider_types = lambda: [*dict.fromkeys([*valid_types(), *PLATFORMS])]


def _one_log_line(module: ModuleType) -> None:
    """Mephisto's loggers have no handlers of their own, so a line appears once, where the program wants it."""

    def get_logger(name: str, verbose: bool | None = None, log_file: str | None = None, level: str | None = None):
        logger = module.loggers.setdefault(name, logging.getLogger(name))
        logger.setLevel(level.upper() if level else module.global_log_level)
        return logger

    module.global_log_level = logging.WARNING
    module.get_logger = get_logger
    for logger in module.loggers.values():  # of modules that were imported before the hook
        logger.handlers.clear()
        logger.setLevel(logging.WARNING)


def use(data_root: Path | str, countries: tuple[str, ...] | None = None) -> Path:
    """Point Mephisto at `data_root` (made if missing); returns it as an absolute path.

    `countries` (ISO codes) is whom live MTurk offers tasks to; empty for Mephisto's own choice, None for what is set.
    """
    global _root
    install()
    root = Path(data_root).resolve()
    path = root / "config.yml"
    settings = read_yaml(path, "Launch again.", "Remove it: a launch makes it again.") if path.exists() else {}
    before = dict(settings) if isinstance(settings, dict) else {}
    config = {**before, "core": {"main_data_directory": str(root)}}
    if countries is not None:
        config["mturk"] = {"allowed_locales": [{"Country": code} for code in countries]} if countries else {}
    if before != config:
        files.write_text(path, yaml.safe_dump(config, sort_keys=False))
    _root = root
    import mephisto  # noqa: F401

    _point(sys.modules[CONFIG], str(path))
    sys.modules[DIRS].loaded_data_dir = str(root)
    return root


def database(data_root: Path | str, countries: tuple[str, ...] | None = None) -> LocalMephistoDB:
    """`use` the data root and open Mephisto's database in it.

    It is in WAL mode, so that readers and a review beside the operator don't block it. Commits are not forced to the
    disk one by one: after a power cut the next launch sets the mirror right from the ledger, which is.
    """
    root = use(data_root, countries)
    # Mephisto finds the classes of what it reads in its registry.
    from parlai_spotbot.crowdsourcing.mephisto_task import blueprint, provider  # noqa: F401

    return _database_class()(str(root / "database.db"))


@functools.cache
def _database_class() -> type:
    from mephisto.abstractions.databases.local_database import LocalMephistoDB
    from mephisto.data_model.task_run import TaskRun

    class StudyDatabase(LocalMephistoDB):
        """Mephisto's database with our pragmas, and statements that it has no call for.

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
                pragmas(connection)
            return connection

        def done_before(self, task_id: str, run_id: str) -> int:
            """Return how many units of the task were handed in in other runs than this one."""
            marks = ", ".join("?" * len(HANDED_IN))
            query = f"SELECT COUNT(*) AS done FROM units WHERE task_id = ? AND task_run_id <> ? AND status IN ({marks})"
            with self.table_access_condition:
                connection = self._get_connection()
                return connection.execute(query, (int(task_id), int(run_id), *HANDED_IN)).fetchone()["done"]

        def shutdown(self) -> None:
            """Close the connections of all threads, ended ones too."""
            with self.table_access_condition:
                for connection in self.conn.values():
                    connection.close()
                self.conn.clear()

    return StudyDatabase
