"""What the reader is given: every conversation once, texts once, outcomes and disagreement by the answers."""

import json
import re

import pytest

from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.contents import read_contents
from parlai_spotbot.records import HUMAN, Conversation, Judgement, Turn
from parlai_spotbot.report import citations, reader_data
from parlai_spotbot.report.disagreement import differ, disagreements, most_frequent
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.surveys import survey_names


def judgement(answer, question="nature", target="entity:0", source=HUMAN, ids=("c",), who="w", exchanges=2):
    name = f"{source}/{who}"
    return Judgement(
        f"{name}/{question}/{target}", name, "s", "u", "i", ids, exchanges, target, question, answer, who, source
    )


def conversation(entities, name="c"):
    return Conversation(
        name, "chitchat", tuple(sorted(entities)), 0, entities, tuple(Turn(e, "hi") for e in entities * 3)
    )


@pytest.mark.parametrize(
    ("natures", "entities", "expected"),
    [
        (("human", "bot"), ("a", "b"), (reader_data.WON, reader_data.LOST)),
        (("bot", "unsure"), ("a", "b"), (reader_data.LOST, reader_data.WON)),
        (("unsure", "unsure"), ("a", "b"), (reader_data.TIED, reader_data.TIED)),
        (("human", "bot"), (HUMAN, HUMAN), (0, 0)),  # people play no matches
    ],
)
def test_the_more_human_entity_wins(natures, entities, expected):
    own = [judgement(answer, target=f"entity:{i}") for i, answer in enumerate(natures)]
    assert reader_data.outcome(own, conversation(entities), 0, -1, lambda j: True) == expected


def test_of_two_conversations_the_one_that_was_chosen_wins_for_who_is_judged():
    own = [judgement("conversation:1", "engagingness", "pair", ids=("c", "d"))]
    own.append(judgement("because", "reason", "pair", ids=("c", "d")))
    closed = lambda j: j.question != "reason"  # noqa: E731
    assert reader_data.outcome(own, conversation(("a", "b")), 1, 0, closed) == (reader_data.WON, 0)
    assert reader_data.outcome(own, conversation(("a", "b")), 0, 1, closed) == (0, reader_data.LOST)
    assert reader_data.outcome(own, conversation(("a", HUMAN)), 0, -1, closed) == (reader_data.LOST, 0)
    neither = [judgement("neither", "quality", "pair", ids=("c", "d"))]
    assert reader_data.outcome(neither, conversation(("a", "a")), 0, -1, closed) == (reader_data.TIED, reader_data.TIED)


def test_answers_differ_at_all_but_ratings_by_two_steps():
    assert differ(["human", "bot"])
    assert not differ(["human", "human"])
    assert not differ(["3", "4"])
    assert differ(["2", "3", "4"])
    assert most_frequent(["a", "b", "b"]) == "b"
    assert most_frequent(["a", "b"]) is None


def test_disagreement_of_people_and_of_judges_with_people():
    rows = [judgement("human", who="1"), judgement("bot", who="2"), judgement("bot", who="3")]
    rows += [judgement("x", "fluency", "pair", who="1"), judgement("x", "fluency", "pair", who="2")]
    rows += [
        judgement("human", source="judge:j", who="v"),
        judgement("x", "fluency", "pair", source="judge:j", who="v"),
    ]
    found = disagreements(rows, lambda j: True)["c"]
    assert (found.people, found.judges, found.share) == (1, 1, 50)
    assert (found.people_same, found.judges_same) == (1, 1)
    alone = disagreements(rows[:1], lambda j: True)["c"]
    assert (alone.people, alone.judges, alone.share) == (-1, -1, -1)
    assert disagreements(rows, lambda j: False) == {}


def test_the_data_end_no_script_and_come_back_as_they_were():
    value = {"a": "</script><!-- \u2028 \ud800 & é"}
    written = reader_data.as_data(value)
    assert "<" not in written
    written.encode("utf-8")  # no lone surrogate is left
    assert json.loads(written) == value


def test_every_conversation_and_judgement_is_there_and_texts_stand_once(study):
    contents = read_contents(study, "spot_the_bot")
    data = reader_data.collect([SurveyView(contents)], {"spot_the_bot": "Spot The Bot"})
    assert [row[0] for row in data["conversations"]] == [c.conversation_id for c in contents.conversations]
    assert len(set(data["texts"])) == len(data["texts"])
    for row, own in zip(data["conversations"], contents.conversations, strict=True):
        assert tuple(data["texts"][i] for i in row[3]) == tuple(t.text for t in own.turns)
    answers = sum(len(told[-1]) for row in data["conversations"] for told in row[8])
    assert answers == len(contents.judgements)
    assert "PLATFORM-ID" not in reader_data.as_data(data)
    assert [source for source, _ in data["sources"]] == ["People", "Judge spotter"]
    assert data["sources"][1][1]
    assert not data["sources"][0][1]


def test_works_are_cited_and_written_as_bibtex():
    findings = [own for survey in survey_names() for own in findings_of(survey)]
    cited = {key for own in findings for table in own.tables.values() for key in table.cite}
    assert len(cited) > 20
    assert cited <= set(citations.publications())
    assert citations.short("deriu2020") == "Deriu et al. 2020"
    assert citations.short("cameron2011") == "Cameron et al. 2011"
    assert citations.short("clopper1934") == "Clopper & Pearson 1934"
    assert citations.short("somebody1999") == "somebody1999"  # of a survey that somebody adds
    found = citations.used([("holm1979", "deriu2020"), ("holm1979",), ("mine",)])
    assert [work.key for work in found] == ["deriu2020", "holm1979", "mine"]
    assert found[1].said == (
        "Holm S (1979): A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics, "
        "6(2), 65–70."
    )
    for key, work in citations.publications().items():
        assert re.match(rf"@\w+\{{{key},\n", work.bibtex)
        assert work.bibtex.count("{") == work.bibtex.count("}")
        assert not re.search(r"(?<!\\)[&%#]", work.bibtex.replace(work.doi, ""))
        assert "\\" not in work.said
