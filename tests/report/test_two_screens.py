"""The two screens and what is behind them: which source leads, tabs, links, choices, print; in a real browser."""

import re
import shutil
from pathlib import Path

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.lead import in_order
from parlai_spotbot.report.page import build_report
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.sealing import sealed

SURVEY = "spot_the_bot"
SMALL = Path(__file__).parents[1] / "goldens" / "studies" / "people"


@pytest.fixture(scope="module")
def page(new_study, tmp_path_factory):
    """The report of people's and a judge's answers, on prompts enough for a plan."""
    return build_report(new_study(tmp_path_factory.mktemp("two screens") / "study", per_pair=12))


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


def test_sections_open_one_at_a_time_by_click_and_link(page, tab):
    opened = tab.locator("details.section[open]")
    assert opened.count() == 0
    tab.locator("#ranking > summary").click()
    assert opened.get_attribute("id") == "ranking"
    tab.evaluate("location.hash = 'survival'")
    tab.locator("#survival .part").first.wait_for()
    assert opened.get_attribute("id") == "survival"
    tab.goto("about:blank")
    tab.goto(f"{page.as_uri()}#survival")
    assert opened.get_attribute("id") == "survival"
    tab.get_by_role("button", name="Open all sections").click()
    assert opened.count() == tab.locator("details.section").count() > 8


def test_the_page_is_short(tmp_path):
    """Words without conversations: on the first screen, before anything is opened, and in all."""
    shutil.copytree(SMALL, tmp_path / "people")
    own = Study.open(tmp_path / "people")
    analyze(own, SURVEY, bootstraps=50)
    text = build_report(own).read_text(encoding="utf-8")
    text = re.sub(r"<(script|style|svg|title|noscript)\b.*?</\1>|<div class=\"turn.*?</div>", "", text, flags=re.S)
    text = re.sub(r"<tfoot.*?</tfoot>|<p id=\"unread\".*?</p>", "", text, flags=re.S)  # axes; what is hidden by scripts

    def words(html):
        """Count what has a letter or a digit: marks and dots are no words."""
        return len([word for word in re.sub(r"<[^>]*>", " ", html).split() if re.search(r"\w", word)])

    header = re.search(r"<header.*?</header>", text, re.S)[0]
    assert words(re.sub(r"<tbody.*?</tbody>", "", header, flags=re.S)) <= 180
    shown = re.sub(r"<details(?! class=\"section\").*?</details>", "", text, flags=re.S)
    shown = re.sub(r"(</summary>).*?(?=<details class=\"section\"|</section>|<section)", r"\1", shown, flags=re.S)
    assert words(shown) <= 1500
    assert words(text) <= 3800


def test_commands_name_the_folder_that_the_page_lies_in(page, tab):
    study = page.parent.parent
    assert "--study DIR" in page.read_text(encoding="utf-8")
    told = tab.locator("header code.command").inner_text()
    assert f"--study '{study}'" in told  # it has a space


def test_a_judge_can_be_left_out(study, tmp_path):
    shutil.copytree(study.path, tmp_path / "s")
    own = Study.open(tmp_path / "s")
    text = build_report(own, without=["spotter"]).read_text(encoding="utf-8")
    assert "This page leaves out the answers of judge spotter." in text
    assert "<h4>Judge spotter" not in text
    assert "<h4>Judge spotter" in build_report(own).read_text(encoding="utf-8")
    with pytest.raises(UserError, match="--without-judge spoter: no such judge answered"):
        build_report(own, without=["spoter"])


def test_where_a_judge_leads_the_answer_says_so_first(new_study, study, tmp_path):
    of_judge = build_report(new_study(tmp_path / "s", sources=("judge:spotter",))).read_text(encoding="utf-8")
    assert re.search('<p class="answer">By judge spotter: [a-z]', of_judge)
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
    checksums.write_jsonl(study.judgements_path("acute_eval"), rows)

    def order(named=False):
        read = surveys_of(study)
        return [own.survey for own in in_order(read, named)]

    assert order() == [SURVEY, "acute_eval"]  # the choices of people are not analysed yet
    assert order(named=True)[0] == SURVEY
    shutil.copytree(study.analysis_path(SURVEY), study.analysis_path("acute_eval"))
    for path in study.analysis_path("acute_eval").glob("*.json"):
        path.write_text(path.read_text().replace('"judge:spotter"', f'"{HUMAN}"'))
    sealed(study.path)
    assert order() == ["acute_eval", SURVEY]
    assert order(named=True)[0] == SURVEY
