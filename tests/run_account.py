"""A run's account: which needs its tests met, which skips nothing excuses, and which shard of the slow tests ran.

`.ci/run` runs the tests with `--strict-skips`, `--slow-shard auto` and `--account FILE`; conftest.py loads this plugin.
"""

import json
import subprocess
import time
import zlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests import outside_data
from tests.allowed_skips import excuse

SHARDS = 8
KINDS = ("R's icenReg", "Chromium", "released data")
RECORD = "spotbot/slow-shards"
"""Where pytest's cache keeps when each shard was last run to its end."""
STARTED = time.monotonic()
FIXTURES_WITH_DATA: set[tuple[str, str]] = set()
"""Names of the fixtures that read released data, each with the place it belongs to."""


def pytest_addoption(parser):
    group = parser.getgroup("full runs")
    group.addoption("--strict-skips", action="store_true", help="fail where no rule excuses a skip")
    group.addoption("--account", metavar="FILE", help="add what was run to FILE; the last line sums it up")
    group.addoption("--slow-shard", metavar="N", help=f"one of {SHARDS} parts of the slow tests alone, or auto")
    group.addoption("--slow-minutes", type=float, metavar="N", help="start no slow test after N minutes")


# -- shards of slow tests ----------------------------------------------------------------------------------------------
def number_of_commits() -> int:
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True)
    return int(counted.stdout or 0)


def next_shard(commits: int, record: dict[str, str]) -> int:
    """Return the shard that was run longest ago; of those that never ran, the next from the number of commits on."""
    order = [(commits + place) % SHARDS for place in range(SHARDS)]
    return min(order, key=lambda shard: record.get(str(shard), ""))


def shard_of(nodeid: str) -> int:
    return zlib.crc32(nodeid.encode()) % SHARDS


def pytest_configure(config):
    if config.getoption("slow_shard") == "auto":  # workers get the number
        config.option.slow_shard = str(next_shard(number_of_commits(), config.cache.get(RECORD, {})))


def pytest_report_header(config):
    shard = config.getoption("slow_shard")
    if shard is not None:
        last = config.cache.get(RECORD, {}).get(shard, "not in what the cache knows")
        return f"slow tests: shard {shard} of {SHARDS} (0 to {SHARDS - 1}); last run to its end: {last}"
    return None


def own_timeout(item) -> float:
    """Return the seconds that a test allows itself; 0 where it has the limit of all."""
    mark = item.get_closest_marker("timeout")
    return mark.args[0] if mark else 0


def pytest_collection_modifyitems(config, items):
    if config.getoption("slow_shard") is None:
        return
    shard = int(config.getoption("slow_shard"))
    kept = [item for item in items if item.get_closest_marker("slow") and shard_of(item.nodeid) == shard]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = sorted(kept, key=own_timeout, reverse=True)  # the longest first, as none starts after the limit


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    minutes = item.config.getoption("slow_minutes")
    if minutes and item.get_closest_marker("slow") and time.monotonic() > STARTED + 60 * minutes:
        pytest.skip("no time left for this slow test")


# -- what tests needed -------------------------------------------------------------------------------------------------
@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    before = len(outside_data.FOUND)
    value = yield
    if len(outside_data.FOUND) > before:
        FIXTURES_WITH_DATA.add((fixturedef.argname, fixturedef.baseid))
    return value


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = len(outside_data.FOUND)
    value = yield
    read_by_fixture = any(
        name in item.fixturenames and item.nodeid.startswith(place) for name, place in FIXTURES_WITH_DATA
    )
    if read_by_fixture or len(outside_data.FOUND) > before:
        item.user_properties.append(("needed", "released data"))
    if "chromium" in item.fixturenames:
        item.user_properties.append(("needed", "Chromium"))
    if any("icenReg" in mark.kwargs.get("reason", "") for mark in item.iter_markers("skipif")):
        item.user_properties.append(("needed", "R's icenReg"))
    return value


def needs_met(reports) -> Counter:
    """Count the tests that passed, by what they needed."""
    return Counter(kind for report in reports for name, kind in report.user_properties if name == "needed")


# -- the account -------------------------------------------------------------------------------------------------------
def skip_counts(terminalreporter) -> Counter:
    """Count the skips by their reasons."""
    reports = terminalreporter.stats.get("skipped", [])
    return Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)


def pytest_terminal_summary(terminalreporter, config):
    """Write what tests that were skipped would need, in place of a line each."""
    for reason, count in skip_counts(terminalreporter).most_common():
        line = f"{count} skipped: {reason}"
        if config.getoption("strict_skips"):
            line = f"{line}. {excuse(reason) or 'THIS IS A FAILURE: nothing in tests/allowed_skips.py excuses it here'}"
        terminalreporter.write_line(line)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if hasattr(session.config, "workerinput") or not terminal:
        return
    reasons = skip_counts(terminal)
    if session.config.getoption("strict_skips") and not all(map(excuse, reasons)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    shard = session.config.getoption("slow_shard")
    if shard is not None and not session.shouldstop and not any("no time left" in reason for reason in reasons):
        record = session.config.cache.get(RECORD, {})
        session.config.cache.set(RECORD, {**record, shard: datetime.now(UTC).isoformat(" ", "minutes")})


def pytest_unconfigure(config):
    """Write the last line of a run: this run's outcomes, then what all runs of the account needed and met."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    account = config.getoption("account")
    if hasattr(config, "workerinput") or not terminal or not account:
        return
    stats = ", ".join(text for text, _ in terminal.build_summary_stats_line()[0])
    name = "tests"
    if config.getoption("slow_shard") is not None:
        name = f"slow tests, shard {config.getoption('slow_shard')} of {SHARDS}"
    path = Path(account)
    runs = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    runs.append({"name": name, "stats": stats, "needs": needs_met(terminal.stats.get("passed", []))})
    path.write_text(json.dumps(runs), encoding="utf-8")
    met = sum((Counter(run["needs"]) for run in runs), Counter())
    before = "".join(f"; {run['name']}: {run['stats']}" for run in runs[:-1])
    needs = ", ".join(f"{met[kind]} with {kind}" for kind in KINDS)
    seconds = time.monotonic() - STARTED
    terminal.write_line(f"{stats} in {seconds:.2f}s{before}; passed in all: {needs}")
