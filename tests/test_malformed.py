"""Whatever becomes of a user's file, it is read or refused in words: no other exception, whatever the bytes."""

import contextlib
import io
import random
import re
import shutil
from pathlib import Path
from zlib import crc32

import pytest
import yaml

from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.specs import JudgeRequest
from parlai_spotbot.scripts.spotbot_import import SpotbotImport
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.own_surveys import __doc__ as OWN_SURVEY
from parlai_spotbot.surveys.own_surveys import read_survey
from tests.case_tables import case_table

ROWS = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
STUDY = Path(__file__).parent / "goldens" / "studies" / "people"
INSERTED = (
    *(b'"', b"'", b"{", b"[", b"]", b"}", b":", b",", b"\n", b"\r\n", b"\t", b"\x00", b"\xff", b"\xef\xbb\xbf", b"- "),
    *(b"\xed\xa0\x80", b'"\\ud800"', b"[" * 5000, b"9" * 5000, b"=1+1", b"&a [*a]", b"!!python/none x", b"\\", b"%"),
)
VALUES = ("null", "true", "-1", "0", "1e999", "1.5", "NaN", '""', '"x"', "[]", "{}", "[[]]", '{"a": 1}', "10" * 200)
VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|(?<=[:,] )[a-z_]+')


def mutated(raw: bytes, chance: random.Random) -> bytes:
    """One to three changes: bytes flipped, lost, doubled or put in, the end cut off, a value of another kind."""
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(raw) + 1)
        length = chance.choice((1, 1, 3, 20, 200))
        how = chance.randrange(7)
        if how == 0 and place < len(raw):
            raw = raw[:place] + bytes([raw[place] ^ (1 << chance.randrange(8))]) + raw[place + 1 :]
        elif how == 1:
            raw = raw[:place] + raw[place + length :]
        elif how == 2:
            raw = raw[:place] + raw[place : place + length] * 2 + raw[place + length :]
        elif how == 3:
            raw = raw[:place] + chance.choice(INSERTED) + raw[place:]
        elif how == 4 and chance.random() < 0.3:
            raw = raw[:place]
        elif found := list(VALUE.finditer(raw)):
            value = chance.choice(found)
            raw = raw[: value.start()] + chance.choice(VALUES).encode() + raw[value.end() :]
    return raw


# -- the kinds of files, each with one that is right and what reads it -------------------------------------------------
ANSWERS = "conversation_id,exchanges,worker_id,nature0,nature1,fluency,sensibleness,specificity,seconds\n"


def answers():
    study = Study.open(STUDY)
    talks = [talk.conversation_id for talk in study.conversations()][:4]
    return ANSWERS + "".join(
        f"{talk},2,w{i},human,bot,entity:0,entity:1,no_difference,12.5\n" for i, talk in enumerate(talks)
    )


def brought(name, **options):
    """What imports a file of a format into a study beside it."""

    def read(path):
        opt = vars(SpotbotImport.setup_args().parse_args(["--format", name, "--data", str(path)]))
        command = SpotbotImport({**opt, "study": str(path.parent / "study"), **options})
        for option in command.unset:
            command.opt.setdefault(option, None)
        command.execute()

    return read


def added(path):
    shutil.copytree(STUDY, path.parent / "study", dirs_exist_ok=True)
    brought("judgements", survey="spot_the_bot")(path)


def of_study(name):
    """What reads a file of a study, of which no checksum says that it was changed."""

    def read(path):
        folder = path.parent / "study"
        shutil.copytree(STUDY, folder, dirs_exist_ok=True)
        shutil.copy(path, folder / name)
        study = Study.open(folder)
        study.provenance()
        study.conversations()
        study.units("spot_the_bot")
        study.judgements("spot_the_bot")

    return (STUDY / name).read_bytes(), Path(name).suffix, read


PLAIN = {name: (row["text"], row["end"]) for name, row in ROWS["files"].items()} | {
    "own_survey": (re.sub(r"(?m)^    ", "", "    " + OWN_SURVEY.partition("\n\n    ")[2]), ".yaml"),
    "judgements": (answers(), ".csv"),
}
READERS = {
    "pool": read_pool,
    "own_survey": read_survey,
    "domain": lambda path: get_domain(str(path)),
    "conversations": lambda path: get_domain(str(path)).episodes("seeds"),
    "settings": read_settings,
    "judges": lambda path: JudgeRequest(str(path)).specs(get_survey("spot_the_bot")),
    "talks": brought("conversations"),
    "votes_json": brought("votes"),
    "judgements": added,
    **{name: brought(name) for name in ("messages", "sharegpt")},
    "votes": brought("votes"),
}
KINDS = {name: (text.encode(), end, READERS[name]) for name, (text, end) in PLAIN.items()}
KINDS |= {name: of_study(name) for name in ("study.yaml", "conversations.jsonl", "provenance.json")}
KINDS |= {name: of_study(f"surveys/spot_the_bot/{name}") for name in ("units.jsonl", "judgements.jsonl")}


def read(kind, raw, folder):
    """Read a file of this kind; returns why it was refused, "" where it wasn't."""
    _, end, reader = KINDS[kind]
    path = folder / f"given{end}"
    path.write_bytes(raw)
    (folder / "talks.jsonl").write_text(PLAIN["conversations"][0])
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            reader(path)
    except UserError as err:
        return err.problem
    finally:
        shutil.rmtree(folder / "study", ignore_errors=True)
    return ""


def fuzz(kind, count, folder):
    raw = KINDS[kind][0]
    raw = raw[-6000:][raw[-6000:].index(b"\n") + 1 :] if len(raw) > 20_000 and kind != "study.yaml" else raw
    refused = 0
    for number in range(count):
        broken = mutated(raw, random.Random(crc32(kind.encode()) + number))
        try:
            refused += bool(read(kind, broken, folder))
        except Exception as err:
            raise AssertionError(f"{kind}, mutation {number}: {type(err).__name__}: {err}\n{broken[:3000]!r}") from err
    assert refused  # or nothing was read


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_right_is_read(kind, tmp_path):
    assert read(kind, KINDS[kind][0], tmp_path) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_file_is_read_or_refused(kind, tmp_path):
    fuzz(kind, 20, tmp_path)


@case_table(__file__, "once")
def test_what_ended_in_another_exception_once(kind, text, tmp_path):
    assert read(kind, text.replace("LONG", "1" * 400).encode(), tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
def test_five_hundred_broken_files_are_read_or_refused(kind, tmp_path):
    fuzz(kind, 500, tmp_path)
