"""What was lost, doubled or changed in a study's files is named; a change by hand can be accepted, and stays known."""

import json
import os
import random
import shutil
import time

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError

ROWS = [{"row": number, "text": f"this is row {number}"} for number in range(8)]


@pytest.fixture
def path(tmp_path):
    """Eight rows: three at once, then one after the other."""
    (tmp_path / "study.yaml").write_text("domain: x")
    path = tmp_path / "rows.jsonl"
    with checksums.Journal(path) as journal:
        journal.append(*ROWS[:3])
        for row in ROWS[3:]:
            journal.append(row)
    return path


def read(path):
    return checksums.read_jsonl(path, lambda row, where: row, torn_tail=True)


def change(path, how):
    lines = path.read_text().splitlines(keepends=True)
    how(lines)
    path.write_text("".join(lines))


def test_what_was_written_is_read(path, tmp_path):
    assert read(path) == ROWS
    checksums.write_jsonl(path, ROWS[2:])
    assert read(path) == ROWS[2:]
    with checksums.Journal(path) as journal:
        journal.append(ROWS[0])
    assert read(path) == [*ROWS[2:], ROWS[0]]
    assert not checksums.edits(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".rows.jsonl.sums", "rows.jsonl", "study.yaml"]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        (lambda lines: lines.pop(4), "1 line missing before line 5"),
        (lambda lines: lines.pop(), "1 line missing before line 8"),
        (lambda lines: lines.insert(3, lines[2]), "line 4 is there twice"),
        (lambda lines: lines.append(lines[-1]), "line 9 is there twice"),
        (lambda lines: lines.__setitem__(5, lines[5].replace("this", "that")), "line 6 is not what was written"),
        (lambda lines: lines.__setitem__(slice(1, 3), ['{"a": 1}\n', '{"a": 2}\n']), "lines 2 to 3 are not what"),
        (lambda lines: lines.insert(1, '{"a": 1}\n'), "line 2 was put in"),
        (lambda lines: (lines.pop(0), lines.pop(4)), "1 line missing before line 1; 1 line missing before line 5"),
        (lambda lines: lines.__setitem__(slice(0, 2), lines[1::-1]), "missing"),
        (lambda lines: lines.clear(), "8 lines missing before line 1"),
    ],
)
def test_what_differs_is_named_by_its_line(path, how, says):
    change(path, how)
    for ask in (lambda: read(path), lambda: checksums.Journal(path)):
        with pytest.raises(UserError, match=f"rows.jsonl: changed since it was written: .*{says}") as caught:
            ask()
    assert caught.value.remedy.endswith(f"spotbot_check --study {path.parent} --accept")


def test_a_change_by_hand_can_be_accepted_and_stays_known(path):
    change(path, lambda lines: (lines.pop(7), lines.__setitem__(2, '{"mine": 1}\n')))
    assert checksums.accept(path) == "1 line changed or added, 1 line taken out"
    assert read(path)[2] == {"mine": 1}
    with checksums.Journal(path) as journal:
        journal.append(ROWS[7])
    assert checksums.edits(path) == "1 line changed or added, 1 line taken out"
    checksums.write_jsonl(path, [*read(path), {"row": 9}])
    assert checksums.edits(path) == "1 line changed or added, 1 line taken out"
    change(path, lambda lines: lines.pop())
    with pytest.raises(UserError, match="1 line missing"):
        read(path)


def test_rows_that_somebody_appended_are_read_and_named(path):
    change(path, lambda lines: lines.append('{"mine": 1}\n'))
    assert read(path)[-1] == {"mine": 1}
    assert checksums.edits(path) == "1 line added at the end, by hand or before a power cut"
    with checksums.Journal(path) as journal:
        journal.append(ROWS[0])
    assert checksums.edits(path) == "1 line changed or added"


def test_a_file_without_sums_is_read_and_gets_them(tmp_path):
    path = tmp_path / "old.jsonl"
    files.write_jsonl(path, ROWS)
    change(path, lambda lines: lines.pop(3))
    assert len(read(path)) == 7
    with checksums.Journal(path) as journal:
        journal.append(ROWS[3])
    assert not checksums.edits(path)
    change(path, lambda lines: lines.pop(3))
    with pytest.raises(UserError, match="1 line missing before line 4"):
        read(path)


def test_a_kill_at_any_moment_of_appending_is_no_damage(tmp_path):
    """Sums come before rows, so all that a kill can leave is a part of the last append."""
    path = tmp_path / "rows.jsonl"
    with checksums.Journal(path) as journal:
        journal.append(*ROWS[:5])
        before = path.read_bytes(), checksums.sums_path(path).read_bytes()
        journal.append(*ROWS[5:])
    rows, sums = path.read_bytes(), checksums.sums_path(path).read_bytes()
    states = [(before[0], sums[:cut]) for cut in range(len(before[1]), len(sums) - 2)]
    states += [(rows[:cut], sums[:-2]) for cut in range(len(before[0]), len(rows) + 1)]
    for left, known in states:
        path.write_bytes(left)
        checksums.sums_path(path).write_bytes(known)
        kept = read(path)
        assert ROWS[: len(kept)] == kept
        with checksums.Journal(path) as journal:
            journal.append(*ROWS[len(kept) :])
        assert read(path) == ROWS
        assert not checksums.edits(path)


def test_a_kill_while_a_file_is_replaced_is_no_damage(path, monkeypatch):
    moments = []
    replace = os.replace

    def noted(*names):
        moments.append({p: p.read_bytes() for p in path.parent.iterdir() if not p.name.endswith(files.UNFINISHED)})
        replace(*names)

    monkeypatch.setattr(os, "replace", noted)
    checksums.write_jsonl(path, ROWS[::-1])
    monkeypatch.undo()
    assert len(moments) == 3
    for moment in moments:
        for name in path.parent.iterdir():
            name.unlink()
        for name, content in moment.items():
            name.write_bytes(content)
        assert read(path) in (ROWS, ROWS[::-1])
        with checksums.Journal(path) as journal:
            journal.append(ROWS[0])


def test_a_full_disk_takes_the_sums_back(path, monkeypatch):
    with checksums.Journal(path) as journal:
        monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(UserError, match="No space left"):
            journal.append({"row": 9})
        monkeypatch.undo()
        journal.append({"row": 10})
    assert read(path) == [*ROWS, {"row": 10}]
    assert not checksums.edits(path)


def test_an_append_waits_for_the_disk_once(path, monkeypatch):
    waits = []
    with checksums.Journal(path) as journal:
        monkeypatch.setattr(os, "fsync", waits.append)
        journal.append({"row": 9})
    assert len(waits) == 1


def test_spoilt_sums_are_an_error_and_can_be_made_anew(path):
    checksums.sums_path(path).write_bytes(b"\x00" * 40)
    with pytest.raises(UserError, match="not a file of checksums"):
        read(path)
    checksums.accept(path)
    assert read(path) == ROWS


def test_sums_cost_little(tmp_path):
    """Of 16,000 judgements: the processor's time that the sums take, of that which reading takes."""
    from parlai_spotbot.records import Judgement

    shown = {"entity:0": "left", "entity:1": "right", "order": ["nature", "fluency", "sensibleness", "specificity"]}
    made = Judgement("j", "a", "spot_the_bot", "u", "i", ("c",), 3, "pair", "fluency", "entity:0", "w", "human")
    row = {**made.to_json(), "presentation": shown, "started_at": "2026-11-23T02:00:00.000+00:00", "seconds": 21.5}
    row["submitted_at"] = row["started_at"]
    path = tmp_path / "judgements.jsonl"
    checksums.write_jsonl(path, ({**row, "judgement_id": f"{number:016x}"} for number in range(16_000)))
    spent = []
    for reader in (files.read_jsonl, checksums.read_jsonl, files.read_jsonl, checksums.read_jsonl):
        began = time.process_time()
        assert len(reader(path, Judgement.from_json)) == 16_000
        spent.append(time.process_time() - began)
    assert min(spent[1::2]) < 1.15 * min(spent[::2])  # 5 % where nothing else runs


# -- a whole study -----------------------------------------------------------------------------------------------------
def test_a_flipped_bit_or_a_lost_line_of_sums_never_makes_other_rows(path):
    whole, sums = path.read_bytes(), checksums.sums_path(path).read_bytes()
    chance = random.Random(0)
    refused = 0
    for turn in range(200):
        for name, content in ((path, whole), (checksums.sums_path(path), sums)):
            spoilt = bytearray(content)
            if (name == path) == bool(turn % 4):
                place = chance.randrange(8 * len(content))
                spoilt[place // 8] ^= 1 << place % 8
            name.write_bytes(spoilt)
        try:
            rows = read(path)
        except UserError:
            refused += 1
        else:
            assert rows == ROWS or checksums.edits(path)
    assert refused > 150


def test_a_copy_of_the_folder_is_as_good(path, tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy") / "study"
    shutil.copytree(path.parent, copy)
    assert read(copy / path.name) == ROWS
    change(copy / path.name, lambda lines: lines.pop(0))
    with pytest.raises(UserError, match="1 line missing"):
        read(copy / path.name)
    assert json.loads(path.read_text().splitlines()[0]) == ROWS[0]
