"""Figures to be taken away, charts as data, and what the first screen says is needed."""

import csv
import html
import io
import itertools
import re
import xml.etree.ElementTree as ET
import zlib

import pandas as pd
import pytest
import yaml
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.axes import Axes
from matplotlib.backends import _backend_pdf_ps
from matplotlib.font_manager import FontPath, findfont, fontManager, get_font
from matplotlib.text import Text

from parlai_spotbot import checksums
from parlai_spotbot.findings.behaviours import ranking as behaviours
from parlai_spotbot.findings.made_by import VERSION
from parlai_spotbot.findings.ratings import ranking as ratings
from parlai_spotbot.findings.render import page_chart
from parlai_spotbot.findings.sections import CardChart, Name
from parlai_spotbot.findings.spotting import features, segments
from parlai_spotbot.findings.whole_study import hygiene
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import charts
from parlai_spotbot.report.drawing import VARIABLES, drawn, looks
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.pdf_fonts import quick_fonts

SURVEY = "spot_the_bot"
BOTS = ["alice", "eliza", "tfidf"]
NAMES = [Name(bot) for bot in BOTS]


@pytest.fixture(scope="module")
def page(study):
    return build_report(study).read_text(encoding="utf-8")


def rows(drawing):
    return list(csv.DictReader(io.StringIO(drawing.files["csv"].decode())))


def streams(pdf):
    """What a PDF draws, unpacked."""
    for packed in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.S):
        try:
            yield zlib.decompress(packed)
        except zlib.error:
            continue


def test_files_have_the_light_colours_and_no_date(study, page):
    folder = study.report_path.parent / "figures"
    for path in folder.glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        ET.fromstring(text)
        assert "var(" not in text
        assert any(colour in text for colour in VARIABLES)
        assert "<dc:date>" not in text
    for path in folder.glob("*.pdf"):
        data = path.read_bytes()
        assert data.startswith(b"%PDF")
        assert b"CreationDate" not in data
        assert b"/Subtype /Type3" not in data  # publishers refuse such fonts
        red = re.escape(f"{int('1a', 16) / 255:.5f}".encode())  # of the ink
        assert re.search(red, b"".join(streams(data)))


@pytest.mark.parametrize("text", ["share of wins – 95 %, “a” and ★", "with ℵ, which is no common letter"])
def test_letters_of_a_pdf_are_those_that_matplotlib_cuts(text):
    path = get_font(findfont("DejaVu Sans")).fname
    font = FontPath(path, 0)
    glyphs = {get_font(path).get_char_index(ord(letter)) for letter in text}

    def outlines():
        with _backend_pdf_ps.get_glyphs_subset(font, glyphs) as found:
            table, order = found.font["glyf"], found.font.getGlyphOrder()
            return {
                glyph: (order[place], table[order[place]].getCoordinates(table)[0], found.font["hmtx"][order[place]])
                for glyph, place in found.glyph_index_map.items()
                if glyph in glyphs
            }

    whole = outlines()
    with drawn(1, 1), quick_fonts():
        assert outlines() == whole
    assert whole.keys() == glyphs


@pytest.fixture
def other_font(tmp_path):
    """A font whose only letter, a box, is that of a Chinese name."""
    pen = TTGlyphPen(None)
    for begin, *further in ([(0, 0), (0, 700), (700, 700), (700, 0)], [(50, 50), (650, 50), (650, 650), (50, 650)]):
        pen.moveTo(begin)
        for point in further:
            pen.lineTo(point)
        pen.closePath()
    font = FontBuilder(1000)
    font.setupGlyphOrder([".notdef", "box"])
    font.setupCharacterMap({ord("名"): "box"})
    font.setupGlyf(dict.fromkeys((".notdef", "box"), pen.glyph()))
    font.setupHorizontalMetrics(dict.fromkeys((".notdef", "box"), (750, 25)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Boxes", "styleName": "Regular", "psName": "Boxes-Regular"})
    font.setupOS2(usWeightClass=400)
    font.setupPost()
    font.save(tmp_path / "boxes.ttf")
    return tmp_path / "boxes.ttf"


@pytest.mark.parametrize("bot", ["名", "نموذج", "ГигаЧат", "ada"])
def test_letters_that_a_font_lacks_come_from_another_font_and_are_named_where_none_has_them(other_font, bot):
    names = [Name(bot), Name("b")]
    chart = CardChart("m", "matches", "How.", {"rows": names, **DATA["matches of two"]})
    before = charts.draw(chart, looks(names), "m")
    assert before.lacking == bot[: bot == "名"]
    fontManager.addfont(other_font)
    try:
        after = charts.draw(chart, looks(names), "m")
    finally:
        fontManager.ttflist.pop()
    assert after.lacking == ""
    assert (b"Boxes" in after.files["pdf"]) == (bot == "名")
    assert b"/Subtype /Type3" not in after.files["pdf"]
    assert after.files["svg"] == before.files["svg"]


DATA = yaml.safe_load("""
matches of two:
  parts: [[null, [8, 22, 0]], [[0, 22, 8], null]]
  clear: [[false, false], [false, false]]
forest:
  rows:
  - {label: alice, estimate: 0.6, low: 0.5, high: 0.7, group: quality}
  - {label: eliza, estimate: null, low: null, high: null, group: quality}
  - {label: a label that is long enough to be broken twice over, estimate: 0.4, low: null, high: null}
  reference: 0.5
  x: share of wins
  shares: true
grid:
  x: over
  y: chosen
  values: [[null, 0.7, 0.9], [0.3, null, null], [0.1, 0.5, null]]
  texts: [['', '70', 90*], ['30', '', –], [10*, '50', '']]
matches:
  parts: [[null, [8, 22, 0], [1, 0, 3]], [[0, 22, 8], null, null], [[3, 0, 1], null, null]]
  clear: [[false, false, true], [false, false, false], [true, false, false]]
curve:
  series:
  - {label: alice, x: [1, 10, 100], y: [0.1, null, 0.9], low: [0.0, null, 0.8], high: [0.2, null, 1.0]}
  - {label: other, x: [1, 2], y: [0.3, 0.4]}
  x: hours
  y: share
  shares: true
  steps: false
  reference: 0.8
""")

DATA["grid"] |= {"rows": NAMES, "columns": NAMES}
DATA["matches"]["rows"] = NAMES
for row in DATA["forest"]["rows"][:2] + DATA["curve"]["series"]:
    row["label"] = Name(row["label"])
DATA["dots"] = {**DATA["forest"], "rows": DATA["forest"]["rows"][:2]}


@pytest.mark.parametrize("kind", charts.KINDS)
def test_every_kind_of_chart_is_drawn_with_its_data(kind):
    drawing = charts.draw(CardChart("c", kind, "A title. More", DATA[kind], [{"x": 1}, {"x": 2}]), looks(BOTS), "name")
    assert drawing.startswith('<svg role="img" aria-label="A title"')  # for screen readers
    assert drawing.name == "name"
    assert "$" not in drawing  # no formula is left unread
    assert rows(drawing) == [{"x": "1"}, {"x": "2"}]
    if kind in ("forest", "curve"):
        assert "var(--bot0)" in drawing


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_each_curve_has_a_panel_with_its_name_before_the_others_in_grey(count):
    series = [{"label": f"curve {n}", "x": [1, 2, 3], "y": [0.1, 0.2, 0.01 * n]} for n in range(count)]
    chart = CardChart("c", "curve", "c", DATA["curve"] | {"series": series})
    drawing = charts.draw(chart, looks([]), "name")
    titles = [re.search(rf">curve {n}</text>", drawing) for n in range(count)]
    assert all(titles)
    assert ("stroke: var(--muted); stroke-opacity: 0.7; stroke-width: 0.8" in drawing) == (1 < count <= 8)
    assert re.search(r">\d+%</text>", drawing)


def test_names_and_numbers_of_a_figure_are_whole():
    """Places of lines are rounded, what is written is not."""
    name = Name("rev-1.23456 #0072b2")
    row = {"label": name, "estimate": 0.05, "low": 0.01, "high": 0.13, "group": ""}
    other = {**row, "label": Name("b")}
    forest = {"rows": [row, other], "reference": 0, "x": "Alpha", "shares": False}
    drawings = [charts.draw(CardChart("c", "forest", name, forest), looks([name, "b"]), "f")]
    matches = {**DATA["matches of two"], "rows": [name, Name("b")]}
    drawings.append(charts.draw(CardChart("c", "matches", name, matches), looks([name, "b"]), "m"))
    for drawing in drawings:
        written = [text.get_text() for text in drawing.figure.findobj(Text) if text.get_text() and text.get_visible()]
        shown = [text for text in written if f">{text}</text>" in html.unescape(drawing)]
        assert {name, *re.findall(r">([^<]*\d[^<]*)</text>", drawing)} <= {*shown}
        assert f'aria-label="{name}"' in drawing
        assert not re.search(r' d="[^"]*\d\.\d{3}', drawing)
    assert "0.025" in drawings[0]  # ticks of which hundredths would be wrong
    assert f"{name} against b" in drawings[1]


@pytest.mark.parametrize("x", [[2], [2, 3, 5], [1, 100]])
def test_the_last_step_of_a_curve_is_seen(x):
    series = [{"label": Name("alice"), "x": x, "y": [0.5] * (len(x) - 1) + [0.25]}]
    chart = CardChart("c", "curve", "c", {**DATA["curve"], "series": series, "steps": True})
    [axes] = charts.draw(chart, looks(BOTS), "name").figure.axes
    *_, line = axes.lines
    assert [*line.get_xdata()][:-1] == x
    assert [*line.get_ydata()][-2:] == [0.25, 0.25]
    ends = axes.transData.transform([(place, 0) for place in line.get_xdata()[-2:]])[:, 0]
    assert ends[1] - ends[0] > 4  # points
    ticks = [tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
    assert max(ticks) == max(x)  # nothing is said of what nobody was shown


@pytest.mark.parametrize("kind", ["forest", "dots", "curve"])
@pytest.mark.parametrize("share", [0, 0.0015, 0.35, 1])
@pytest.mark.parametrize("reach", [0, 0.001, 0.05])
def test_an_axis_of_shares_has_true_values_from_0_to_100_percent(kind, share, reach):
    low, high = max(0, share - reach), min(1, share + reach)
    row = {"label": Name("alice"), "estimate": share, "low": low, "high": high, "group": "g"}
    series = [{"label": Name("alice"), "x": [1, 2, 3], "y": [share] * 3, "low": [low] * 3, "high": [high] * 3}]
    data = {**DATA["curve"], "rows": [row], "series": series, "reference": None}
    [axes] = charts.draw(CardChart("c", kind, "c", data), looks(BOTS), "name").figure.axes
    axis, ends = (axes.yaxis, axes.get_ylim()) if kind == "curve" else (axes.xaxis, axes.get_xlim())
    ticks = [tick for tick in axis.get_majorticklocs() if min(ends) <= tick <= max(ends)]
    texts = axis.get_major_formatter().format_ticks(ticks)
    assert len({*texts}) == len(ticks) > 0
    assert [float(text.removesuffix("%")) / 100 for text in texts] == pytest.approx(ticks)
    assert 0 <= min(ticks) <= max(ticks) <= 1


@pytest.mark.parametrize("last", [57, 100, 50_000])
def test_a_logarithmic_axis_says_where_it_ends(last):
    series = [{"label": "a – b", "x": [*range(1, 10), last], "y": [0.1] * 10}]
    chart = CardChart("c", "curve", "c", {**DATA["curve"], "series": series})
    [axes] = charts.draw(chart, looks(BOTS), "name").figure.axes
    assert [text.get_text() for text in axes.get_xticklabels()][-1].replace(",", "") == str(last)


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
def test_faults_that_nobody_shows_are_named_and_have_no_column(zeros):
    kinds = ["empty", "loop", "copied"]
    rows = [{"name": bot, "kind": kind, "rate": 0.2 * (n >= zeros)} for bot in BOTS for n, kind in enumerate(kinds)]
    frame = pd.DataFrame(rows, dtype=object)
    chart = page_chart(hygiene.FINDING, {"hygiene": frame})
    named = ["Empty", "Loop", "Partner’s words"]
    kept = named[zeros:] or named  # where all are 0 the table says so
    assert chart.data["columns"] == kept
    assert {len(line) for key in ("values", "texts") for line in chart.data[key]} == {len(kept)}
    assert chart.caption.endswith(f" Nowhere: {'; '.join(named[:zeros])}.") == (0 < zeros < 3)
    assert len(chart.rows) == len(rows)


@pytest.mark.parametrize("finding", [ratings, behaviours], ids=["ratings", "behaviours"])
@pytest.mark.parametrize("better", ["", "less"])
def test_the_better_direction_is_said_in_one_way(finding, better):
    chart = finding.FINDING.chart
    row = {chart.y: "alice", chart.group: "inconsistency", chart.x: 0.2, chart.better: better}
    row |= {f"{chart.x}_low": 0.1, f"{chart.x}_high": 0.3}
    drawn = page_chart(finding.FINDING, {chart.table: pd.DataFrame([row], dtype=object)})
    assert drawn.data["rows"][0]["group"].endswith("\N{NO-BREAK SPACE}↓") == bool(better)
    assert ("With ↓ less is better" in drawn.caption) == bool(better)


@pytest.mark.parametrize("count", [1, 9, 20, 64])
def test_no_two_bots_look_alike_in_charts_or_on_the_page(count):
    found = list(looks([f"bot {n}" for n in range(count)]).values())
    assert len({(look.colour, look.marker) for look in found}) == count + 1
    assert len({look.css for look in found}) == count + 1


@pytest.mark.parametrize(("bots", "shown"), [(12, 36), (20, 40), (50, 40), (5, 20)])
def test_a_chart_of_many_rows_has_whole_groups_and_says_what_it_leaves_out(bots, shown):
    named = [feature for feature in ("fluency", "sensibleness", "specificity", "sense") for _ in range(bots)]
    frame = pd.DataFrame({"feature": named, "bot": 4 * [f"bot {n}" for n in range(bots)]})
    frame[["win_rate", "win_rate_low", "win_rate_high"]] = (0.5, 0.4, 0.6)
    chart = page_chart(features.FINDING, {"ranking": frame})
    assert len(chart.data["rows"]) == shown
    assert chart.caption.endswith("the CSV has all.") == (shown < 4 * bots)
    assert len(chart.rows) == 4 * bots


@pytest.mark.parametrize("count", [1, 2, 8, 9, 20])
@pytest.mark.parametrize("known", [True, False], ids=["contestants", "others"])
def test_curves_differ_by_dash_as_well_as_by_colour(count, known):
    names = [Name(f"bot {n}") for n in range(count)]
    series = [{"label": name, "x": [1, 2, 3], "y": [0.1, 0.2, 0.01 * n]} for n, name in enumerate([*names, HUMAN])]
    series[-1]["label"] = Name(HUMAN)
    own = looks(names if known else [])
    drawing = charts.draw(CardChart("c", "curve", "c", DATA["curve"] | {"series": series, "steps": True}), own, "name")
    for text in (str(drawing), drawing.files["svg"].decode()):
        lines = re.findall(r'style="fill: none;((?: stroke-dasharray: [\d.,]+;)?[^"]*stroke-width: 1.6[^"]*)"', text)
        assert len(lines) == count + 1
        dashes = [re.findall(r"stroke-dasharray: ([\d.,]+)", line) for line in lines]
        beside = min(count, 8) * known or min(count + 1, 4)
        assert len({str(dash) for dash in dashes[:beside]}) == beside
        assert dashes[-1]  # people
        assert len(set(lines)) == len(lines)  # colour and dash together


@pytest.mark.parametrize(("bots", "shown"), [(2, 3), (39, 40), (40, 40), (100, 40)])
def test_a_chart_of_many_curves_has_people_and_says_what_it_leaves_out(bots, shown):
    names = [*(f"bot {number}" for number in range(bots)), HUMAN]
    frame = pd.DataFrame({"bot": [name for name in names for _ in range(2)], "exchanges": (bots + 1) * [2, 3]})
    frame[["human_share", "human_share_low", "human_share_high"]] = (0.5, 0.4, 0.6)
    chart = page_chart(segments.FINDING, {segments.FINDING.chart.table: frame})
    assert len(chart.data["series"]) == shown
    assert chart.data["series"][-1]["label"] == HUMAN
    assert chart.caption.endswith(f" The first 40 of {bots + 1} curves; the CSV has all.") == (bots >= 40)
    assert len(chart.rows) == 2 * (bots + 1)


def test_matches_are_bars_of_wins_ties_and_losses_that_say_their_numbers():
    drawing = charts.draw(CardChart("c", "matches", "c", DATA["matches"]), looks(BOTS), "name")
    assert "alice against eliza: 8 wins, 22 ties, 0 losses of 30; not told apart" in drawing
    assert "alice against tfidf: 1 wins, 0 ties, 3 losses of 4; told apart" in drawing
    assert drawing.count("data-pair=") == 4
    assert 'data-pair="eliza/alice"' in drawing


def boxes(artists):
    """Where artists are in a figure, in its pixels."""
    return [artist.get_window_extent() for artist in artists]


@pytest.mark.parametrize("count", [2, 6, 20])
@pytest.mark.parametrize("letters", ["n", "W", "名", "اسم", "ada"])
def test_cells_are_as_wide_as_their_numbers_whatever_the_names(count, letters):
    names = [Name(f"{(letters * 61)[: 58 if letters != 'ada' else 3]}-{place}") for place in range(count)]
    cells = [[None if x == y else [10, 10, 10] for x in range(count)] for y in range(count)]
    data = {"rows": names, "parts": cells, "clear": [[True] * count] * count}
    figure = charts.draw(CardChart("c", "matches", "c", data), looks(names), "name").figure
    [axes] = figure.axes
    assert axes.bbox.width / count >= 0.5 * figure.dpi
    assert axes.bbox.height / count >= 0.35 * figure.dpi
    numbers = boxes(text for text in axes.texts if text.get_position()[1] < 0.5)
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(numbers))


def test_an_interval_goes_from_its_low_end_to_its_high_one(monkeypatch):
    """An interval that reaches further down than up is drawn so."""
    reaches = []
    errorbar = Axes.errorbar

    def noted(axes, value, place, xerr, **how):
        reaches.append((value, xerr))
        return errorbar(axes, value, place, xerr=xerr, **how)

    monkeypatch.setattr(Axes, "errorbar", noted)
    data = DATA["forest"] | {"rows": [{"label": "x", "estimate": 0.6, "low": 0.3, "high": 0.7}]}
    charts.draw(CardChart("c", "forest", "c", data, []), looks(BOTS), "name")
    [(value, reach)] = reaches
    assert (value - reach[0][0], value + reach[1][0]) == pytest.approx((0.3, 0.7))


@pytest.mark.parametrize(
    ("kind", "empty"),
    [
        ("forest", {"rows": []}),
        ("grid", {"rows": NAMES, "columns": NAMES, "values": [[None] * 3] * 3, "texts": [[""] * 3] * 3}),
        ("matches", {"rows": NAMES[:1], "parts": [[None]], "clear": [[False]]}),
        ("curve", {"series": []}),
    ],
)
def test_a_chart_without_a_value_is_no_figure(kind, empty):
    assert charts.draw(CardChart("c", kind, "c", empty), looks(BOTS), "name") is None


def test_a_survey_nobody_knows_says_what_there_is(new_study, tmp_path):
    study = new_study(tmp_path / "s")
    rows_of = [{**j.to_json(), "survey": "own_survey"} for j in study.judgements(SURVEY)[:50]]
    checksums.write_jsonl(study.judgements_path("own_survey"), rows_of)
    own = {"tables": {"any": [{"source": HUMAN, "anything": 1}]}, "made_by": {"version": VERSION}}
    checksums.write_json(study.analysis_path("own_survey") / "numbers.json", own)
    page = build_report(study).read_text(encoding="utf-8")
    assert '<section class="chapter" id="survey-own_survey">' in page
    section = page[page.index('id="own_survey-results">') :].split("</details>")[0]
    assert "Analysed: numbers." in section
    assert "surveys/own_survey/analysis" in section
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    # The survey asked for comes first.
    assert build_report(study, "own_survey").read_text(encoding="utf-8").index("own_survey") < page.index("own_survey")


@pytest.mark.parametrize("bots", [1, 2, 6, 7, 20])
@pytest.mark.parametrize("longest", [4, 61])
def test_dots_show_every_contestant_in_every_line(bots, longest):
    names = [Name(f"bot {number}".ljust(longest, "x")) for number in range(bots)]
    groups = [f"behaviour {number} ↓" for number in range(16)]
    rows = [
        {"label": name, "estimate": 0.1, "low": 0.05, "high": 0.2, "group": group} for group in groups for name in names
    ]
    unknown = {"label": names[0], "estimate": None, "low": None, "high": None, "group": "never asked"}
    data = {"rows": [*rows, unknown], "x": "Share of turns", "shares": True}
    text = charts.draw(CardChart("d", "dots", "Shares.", data), looks(names), "d")
    assert text.count('class="told"') == len(rows)
    assert all(group in text for group in groups)
    assert "never asked" not in text
    assert len(re.findall(r"bot \d+x*: 10% \[5%, 20%\]", text)) == len(rows) * (bots <= 6)
    places = [tuple(map(float, (*line.get_xdata(), *line.get_ydata()))) for line in text.figure.axes[0].lines]
    assert len({*places}) == len(rows)  # equal values hide nobody
    assert charts.draw(CardChart("d", "dots", "Shares.", {**data, "rows": [unknown]}), looks(names), "d") is None
