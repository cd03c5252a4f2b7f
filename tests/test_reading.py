"""What others wrote is read with bounds: a file that is too deep, too long or grows is refused at once, in words."""

import codecs
import csv
import gzip
import io
import json
import os
import re
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from parlai_spotbot import files, reading
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.domains.custom import describe
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import dataset_rows
from parlai_spotbot.judges.specs import read_judges
from parlai_spotbot.projects.spot_the_bot_2020.dump import read_dump
from parlai_spotbot.reading import Malformed, csv_rows, parse_json, parse_yaml, unpacked
from parlai_spotbot.selfplay.pool import read_entries
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.own_surveys import read_survey
from tests.case_tables import cases

ROOT = Path(__file__).parent.parent

DEEP = "[" * 20_000
DEEP_YAML = "[" * 2_000
LONG_NUMBER = '{"a": ' + "7" * 5000 + "}"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
RECURSIVE = "a: &a [1, *a]\n"


@pytest.mark.parametrize(
    ("text", "says"), [(DEEP, "nested too deep"), (LONG_NUMBER, "hundreds of digits"), ("{", "Expecting")]
)
def test_json_is_bounded(text, says):
    with pytest.raises(Malformed, match=says):
        parse_json(text)
    with pytest.raises(Malformed, match=says):
        parse_json(text.encode())


def test_half_a_character_becomes_a_mark_and_a_whole_one_stays(tmp_path):
    assert parse_json(r'{"a\ud83d": ["hi \ud83d", "\ud83d\ude00", "\\ud83d"]}') == {
        "a\ufffd": ["hi \ufffd", "😀", "\\ud83d"]
    }
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "cut \\udc00"}\n')
    rows = files.read_jsonl(path, lambda row, where: row)
    files.write_jsonl(path, rows)
    assert path.read_text() == '{"text": "cut \ufffd"}\n'
    assert parse_yaml(r'a: "\ud83d"') == {"a": "\ufffd"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BOMB, "aliases"),
        (RECURSIVE, "within what it repeats"),
        (DEEP_YAML, "nested too deep"),
        ("a: 2020-99-99", "month must be"),
        ("a: " + "7" * 5000, "digits"),
        ("? [1]\n: 2", "unhashable"),
        ("a: [", "expected"),
        ("a: 1\x00", "not allowed"),
    ],
)
def test_yaml_is_bounded(text, says):
    begun = time.process_time()
    with pytest.raises(Malformed, match=says) as told:
        parse_yaml(text)
    assert len(str(told.value)) < 500
    assert time.process_time() - begun < 20


def test_plain_yaml_is_what_it_was():
    assert parse_yaml("") is None
    assert parse_yaml("a: &x [1, yes, 2020-01-02]\nb: *x")["b"][:2] == [1, True]


READERS = {
    "json": files.read_json,
    "json lines": lambda path: files.read_jsonl(path, dict),
    "import": lambda path: list(dataset_rows(path)),
    "zip": lambda path: read_dump(path, "convai2"),
    "settings": read_settings,
    "own survey": read_survey,
    "pool": lambda path: read_entries(str(path)),
    "judges": read_judges,
    "domain": describe,
    "study": lambda path: Study.open(path.parent),
}


TEXTS = {"bomb": BOMB, "recursive": RECURSIVE, "deep": DEEP_YAML, "long": "a: " + "7" * 5000}


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        pytest.param(reader, text, marks=[pytest.mark.slow] if text == "deep" and reader != "pool" else [])
        for reader in ("pool", "judges", "domain", "study")
        for text in TEXTS
    ],
)
def test_every_file_of_a_user_is_read_so(tmp_path, reader, text):
    path = tmp_path / "study.yaml"
    path.write_text(TEXTS[text])
    with pytest.raises(UserError, match=r"study\.yaml(, line 1)?: not valid YAML") as told:
        READERS[reader](path)
    assert len(str(told.value)) < 1000


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "make",
    [os.mkdir, os.mkfifo, lambda path: path.symlink_to(path), lambda path: path.symlink_to("/dev/zero")],
    ids=["folder", "pipe", "link", "device"],
)
def test_what_may_never_end_is_refused_at_once(tmp_path, reader, make):
    path = tmp_path / "study.yaml"
    make(path)
    says = r"a (folder|pipe, a device or a broken link)|no such file|no study|missing"
    with pytest.raises(UserError, match=says):
        READERS[reader](path)


def test_a_long_flat_yaml_costs_seconds(tmp_path):
    """12 MB took 51 seconds, and 100,000 levels ended the process."""
    path = tmp_path / "study.yaml"
    path.write_text("".join(f"key{n}: value {n}\n" for n in range(520_000)))
    begun = time.process_time()
    with pytest.raises(UserError, match="over 1,000,000 values"):
        read_entries(str(path))
    assert time.process_time() - begun < 10
    path.write_text("[" * 100_000)
    with pytest.raises(UserError, match="too deep"):
        read_entries(str(path))


PLAIN = "model_a,model_b,winner\nx,y,model_a\nx,y,tie\n"
ROWS = [{"model_a": "x", "model_b": "y", "winner": word} for word in ("model_a", "tie")]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
DIALECTS = {
    "semicolon.csv": PLAIN.replace(",", ";").encode(),
    "tab.csv": PLAIN.replace(",", "\t").encode(),
    "bar.txt": PLAIN.replace(",", "|").encode(),
    "excel.csv": b"sep=;\r\n" + PLAIN.replace(",", ";").replace("\n", "\r\n").encode() + b";;\r\n",
    "utf16.csv": PLAIN.encode("utf-16"),
    "utf16le.csv": PLAIN.encode("utf-16-le"),
    "utf16be.csv": PLAIN.encode("utf-16-be"),
    "utf16be.tsv": codecs.BOM_UTF16_BE + PLAIN.replace(",", "\t").encode("utf-16-be"),
    "mark.csv": PLAIN.encode("utf-8-sig"),
    "cr.csv": PLAIN.replace("\n", "\r").encode(),
    "blanks.csv": PLAIN.replace(",", " , ").replace("x", '"x"').encode(),
    "packed.csv.gz": gzip.compress(PLAIN.encode()),
    "packed.jsonl.gz": gzip.compress(LINES.encode()),
    "named.csv": gzip.compress(PLAIN.encode("utf-16")),
    "lines.jsonl": LINES.encode("utf-16"),
    "mark.jsonl": LINES.encode("utf-8-sig"),
    "list.json": json.dumps(ROWS, indent=1).encode("utf-8-sig"),
    "list.json.gz": gzip.compress(json.dumps(ROWS).encode()),
    "no_ending": LINES.encode(),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_dialects_say_the_same(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(DIALECTS[name])
    assert [row for _, row in dataset_rows(path)] == ROWS


WRONG = {
    "cp1252.csv": ("modèle,b\nx,y\n".encode("cp1252"), "byte 0xe8 is not UTF-8; by its language the encoding may be"),
    "cut.csv.gz": (gzip.compress(PLAIN.encode() * 9)[:-12], "can't be unpacked"),
    "no.csv.gz": (b"\x1f\x8b no gzip", "can't be unpacked"),
    "grows.csv.gz": (gzip.compress(b"0" * (1 << 26)), "grows to more than 100 times its packed size"),
    "grows.json.gz": (gzip.compress(b"[" + b"[]," * (1 << 24)), "grows to more than 100 times its packed size"),
    "quote.csv": (b'a,b\nx,"y\nx,y\n', r'a quote \("\) that opens there is never closed'),
    "twice.csv": (b"a,b,a\nx,y,z\n", "the header has the column 'a' twice"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_dialect_explains_is_named(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(WRONG[name][0])
    with pytest.raises(UserError, match=WRONG[name][1]):
        list(dataset_rows(path))


def test_a_long_cell_is_read_and_an_endless_one_refused(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "x" * 200_000 + ",1\n")
    assert [len(row[0]) for _, row in csv_rows(path)] == [1, 200_000]
    monkeypatch.setattr(reading, "MOST_OF_A_CELL", 1000)
    with pytest.raises(Malformed, match="field larger than field limit"):
        list(csv_rows(path))


def test_a_zip_file_that_grows_without_end_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "dump.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for kind in ("sampled", "packed", "annotated"):
            archive.writestr(f"{kind}-dialogues-full-convai2.json", b" " * 3_000_000)
    monkeypatch.setattr(reading, "MOST_UNPACKED", 1 << 20)
    with pytest.raises(UserError, match=r"dump\.zip.*grows to more than 1 MiB"):
        read_dump(path, "convai2")


def test_a_file_in_a_zip_file_is_read_up_to_the_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_UNPACKED", 1 << 20)
    path = tmp_path / "dump.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("just", b" " * (1 << 20))
        archive.writestr("beyond", b" " * ((1 << 20) + 1))
    with zipfile.ZipFile(path) as archive:
        assert len(unpacked(archive, "just")) == 1 << 20
        with pytest.raises(Malformed, match="beyond grows to more than 1 MiB"):
            unpacked(archive, "beyond")


class OneFile:
    """A zip file with one file, whose entry says `size` and which holds `data`."""

    def __init__(self, size: int, data: bytes):
        self.size, self.data = size, data

    def getinfo(self, name):
        entry = zipfile.ZipInfo(name)
        entry.file_size = self.size
        return entry

    def open(self, name):
        return io.BytesIO(self.data)


def test_what_is_unpacked_is_counted_whatever_the_entry_says(monkeypatch):
    assert unpacked(OneFile(1 << 28, b"rows"), "rows") == b"rows"
    with pytest.raises(Malformed, match="grows to more than 256 MiB"):
        unpacked(OneFile((1 << 28) + 1, b"rows"), "rows")
    monkeypatch.setattr(reading, "MOST_UNPACKED", 1 << 20)
    with pytest.raises(Malformed, match="grows to more than 1 MiB"):
        unpacked(OneFile(4, bytes((1 << 20) + 1)), "rows")


def test_nobody_reads_in_another_way():
    """The bounds hold where `reading` is used: others may read only what they or this package wrote."""
    calls = re.compile(r"\b(yaml\.(?:safe_)?load(?!\(Path\(__file__\))|csv\.(?:DictReader|DictWriter|reader|writer))\(")
    found = {
        (path.relative_to(ROOT).as_posix(), call)
        for folder in ("parlai_spotbot", "crowdsourcing", "projects")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "reading.py"
        for call in calls.findall(path.read_text(encoding="utf-8"))
    }
    assert found <= OWN


OWN = {
    ("crowdsourcing/platforms/personal_links.py", "csv.DictReader"),  # what it wrote itself
    ("crowdsourcing/platforms/personal_links.py", "csv.writer"),  # names are checked
    ("crowdsourcing/mephisto_task/home.py", "yaml.safe_load"),  # what it wrote itself
    ("crowdsourcing/platforms/participant_lists.py", "csv.DictReader"),  # bounds of its own
    ("parlai_spotbot/files.py", "csv.writer"),
    ("parlai_spotbot/importers/votes.py", "yaml.safe_load"),  # comes with the package
    ("parlai_spotbot/report/export/checking.py", "csv.reader"),  # what was written just before
    ("parlai_spotbot/selfplay/more.py", "csv.DictReader"),
    ("parlai_spotbot/selfplay/pool.py", "yaml.safe_load"),  # keys of a text that `reading` took
    ("parlai_spotbot/surveys/controls/checks.py", "yaml.safe_load"),  # comes with the package
    ("parlai_spotbot/texts/phrases.py", "yaml.safe_load"),  # comes with the package
    ("parlai_spotbot/scripts/option_parser.py", "yaml.safe_load"),  # comes with the package
    ("parlai_spotbot/selfplay/remedies.py", "yaml.safe_load"),  # comes with the package
}


# -- CSV that others open ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", ["=1+1", '=HYPERLINK("x")', "+cmd|' /C calc'!A0", "-2+3+cmd|' /C x'!A0", "@SUM(1)"])
def test_formulas_are_texts_in_csv(text):
    assert files.cell(text) == "'" + text
    told = list(csv.reader(files.csv_text(["name", "turn"], [("a", text)]).splitlines()))
    assert told == [["name", "turn"], ["a", "'" + text]]
    assert "'" + text.split('"')[0] in files.frame_csv(pd.DataFrame({"turn": [text], "n": [1]}))


@cases(
    "text told",
    r"""
- [＝1+1, '''＝1+1']
- [＋1+cmd, '''＋1+cmd']
- ["\t=1", "'\t'=1"]
- ["\r=1", "'\r'=1"]
- [' =1', ''' =1']
- [a;=1+1, a;'=1+1]
- ["a,\u00a0@x, b", "a,'\u00a0@x, b"]
- ["one\n-2+cmd|x", "one\n'-2+cmd|x"]
- ['-2,3+cmd|x', '''-2,3+cmd|x']
- ['";=1+1;"', '";''=1+1;"']
- ["a\t+x", "a\t'+x"]
- ["\u200b=1", "'\u200b=1"]
- ["\u3000\ufeff=1", "'\u3000\ufeff=1"]
- [﹦1, '''﹦1']
- [−A1, '''−A1']
- ["\u0000@x", "'\u0000@x"]
- ["a\u2028=1", "a\u2028'=1"]
""",
)
def test_formulas_after_a_separator_are_texts_too(text, told):
    assert files.cell(text) == told
    assert files.frame_csv(pd.DataFrame({text: [1]})).startswith(files.csv_text([text], []).rstrip("\n"))


def test_many_separators_take_no_time():
    start = time.thread_time()
    for part in (",-1", "\t", " ", "\u200b", "\t ", "\n=", " ,"):
        files.cell(part * 50_000)
    assert time.thread_time() - start < 5


@cases(
    "value",
    """
- -1
- -0.5
- 'yes, no; a-b'
- '-0.5; -0.2'
- '-1, -2'
- '-0.5'
- '+3'
- '-1e-5'
- '-0.12 to 0.30'
- '-12 %'
- a=b
- ''
- null
- '-'
- hello
""",
)
def test_numbers_and_plain_texts_stay(value):
    assert files.cell(value) is value
