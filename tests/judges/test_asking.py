"""What the command spotbot_judge says and asks before it begins, and how far a judge came."""

import io
import json

import chat_servers
import pytest
from chat_servers import ChatServer
from small_study import SURVEY, spot_study

from parlai_spotbot.judges import summary
from parlai_spotbot.judges.run import summary_path
from parlai_spotbot.scripts.spotbot_judge import SpotbotJudge


@pytest.fixture(autouse=True)
def known_fields(monkeypatch):
    monkeypatch.setitem(chat_servers.FIELDS, "response_format", dict)


@pytest.fixture
def study(tmp_path):
    return spot_study(tmp_path / "study")


def answer(body):
    """The first label that may be named."""
    labels = body["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"]
    return json.dumps({"answer": labels[0]})


def judge(study, url, **options):
    given = {"judge_url": url, "judge_model": "parrot-1", "judge_name": "hosted", **options}
    SpotbotJudge.main(study=str(study.path), **given)


def about(study, name="hosted"):
    return json.loads(summary_path(study, SURVEY, name).read_text())


@pytest.mark.parametrize("price", [0.0, 10_000.0])
def test_above_the_threshold_nothing_is_asked_without_a_yes(study, capsys, monkeypatch, price):
    if not price:
        monkeypatch.setattr(summary, "MOST_REQUESTS", 5)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with ChatServer(answer) as server:
        with pytest.raises(SystemExit) as end:
            judge(study, server.url, judge_price_prompt=price)
        assert end.value.code == 2
        assert not server.bodies
        said = capsys.readouterr().err
        assert ("it may cost" if price else "more than 5 requests go to a server") in said
        assert "Add --yes, and run the same command again." in said
        judge(study, server.url, judge_price_prompt=price, yes=True)
        assert server.bodies


@pytest.mark.parametrize(("said", "goes"), [("y", True), ("n", False), ("", False)])
def test_at_a_terminal_it_asks(study, capsys, monkeypatch, said, goes):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal(f"{said}\n"))
    with ChatServer(answer) as server:
        if goes:
            judge(study, server.url, judge_price_prompt=10_000.0)
        else:
            with pytest.raises(SystemExit):
                judge(study, server.url, judge_price_prompt=10_000.0)
        assert bool(server.bodies) is goes
    assert "Go on? [y/N]" in capsys.readouterr().err
