"""What the command spotbot_judge says and asks before it begins, and how far a judge came."""

import pytest

from parlai_spotbot.judges import summary
from parlai_spotbot.scripts.spotbot_judge import SpotbotJudge
from tests.agents.chat_servers import ChatServer, answers_to
from tests.judges.small_study import spot_study


@pytest.fixture
def study(tmp_path):
    return spot_study(tmp_path / "study")


def judge(study, url, **options):
    given = {"judge_url": url, "judge_model": "parrot-1", "judge_name": "hosted", **options}
    SpotbotJudge.main(study=str(study.path), **given)


@pytest.mark.parametrize("price", [0.0, 10_000.0])
def test_above_the_threshold_nothing_is_asked_without_a_yes(study, capsys, monkeypatch, price):
    if not price:
        monkeypatch.setattr(summary, "MOST_REQUESTS", 5)
    with ChatServer(answers_to) as server:
        with pytest.raises(SystemExit) as end:
            judge(study, server.url, judge_price_prompt=price)
        assert end.value.code == 2
        assert not server.bodies
        said = capsys.readouterr().err
        assert ("it may cost" if price else "more than 5 requests go to a server") in said
        assert "Add --yes to allow it" in said
        judge(study, server.url, judge_price_prompt=price, yes=True)
        assert server.bodies
