"""A user's own survey, from a file anywhere: kept by the study, known by its name from then on."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.main import main
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, own_surveys, study_survey, survey_names, survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.spot_the_bot import SURVEY as SPOT
from tests.case_tables import case_table
from tests.in_process import spotbot

ROOM = Path(own_surveys.__file__).parent
README = (ROOM / "README.md").read_text(encoding="utf-8")
MEMORABLE, POLITE, WORDINGS = (
    re.sub(r"(?m)^    ", "", re.search(rf"    # {name}.yaml\n(.*?)\n\n", README, re.S)[1])
    for name in ("my_survey", "polite", "wordings")
)


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.yaml"):
        path = tmp_path / "elsewhere" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def pack(study, survey):
    main(["pack", "--study", str(study.path), "--survey", str(survey), "--quiet"])


def refused(study, survey, capsys) -> str:
    def content():
        paths = (path for path in study.path.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in paths if path.name not in (".lock", "manifest.json")}

    before = content()
    with pytest.raises(SystemExit) as end:
        pack(study, survey)
    assert end.value.code == 2
    assert content() == before
    assert not (study.path / "surveys").exists() or before
    return capsys.readouterr().err


def test_a_survey_over_a_base_has_its_texts_and_asks_more(study, written):
    pack(study, written(POLITE))
    survey = survey_of(study.load("spot_the_polite_bot"))
    assert features_of(survey) == (*features_of(SPOT), "politeness")
    assert "compare the two (Fluency, Sensibleness, Specificity, Politeness)" in survey.instructions
    assert (survey.consent, survey.limits, survey.about.title) == (SPOT.consent, SPOT.limits, "Spot the polite bot")
    talk = own_surveys.read_survey(written(WORDINGS))
    assert [q.name for q in talk.questions][-3:] == ["longer", "again", "reason"]
    assert talk.question("reason").after[-2:] == ("longer", "again")


def test_the_study_keeps_it_and_knows_it_by_its_name_wherever_it_goes(study, written, tmp_path):
    source = written(MEMORABLE)
    pack(study, source)
    assert study.provenance()["own_surveys"]["memorable"]["file"] == str(source)
    units = study.units_path("memorable").read_bytes()
    source.unlink()
    assert "memorable" in survey_names(study)
    assert study_survey(study.load("memorable")).questions[0].name == "memory"
    pack(study, "memorable")
    assert study.units_path("memorable").read_bytes() == units
    moved = shutil.move(study.path, tmp_path / "moved")
    code = (
        "import sys; from parlai_spotbot.study import Study; from parlai_spotbot.surveys import survey_of\n"
        "print(survey_of(Study.open(sys.argv[1]).load('memorable')).question('memory').wording)"
    )
    told = subprocess.run([sys.executable, "-c", code, moved], capture_output=True, text=True, check=True, cwd="/")
    assert told.stdout == "Which speaker will you still remember tomorrow?\n"


def test_it_is_answered_analysed_told_and_published(study, written, tmp_path):
    pack(study, written(MEMORABLE))
    rows = [
        {
            **{"judgement_id": f"{worker}/{item.item_id}", "annotation_id": f"{worker}/{item.item_id}"},
            **{"survey": "memorable", "unit_id": unit.unit_id, "item_id": item.item_id, "target": "pair"},
            **{"conversation_ids": list(item.conversation_ids), "exchanges": item.exchanges, "question": "memory"},
            **{"answer": f"conversation:{(number + worker) % 2}", "worker_id": f"w{worker}", "source": "human"},
        }
        for unit in study.units("memorable")
        for number, item in enumerate(unit.items)
        for worker in range(3)
    ]
    checksums.write_jsonl(study.judgements_path("memorable"), rows)
    name = ["--study", str(study.path), "--survey", "memorable"]
    main(["analyze", *name, "--bootstraps", "20", "--quiet"])
    main(["report", *name, "--quiet"])
    main(["report", *name[:2], "--export", str(tmp_path / "copy"), "--quiet"])
    assert "which of two bots is remembered?" in (study.path / "report" / "index.html").read_text(encoding="utf-8")
    copy = Study.open(next((tmp_path / "copy").rglob("study.yaml")).parent)
    assert survey_of(copy.load("memorable")).about.findings == ("choices",)
    assert "elsewhere" not in (copy.path / "provenance.json").read_text(encoding="utf-8")


def test_a_tournament_says_what_is_wrong_with_the_file_before_anything_is_played(written, tmp_path):
    source = written(MEMORABLE.replace("findings: [choices]", "findings: [choises]"))
    _, err = spotbot("tournament", "--study", tmp_path / "study", "--pool", "rules", "--survey", source, code=2)
    assert str(source) in err
    assert "choices" in err
    assert not (tmp_path / "study").exists()


@case_table(__file__, "refused")
def test_a_wrong_file_is_named_and_nothing_is_written(study, written, capsys, change, error):
    row = own_surveys.to_data(own_surveys.read_survey(written(MEMORABLE))) | change
    assert error in refused(study, written(yaml.safe_dump(row)), capsys)


def test_what_is_not_there_and_what_is_not_packed_is_said(study, written, capsys, tmp_path):
    assert "gone.yaml: no such file" in refused(study, tmp_path / "gone.yaml", capsys)
    with pytest.raises(SystemExit):
        main(["judge", "--study", str(study.path), "--survey", str(written(MEMORABLE)), "--judges", "spotter"])
    assert "Pack it (spotbot_pack --survey" in capsys.readouterr().err


def test_a_survey_that_has_answers_stays_as_it_is(study, written, capsys):
    pack(study, written(MEMORABLE))
    pack(study, written(MEMORABLE.replace("tomorrow?", "next week?")))
    assert "next week" in survey_of(study.load("memorable")).question("memory").wording
    checksums.write_text(study.judgements_path("memorable"), "")
    assert "differs from the one that" in refused(study, written(MEMORABLE), capsys)


def test_two_studies_have_surveys_of_one_name_and_a_changed_copy_is_said(study, written, tmp_path):
    pack(study, written(MEMORABLE))
    other = shutil.copytree(study.path, tmp_path / "other")
    assert survey_of(study.load("memorable")) == survey_of(Study.open(other).load("memorable"))
    pack(Study.open(other), written(MEMORABLE.replace("tomorrow?", "next week?")))
    assert "next week" in survey_of(Study.open(other).load("memorable")).question("memory").wording
    assert "tomorrow" in survey_of(study.load("memorable")).question("memory").wording
    with pytest.raises(UserError, match="unknown survey"):
        get_survey("memorable")
    path = study.survey_path("memorable") / own_surveys.FILE
    path.write_text(path.read_text(encoding="utf-8").replace("tomorrow", "on Monday"), encoding="utf-8")
    with pytest.raises(UserError, match="changed since it was written"):
        survey_of(study.load("memorable"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (MEMORABLE, "controls: 2 in each unit, made at launch: people, or bots, beside scripts"),
        (MEMORABLE.rstrip() + "\nlimits: {controls_per_unit: 0}\n", "controls: none, as its limits"),
        (POLITE, "controls: "),
    ],
)
def test_packing_says_which_controls_it_gets(study, written, text, says):
    out, _ = spotbot("pack", "--study", study.path, "--survey", written(text), code=0)
    assert says in out
