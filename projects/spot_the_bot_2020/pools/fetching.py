"""What a pool needs from elsewhere: says before any work what can't be had and what to do, then fetches the rest.

A source is complete when its `source.json` is there, with addresses and checksums of what was really used. Files that
somebody has put into the source's folder by hand are taken as they are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import read_json, write_json
from parlai_spotbot.projects.spot_the_bot_2020.pools.recipes import PretrainedSource
from parlai_spotbot.terminal import Bar

RECORD = "source.json"
TIMEOUT = 10.0
MB = 1e6
TASK_FOLDERS = {"dailydialog": "dailydialog", "empathetic_dialogues": "empatheticdialogues", "convai2": "ConvAI2"}
"""Where ParlAI keeps a task's data, in its data folder."""


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def data_folder() -> Path:
    """ParlAI's data folder: $PARLAI_DATAPATH, or its default."""
    from parlai.core.params import ParlaiParser

    return Path(os.environ.get("PARLAI_DATAPATH") or ParlaiParser(False, False).parse_kwargs()["datapath"])


def unreachable(address: str) -> str:
    """Why `address` can't be fetched from; "" where it can."""
    import requests

    try:
        answer = requests.head(address, timeout=TIMEOUT, allow_redirects=True)
    except requests.RequestException as err:
        return f"{address} can't be reached ({type(err).__name__})"
    return "" if answer.status_code < 400 else f"{address} answers {answer.status_code}"


def have(source: PretrainedSource, folder: Path) -> bool:
    """Whether all files of `source` are there already."""
    root = data_folder() if source.kind == "zoo" else folder
    return bool(source.files) and all((root / file).exists() for file in source.files)


def obstacle(source: PretrainedSource, folder: Path, probe: Callable[[str], str] = unreachable) -> tuple[str, str]:
    """Why `source` can't be had, and what to do about it; ("", "") where it can be, or is here."""
    if source.kind == "elsewhere":
        return f"{source.why} ({source.address})", "leave it out, or name a model of your own that ParlAI loads"
    if have(source, folder):
        return "", ""
    if source.kind == "hub":
        missing = [file for file in source.files if not _cached(source.address, file)]
        why = probe(f"{_hub()}/{source.address}/resolve/main/{missing[0]}") if missing else ""
    else:
        why = probe(source.address)
    place = data_folder() if source.kind == "zoo" else folder
    return (why, f"with a network run it again, or put {', '.join(source.files)} into {place}") if why else ("", "")


def task_obstacle(task: str, probe: Callable[[str], str] = unreachable) -> tuple[str, str]:
    """The same for the data of a ParlAI task."""
    import importlib

    if task not in TASK_FOLDERS:
        return "", ""
    place = data_folder() / TASK_FOLDERS[task]
    if (place / ".built").exists():
        return "", ""
    resources = importlib.import_module(f"parlai.tasks.{task}.build").RESOURCES
    why = next((why for resource in resources if (why := probe(resource.url))), "")
    return (why, f"with a network run it again, or copy {place} from a machine that has it") if why else ("", "")


def _hub() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def _cached(repository: str, file: str) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(repository, file), str)


def fetch(source: PretrainedSource, folder: Path, texts: Callable[[], Sequence[str]] | None = None) -> dict:
    """Bring `source` into `folder`, or make its small stand-in there from `texts()`; returns its record."""
    record = folder / RECORD
    if record.exists():
        return read_json(record, "record of a source")
    folder.mkdir(parents=True, exist_ok=True)
    origin = source.address
    try:
        if texts is not None:
            origin = "small stand-in with random weights"
            _stand_in(source, folder, texts)
        elif have(source, folder):
            origin = "was in the folder"
        elif source.kind == "hub":
            origin = _from_hub(source, folder)
        elif source.kind == "archive":
            _from_archive(source, folder)
        elif source.kind == "zoo":
            _from_zoo(source)
    except OSError as err:
        raise UserError(
            f"{source.name}: {origin} can't be fetched into {folder}: {type(err).__name__}: {err}.",
            "Run the same command again: what is complete is kept.",
        ) from err
    if "config.json" in source.files and source.name == "bert":
        shutil.copyfile(folder / "config.json", folder / "bert_config.json")  # the name under which it is looked for
    root = data_folder() if source.kind == "zoo" else folder
    files = {file: sha256(root / file) for file in source.files}
    row = {"name": source.name, "origin": origin, "fetched": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    write_json(record, {**row, "sha256": files})
    return read_json(record)


def _stand_in(source: PretrainedSource, folder: Path, texts: Callable[[], Sequence[str]]) -> None:
    from parlai_spotbot.projects.spot_the_bot_2020.pools import small_weights

    getattr(small_weights, source.small)(folder, texts())


def _from_hub(source: PretrainedSource, folder: Path) -> str:
    """Returns repository and revision."""
    from huggingface_hub import hf_hub_download

    for file in source.files:
        path = Path(hf_hub_download(source.address, file))
        shutil.copyfile(path, folder / file)
    return f"{source.address}@{path.parent.name}"


def _from_zoo(source: PretrainedSource) -> None:
    from parlai.core.build_data import modelzoo_path

    modelzoo_path(str(data_folder()), source.model_file)
    missing = [file for file in source.files if not (data_folder() / file).exists()]
    if missing:
        raise FileNotFoundError(f"{', '.join(missing)} did not come with it")


def _from_archive(source: PretrainedSource, folder: Path) -> None:
    import requests

    part = folder / "archive.part"
    start = part.stat().st_size if part.exists() else 0
    with requests.get(source.address, stream=True, timeout=60, headers={"Range": f"bytes={start}-"}) as answer:
        if answer.status_code not in (206, 416):
            answer.raise_for_status()
            start = 0  # the server sends all of it again
        total = start + int(answer.headers.get("Content-Length", 0))
        with open(part, "ab" if start else "wb") as out, Bar(source.name, total / MB or None, "MB", start / MB) as bar:
            for block in answer.iter_content(1 << 20) if answer.status_code != 416 else ():
                bar.advance(out.write(block) / MB)
    try:
        with zipfile.ZipFile(part) as archive:
            for file in source.files:
                archive.extract(file, folder)
    except (zipfile.BadZipFile, KeyError) as err:
        part.unlink()
        raise UserError(
            f"{source.address}: what came is not the expected archive ({err}).", "Run it again, or fetch it by hand."
        ) from err
    part.unlink()
