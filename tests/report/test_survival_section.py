"""The section of survival: words under each figure, numbers shown, people as the bound, and older analyses."""

import html
import json
import re

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import build_report


def part(page, anchor):
    return page[page.index(f'<section id="{anchor}">') :].split("</section>")[0]


@pytest.fixture(scope="module")
def page(study):
    return build_report(study).read_text(encoding="utf-8")


def test_survival_is_said_in_words_under_each_figure(study, page):
    own = json.loads((study.analysis_path("spot_the_bot") / "survival.json").read_text())["by_source"]["human"]
    people = html.unescape(part(page, "survival").split('<div class="part judge"')[0])
    curves, forest = people.split("<figure>")[1:3]
    assert f'<p class="plain">{own["sentence"]} {own["pairs_sentence"]}</p>' in curves.split("<figcaption>")[1]
    assert f'<p class="plain">{own["cox_sentence"]}</p>' in forest.split("<figcaption>")[1]
    assert "An association, not a cause" in forest.split("<figcaption>")[1]
    assert 'Computed by native; "unsure" counts as not spotted.' in curves
    for name, curve in own["curves"].items():
        assert curve["sentence"] in people
        assert own["cox_models"][name]["sentence"] in people
    for pair in own["pairs"]:
        assert pair["sentence"] in people
    assert people.index("Curves compared") > people.index('<details class="folded">')


def test_figures_of_survival_show_numbers_shown_and_people_as_the_bound(study, page):
    own = json.loads((study.analysis_path("spot_the_bot") / "survival.json").read_text())["by_source"]["human"]
    curves, forest = re.findall(r"<svg .*?</svg>", part(page, "survival"), flags=re.S)[:2]
    assert "stroke-dasharray" in curves  # people
    assert "Appearances judged at this length" in curves
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", curves)
    for bot in own["curves"]:
        assert texts.count("people" if bot == HUMAN else bot) == 2  # at the curve's end, and at its numbers
    assert texts.count("24") == 4 * 3  # each bot appears in 12 conversations, judged twice at each length
    assert texts.count(str(own["curves"][HUMAN]["n"][0])) >= 3
    assert {"Fluency", "Sensibleness", "Specificity"} <= set(re.findall(r"<text[^>]*>([^<]*)</text>", forest))
    assert "odds ratio" in forest or "hazard ratio" in forest


def edited(new_study, path, change):
    """The survival part of a report of people's answers after `change` of survival.json."""
    study = new_study(path, sources=("human",))
    file = study.analysis_path("spot_the_bot") / "survival.json"
    value = json.loads(file.read_text())
    change(value["by_source"][HUMAN])
    checksums.write_json(file, value)
    return html.unescape(part(build_report(study).read_text(encoding="utf-8"), "survival"))


def test_ratios_without_a_number_are_said_and_drawn(new_study, tmp_path):
    none = {"coef": None, "se": None, "p": None, "p_adjusted": None, "ratio": None, "ci": [None] * 2}
    none |= {"ratio_ci": [None, None]}

    def change(own):
        own["cox_better"] = "po"
        own["cox_po"]["alice"] = {
            "fluency": none | {"why": "perfect", "separated": "sooner"},
            "sensibleness": none | {"why": "the same answer everywhere"},
            "specificity": none | {"coef": 5.0, "ratio": 148.4, "ratio_ci": [2.0, 11000.0]},
        }

    said = edited(new_study, tmp_path / "s", change)
    assert "∞" in said
    assert "148.41" not in said
    assert "1.5e+02 [2.00, over 1000]" in said
    assert "alice, fluency: perfect; alice, sensibleness: the same answer everywhere" in said


def test_survival_of_an_older_version_is_still_shown(new_study, tmp_path):
    def change(own):
        for key in set(own) - {"curves", "pairs", "cox", "backend", "test"}:
            del own[key]
        own["curves"] = {
            name: {key: curve[key] for key in ("exchanges", "survival", "ci")} for name, curve in own["curves"].items()
        }
        own["pairs"] = [
            {k: p[k] for k in ("a", "b", "statistic", "chi2", "df", "p", "p_adjusted")} for p in own["pairs"]
        ]
        own["cox"] = {
            name: {f: {k: fit[k] for k in ("coef", "se", "p")} for f, fit in fits.items()}
            for name, fits in own["cox"].items()
        }

    said = edited(new_study, tmp_path / "s", change)
    assert "Not spotted" in said
    assert "Curves compared" in said
