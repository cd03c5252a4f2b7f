"""Names of any script and length: kept as they are, in every survey, file and page, and no box lies over another."""

import csv
import html
import random
import re
from pathlib import Path

import pytest

import parlai_spotbot as sb
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.sections import Name
from parlai_spotbot.importers.imported_study import write_study
from parlai_spotbot.importers.votes import votes
from parlai_spotbot.judges.certificate.of_study import certificate_path, certified, judged_items
from parlai_spotbot.names import alike, clean_name, is_name, stem_of
from parlai_spotbot.report.charts.axes import LETTERS, label_text
from parlai_spotbot.report.drawing import looks
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.templating import sentence
from parlai_spotbot.selfplay.schedule import conversation_id
from parlai_spotbot.study import Study
from parlai_spotbot.wording import named_first
from tests.case_tables import cases
from tests.chromium import BY_NIGHT, violations
from tests.findings.made_up_users import written
from tests.findings.scripted import answered, by_chance, rows_of, small_study
from tests.in_process import spotbot
from tests.judges.certificate.labelled_study import labelled_demo

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
    [...part.querySelectorAll("table, td, th, span, p, h2, h3, .turn")].filter((one) =>
      one.checkVisibility() && !one.closest(".scroll")
      && (box(one).right > box(part).right + 1 || box(one).left < box(part).left - 1)));
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth + 1;
  const spilt = [...document.querySelectorAll(".standing .said")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.textContent);
  const hidden = [...document.querySelectorAll(".standing .scale > div")].filter((one) => {
    const [bar, said] = [...one.children].map(box);
    return bar.width > 0 && said.left < bar.right - 1 && said.top < bar.bottom - 1 && bar.top < said.bottom - 1;
  });
  const wider = [...document.querySelectorAll(".screen :is(h2, h3, p, .who, .chip)")]
    .filter((one) => one.checkVisibility() && one.clientWidth && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.textContent.slice(0, 40));
  const beyond = out.map((one) => one.textContent.slice(0, 40));
  const torn = [...document.querySelectorAll(".screen :is(.red, .amber, .green)")]
    .filter((sign) => sign.parentElement.getClientRects().length > 1).length;
  const texts = document.createTreeWalker(document.getElementById("answer"), NodeFilter.SHOW_TEXT);
  const mixed = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (/[\u0590-\u08ff]/.test(data) && /[a-z]/i.test(data) && !parentElement.closest("svg, code")) mixed.push(data);
  }
  return { over: over.length, hidden: hidden.length, wider, spilt, out: beyond, wide, torn, mixed };
}"""
"""Boxes over others or beyond their part, signs apart from their words, and what is written from right to left in one
text with what is not."""

NOTHING_OVER = {"over": 0, "hidden": 0, "wider": [], "spilt": [], "out": [], "wide": False, "torn": 0, "mixed": []}

CUT = """() => [...document.querySelectorAll("figure svg")].filter((svg) => svg.checkVisibility()).flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((one) => {
    const text = one.getBoundingClientRect();
    return text.width && (text.left < frame.left - 4 || text.right > frame.right + 4 || text.top < frame.top - 1);
  }).map((one) => one.textContent);
})"""
"""Labels that leave their figure; what it draws up to 4 px beyond its frame is shown, too."""

SPILT = """() => [...document.querySelectorAll(".scroll :is(td, th)")].filter((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  return one.checkVisibility() && words.getBoundingClientRect().right > one.getBoundingClientRect().right + 1;
}).map((one) => one.textContent)"""
"""Cells of tables whose words lie over the next cell."""

CLIPPED = """() => {
  const clipped = [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1);
  const style = (one, what) => getComputedStyle(one)[what];
  const bare = clipped.filter((box) => !style(box, "backgroundImage").includes("radial-gradient")
    || style(box.querySelector("tbody th"), "position") !== "sticky");
  return [clipped.length, bare.map((box) => box.getAttribute("aria-label"))];
}"""
"""How many tables go on beyond an edge, and those of which nothing shows it or whose first column doesn't stay."""

HIGH = """(most) => [...document.querySelectorAll(".scroll thead th")].filter((one) => {
  const words = document.createRange();
  words.selectNodeContents(one);
  return words.getBoundingClientRect().height > (most + 0.5) * parseFloat(getComputedStyle(one).lineHeight);
}).map((one) => one.textContent)"""
"""Headings of columns in more lines than `most`."""

PRINTED = """() => {
  const height = (one) => one.getBoundingClientRect().height;
  const sections = [...document.querySelectorAll("details.section")].filter((one) => one.checkVisibility());
  const empty = sections.filter((one) => height(one) < 1.5 * height(one.querySelector("summary"))).map((one) => one.id);
  const cells = [...document.querySelectorAll(".scroll :is(td, th)")].filter((one) => one.checkVisibility());
  const narrow = cells.filter((one) => height(one) > 4 * parseFloat(getComputedStyle(one).lineHeight)).length;
  const words = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect();
  };
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const mixed = [...document.querySelectorAll(".scroll tbody tr")].filter((row) => {
    const texts = [...row.cells].map(words).filter((text) => text.width);
    return texts.some((text, place) => texts.slice(place + 1).some((other) => meet(text, other)));
  }).length;
  const lost = [...document.querySelectorAll("thead button")]
    .filter((one) => getComputedStyle(one).display !== "contents");
  const box = (one) => one.getBoundingClientRect();
  const over = [...document.querySelectorAll(".part > figure ~ * table")].filter((one) => {
    const table = box(one), figure = box(one.closest(".part").querySelector("figure"));
    const beside = table.left >= figure.right - 1, below = table.top >= figure.bottom - 1;
    return one.checkVisibility() && !beside && !below;
  }).length;
  return { empty, narrow, mixed, lost: lost.length, over, wide: document.documentElement.scrollWidth > innerWidth + 1 };
}"""
"""On paper: headings with nothing below, names in columns of a few letters, words of a
table over others, buttons, which are not painted where the
headings of a table are repeated on its next page, tables over figures, and what is wider than the page."""

NOT_PRINTED = """() => Object.fromEntries([...document.querySelectorAll(".folded > summary")].map((one) =>
  [one.textContent, getComputedStyle(one, "::after").content.includes("not printed")]))"""
"""Titles of folded tables, and whether paper says that the table is not on it."""

A4 = 696
"""Pixels between the margins of a page."""


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
        assert tab.evaluate(OVERLAPS) == NOTHING_OVER, width
        shown = tab.locator(".standing .chip").all_inner_texts()
        assert shown
        assert {*shown} <= {*names}
    tab.context.close()


@pytest.mark.parametrize("letters", ["n", "名", "اسم", "meta-llama/Llama-3.1-8B-Instruct-"])
def test_a_study_of_long_names_is_readable_with_all_sections_open(tmp_path, new_study, chromium, letters):
    """Two scales beside each other, transcripts, matrix, curves and forests: nothing over another, no label cut."""
    names = tuple((letters * 61)[:58] + f"-{place}" for place in range(6))
    page = build_report(new_study(tmp_path / "study", bots=names, per_pair=1, people=2))
    tab = chromium.new_context().new_page()
    for width in (390, 820, 1024, 1440):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(page.as_uri())
        assert tab.evaluate(OVERLAPS) == NOTHING_OVER, width
        tab.get_by_role("button", name="Open all sections").click()
        tab.locator("#figure > summary").click()
        tab.add_style_tag(content="section { content-visibility: visible !important; }")
        assert tab.evaluate(CUT) == [], width
        assert tab.evaluate(HIGH, 3) == [], width
        assert tab.evaluate(SPILT) == [], width
    tab.set_viewport_size({"width": A4, "height": 900})
    tab.emulate_media(media="print")
    assert tab.evaluate(PRINTED) == {"empty": [], "narrow": 0, "mixed": 0, "lost": 0, "over": 0, "wide": False}
    whole = tab.locator("#ranking svg .told > title").all_text_contents()
    assert {*names} <= {*whole}
    tab.context.close()


WIDTHS = (390, 820, 1024, 1440)


def test_cells_hold_names_and_links_and_people_stand_apart(tmp_path, new_study, chromium):
    names = [f"a-bot-{place}" + "n" * place for place in range(12)]
    page = build_report(new_study(tmp_path / "study", bots=tuple(names), per_pair=1, people=2))
    tab = chromium.new_context().new_page()
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(page.as_uri())
        tab.get_by_role("button", name="Open all sections").click()
        tab.locator(".folded:not([open]) > summary").evaluate_all("(all) => all.forEach((one) => one.click())")
        assert tab.locator("#ranking a.read").count() == 66
        assert tab.evaluate(SPILT) == [], width
    shape = """(all) => all.map((one) => getComputedStyle(one, "::before"))
      .map((mark) => mark.backgroundColor + mark.clipPath)"""
    assert len({*tab.locator("#provenance tbody .chip").evaluate_all(shape)}) == len(names)
    line = "(all) => all.map((one) => getComputedStyle(one).borderTopStyle)"
    assert {*tab.locator("#segments tr:has(.human) > td").evaluate_all(line)} == {"dashed"}
    assert {*tab.locator("#segments tbody tr:nth-child(2) > td").evaluate_all(line)} == {"none"}
    tab.emulate_media(media="print")
    assert not any(tab.evaluate(NOT_PRINTED).values())  # what was opened is printed, however long
    tab.locator(".folded").evaluate_all("(all) => all.forEach((one) => { one.open = false; })")
    assert {"Every pair (66 rows)": True, "Survival (39 rows)": False}.items() <= tab.evaluate(NOT_PRINTED).items()
    tab.context.close()


def page_of_certificate(folder, names):
    """The page of a judge that a few people have labelled."""
    study = labelled_demo(folder / "study", share=0.1)
    certified(judged_items(study.load("spot_the_bot"))).write(certificate_path(study.path, "spot_the_bot", "spotter"))
    return build_report(study)


def page_of_users(folder, names, tasks=6, fault=""):
    """The page of logs of simulated users, of one or several."""
    files = [written(folder / f"{place}.json", name, tasks, fault=fault) for place, name in enumerate(names)]
    data = [f"{name}={file}" for name, file in zip(names, files, strict=True)]
    data.append(f"human={written(folder / 'people.json', 'people', tasks)}")
    study = folder / "study"
    spotbot("import", "--format", "tau2", "--data", ",".join(data), "--study", study)
    spotbot("analyze", "--study", study)
    return build_report(Study.open(study))


def page_of_comparison(folder, names):
    """The page of a new bot beside an old one."""
    new, old = names[:2]
    study = small_study(folder / "study", "spot_the_bot", (new, old), per_pair=4, people=0)
    study.record("compare", {"new": new, "old": old})
    answered(study, "spot_the_bot", rows_of(study, "spot_the_bot", by_chance, ["j"], source="judge:gpt"))
    return build_report(study)


@pytest.mark.parametrize(
    ("page_of", "count", "letters"),
    [
        (page_of_certificate, 0, ""),
        (page_of_users, 1, "n"),
        (page_of_users, 4, "اسم"),
        (page_of_comparison, 2, "名"),
        (page_of_comparison, 2, "meta-llama/Llama-3.1-8B-Instruct-"),
    ],
)
def test_pages_of_their_own_have_no_box_over_another(tmp_path, chromium, page_of, count, letters):
    names = [(letters * 61)[:58] + f"-{place}" for place in range(count)]
    nothing_over(chromium, page_of(tmp_path, names))


def nothing_over(chromium, page):
    """Assert that on no width anything lies over anything, leaves its frame or is cut, and that all can be read."""
    tab = chromium.new_context().new_page()
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto(page.as_uri())
        assert tab.evaluate(OVERLAPS) == NOTHING_OVER, width
        tab.get_by_role("button", name="Open all sections").click()
        tab.add_style_tag(content="section { content-visibility: visible !important; }")
        assert tab.evaluate(CUT) == [], width
        assert tab.evaluate(SPILT) == [], width
        assert tab.evaluate(CLIPPED)[1] == [], width
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    assert violations(tab) == []
    tab.emulate_media(color_scheme="dark")
    assert violations(tab, **BY_NIGHT) == []
    tab.context.close()


@pytest.mark.parametrize(
    ("survey", "names"),
    [
        ("spot_the_bot", WORLD[:3]),
        ("spot_the_bot_game", [f"a-bot-with-16-{place:02d}" for place in range(6)]),
        ("acute_eval", [f"{place:02d}" + "名" * 30 for place in range(6)]),
        ("comparative", [f"اسم{place}" for place in range(2)]),
        ("dialogue_likert", [f"meta-llama/Llama-3.1-{place:02d}-8B-Inst" for place in range(20)]),
        ("turn_likert", [f"bot{place}" for place in range(6)]),
        ("abc_eval", [f"{place}" + "n" * 60 for place in range(6)]),
    ],
)
def test_the_page_of_every_survey_keeps_names_and_has_no_box_over_another(tmp_path, chromium, survey, names):
    study = small_study(tmp_path / "study", survey, names, per_pair=1, people=4)
    workers = [f"w{number}" for number in range(3)]
    answered(study, survey, rows_of(study, survey, by_chance, workers, items=60))
    page = build_report(study, survey)
    text = html.unescape(page.read_text(encoding="utf-8"))
    assert all(name in text for name in names)
    nothing_over(chromium, page)


@pytest.mark.parametrize(("tasks", "fault", "rows"), [(24, "polite", 3), (6, "", 0)])
def test_several_simulated_users_are_counted_and_stand_in_a_table_if_anything_is_known(tmp_path, tasks, fault, rows):
    page = page_of_users(tmp_path, ["ada", "bob", "cleo"], tasks, fault).read_text(encoding="utf-8")
    first = page.split("</header>")[0]
    assert re.search(r"of (the )?3 simulated users is ", first)
    assert len(re.findall(r'<th scope="row"><span class="chip', first)) == rows
    assert "> · <" not in first  # nobody has judged the examples


def test_a_notebook_fits_and_its_pictures_can_be_read_by_night(tmp_path, chromium):
    study = labelled_demo(tmp_path / "labelled", share=0.1)
    certificate = certified(judged_items(study.load("spot_the_bot")))
    answers = sb.Study.open(study_of_votes(tmp_path, ["n" * 61, "名" * 61, "اسم" * 20]).path).answers("votes")
    shown = [certificate, sb.Study.open(study.path).answers(), answers, answers.study, sb.rank(answers, bootstraps=20)]
    tab = chromium.new_context(color_scheme="dark").new_page()
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.set_content("<html style='color-scheme: light dark'>" + "".join(one._repr_html_() for one in shown))
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    grounds = tab.locator("img").evaluate_all("(all) => all.map((one) => getComputedStyle(one).backgroundColor)")
    assert grounds == ["rgb(255, 255, 255)"]  # its letters are black
    torn = "(all) => all.filter((one) => one.textContent.includes('%]') && one.getClientRects().length > 1).length"
    assert tab.locator("td").evaluate_all(torn) == 0
    uses = [row.inner_text().split("\t")[0] for row in tab.locator("table").first.locator("tbody tr").all()]
    assert uses == ["screen", "rank", "gate"]
    tab.context.close()


def test_a_judge_s_rule_is_opened_on_demand_and_no_other_text(tmp_path):
    page = page_of_certificate(tmp_path, []).read_text(encoding="utf-8")
    [rule] = re.findall(r"<summary>How it decides</summary>\s*<p>(.+?)</p>", page)
    assert rule
    assert "<summary>Method" not in page


def test_what_is_written_from_right_to_left_leaves_numbers_in_their_places():
    assert sentence("نموذج اللغة; 1 of 2") == "<bdi>نموذج اللغة</bdi>; 1 of 2"


@pytest.mark.parametrize(
    "names",
    [
        [f"org/a-model-of-the-same-family-{size}B-Instruct" for size in (8, 70)],
        [f"the same beginning of all, {middle}, and the same end of all" for middle in ("one", "two", "three")],
        ["n" * 30 + "a" + "n" * 30 + end for end in ("a", "b")] + ["n" * 30 + "b" + "n" * 30 + "a"],
        [f"名{place}" + "名" * 59 for place in range(20)],
    ],
)
def test_names_of_a_chart_are_short_and_differ(names):
    shown = [label_text(Name(name), looks(names)) for name in names]
    assert len({*shown}) == len(names)
    assert all("…" in text and len(text) <= LETTERS for text in shown)
    assert label_text(Name("ada"), looks(["ada"])) == "ada"


def test_a_long_name_in_a_sentence_is_short_and_whole_on_demand():
    names = [f"org/Model-{version}-8B-Instruct-tuned-on-dialogs-of-shops" for version in ("3.1", "3.3")]
    text = sentence(f"{names[0]} & {names[1]} can't be told apart.", looks(names))
    assert text == (
        f'<span title="{names[0]}">…Model-3.1-8B…</span> &amp; <span title="{names[1]}">…Model-3.3-8B…</span> '
        "can&#39;t be told apart."
    )
    assert sentence("ada is ahead.", looks(["ada"])) == "ada is ahead."


def test_the_verdict_on_twenty_long_names_is_short(tmp_path, chromium):
    names = [f"organisation/Model-{place}-8B-Instruct-tuned-on-dialogs-of-shops" for place in range(20)]
    tab = chromium.new_context(viewport={"width": 1024, "height": 900}).new_page()
    tab.goto(build_report(study_of_votes(tmp_path, names)).as_uri())
    answer = tab.locator(".answer")
    lines = answer.evaluate(
        "(one) => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight)"
    )
    assert lines < 3.1
    assert {*answer.locator("span").evaluate_all("(all) => all.map((one) => one.title)")} <= {*names}
    tab.context.close()


def test_no_line_ends_within_an_option_or_before_a_per_cent_sign():
    assert sentence("95 % of <b>, --raise-me") == (
        "95\N{NO-BREAK SPACE}% of &lt;b&gt;, <span class=option>--raise-me</span>"
    )


def test_a_sentence_names_as_many_as_it_has_room_for():
    assert named_first(["a", "b", "c", "d", "e"]) == "a, b, c, d and 1 other"
    assert named_first(["n" * 61, "m" * 61, "o" * 61]) == f"{'n' * 61}, {'m' * 61} and 1 other"
    assert named_first(["n" * 300, "m"]) == f"{'n' * 300} and 1 other"
