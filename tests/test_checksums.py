"""A change in a study's files is noticed on reading; a kill at any moment of writing is no change."""

import os
import random
import shutil

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from tests.study_mutations import CONTENT

ROWS = [{"row": number, "text": f"this is row {number}"} for number in range(8)]


@pytest.fixture
def path(tmp_path):
    """Eight rows: three at once, then one after the other."""
    (tmp_path / "study.yaml").write_text("domain: x")
    path = tmp_path / "rows.jsonl"
    with checksums.RecordedJournal(path) as journal:
        journal.append(*ROWS[:3])
        for row in ROWS[3:]:
            journal.append(row)
    return path


def read(path):
    return checksums.read_jsonl(path, lambda row, where: row, torn_tail=True)


def test_what_was_written_is_read_also_in_a_copy_of_the_folder(path, tmp_path, tmp_path_factory):
    assert read(path) == ROWS
    checksums.write_jsonl(path, ROWS[2:])
    assert read(path) == ROWS[2:]
    with checksums.RecordedJournal(path) as journal:
        journal.append(ROWS[0])
    assert read(path) == [*ROWS[2:], ROWS[0]]
    assert sorted(p.name for p in tmp_path.iterdir()) == [".manifest.lock", "manifest.json", "rows.jsonl", "study.yaml"]
    copy = shutil.copytree(tmp_path, tmp_path_factory.mktemp("copy") / "study") / path.name
    assert len(read(copy)) == 7
    copy.write_bytes(copy.read_bytes()[:-9])
    with pytest.raises(UserError, match="changed since it was written"):
        read(copy)


@pytest.mark.parametrize("how", ["cut", "empty", "line gone", "line twice", "lines swapped", "value"])
def test_a_change_is_an_error(path, how):
    path.write_bytes(CONTENT[how](path.read_bytes(), random.Random(1)))
    for ask in (read, checksums.RecordedJournal, checksums.verify):
        with pytest.raises(UserError, match=r"rows.jsonl: changed since it was written: .*\(manifest.json\)") as caught:
            ask(path)
    assert caught.value.remedy.endswith(f"spotbot_check --study {path.parent} --new-manifest")


def test_only_what_an_open_journal_writes_may_be_longer(path):
    with checksums.RecordedJournal(path):
        path.write_text(path.read_text() + '{"row": 8}\n')
        assert read(path) == [*ROWS, {"row": 8}]
    assert len(read(path)) == 9
    for write in (lambda: None, lambda: checksums.write_jsonl(path, ROWS)):
        write()
        path.write_text(path.read_text() + '{"row": 9}\n')
        with pytest.raises(UserError, match=r"changed since it was written: (310|299) bytes, (299|288) were written"):
            read(path)


def test_a_file_without_a_record_is_read_and_gets_one(path):
    old = path.with_name("old.jsonl")
    files.write_jsonl(old, ROWS[1:])
    assert read(old) == ROWS[1:]
    with checksums.RecordedJournal(old) as journal:
        journal.append(ROWS[0])
    old.write_bytes(old.read_bytes()[:-50])
    with pytest.raises(UserError, match="changed since it was written"):
        read(old)
    checksums.remove(old)
    assert checksums.read_journal(old, dict) == []


def states_of(folder, do, monkeypatch):
    """What lies in the folder before and after each rename while `do` runs, and at the end."""
    states, replace = [], os.replace

    def kept():
        states.append({p.name: p.read_bytes() for p in folder.iterdir() if not p.name.endswith(files.UNFINISHED)})

    def noted(*names):
        kept()
        replace(*names)

    monkeypatch.setattr(os, "replace", noted)
    do()
    monkeypatch.undo()
    kept()
    return states


@pytest.mark.parametrize("name", ["rows.jsonl", "new.jsonl"])
def test_a_kill_while_a_file_is_replaced_is_no_damage(path, monkeypatch, name):
    folder, path = path.parent, path.with_name(name)
    before = checksums.read_journal(path, lambda row, where: row)
    states = states_of(folder, lambda: checksums.write_jsonl(path, ROWS[::-1]), monkeypatch)
    assert len(states) == 4
    for state in states:
        for old in folder.iterdir():
            old.unlink()
        for name, content in state.items():
            (folder / name).write_bytes(content)
        found = checksums.read_journal(path, lambda row, where: row)
        assert found in (before, ROWS[::-1])
        checksums.write_json(folder / "other.json", {})
        assert checksums.read_journal(path, lambda row, where: row) == found
        with checksums.RecordedJournal(path) as journal:
            journal.append(ROWS[0])
        checksums.write_jsonl(path, ROWS)
        assert read(path) == ROWS


def test_the_replaced_version_is_accepted_only_until_the_next_write(path):
    checksums.write_jsonl(path, ROWS[2:])
    old = path.read_bytes()
    checksums.write_jsonl(path, ROWS)
    checksums.write_json(path.with_name("other.json"), {})
    path.write_bytes(old)
    with pytest.raises(UserError, match="changed since it was written"):
        read(path)


def test_a_kill_at_any_moment_of_appending_is_no_damage(path):
    whole = path.read_bytes()
    with checksums.RecordedJournal(path) as journal:
        manifest = path.with_name("manifest.json").read_bytes()
        journal.append({"row": 8})
    for cut in range(len(whole), path.stat().st_size + 1):
        data = path.read_bytes()
        path.write_bytes(data[:cut])
        path.with_name("manifest.json").write_bytes(manifest)
        kept = read(path)
        assert kept in (ROWS, [*ROWS, {"row": 8}])
        with checksums.RecordedJournal(path) as journal:
            journal.append(*([{"row": 8}] if kept == ROWS else []))
        assert read(path) == [*ROWS, {"row": 8}]


def test_a_missing_or_spoilt_manifest_is_an_error_where_there_was_one(path):
    manifest = path.with_name("manifest.json")
    checksums.write_json(path.with_name("provenance.json"), {"manifest": 1})
    manifest.write_bytes(b"\x00" * 40)
    with pytest.raises(UserError, match="not a valid JSON manifest"):
        read(path)
    manifest.unlink()
    for ask in (read, checksums.RecordedJournal, lambda path: checksums.write_json(path, [])):
        with pytest.raises(UserError, match=r"manifest\.json: missing, but") as caught:
            ask(path)
    assert "--new-manifest" in caught.value.remedy


def test_a_study_without_a_manifest_gets_one_and_says_so_once(path, capsys):
    path.with_name("manifest.json").unlink()
    path.rename(path.with_name("failures.jsonl"))
    for _ in range(2):
        checksums.write_json(path.with_name("provenance.json"), {})
    assert capsys.readouterr().err.count("had no manifest.json") == 1
    assert set(checksums.read_manifest(path.parent)) == {"study.yaml", "failures.jsonl", "provenance.json"}


def test_a_flipped_bit_never_makes_other_rows(path):
    manifest = path.with_name("manifest.json")
    whole, records, chance, refused = path.read_bytes(), manifest.read_bytes(), random.Random(0), 0
    for turn in range(200):
        spoilt = bytearray(whole if turn % 4 else records)
        place = chance.randrange(8 * len(spoilt))
        spoilt[place // 8] ^= 1 << place % 8
        path.write_bytes(spoilt if turn % 4 else whole)
        manifest.write_bytes(records if turn % 4 else spoilt)
        try:
            assert read(path) == ROWS
        except UserError:
            refused += 1
    assert refused > 150
