"""The methods paragraph: numbers of the study, nothing that is not on record, citations with their BibTeX entries."""

import re

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.records import Contestant
from parlai_spotbot.report import appendix
from parlai_spotbot.report.appendix import text_formats, write
from parlai_spotbot.report.citations import publications
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import survey_names

SURVEY = "spot_the_bot"


def appendix_of(study):
    return appendix.appendix_of(surveys_of(study))


@pytest.fixture(scope="module")
def texts(study):
    return appendix_of(study)


def test_the_numbers_of_the_study_are_stated_and_nothing_else(texts):
    text = texts["methods.md"]
    assert "We let 4 chatbots (smollm2, minilm, alice and eliza) talk" in text
    assert "24 conversations in 6 pairings, 4 planned for each" in text
    assert "8 conversations between people served as a reference" in text
    assert "5 people gave 192 annotations of" in text
    assert "The automatic judge “spotter”, in 2 variants, gave" in text
    assert "Krippendorff's alpha" in text
    assert text.count("\n\n") == 3  # heading, one paragraph, references
    assert "instructions.md" not in texts
    for name, text in texts.items():
        assert "PLATFORM-ID" not in text
        if name.startswith("methods"):
            assert not re.search(r"(?i)prolific|mechanical turk|USD|consent", text)


def test_a_collection_is_told_as_it_was_set(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=("human",), analyze=False)
    settings = {
        "provider": "prolific",
        "pay": 4.5,
        "currency": "GBP",
        "contact": "jo@example.org",
        "qualifications": {"countries": ["GB", "US"], "approval_rate": None},
    }
    limits = {"units_per_annotator": 3, "minutes_per_unit": 45, "onboarding_attempts": 2, "control_mistakes": 1}
    study.record("crowdsourcing", {SURVEY: {"settings": settings, "limits": limits, "language": "en"}})
    texts = appendix_of(study)
    assert "recruited through Prolific and paid 4.50 GBP for a unit" in texts["methods.md"]
    assert "Practice items" in texts["methods.md"]
    assert "jo@example.org" not in "".join(texts.values())


def test_without_people_none_are_claimed(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=("judge:spotter",), analyze=False)
    texts = appendix_of(study)
    assert not re.search(r"\d people gave", texts["methods.md"])


def test_every_citation_has_its_entry_and_every_entry_is_cited(texts):
    cited = {key for group in re.findall(r"\\citep\{([^}]*)\}", texts["methods.tex"]) for key in group.split(",")}
    entries = re.findall(r"^@\w+\{([^,]+),$", texts["references.bib"], flags=re.M)
    assert cited == set(entries)
    assert len(entries) == len(set(entries)) > 8
    assert cited <= set(publications())
    assert texts["references.bib"].count("{") == texts["references.bib"].count("}")


@pytest.mark.parametrize(
    ("given", "plain", "latex"),
    [
        ("a_b & 5 % of #1 [@holm1979].", "a_b & 5 % of #1 (Holm 1979).", r"a\_b \& 5 \% of \#1~\citep{holm1979}."),
        ("x [@li2017;@no1]", "x [@li2017;@no1]", "x [@li2017;@no1]"),
        ("x [@li2017;@holm1979]", "x (Li et al. 2017, Holm 1979)", r"x~\citep{li2017,holm1979}"),
        (
            r"{\evil} $x^2$ ~ “q”",
            r"{\evil} $x^2$ ~ “q”",
            r"\{\textbackslash{}evil\} \$x\textasciicircum{}2\$ \textasciitilde{} ``q''",
        ),
    ],
)
def test_latex_is_escaped_and_citations_are_turned(given, plain, latex):
    assert text_formats.plain(given) == plain
    assert text_formats.latex(given) == latex


def test_files_are_written_and_the_same_study_gives_the_same_bytes(study, texts):
    folder = study.report_path.parent / "appendix"
    write(folder, texts)
    files_there = [path for path in folder.rglob("*") if path.is_file()]
    assert {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files_there} == texts
    assert appendix_of(study) == texts


@pytest.mark.parametrize("name", survey_names())
def test_every_survey_has_its_texts(name, study, tmp_path):
    """A survey without answers, from its questions alone."""
    own = Study.create(
        tmp_path / "study",
        Plan(
            "convai2",
            {"alice": Contestant("alice", model="spotbot:alice"), "eliza": Contestant("eliza", model="spotbot:eliza")},
            surveys=(name,),
        ),
    )
    checksums.write_jsonl(own.conversations_path, study.conversations())
    texts = appendix_of(own)
    assert "The survey has not been answered yet." in texts["methods.md"]


def test_methods_say_how_the_figures_of_this_study_were_made(new_study, tmp_path):
    study = new_study(tmp_path / "study", sources=("human",))
    path = study.analysis_path(SURVEY) / "ranking.json"
    value = files.read_json(path, "analysis file", "")
    whole = value["tables"]["whole"][0]

    def methods(**change):
        whole.update({"resample": "conversations_workers"} | change)
        checksums.write_json(path, value)
        return appendix_of(study)["methods.md"]

    assert "ties and the order of the two included" in methods(order_effect=0.1)
    assert "the order of the two" not in methods(order_effect=None)
    assert "annotators as crossed clusters" in methods()
    assert "Pustejovsky" in methods()
    assert "as independent." in methods(resample="annotations")
    assert "Pustejovsky" not in methods(resample="annotations")
    for text in appendix_of(study).values():
        assert not re.search(r"None (bootstrap|replicates)|degree of freedom less", text)
