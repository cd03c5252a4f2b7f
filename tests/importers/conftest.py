"""Fixtures: a small dump in the released format with its oddities, made up; the commands run in this process."""

import json
import zipfile
from pathlib import Path

import pytest

from parlai_spotbot.scripts.spotbot_import import SpotbotImport
from parlai_spotbot.study import Study
from tests.in_process import in_a_line

SYSTEMS = ["huggingface", "bert_rank", "seq2seq_att", "suckybot"]


def oid(number: int) -> dict:
    return {"$oid": f"{number:024x}"}


def conversation(number: int, first: str, second: str, turns: int = 11) -> dict:
    human = first == "human"
    convo = [
        # Bots' turns are numbered from 1 and out of step, as in the release.
        {"id": (first, second)[i % 2], "exchange_nr": i // 2 if human else 1 + (i + number % 2) // 2, "text": f"t{i} ."}
        for i in range(turns)
    ]
    if first == "suckybot":
        convo[0]["text"] = "hi ! < /s ><pad><pad >"
    names = {f"system_name{e}": f"x/{s}" for e, s in enumerate((first, second))}
    types = {f"system_type{e}": s for e, s in enumerate((first, second))}
    return {"_id": oid(number), "is_human0": human, "is_human1": human, **types, **names, "convo": convo}


def annotation(number: int, package: int, convo: int, k: int, user: str, natures=(False, False), start: int = 5000):
    def side(entity: int) -> dict:
        return {
            "is_human": natures[entity],
            "fluencyValue": True,
            "sensitivenessValue": entity == 0,
            "specificityValue": entity == 1,
            "decision_turn": 2 * k,
            "entity_number": entity,
        }

    end = 25500
    return {
        "_id": oid(1000 + number),
        "entity0_annotation": side(0),
        "entity1_annotation": side(1),
        "convo_id": f"{convo:024x}",
        "start_time": {"$numberLong": str(start)} if start >= 0 else -1,
        "user_name": user,
        "package_id": f"{package:024x}",
        "end_time": {"$numberLong": str(end)},
        "elapsed_time": end - start,
    }


@pytest.fixture
def rows():
    """Three collections of a made-up domain: one package, done by two people, by one twice, by one in part."""
    conversations = [
        conversation(1, "huggingface", "bert_rank"),
        conversation(2, "bert_rank", "huggingface", 5),
        conversation(3, "suckybot", "seq2seq_att"),
        conversation(4, "human", "human", 10),
        conversation(5, "human", "human", 10),
    ]
    segments = {1: 5, 2: 2, 3: 2, 4: 3}
    package = {
        "_id": oid(50),
        "package": [{"convo_id": f"{c:024x}", "start_turn": 2 * k - 1} for c, k in segments.items()],
    }
    annotations = []
    for user, count, times in (("A1AAAAAAAAAAA", 4, 1), ("A2BBBBBBBBBBB", 4, 2), ("Annotator1", 2, 1)):
        for _ in range(times):
            for c in list(segments)[:count]:
                natures = (True, True) if c == 4 else (True, False) if c == 1 else (None, False)
                start = -1 if (user, c) == ("A1AAAAAAAAAAA", 2) else 5000
                annotations.append(annotation(len(annotations), 50, c, segments[c], user, natures, start))
    return {"sampled": conversations, "packed": [package], "annotated": annotations}


@pytest.fixture
def dump(rows, tmp_path):
    """Write `rows`, changed or not, as the zip file of a release; returns its path."""

    def write(name: str = "dump.zip", folder: bool = False) -> Path:
        texts = {
            f"{kind}-dialogues-full-dailydialog.json": "".join(json.dumps(row) + "\n" for row in own)
            for kind, own in rows.items()
        }
        if folder:
            path = tmp_path / "unpacked"
            (path / "inner").mkdir(parents=True)
            for file, text in texts.items():
                (path / "inner" / file).write_text(text)
            return path
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as archive:
            for file, text in texts.items():
                archive.writestr(file, text)
        return path

    return write


@pytest.fixture
def run():
    """Run spotbot_import; returns (exit code, stdout, stderr in one line)."""
    return in_a_line(SpotbotImport.main)


@pytest.fixture
def judged_study(run, tmp_path):
    """A study of bots with each other, of people, and of self-chats, to which judgements are imported."""

    def row(name, first, second, exchanges):
        turn = [{"id": first, "text": "x"}, {"id": second, "text": "y"}]
        return {"conversation_id": name, "dialog": [turn] * exchanges}

    rows = [row(f"c{n}", *(("human", "human") if n == 3 else "ab"), 4) for n in range(4)]
    rows += [row(f"{bot}{n}", bot, bot, 3) for bot in ("ann", "bob") for n in range(2)]
    rows.append(row("both", "ann", "bob", 3))
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("--format", "conversations", "--data", path, "--study", tmp_path / "study")[0] == 0
    return Study.open(tmp_path / "study")


def contents(folder: Path) -> dict:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def fingerprint():
    return contents
