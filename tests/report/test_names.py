"""Names of any script and length: kept as they are, in every survey, file and page, and no box lies over another."""

import csv
import html
import random
from pathlib import Path

import pytest

from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.votes import votes
from parlai_spotbot.names import alike, clean_name, is_name, stem_of
from parlai_spotbot.report.page import build_report
from parlai_spotbot.selfplay.schedule import conversation_id
from parlai_spotbot.study import Study
from tests.case_tables import cases
from tests.findings.scripted import answered, by_chance, rows_of, small_study

WORLD = ("通义千问 2.5", "ГигаЧат", "café-modèle", "meta-llama/Llama-3.1-8B:q4_K_M", "نموذج اللغة", "o3 (high)")


@cases(
    "theirs ours",
    r"""
- [ada, ada]
- ["  o3  (high) ", o3 (high)]
- ["cafe\u0301", "caf\u00e9"]
- [meta-llama/Llama-3.1-8B, meta-llama/Llama-3.1-8B]
- ["gpt-4o@2024-11-20", "gpt-4o@2024-11-20"]
- ["\u901a\u4e49\u5343\u95ee", "\u901a\u4e49\u5343\u95ee"]
- ["-v2", v2]
- ["<b>x</b>", b-x-/b]
- ["a\u202eb", a-b]
- ["a\tb\nc", a b c]
- ["\u0928\u092e\u0938\u094d\u0924\u0947", "\u0928\u092e\u0938\u094d\u0924\u0947"]
- ["!?", ""]
""",
)
def test_a_name_is_kept_or_becomes_the_nearest(theirs, ours):
    assert clean_name(theirs) == ours
    assert clean_name(ours) == ours
    assert is_name(ours) == bool(ours)


def test_what_files_call_a_contestant_is_plain_and_its_own():
    names = [*WORLD, "ada", "Ada", "a/b", "a:b", "a b", "a.b"]
    stems = [stem_of(name) for name in names]
    assert len({*stems}) == len(names)
    assert all(stem.isascii() and not {*stem} & {*"/: \\"} for stem in stems)
    assert stem_of("a.b") == "a.b"
    assert conversation_id(("a:b", "c"), 1) != conversation_id(("a", "b:c"), 1)
    assert alike("Ａda") == alike("ada")


@pytest.mark.parametrize("survey", ["spot_the_bot", "acute_eval", "comparative", "dialogue_likert", "abc_eval"])
def test_every_survey_takes_them(tmp_path, survey):
    study = small_study(tmp_path / "study", survey, WORLD[:3], people=4)
    workers = [f"w{number}" for number in range(3)]
    answered(study, survey, rows_of(study, survey, by_chance, workers))
    page = html.unescape(build_report(study, survey).read_text(encoding="utf-8"))
    assert all(name in page for name in WORLD[:3])


def study_of_votes(folder: Path, names: list[str]) -> Study:
    """A study of votes on these contestants, each a little better than the next."""
    rng = random.Random(5)
    with (folder / "votes.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["model_a", "model_b", "winner", "judge"])
        for _ in range(60 * len(names)):
            a, b = rng.sample(range(len(names)), 2)
            winner = "model_a" if (rng.random() < 0.7) == (a < b) else "model_b"
            rows.writerow([names[a], names[b], winner, f"u{rng.randrange(20)}"])
    write_study(folder / "study", votes(folder / "votes.csv", "imported"))
    study = Study.open(folder / "study")
    analyze(study, "votes", bootstraps=20)
    return study


OVERLAPS = """() => {
  const box = (one) => one.getBoundingClientRect();
  const parts = [...document.querySelectorAll(".screen > *")].map(box);
  const over = parts.flatMap((a, i) => parts.slice(i + 1).filter((b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
  const out = [...document.querySelectorAll(".screen > *")].flatMap((part) =>
    [...part.querySelectorAll("table, td, th, span, p")].filter((one) => one.checkVisibility() && (
      box(one).right > box(part).right + 1 || box(one).left < box(part).left - 1)));
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth + 1;
  const spilt = [...document.querySelectorAll(".standing .said")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.textContent);
  return { over: over.length, spilt, out: out.map((one) => one.textContent.slice(0, 40)), wide };
}"""


@pytest.mark.parametrize(
    ("bots", "length", "letters"),
    [(2, 61, "n"), (6, 4, "名"), (6, 16, "n"), (6, 32, "اسم"), (20, 61, "名"), (20, 61, "n")],
)
def test_no_box_lies_over_another_at_any_width(tmp_path, chromium, bots, length, letters):
    names = [(f"{letters}{place}" + letters * length)[:length] for place in range(bots)]
    page = build_report(study_of_votes(tmp_path, names), "votes")
    tab = chromium.new_context().new_page()
    for width in (390, 820, 1024, 1440):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(page.as_uri())
        assert tab.evaluate(OVERLAPS) == {"over": 0, "spilt": [], "out": [], "wide": False}, width
        shown = tab.locator(".standing .chip").all_inner_texts()
        assert shown
        assert {*shown} <= {*names}
    tab.context.close()
