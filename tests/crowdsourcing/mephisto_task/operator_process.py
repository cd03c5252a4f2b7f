"""An operator in a process of its own, to be killed: its desk is one thread with a journal for a ledger.

Usage: operator_process.py ROOT BLOCKS [busy|idle]. "busy" annotates all units by itself and ends; "idle" gives one unit
out and waits for a signal. Everything that is opened for writing, made, moved or removed is listed in ROOT/written.txt.
Prints "ready URL" once it answers, "idle" once it waits, "ended REASON" at its end.
"""

import os
import sys
import threading
import time
from pathlib import Path

WRITTEN = []


def note_writing(event, args):
    """An audit hook: note every path that something is done to."""
    if event == "open":
        path, _, flags = args
        if isinstance(path, str | bytes) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            WRITTEN.append(os.path.abspath(os.fsdecode(path)))
    elif event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "sqlite3.connect"):
        WRITTEN.extend(os.path.abspath(os.fsdecode(path)) for path in args[:2] if isinstance(path, str | bytes))


if __name__ == "__main__":
    sys.addaudithook(note_writing)  # before anything of ours is imported

from parlai_spotbot import files  # noqa: E402
from parlai_spotbot.crowdsourcing.contract import Visitor  # noqa: E402
from parlai_spotbot.crowdsourcing.mephisto_task.setup import TaskSetup  # noqa: E402
from parlai_spotbot.records import Unit  # noqa: E402


def task(root, blocks):
    page = root / "page"
    files.write_text(page / "index.html", "<p>page</p>")
    units = tuple(Unit(f"unit-{b}-{u}", "s", f"block-{b}", u, 0, ()) for b in range(blocks) for u in range(3))
    names = {"study": root, "survey": "s", "data_root": root / "mephisto", "task_name": "t", "title": "T"}
    return TaskSetup(
        **names, description="D", keywords=("chat",), pay=1.0, minutes=30, provider="in_house", units=units, page=page
    )


def read_journal(path):
    """The journal as it stands: {unit: agent} open, {unit: agent} done, [(unit, agent)] ever given out."""
    opened, done, given = {}, {}, []
    rows = files.read_jsonl(path, lambda row, where: row, torn_tail=True) if path.exists() else []
    for row in rows:
        if row["event"] == "open":
            opened[row["unit"]] = row["agent"]
            given.append((row["unit"], row["agent"]))
        else:
            done[row["unit"]] = opened.pop(row["unit"])
    return opened, done, given


class Desk:
    """Server and desk in one: works through all units, three open at a time, each answer durable before Mephisto."""

    def __init__(self, setup, busy, crowd, host, port):
        self.setup, self.busy, self.crowd = setup, busy, crowd
        self.path = setup.study / "journal.jsonl"
        self.error, self.done, self.end = None, False, threading.Event()

    def start(self):
        self.thread = threading.Thread(target=self._guarded)
        self.thread.start()
        return "http://127.0.0.1:1"

    def _guarded(self):
        try:
            self._work()
        except BaseException as err:
            self.error = err

    def _work(self):
        opened, done, _ = read_journal(self.path)
        with files.Journal(self.path) as journal:
            for agent in done.values():
                self.crowd.completed(agent, {"items": ["again"]})
            self.crowd.settle(opened.values())
            for unit in self.setup.units:
                name = unit.unit_id
                if self.end.is_set():
                    return
                if name in done:
                    continue
                if name not in opened:
                    opened[name] = self.crowd.assign(Visitor(f"worker of {name}"), name)
                    journal.append({"event": "open", "unit": name, "agent": opened[name]})
                if not self.busy:
                    print("idle\n", end="", flush=True)  # at once: the main thread prints, too
                    return
                while len(opened) > 2:
                    self._finish(opened, journal)
            while opened:
                self._finish(opened, journal)
        self.done = True

    def _finish(self, opened, journal):
        unit = next(iter(opened))
        time.sleep(0.002)
        journal.append({"event": "done", "unit": unit})
        self.crowd.completed(opened.pop(unit), {"items": [unit]})

    def stop(self):
        self.end.set()
        self.thread.join()

    def finished(self):
        return self.done

    def failed(self):
        return self.error


def main():
    from parlai_spotbot.crowdsourcing.mephisto_task.operator import serve, signals

    root, busy = Path(sys.argv[1]), sys.argv[3] == "busy"
    setup = task(root, int(sys.argv[2]))
    stop = threading.Event()
    with signals(stop):
        outcome = serve(
            setup,
            make_server=lambda crowd, host, port: Desk(setup, busy, crowd, host, port),
            stop=stop,
            on_ready=lambda url: print(f"ready {url}\n", end="", flush=True),
        )
    files.write_text(root / "written.txt", "\n".join(sorted(set(WRITTEN))))
    print("ended", outcome.reason, flush=True)


if __name__ == "__main__":
    main()
