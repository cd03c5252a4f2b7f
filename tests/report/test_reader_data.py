"""What the reader is given: every conversation and judgement once, texts once."""

import base64
import json
import re
import zlib

from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.report import citations, reader_data
from parlai_spotbot.report.appendix import text_formats
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.surveys import get_survey, survey_names


def read_back(written):
    return json.loads(zlib.decompress(base64.b64decode(written)))


def test_the_data_end_no_script_and_come_back_as_they_were():
    value = {"a": "</script><!-- \u2028 \ud800 & é"}
    written = reader_data.as_data(value)
    assert written.isascii()
    assert "<" not in written
    assert read_back(written) == value


def test_every_conversation_and_judgement_is_there_and_texts_stand_once(study):
    contents = load(study, "spot_the_bot")
    data = reader_data.collect([SurveyView(contents)])
    assert [row[0] for row in data["conversations"]] == [c.conversation_id for c in contents.conversations]
    assert len(set(data["texts"])) == len(data["texts"])
    for row, own in zip(data["conversations"], contents.conversations, strict=True):
        assert tuple(data["texts"][i] for i in row[3]) == tuple(t.text for t in own.turns)
    answers = sum(len(told[-1]) for row in data["conversations"] for told in row[7])
    assert answers == len(contents.judgements)
    assert "PLATFORM-ID" not in json.dumps(data)
    assert [source for source, _ in data["sources"]] == ["People", "Judge spotter"]
    assert data["sources"][1][1]
    assert not data["sources"][0][1]


def test_of_a_long_turn_the_beginning_is_there(new_study, tmp_path):
    study = new_study(tmp_path / "s", text="on and on " * 40_000, analyze=False)
    data = reader_data.collect([SurveyView(load(study, "spot_the_bot"))])
    longest = max(data["texts"], key=len)
    assert reader_data.MOST < len(longest) < reader_data.MOST + 100
    assert longest.startswith("on and on on and on")
    assert longest.endswith("… (400,000 characters, all in conversations.jsonl)")


def test_works_are_cited_and_written_as_bibtex():
    findings = [own for survey in survey_names() for own in findings_of(get_survey(survey))]
    cited = {key for own in findings for table in own.tables.values() for key in table.cite}
    assert len(cited) > 20
    assert cited <= set(citations.publications())
    assert citations.short("deriu2020") == "Deriu et al. 2020"
    assert citations.short("cameron2011") == "Cameron et al. 2011"
    assert citations.short("clopper1934") == "Clopper & Pearson 1934"
    assert citations.short("somebody1999") == "somebody1999"  # of a survey that somebody adds
    found = citations.used([("holm1979", "deriu2020"), ("holm1979",), ("mine",)])
    assert [work.key for work in found] == ["deriu2020", "holm1979"]
    template = text_formats.environment().get_template("references.jinja")
    assert template.render(works=found[1:]) == (
        "- Holm S (1979): A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics, "
        "6(2), 65–70.\n"
    )
    for key, work in citations.publications().items():
        assert re.match(rf"@\w+\{{{key},\n", work.bibtex)
        assert work.bibtex.count("{") == work.bibtex.count("}")
        assert not re.search(r"(?<!\\)[&%#]", work.bibtex.replace(work.fields.get("doi", ""), ""))
        assert "\\" not in template.render(works=[work])
