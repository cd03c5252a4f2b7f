"""The report in a real browser: wide and on a phone, light and dark, printed.

It opens without an error or a request, passes axe's accessibility rules, sorts, copies, filters, searches, prints.
"""

import contextlib
import csv
import re
import xml.etree.ElementTree as ET

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.page import build_report
from tests.chromium import BY_NIGHT, violations
from tests.report.test_names import CLIPPED

HOSTILE = '</script><img src=x onerror="alert(1)"> 50% of {x_1} & $y$ #1 ~ ^ \\input|pipe|, "quoted" −3 \u202eback'
FORMULA = '=HYPERLINK("https://example.org","x")'
LOOKS = [(1200, "light"), (390, "light"), (1200, "dark"), (390, "dark")]


@pytest.fixture(scope="session")
def one(study):
    return build_report(study)


@pytest.fixture(scope="session")
def hostile(new_study, tmp_path_factory):
    """A study in which bots say what browsers, LaTeX, spreadsheets and readers may stumble over."""
    said = {"bots": ("alice", "eliza"), "text": "plain", "people": 2}
    study = new_study(tmp_path_factory.mktemp("hostile") / "study", analyze=False, **said)
    lines = study.conversations_path.read_text(encoding="utf-8").splitlines()
    texts = [files.json.dumps(text) for text in (HOSTILE, FORMULA, "\ud800 broken")]
    lines = [line.replace('"plain"', texts[i % 3]) for i, line in enumerate(lines)]
    checksums.write_text(study.conversations_path, "\n".join(lines) + "\n")
    failed = {"contestant": "alice", "kind": "exception", "conversation_id": "alice:eliza:0001"}
    checksums.write_jsonl(study.failures_path, [{**failed, "message": text} for text in (HOSTILE, FORMULA)])
    analyze(study, bootstraps=30, backend="native")
    return build_report(study)


@contextlib.contextmanager
def opened(chromium, path, width=1200, scheme="light", hash=""):
    """A tab with the report, which must not say anything on the console, nor ask for anything but itself."""
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, permissions=["clipboard-read", "clipboard-write"]
    )
    tab = context.new_page()
    said, asked = [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(path.as_uri() + hash)
    tab.locator("#reader:not([hidden])").wait_for(state="attached")
    # A browser skips what is out of sight; the checks are not to.
    tab.add_style_tag(content="section { content-visibility: visible !important; }")
    if not hash:
        tab.get_by_role("button", name="Open all sections").click()
    try:
        yield tab
        assert said == []
        assert [
            url for url in asked if not url.startswith(path.as_uri()) and not url.startswith(("data:", "blob:"))
        ] == []
    finally:
        context.close()


def barriers(tab, **options):
    """What axe finds serious or critical, with everything that is folded opened."""
    tab.get_by_role("button", name="Open all sections").click()
    tab.evaluate("document.querySelectorAll('details').forEach((d, i) => { if (!d.open && i < 400) d.open = true; })")
    return [found for found in violations(tab, **options) if found[1] in ("serious", "critical")]


@pytest.mark.parametrize(
    ("width", "scheme"), [LOOKS[0], LOOKS[3], *(pytest.param(*look, marks=pytest.mark.slow) for look in LOOKS[1:3])]
)
def test_one_survey_is_accessible_and_fits(one, chromium, width, scheme):
    with opened(chromium, one, width, scheme) as tab:
        tab.locator("#list summary").first.click()
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        clipped, without_cue = tab.evaluate(CLIPPED)
        assert clipped or width > 1000
        assert without_cue == []
        assert barriers(tab, **(BY_NIGHT if scheme == "dark" and width == 1200 else {})) == []


def copied(tab, scroll, kind):
    tools = scroll.locator("xpath=following-sibling::*[1]")
    tools.get_by_role("button", name=kind).evaluate("(button) => button.click()")
    tools.get_by_text(f"{kind} copied").wait_for(state="attached")
    return tab.evaluate("navigator.clipboard.readText()")


BESIDE = """() => [...document.querySelectorAll(".part > figure")].filter((figure) => {
  const table = figure.parentElement.querySelector("table");
  return table?.checkVisibility() && table.getBoundingClientRect().left >= figure.getBoundingClientRect().right;
}).map((figure) => figure.closest("details").id)"""
"""Sections whose figure stands beside their table."""

BEYOND = """() => [...document.querySelectorAll(".part > figure ~ * table")].filter((table) =>
  table.getBoundingClientRect().right > table.closest(".part").getBoundingClientRect().right
).map((table) => table.closest("details.section").id)"""
"""Sections with a table that leaves its frame."""


def test_it_prints(one, chromium):
    with opened(chromium, one) as tab:
        assert tab.pdf(format="A4").startswith(b"%PDF")
        tab.emulate_media(media="print")
        assert not tab.locator("#reader").is_visible()
        assert not tab.locator("nav").first.is_visible()
        tab.set_viewport_size({"width": 696, "height": 900})  # an A4 page within its margins
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert {"survival", "features", "agreement"} <= {*tab.evaluate(BESIDE)}
        assert tab.evaluate(BEYOND) == []


def table(tab, title):
    return tab.locator(f'.scroll[aria-label="{title}"]').first


def test_hostile_text_is_copied_whole_and_harms_no_file(hostile, chromium):
    with opened(chromium, hostile) as tab:
        shown = table(tab, "Failures")
        rows = [cell for row in csv.reader(copied(tab, shown, "CSV").splitlines()) for cell in row]
        plain = " ".join(HOSTILE.replace("\u202e", "").replace("−", "-").split()).replace('" -3', "\"' -3")
        assert {plain, f"'{FORMULA}"} <= set(rows)
        assert not any(cell.startswith("=") for cell in rows)
        latex = copied(tab, shown, "LaTeX")
        body = re.sub(r"\\(begin|end)\{tabular\}(\{l?r*\})?", "", latex)
        assert not re.search(r"(?<!\\)[%#_]", body)
        assert "\\input" not in body.replace("\\textbackslash{}input", "")
        assert len(re.findall(r"(?<!\\)\$", body)) % 2 == 0
        assert len(re.findall(r"(?<!\\)\{", body)) == len(re.findall(r"(?<!\\)\}", body))
        markdown = copied(tab, shown, "Markdown")
        assert "<img" not in markdown.replace("\\<", "")
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in markdown.splitlines()}) == 1


def test_hostile_text_is_read_as_it_was_said(hostile, chromium):
    with opened(chromium, hostile) as tab:
        tab.locator("#list summary").first.wait_for()
        for box in tab.locator("#list details").all():
            box.locator("summary").click()
            box.locator(".turn").first.wait_for()
        texts = tab.locator("#list .turn .text").all_text_contents()
        assert HOSTILE in texts
        assert FORMULA in texts
        assert any(text.endswith(" broken") for text in texts)
        assert tab.locator("#list img").count() == 0
        assert tab.locator("script").count() == 2  # the data and the page's own
        assert tab.locator("#list .turn .text").first.evaluate("(e) => e.tagName") == "BDI"


def count(tab):
    return int(tab.locator("#count").inner_text().removeprefix("All ").split()[0])


def choose(tab, **wanted):
    for name, label in wanted.items():
        tab.locator(f"#filters [name={name}]").select_option(label=label)


def test_filters_and_search_keep_what_fits(study, one, chromium):
    from playwright.sync_api import expect

    conversations = study.conversations()
    with opened(chromium, one) as tab:
        assert count(tab) == len(conversations)
        choose(tab, one="alice", other="eliza")
        of_pair = [c for c in conversations if set(c.entities) == {"alice", "eliza"}]
        assert count(tab) == len(of_pair)
        assert all("alice" in text and "eliza" in text for text in tab.locator("#list summary").all_inner_texts())
        choose(tab, source="People", verdict="human")
        people = [j for j in study.judgements("spot_the_bot") if j.source == HUMAN and j.answer == "human"]
        pair = {c.conversation_id: c.entities for c in of_pair}
        about = [(j.conversation_ids[0], j.target) for j in people if j.conversation_ids[0] in pair]
        called = {name for name, target in about if pair[name][int(target[-1])] == "alice"}
        assert count(tab) == len(called)
        tab.get_by_role("button", name="Clear all").click()
        expect(tab.locator("#count")).to_have_text(re.compile("^All"))
        tab.locator("#filters [name=find]").fill("SEED OPENING 3")
        assert count(tab) == sum(any("SEED OPENING 3" in t.text for t in c.turns) for c in conversations)
        assert tab.locator("#list mark").first.inner_text() == "SEED OPENING 3"
        tab.locator("#filters [name=find]").fill("nobody said this")
        assert count(tab) == 0
        tab.get_by_role("button", name="Clear all").click()
        tab.locator("#filters [name=least]").fill("6")
        assert count(tab) == 0


def test_results_and_disagreement_are_those_of_the_answers(study, one, chromium):
    level = {"human": 2, "unsure": 1, "bot": 0}
    by = {}
    for j in study.judgements("spot_the_bot"):
        if j.source == HUMAN:
            by.setdefault((j.conversation_ids[0], j.exchanges), {}).setdefault(j.annotation_id, {})[
                j.question, j.target
            ] = j.answer
    apart, won = set(), {}
    for (name, _), annotations in by.items():
        first, *rest = annotations.values()
        if any(other != first for other in rest):
            apart.add(name)
        for own in annotations.values():
            gap = level[own["nature", "entity:0"]] - level[own["nature", "entity:1"]]
            won.setdefault(name, []).append((gap > 0) - (gap < 0))
    seats = {c.conversation_id: c.entities.index("alice") for c in study.conversations() if "alice" in c.entities}
    wins = [name for name, seat in seats.items() if (-1 if seat else 1) * sum(won[name]) > 0]
    with opened(chromium, one) as tab:
        choose(tab, apart="people among themselves")
        assert count(tab) == len(apart)
        choose(tab, apart="any", source="People", one="alice", result="won by most annotations")
        assert count(tab) == len(wins) > 0


def test_judgements_stand_beside_their_segment_and_links_lead_to_it(study, one, chromium):
    own = next(c for c in study.conversations() if c.pair == ("alice", "eliza"))
    with opened(chromium, one, hash=f"#c-{own.conversation_id}") as tab:
        entry = tab.locator(f'[id="conversation-{own.conversation_id}"]')
        assert entry.evaluate("(e) => e.open && document.activeElement === e.querySelector('summary')")
        entry.locator(".block").first.wait_for()
        blocks = entry.locator(".block").all()
        assert [block.locator(".marker").first.inner_text() for block in blocks] == [
            f"after {k} exchanges" for k in (2, 3, 5)
        ]
        assert [block.locator(".turn").count() for block in blocks] == [4, 2, 4]
        for block in blocks:
            assert block.locator(".annotation").count() == 4  # two people, two variants of the judge
            assert block.locator(".from").all_inner_texts()[0].strip() == "People"
            assert "automatic judge" in block.locator(".from").nth(1).inner_text()
        tab.keyboard.press("Enter")  # the summary has the focus: the keyboard closes it again
        assert not entry.evaluate("(e) => e.open")


def test_a_cell_and_a_row_of_a_pair_lead_to_its_conversations(one, chromium):
    from playwright.sync_api import expect

    with opened(chromium, one) as tab:
        tab.locator("#ranking svg .told").first.click()
        tab.locator(".tip a").click()
        expect(tab.locator("#list details.example[open]")).to_have_count(2)
        first, second = tab.locator("#filters select").nth(0), tab.locator("#filters select").nth(1)
        pair = [one.evaluate("(field) => field.selectedOptions[0].text") for one in (first, second)]
        assert f"one that {pair[0]} won, then one that it lost" in tab.locator("#count").inner_text()
        assert tab.evaluate("document.activeElement.localName") == "summary"
        link = tab.locator("#ranking .read").first
        names = link.locator("xpath=ancestor::tr").locator(".chip").all_inner_texts()[:2]
        link.focus()
        tab.keyboard.press("Enter")
        for field, name in zip((first, second), names, strict=True):
            expect(field.locator("option:checked")).to_have_text(name)


def test_without_script_the_page_says_where_conversations_are(one, chromium):
    context = chromium.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(one.as_uri())
    assert not tab.locator("#reader").is_visible()
    tab.locator("#examples > summary").click()
    assert tab.locator("#unread").is_visible()
    context.close()


def test_a_browser_that_cannot_unpack_says_where_conversations_are(one, chromium):
    tab = chromium.new_page()
    tab.add_init_script("delete globalThis.DecompressionStream")
    tab.goto(one.as_uri())
    tab.locator("#examples > summary").click()
    assert tab.locator("#unread").is_visible()
    assert not tab.locator("#reader").is_visible()
    tab.close()


def test_figures_are_saved_as_they_are_on_light_ground(chromium, one, tmp_path):
    """SVG and PNG are made of the page's figure: the same bytes in both colour schemes, readable alone."""
    saved = {}
    for scheme in ("light", "dark"):
        tab = chromium.new_page(color_scheme=scheme)
        tab.goto(one.as_uri())
        tab.get_by_role("button", name="Open all sections").click()
        tab.locator("#figure > summary").click()
        places = tab.locator("[data-figure-of]")
        assert places.count() > 1
        for place in places.all():
            assert place.locator("button").all_inner_texts() == ["SVG", "PNG"]
            for button in place.locator("button").all():
                with tab.expect_download() as download:
                    button.click()
                path = tmp_path / scheme / download.value.suggested_filename
                download.value.save_as(path)
                saved.setdefault(path.name, set()).add(path.read_bytes())
        tab.close()
    for name, contents in saved.items():
        (content,) = contents
        if name.endswith(".png"):
            assert content.startswith(b"\x89PNG")
            continue
        text = content.decode()
        assert "var(" not in text
        assert "inherit" not in text
        root = ET.fromstring(text)
        assert float(root.attrib["width"].removesuffix("pt")) > 100
        title = root.find("{http://www.w3.org/2000/svg}title").text
        words = " ".join(" ".join(root.itertext()).split())
        assert words.count(title) == 2  # it is shown, too
        assert "Made by parlai_spotbot." in words
