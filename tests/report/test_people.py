"""The sections of annotators, time, order and stability: what they show, and that older analyses are still shown."""

import html
import json
import re

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.spotting import stability
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import build_report

OLD = {
    "segments": ("segments",),
    "agreement": ("both_given_one", "krippendorff_alpha"),
    "annotators": ("annotators", "summary"),
    "time": ("n", "median", "mean", "quantiles", "median_by_length", "hours", "cost"),
}


def part(page, anchor):
    found = page[page.index(f'<section id="{anchor}">') :].split("</section>")[0]
    return html.unescape(found).split('<div class="part judge"')[0]


def own(study, stem):
    return json.loads((study.analysis_path("spot_the_bot") / f"{stem}.json").read_text())["by_source"][HUMAN]


def change(study, stem, edit):
    path = study.analysis_path("spot_the_bot") / f"{stem}.json"
    value = json.loads(path.read_text())
    edit(value["by_source"][HUMAN])
    checksums.write_json(path, value)


@pytest.fixture(scope="module")
def page(study):
    return build_report(study).read_text(encoding="utf-8")


def test_every_section_has_its_sentence(study, page):
    for anchor in ("ranking", "wins", "survival", "features", "segments", "agreement", "annotators", "time"):
        assert re.search(r'<p class="plain">[^<]{40,}</p>', part(page, anchor)), anchor
    annotators = part(page, "annotators")
    assert own(study, "annotators")["pooled"]["sentence"] in annotators
    assert own(study, "agreement")["labelled_alike"][0]["sentence"] in part(page, "agreement")


def test_every_annotator_is_a_mark_with_its_number(study, page):
    drawing = part(page, "annotators").split("</svg>")[0]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawing)
    found = own(study, "annotators")["annotators"]
    assert len(found) == 5
    assert all(str(i + 1) in texts for i in range(5))
    assert "PLATFORM-ID" not in page


def test_flagged_annotators_are_hollow(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=("human",))

    def flag(flags):
        def edit(value):
            for entry in value["annotators"].values():
                entry["flags"] = flags

        change(study, "annotators", edit)
        drawing = part(build_report(study).read_text(encoding="utf-8"), "annotators").split("</svg>")[0]
        return drawing.count("fill-opacity: 0")

    assert flag(["too fast"]) > flag([])


def test_ranking_stands_beside_those_without_flagged_annotations(study, page):
    said = part(page, "annotators")
    found = own(study, "annotators")
    assert "The ranking without flagged annotations" in said
    rate, ci = (found["without"]["raw"][key]["smollm2"] for key in ("win_rate", "win_rate_ci"))
    assert f"{rate:.0%} [{ci[0]:.0%}, {ci[1]:.0%}] · 1" in said


def test_place_and_texts_have_tables(study, page):
    said = part(page, "order")
    for title in ("The place in the conversation", "Who opened", "Repeated turns"):
        assert title in said
    bots = own(study, "order")["position"]["conversations"][0]
    assert f"<td>{bots['human_0']:.0%}</td>" in said


def test_stability_is_shown_once_it_is_computed_and_else_how_to(new_study, only, tmp_path, monkeypatch):
    study = new_study(tmp_path / "s", sources=("human",), bots=("smollm2", "alice", "eliza"))
    assert '<section id="stability">' not in build_report(study).read_text(encoding="utf-8")
    monkeypatch.setattr(stability, "REPETITIONS", {"model": 20, "paper": 20})
    only("ranking", "stability")
    found = analyze(study, stability=True, bootstraps=20, seed=1)["stability"]
    said = part(build_report(study).read_text(encoding="utf-8"), "stability")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", said.split("</svg>")[0])
    assert {"without smollm2", "without alice", "without eliza", "all bots", "the paper's way"} <= set(texts)
    whole = found["by_source"][HUMAN]["whole"]
    assert f'<p class="plain">{whole["sentence"]}' in html.unescape(said)
    checksums.write_json(
        study.analysis_path("spot_the_bot") / "stability.json", {"by_source": {HUMAN: {"why": "no match at all"}}}
    )
    assert "no match at all" in part(build_report(study).read_text(encoding="utf-8"), "stability")


def test_older_analyses_are_still_shown(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=("human",))
    for stem, keys in OLD.items():
        change(study, stem, lambda value, keys=keys: [value.pop(key) for key in set(value) - set(keys)])
    fields = ("n", "correct", "balanced_accuracy", "sensitivity", "bias", "median_seconds", "flags")

    def thin(value):
        value["annotators"] = {w: {k: e[k] for k in fields} for w, e in value["annotators"].items()}

    change(study, "annotators", thin)
    change(study, "ranking", lambda value: [value.pop(key) for key in ("human_share_ci", "bootstrap")])
    (study.analysis_path("spot_the_bot") / "order.json").unlink()
    page = build_report(study).read_text(encoding="utf-8")
    assert "<svg" in part(page, "annotators")
    assert "An annotation took" in part(page, "time")
    assert "<svg" not in part(page, "time")
    assert "(no interval)" in part(page, "segments")
    assert '<section id="order">' not in page


def test_without_people_to_judge_there_is_no_sensitivity_and_it_says_so(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=("human",), people=0)
    said = part(build_report(study).read_text(encoding="utf-8"), "annotators")
    assert "<svg" not in said
    assert "Nobody judged both bots and people, so nothing is known of sensitivity and bias." in said


def test_overlap_with_training_data_is_said(new_study, tmp_path):
    study = new_study(tmp_path / "s", sources=(HUMAN,))
    said = "3 of 90 conversations hold an exchange of the data that the bots know; turns that stand there: bot0 0%."
    change(study, "order", lambda own: own.update(training_overlap={"sentence": said}))
    assert said in part(build_report(study).read_text(encoding="utf-8"), "order")
    change(study, "order", lambda own: own.update(training_overlap={"why": "not played here"}))
    assert "hold an exchange" not in part(build_report(study).read_text(encoding="utf-8"), "order")
