"""The two screens and what stands behind them: which source leads, tabs, links, choices, print; in a real browser."""

import re
import shutil

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.contents import read_contents, surveys_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import build_report
from parlai_spotbot.report.lead import in_order
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study

SURVEY = "spot_the_bot"


@pytest.fixture(scope="module")
def page(study, tmp_path_factory):
    """The report of people's and a judge's answers, in which "unsure" was analysed in two ways."""
    path = tmp_path_factory.mktemp("two screens") / "study"
    shutil.copytree(study.path, path)
    own = Study.open(path)
    analyze(own, SURVEY, bootstraps=20, backend="native", unsure="half")
    return build_report(own)


@pytest.fixture
def tab(page, chromium):
    context = chromium.new_context(viewport={"width": 1300, "height": 900})
    own = context.new_page()
    own.said = []
    own.on("console", lambda message: own.said.append(message.text))
    own.on("pageerror", lambda error: own.said.append(str(error)))
    own.goto(page.as_uri())
    # A browser skips what is out of sight; what is hidden is told from that.
    own.add_style_tag(content="section { content-visibility: visible !important; }")
    yield own
    context.close()
    assert own.said == []


def opened(tab):
    """The one tab whose panel is shown."""
    panels = tab.locator(".panel")
    shown = [i for i in range(panels.count()) if panels.nth(i).is_visible()]
    selected = tab.locator('#tabs [aria-selected="true"]')
    assert len(shown) == selected.count() == 1
    assert panels.nth(shown[0]).get_attribute("aria-labelledby") == selected.get_attribute("id")
    return selected.inner_text()


def test_tabs_go_by_mouse_key_and_link(tab):
    assert opened(tab) == "Spot The Bot"
    tab.locator("#tabs a", has_text="Bots").click()
    assert opened(tab) == "Bots"
    assert tab.url.endswith("#bots")
    tab.keyboard.press("ArrowRight")
    assert opened(tab) == "The whole study"
    tab.keyboard.press("End")
    assert opened(tab) == "Provenance"
    tab.keyboard.press("ArrowRight")
    assert opened(tab) == "Spot The Bot"
    tab.evaluate("location.hash = 'hygiene'")
    tab.locator("#hygiene").wait_for()
    assert opened(tab) == "The whole study"
    tab.go_back()
    tab.locator("#bot-0").wait_for()
    assert opened(tab) == "Bots"


def test_a_link_into_a_tab_opens_it(page, tab):
    tab.goto("about:blank")
    tab.goto(f"{page.as_uri()}#survival")
    assert opened(tab) == "Spot The Bot"
    assert tab.locator("#survival h2").evaluate("(own) => own.getBoundingClientRect().top") < 200


def test_a_contestant_chosen_once_is_chosen_everywhere(tab):
    chip = tab.locator("header .standing .chip").first
    name = chip.inner_text()
    chip.focus()
    tab.keyboard.press("Enter")
    assert chip.get_attribute("aria-pressed") == "true"
    chosen = tab.locator(".chip.chosen")
    assert chosen.count() > 3
    assert set(chosen.all_text_contents()) == {name}
    css = re.search(r"bot\d", chip.get_attribute("class"))[0]
    lost = tab.evaluate("[...document.body.style].filter((name) => name.startsWith('--bot'))")
    assert lost
    assert f"--{css}" not in lost
    tab.keyboard.press("Enter")
    assert tab.locator(".chip.chosen").count() == 0
    assert tab.evaluate("document.body.style.length") == 0


def test_a_mark_says_its_figures_where_it_is_pointed_at_or_tapped(tab):
    mark = tab.locator("#survival svg .told").first
    said = mark.locator("title").text_content()
    assert re.fullmatch(r".+, \d exchanges: \d+% \[\d+%, \d+%\], n = \d+", said)
    mark.scroll_into_view_if_needed()
    assert not tab.locator(".tip").is_visible()
    mark.locator("use").last.click(force=True)
    assert re.fullmatch(r".+, \d exchanges: .*, n = \d+", tab.locator(".tip").inner_text())
    tab.locator("#survival h2").click()
    assert not tab.locator(".tip").is_visible()


def test_unsure_may_say_something_else_where_that_was_analysed(tab):
    parts = tab.locator("#survival .part")
    half = tab.locator('#survival .part[data-unsure="half"]')
    assert half.count() > 0
    assert not half.first.is_visible()
    tab.locator("#survival .choices button", has_text="half spotted").click()
    assert half.first.is_visible()
    assert not parts.first.is_visible()
    said = tab.locator("#survival > .how").inner_text()  # what wasn't analysed names its command
    assert "--unsure missing" in said
    assert "--unsure half" not in said


def test_the_ranking_can_be_seen_at_one_length(tab):
    main, other = (tab.locator(f'header .view[data-view="{name}"]') for name in ("As ranked", "3 exchanges"))
    assert main.is_visible()
    assert not other.is_visible()
    tab.locator("header .choices button", has_text="3 exchanges").click()
    assert not main.is_visible()
    names = [chip.inner_text() for chip in other.locator("tbody .chip").all()]
    assert sorted(names) == ["alice", "eliza", "minilm", "smollm2"]
    tab.locator("header .choices button", has_text="As ranked").click()
    assert main.is_visible()


def test_answers_of_one_source_can_be_read_alone(tab):
    tab.locator("#tabs ~ .choices button", has_text="Judge spotter").click()
    assert not tab.locator("#ranking .part h3", has_text="People").first.is_visible()
    assert tab.locator("#ranking .part h3", has_text="Judge spotter").first.is_visible()
    tab.locator("#tabs ~ .choices button", has_text="Everybody").click()
    assert tab.locator("#ranking .part h3", has_text="People").first.is_visible()


def test_print_gives_the_two_screens_and_the_rest_on_request(tab):
    tab.emulate_media(media="print")
    assert tab.locator("#answer").is_visible()
    assert tab.locator("#how").is_visible()
    assert not any(own.is_visible() for own in tab.locator(".panel").all())
    tab.emulate_media(media="screen")
    tab.get_by_role("button", name="Show everything").click()
    tab.emulate_media(media="print")
    assert all(own.is_visible() for own in tab.locator(".panel").all())


def test_commands_name_the_folder_that_the_page_lies_in(page, tab):
    study = page.parent.parent
    assert "--study DIR" in page.read_text(encoding="utf-8")
    told = tab.locator("header code.command").inner_text()
    assert f"--study '{study}'" in told  # it has a space


def test_of_a_bot_behind_a_server_it_is_said_what_it_took(study, tmp_path):
    shutil.copytree(study.path, tmp_path / "s")
    own = Study.open(tmp_path / "s")
    used = {"requests": 700, "prompt_tokens": 30_000, "completion_tokens": 4_000, "cost": 0.5, "currency": "USD"}
    about = {
        "alice": {"agent": "a", "usage": used, "earlier": [{"agent": "a", "usage": used}]},
        "eliza": {"agent": "e"},
    }
    own.record("selfplay", {**own.provenance()["selfplay"], "contestants": about})
    text = build_report(own).read_text(encoding="utf-8")
    assert text.count("Its turns took") == 1
    assert "Its turns took 1,400 requests and 68,000 tokens, 1.0000 USD." in text


def test_a_judge_can_be_left_out(study, tmp_path):
    shutil.copytree(study.path, tmp_path / "s")
    own = Study.open(tmp_path / "s")
    text = build_report(own, without=["spotter"]).read_text(encoding="utf-8")
    assert "This page leaves out the answers of judge spotter." in text
    assert "<h3>Judge spotter" not in text
    assert "<h3>Judge spotter" in build_report(own).read_text(encoding="utf-8")
    with pytest.raises(UserError, match="--without-judge spoter: no such judge answered"):
        build_report(own, without=["spoter"])


def test_where_a_judge_leads_the_answer_says_so_first(new_study, study, tmp_path):
    of_judge = build_report(new_study(tmp_path / "s", sources=("judge:spotter",))).read_text(encoding="utf-8")
    assert '<p class="answer">By judge spotter: ' in of_judge
    assert '<p class="answer">By ' not in build_report(study).read_text(encoding="utf-8")


def test_people_lead_whatever_the_survey_and_what_is_empty_stays_away(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=("judge:spotter",), per_pair=2)
    pack_study(study, "dialogue_likert")
    pack_study(study, "acute_eval")
    rows = [
        {"judgement_id": f"{i}", "annotation_id": f"{i}", "survey": "acute_eval", "unit_id": unit.unit_id}
        | {"item_id": item.item_id, "conversation_ids": item.conversation_ids, "exchanges": item.exchanges}
        | {"target": "pair", "question": item.questions[0] if item.questions else "engaging", "answer": "entity:0"}
        | {"worker_id": f"w{i % 3}", "source": HUMAN, "control": item.control}
        for i, unit in enumerate(study.units("acute_eval"))
        for item in unit.items[:1]
    ]
    files.write_jsonl(study.judgements_path("acute_eval"), rows)

    def order(named=False):
        read = [read_contents(study, survey) for survey in surveys_of(study)]
        return [own.survey for own in in_order(read, named)]

    assert order() == [SURVEY, "acute_eval"]  # the choices of people are not analysed yet
    assert order(named=True)[0] == SURVEY
    shutil.copytree(study.analysis_path(SURVEY), study.analysis_path("acute_eval"))
    for path in study.analysis_path("acute_eval").glob("*.json"):
        path.write_text(path.read_text().replace('"judge:spotter"', f'"{HUMAN}"'))
        checksums.forget(path)
    assert order() == ["acute_eval", SURVEY]
    assert order(named=True)[0] == SURVEY
