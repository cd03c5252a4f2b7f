"""The report of a thousand conversations and 20 contestants in Chromium: its size, opening, sorting, filtering, search;
and whether the first screen of 100 contestants is still one.

Studies made up by a seed, the first with people's and a judge's answers to every segment, the second with people's, and
the real analysis of them; limits are what a reader was promised. Each time is the longest of some tries of what a
reader does, up to the frame drawn after it.
"""

import importlib.util
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.run import Row

HERE = Path(__file__).parent
BOTS, PER_PAIR, PEOPLE = 20, 5, 50
MANY = 100
WIDTHS = (320, 1300)

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
LOADED = "performance.getEntriesByType('navigation')[0].loadEventEnd"
OPENED = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now();
}"""
SORTED = "Math.max(...[...document.querySelectorAll('.scroll > table')].map((table) => table.rows.length))"


def make(path: Path, bots: int, per_pair: int, **more) -> tuple[Path, float]:
    """A study of so many bots with its analysis, and its report's path, with the CPU seconds of building that."""
    spec = importlib.util.spec_from_file_location("made_up_studies", HERE.parent / "report" / "conftest.py")
    made_up = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made_up)
    from parlai_spotbot.report.page import build_report

    rng = random.Random(0)
    names = tuple(f"contestant-{i:02}" for i in range(bots))
    made_up.STRENGTH.update({bot: rng.uniform(0.05, 0.75) for bot in names})
    study = made_up.make_study(path, bots=names, per_pair=per_pair, people=PEOPLE, **more)
    start = time.process_time()
    report = build_report(study)
    return report, time.process_time() - start


def waits(report: Path) -> Iterator[Row]:
    """What a reader waits for."""
    from tests.chromium import browser

    with browser() as chromium:
        loaded, opened = [], []
        for _ in range(3):
            tab = chromium.new_page(viewport={"width": 1200, "height": 900})
            tab.goto(report.as_uri())
            opened.append(tab.evaluate(OPENED) / 1000)
            loaded.append(tab.evaluate(LOADED) / 1000)
        yield Row("opening it, to the load event", max(loaded), 1.0, "limit", "s")
        yield Row("opening it, to the first frame after", max(opened), 2.0, "limit", "s")
        rows = tab.evaluate(SORTED)
        for what, values, said in (
            ("sort", (0, 1, 4, 4), f"sorting {rows} rows"),
            ("one", ("3", "7", ""), "filtering by contestant"),
            ("verdict", ("human", "unsure", ""), "filtering by verdict"),
            ("order", ("apart", "long", ""), "another order"),
            ("find", ("bicycle", "no such words", ""), "searching all turns"),
        ):
            yield Row(said, max(tab.evaluate(ACT, [what, value]) for value in values), 200.0, "limit", "ms")


def reads(report: Path) -> Iterator[Row]:
    """What a reader of many contestants sees first: whether it fits, and whether it is short."""
    from tests.chromium import browser
    from tests.six_studies.two_screens import words_before_the_sections

    with browser() as chromium:
        for width in WIDTHS:
            tab = chromium.new_page(viewport={"width": width, "height": 900})
            tab.goto(report.as_uri())
            wide = tab.evaluate("document.documentElement.scrollWidth")
            yield Row(f"{MANY} contestants: width of the page", wide, width, "window", "px")
        yield Row(
            f"{MANY} contestants: words of two screens", len(words_before_the_sections(tab)), 700, "limit", "words"
        )


def run() -> Iterator[Row]:
    from tests.chromium import CHROMIUM

    with tempfile.TemporaryDirectory() as folder:
        report, _ = make(Path(folder) / "study", BOTS, PER_PAIR)
        yield Row("size of the page", report.stat().st_size / 1e6, 3.0, "limit", "MB")
        many, spent = make(Path(folder) / "many", MANY, 1, sources=("human",))
        yield Row(f"{MANY} contestants: size of the page", many.stat().st_size / 1e6, 3.0, "limit", "MB")
        yield Row(f"{MANY} contestants: building it", spent, 10.0, "limit", "CPU s")
        if not CHROMIUM:
            print("no Chromium here: no times")
            return
        yield from waits(report)
        yield from reads(many)
