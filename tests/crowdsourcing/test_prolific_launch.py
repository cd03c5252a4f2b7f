"""A study on Prolific as its operator runs it, with a key server on loopback: invented people get nothing."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from tests.crowdsourcing.people import SURVEY, Annotator, Launch, known_of, make_study
from tests.crowdsourcing.prolific_keys import (
    ADDRESS,
    OTHER_PID,
    OTHER_SESSION,
    PID,
    SESSION,
    STUDY,
    KeyServer,
    claims,
    token,
)

SETTINGS = f"provider: prolific\npay: 1\ncompletion_code: D0NE\nprolific_study: {STUDY}\n"


class ProlificLaunch(Launch):
    """Real but for where Prolific's keys are."""

    keys = ""

    def _arguments(self):
        start = (
            "from parlai_spotbot.crowdsourcing.platforms.prolific import SignedUrls as S; import time; "
            f"S.__init__.__defaults__ = ({self.keys!r}, time.time); "
            "from parlai_spotbot.scripts.main import main; main()"
        )
        return ["-c", start, "crowdsource", "--study", str(self.study.path), "--survey", self.survey]


@pytest.fixture
def keys():
    server = KeyServer("first")
    yield server
    server.close()


def test_only_whom_prolific_signed_for_gets_a_unit_and_the_code(tmp_path, keys, monkeypatch):
    """Ten invented ids took all units and the completion code, once."""
    study = make_study(tmp_path / "study")
    (tmp_path / "pay.yaml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.setattr(ProlificLaunch, "keys", keys.url)
    with ProlificLaunch(study, "--config", str(tmp_path / "pay.yaml"), "--url", ADDRESS, "--live") as started:
        base = started.ready()
        (link,) = [line.strip() for line in started.lines if "PROLIFIC_PID={{%PROLIFIC_PID%}}" in line]
        ours = parse_qs(urlsplit(link).query)["study"][0]

        def page_of(participant, session, signed=None):
            said = {"PROLIFIC_PID": participant, "STUDY_ID": STUDY, "SESSION_ID": session}
            signed = {"prolific_token": signed} if signed else {}
            return f"{base}/?{urlencode({'study': ours, **said, **signed})}"

        for number in range(10):
            participant, session = f"{number:024x}", f"{number + 100:024x}"
            for signed in (None, token(claims(participant, session), key="evil", kid="first"), token()):
                with pytest.raises(AssertionError, match="403"):
                    Annotator(page_of(participant, session, signed), {})
        session = Annotator(page_of(PID, SESSION, token()), known_of(study)).work()
        assert session["finish"]["code"] == "D0NE"
        Annotator(page_of(OTHER_PID, OTHER_SESSION, token(claims(OTHER_PID, OTHER_SESSION))), known_of(study)).work()
        assert "its links must be signed" in started.said
        assert started.stop() == 0
    with Ledger(CollectionPaths(study, SURVEY).ledger) as ledger:
        assert {handout.worker for handout in ledger.handouts()} == {PID, OTHER_PID}
    assert collect(study, SURVEY).units == 2
    assert study.provenance()["crowdsourcing"][SURVEY]["ids"] == "signed by the platform"
