"""spotbot check: what is wrong with a study's files is named with its remedy; damage never makes another study."""

import re
import sqlite3
from contextlib import closing

import pytest

from parlai_spotbot.crowdsourcing.ledger import backups
from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.spotbot_check import SpotbotCheck
from parlai_spotbot.study import Study
from tests.crowdsourcing.test_collect import Collection


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A study with answers of two people, collected, a backup of its ledger, and Mephisto's database."""
    made = Collection(tmp_path_factory.mktemp("checked") / "study", bots=3, per_pair=6, people=12)
    made.study.extend(conversations_per_pair=6)
    made.work("anna", lambda body: {**body, "comment": "fun"})
    made.work("bob")
    made.reject("agent-9")
    made.collect()
    backups.back_up(made.paths)
    made.desk.ledger.close()
    return made


@pytest.fixture
def study(made):
    """The study's folder, which is as it was when the test has ended."""
    folder = made.study.path
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    yield folder
    for path in folder.rglob("*"):
        if path.is_file() and path not in before:
            path.unlink()
    for path, content in before.items():
        path.write_bytes(content)


def ran(*words):
    """The exit code of the command."""
    try:
        SpotbotCheck.main(*map(str, words))
    except SystemExit as ended:
        return ended.code
    return 0


def test_a_sound_study_is_said_to_be_so(study, capsys):
    assert ran(study) == 0
    out = capsys.readouterr().out
    assert "all sound" in out
    assert "WRONG" not in out
    assert "ok     surveys/spot_the_bot/judgements.jsonl: 80 rows\n" in out
    assert "ledger.db: 2 units handed in by 2 annotators" in out
    assert "a backup with 2 units handed in" in out
    assert "Mephisto's database" in out
    assert ran("--study", study) == 0


def test_each_damage_is_named_with_its_remedy(study, made, capsys):
    judgements = study / "surveys" / "spot_the_bot" / "judgements.jsonl"
    lines = judgements.read_text().splitlines(keepends=True)
    judgements.write_text("".join(lines[:6] + lines[7:]))
    (study / "history.jsonl").unlink()
    with closing(sqlite3.connect(made.paths.ledger)) as db, db:
        db.execute("UPDATE submissions SET record = replace(record, 'human', 'bot')")
    (made.paths.mephisto / "database.db").write_bytes(b"SQLite format 3\x00" + bytes(4000))
    assert ran(study) == 1
    out = capsys.readouterr().out
    assert re.search(r"history.jsonl: changed since it was written: it is gone", out)
    (study / "history.jsonl").write_text('{"extend": {"conversations_per_pair": 6}}\n')
    assert ran(study) == 1
    out = capsys.readouterr().out
    assert re.search("judgements.jsonl: changed since it was written: .* bytes", out)
    assert "are not those that were sent" in out
    assert "database.db: a damaged database" in out
    assert f"spotbot_check --study {study} --restore" in out
    assert "3 with a problem" in out


def test_a_damaged_ledger_is_restored(study, made, capsys):
    made.paths.ledger.write_bytes(b"")
    assert ran(study, "--restore") == 0
    out = capsys.readouterr().out
    assert ", with 2 units handed in" in out
    assert "spotbot_crowdsource --study" in out
    assert ran(study, "--restore") == 0
    assert "no ledger is damaged" in capsys.readouterr().out
    assert made.collect().units == 2


def test_a_ledger_that_is_gone_is_no_collection_that_never_began(study, made, capsys):
    for suffix in ("", "-wal", "-shm"):
        made.paths.ledger.with_name(made.paths.ledger.name + suffix).unlink(missing_ok=True)
    assert ran(study) == 1
    out = capsys.readouterr().out
    assert "there is no such file, but there are backups of it" in out
    assert f"spotbot_check --study {study} --restore" in out
    with pytest.raises(UserError, match="there are backups of it"):
        made.collect()
    assert ran(study, "--restore") == 0
    assert made.collect().units == 2


@pytest.mark.parametrize("damage", ["", "0" * 64 + " 00000000\n"])
def test_a_lost_or_damaged_secret_comes_back_though_the_ledger_is_sound(study, made, capsys, damage):
    sound = made.paths.secret.read_bytes()
    made.paths.secret.unlink()
    if damage:
        made.paths.secret.write_text(damage)
    assert ran(study) == 1
    assert "spotbot_check --restore" in capsys.readouterr().out
    assert ran(study, "--restore") == 0
    assert "restored from its copy beside the backups" in capsys.readouterr().out
    assert made.paths.secret.read_bytes() == sound
    assert made.paths.secret.stat().st_mode & 0o777 == 0o600
    aside = (made.paths.folder / "backups").glob(f"*{backups.ASIDE}")
    assert [path.read_text() for path in aside] == ([damage] if damage else [])


def test_what_was_changed_by_hand_is_recorded_and_stays_named(study, made, capsys):
    from parlai_spotbot.findings.analyze import analyze
    from parlai_spotbot.report.page import build_report

    path = study / "surveys" / "spot_the_bot" / "judgements.jsonl"
    path.write_text(path.read_text().replace('"answer": "human"', '"answer": "unsure"', 1))
    with pytest.raises(UserError, match="changed since it was written"):
        Study.open(study).judgements("spot_the_bot")
    assert ran(study, "--new-manifest") == 0
    assert "recorded as they are; changed by hand: surveys/spot_the_bot/judgements.jsonl\n" in capsys.readouterr().out
    assert len(Study.open(study).judgements("spot_the_bot")) == 80
    (study / "manifest.json").unlink()
    assert ran(study) == 2
    assert ran(study, "--new-manifest") == 0
    analyze(made.study, "spot_the_bot")
    build_report(made.study)
    words = "Files of this study were changed by hand: surveys/spot_the_bot/judgements.jsonl."
    assert words in made.study.report_path.read_text()
