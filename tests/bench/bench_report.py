"""The report of a thousand conversations and 20 contestants in Chromium: its size, opening, sorting, filtering, search.

A study made up by a seed, with people's and a judge's answers to every segment and the real analysis of them; limits
are what a reader was promised. Each time is the longest of some tries of what a reader does, up to the frame drawn
after it.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from run import Row

HERE = Path(__file__).parent
BOTS = 20
PER_PAIR, PEOPLE = 5, 50

ACT = """async ([what, value]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const form = document.getElementById("filters");
  await frame();
  const start = performance.now();
  if (what === "sort") {
    const tables = [...document.querySelectorAll(".scroll > table")].sort((a, b) => b.rows.length - a.rows.length);
    tables[0].tHead.querySelectorAll("button.sort")[value].click();
    tables[0].getBoundingClientRect();
  } else {
    form.elements[what].value = value;
    form.dispatchEvent(new Event("input", { bubbles: true }));
  }
  await frame();
  return performance.now() - start;
}"""
OPENED = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now();
}"""
SORTED = "Math.max(...[...document.querySelectorAll('.scroll > table')].map((table) => table.rows.length))"


def make(path: Path):
    """The study with its analysis, and its report's path."""
    spec = importlib.util.spec_from_file_location("made_up_studies", HERE.parent / "report" / "conftest.py")
    made_up = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made_up)
    from parlai_spotbot.report import build_report

    rng = random.Random(0)
    bots = tuple(f"contestant-{i:02}" for i in range(BOTS))
    made_up.STRENGTH.update({bot: rng.uniform(0.05, 0.75) for bot in bots})
    study = made_up.make_study(path, bots=bots, per_pair=PER_PAIR, people=PEOPLE)
    start = time.perf_counter()
    report = build_report(study)
    print(f"building the report: {time.perf_counter() - start:.0f} s", flush=True)
    return report


def measure(report: Path) -> Iterator[Row]:
    """What a reader waits for."""
    sys.path.insert(0, str(HERE.parent))
    from chromium import CHROMIUM, browser

    yield Row("size of the page", report.stat().st_size / 1e6, 10.0, "limit", "MB")
    if not CHROMIUM:
        print("no Chromium here: no times")
        return
    with browser() as chromium:
        opened = []
        for _ in range(3):
            tab = chromium.new_page(viewport={"width": 1200, "height": 900})
            tab.goto(report.as_uri())
            opened.append(tab.evaluate(OPENED) / 1000)
        yield Row("opening it, to the first frame", max(opened), 2.0, "limit", "s")
        rows = tab.evaluate(SORTED)
        for what, values, said in (
            ("sort", (0, 1, 4, 4), f"sorting {rows} rows"),
            ("one", ("3", "7", ""), "filtering by contestant"),
            ("verdict", ("human", "unsure", ""), "filtering by verdict"),
            ("order", ("apart", "long", ""), "another order"),
            ("find", ("bicycle", "no such words", ""), "searching all turns"),
        ):
            yield Row(said, max(tab.evaluate(ACT, [what, value]) for value in values), 200.0, "limit", "ms")


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        yield from measure(make(Path(folder) / "study"))
