"""A ledger that is not what was written: noticed before anything is made of it; backups, and putting one back."""

import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.ledger import backups
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.withdraw import withdraw
from parlai_spotbot.errors import UserError
from tests.crowdsourcing.test_collect import Collection


@pytest.fixture
def collection(tmp_path):
    """Anna and bob have done a unit each and gave a reason; cyd gave hers back, dan has one."""
    made = Collection(tmp_path / "study", bots=3, per_pair=6, people=12)
    made.work("anna", lambda body: {**body, "comment": "fun"})
    made.work("bob")
    made.unit("cyd")
    made.unit("dan")
    return made


def collected(collection):
    """The bytes that collecting from scratch leaves, or the error that it ends with."""
    for path in (collection.study.judgements_path(collection.survey.name), comments(collection)):
        path.unlink(missing_ok=True)
    collection.collect()
    return collection.study.judgements_path(collection.survey.name).read_bytes(), comments(collection).read_bytes()


def comments(collection):
    return collection.study.survey_path(collection.survey.name) / "comments.jsonl"


def after_flips(collection, count, seed):
    """How often of `count` single bits that flipped the same came out, and how often an error."""
    ledger = collection.paths.ledger
    collection.desk.ledger.close()
    whole, right = ledger.read_bytes(), collected(collection)
    chance, same, refused = random.Random(seed), 0, 0
    for _ in range(count):
        place = chance.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        for suffix in ("-wal", "-shm"):
            ledger.with_name(ledger.name + suffix).unlink(missing_ok=True)
        ledger.write_bytes(flipped)
        try:
            now, problem = collected(collection), None
        except UserError as err:
            now, problem = None, err
        if problem is None:
            assert now == right, f"bit {place} made other judgements"
            same += 1
        else:
            assert str(ledger) in problem.problem
            assert "spotbot_check" in problem.remedy
            assert ledger.read_bytes() == flipped
            refused += 1
    return same, refused


def test_a_bit_that_flips_in_the_ledger_is_an_error_or_changes_nothing(collection):
    same, refused = after_flips(collection, 30, seed=0)
    assert refused >= 3
    assert same + refused == 30


@pytest.mark.parametrize("how", ["removed", "replaced", "emptied"])
def test_nothing_is_taken_in_by_a_ledger_that_is_no_more(collection, how):
    """It was said to be handed in, and was in no file."""
    ledger = collection.paths.ledger
    content = ledger.read_bytes()
    if how != "emptied":
        ledger.rename(ledger.with_name("moved"))
    if how != "removed":
        ledger.write_bytes(content if how == "replaced" else b"")
    with pytest.raises(sqlite3.OperationalError, match="was removed, replaced or emptied"):
        collection.work("eve")


def killed(ledger, folder):
    """A copy of a ledger that is open, as a kill leaves it: with its -wal file."""
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(ledger.with_name(ledger.name + suffix), folder / (ledger.name + suffix))
    return folder / ledger.name


def without(wal, chance):
    """One thing wrong with a -wal file."""
    content = bytearray(wal.read_bytes())
    kind = chance.randrange(3)
    if kind == 0:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif kind == 1:
        content = content[: chance.randrange(len(content))]
    if kind == 2:
        wal.unlink()
    else:
        wal.write_bytes(content)


def test_answers_that_were_lost_with_the_wal_file_are_noticed_by_the_backup(collection, tmp_path):
    """SQLite goes on from the last state that it can make out, without a word; so did the collection."""
    kept = backups.back_up(collection.paths)
    chance, lost = random.Random(0), 0
    for number in range(20):
        ledger = killed(collection.paths.ledger, tmp_path / str(number))
        shutil.copytree(kept.parent, ledger.parent / backups.BACKUPS)
        without(ledger.with_name(f"{ledger.name}-wal"), chance)
        try:
            with Ledger(ledger) as opened:
                assert len(list(opened.submissions())) == 2
        except UserError as err:
            said, lost = str(err), lost + 1
    assert lost >= 10
    assert "units, its backup" in said
    assert "--restore" in said


# -- backups -----------------------------------------------------------------------------------------------------------
def test_a_backup_is_made_while_the_desk_works_and_can_be_put_back(collection):
    kept = backups.back_up(collection.paths)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert backups.answers_in(kept) == 2
    collection.work("eve")
    collection.desk.ledger.close()
    whole = collection.paths.ledger.read_bytes()
    collection.paths.ledger.write_bytes(whole[: len(whole) // 2])
    collection.paths.secret.unlink()
    backup, answers = backups.restore(collection.paths)
    assert (backup, answers) == (kept, 2)
    assert collection.collect().units == 2
    [aside] = kept.parent.glob(f"*{backups.ASIDE}")
    assert aside.stat().st_size == len(whole) // 2


def test_a_damaged_ledger_pushes_no_good_backup_out(collection, monkeypatch):
    monkeypatch.setattr(backups, "KEPT", 2)
    clock = backups.Backups(collection.paths)
    good = [backups.back_up(collection.paths) for _ in range(2)]
    collection.desk.ledger.close()
    with closing(sqlite3.connect(collection.paths.ledger, isolation_level=None)) as db:
        db.execute("UPDATE submissions SET body = replace(body, 'fun', 'fund')")
    clock.make()
    assert "not those that were sent" in clock.trouble
    assert backups.backups_of(collection.paths.ledger) == good
    good[-1].write_bytes(b"no database")
    assert backups.restore(collection.paths)[0] == good[0]


# -- the secret --------------------------------------------------------------------------------------------------------
def test_a_lost_secret_is_not_replaced(collection):
    collection.work("eve")
    collection.collect()
    before = files.sha256(collection.study.judgements_path(collection.survey.name))
    collection.paths.secret.unlink()
    for ask in (collection.collect, lambda: withdraw(collection.study, "anna")):
        with pytest.raises(UserError, match="the secret is missing"):
            ask()
    assert not collection.paths.secret.exists()
    assert files.sha256(collection.study.judgements_path(collection.survey.name)) == before
