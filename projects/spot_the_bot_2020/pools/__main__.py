"""Train or fetch the paper's pool of a domain (section 4, appendix C) with ParlAI's own commands.

``python -m parlai_spotbot.projects.spot_the_bot_2020.pools --domain dailydialog --out DIR``: `recipes.yaml` holds every
option. ParlAI saves checkpoints, so the same command resumes a stopped training.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from functools import cache
from importlib.metadata import version
from pathlib import Path

import yaml

from parlai_spotbot import files, hints
from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.projects.command import exit_code

RECORD = "contestant.json"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's options."""
    result = argparse.ArgumentParser(
        prog="python -m parlai_spotbot.projects.spot_the_bot_2020.pools",
        description="Train or fetch the paper's pool of a domain (section 4, appendix C) and write its pool file",
        epilog="The same command resumes a stopped run.",
    )
    result.add_argument("--domain", required=True, help="dailydialog, empathetic_dialogues, convai2 or chitchat")
    result.add_argument("--out", required=True, metavar="DIR", help="folder of models, records and pool.yaml")
    result.add_argument("--only", default="", metavar="NAMES", help="some of the pool, by commas: GPT,BR")
    result.add_argument("--dry-run", action="store_true", help="print what would be done, and stop")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit code: 0, or 2 for bad input."""
    options = parser().parse_args(arguments)
    return exit_code(lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    pool = pool_of(options.domain, [name.strip() for name in options.only.split(",") if name.strip()] or None)
    out, task = Path(options.out).expanduser().resolve(), get_domain(options.domain).task
    for name in pool:
        reasons = [source["why"] for source in sources_of(name).values() if "why" in source]
        if options.dry_run or reasons:
            print(f"{name}: {plan(name, task)}")
        else:
            make(name, task, out)
    if not options.dry_run:
        path = write_pool(pool, out)
        command = hints.command("tournament", Path("studies") / out.name, pool=path, domain=options.domain)
        print(f"\npool: {path}\nnext: {command}")


# -- recipes ---------------------------------------------------------------------------------------------------------
@cache
def recipes() -> dict:
    """Return the contents of recipes.yaml: domains, contestants, options of every training, sources."""
    return yaml.safe_load((Path(__file__).parent / "recipes.yaml").read_text(encoding="utf-8"))


def pool_of(domain: str, only: object = None) -> list[str]:
    """Return the names of a domain's contestants, those in `only` if given; unknown names are a `UserError`."""
    pools = recipes()["domains"]
    if domain not in pools:
        raise UserError(f"--domain {domain}: there is no pool for it.", nearest(domain, pools))
    for name in only or ():
        if name not in pools[domain]:
            raise UserError(f"--only {name}: not in the pool of {domain}.", nearest(name, pools[domain]))
    return [name for name in pools[domain] if only is None or name in only]


def options_of(name: str, kind: str, places: dict[str, str], task: str = "") -> dict:
    """Return ParlAI's options to "train" or "play" a contestant, with the places of its sources filled in."""
    options = dict(recipes()["contestants"][name].get(kind, {}))
    if kind == "train" and options:
        options = {"task": task, **recipes()["common"], **options}
    return {key: value.format(**places) if isinstance(value, str) else value for key, value in options.items()}


def sources_of(name: str) -> dict[str, dict]:
    """Return what a contestant needs, by its names in the recipes."""
    return {need: recipes()["sources"][need] for need in recipes()["contestants"][name]["needs"]}


def plan(name: str, task: str) -> str:
    """Describe in a line what is done for a contestant."""
    recipe, sources = recipes()["contestants"][name], sources_of(name).values()
    if reasons := "; ".join(source["why"] for source in sources if "why" in source):
        return f"cannot be fetched, left out: {reasons}"
    fetched = "".join(f"fetch {source['address']}, " for source in sources)
    return f"{fetched}{'train' if 'train' in recipe else 'use'}: {recipe['description']} ({task})"


# -- making ----------------------------------------------------------------------------------------------------------
def fetch(need: str, folder: Path) -> Path:
    """Fetch a source into `folder`, unless its files are there; return its place: a file of an archive, else a folder.

    Raises
    ------
    UserError
        The source cannot be reached.
    """
    source = recipes()["sources"][need]
    where, names = source["address"], source.get("files", [])
    place = folder / names[0] if source["kind"] == "archive" else folder
    if source["kind"] == "zoo" or all((folder / name).exists() for name in names):
        return place  # ParlAI fetches its own
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if source["kind"] == "hub":
            from huggingface_hub import hf_hub_download

            for name in names:
                shutil.copyfile(hf_hub_download(where, name), folder / name)
        else:
            with urllib.request.urlopen(where, timeout=60) as answer, open(folder / "archive.part", "wb") as part:
                shutil.copyfileobj(answer, part)
            with zipfile.ZipFile(folder / "archive.part") as archive:
                archive.extractall(folder, names)
            (folder / "archive.part").unlink()
    except (OSError, zipfile.BadZipFile, KeyError) as err:
        raise UserError(
            f"{need}: {where} cannot be fetched: {err}.",
            f"Put {', '.join(names)} into {folder}, or name the others with --only.",
        ) from err
    if need == "bert":
        shutil.copyfile(folder / "config.json", folder / "bert_config.json")  # the name that its agent reads
    return place


def places_of(name: str, out: Path) -> dict[str, str]:
    """Fetch what a contestant needs; return the places by the names that options use."""
    places = {need: str(fetch(need, out / "sources" / need)) for need in sources_of(name)}
    return {"contestant": str(out / name), **places}


def make(name: str, task: str, out: Path) -> None:
    """Fetch and train a contestant, unless it is finished; its record holds options, versions and checksum."""
    folder, places = out / name, places_of(name, out)
    train = options_of(name, "train", places, task)
    record = {
        "train": train,
        "versions": {package: version(package) for package in ("parlai", "torch", "transformers")},
    }
    before = files.read_json(folder / RECORD, "record of a contestant") if (folder / RECORD).exists() else record
    if before["train"] != train:
        raise UserError(f"{folder}: its training was begun with other options.", "Name another --out.")
    if not train or "sha256" in before:
        return
    files.write_json(folder / RECORD, record)
    _parlai("train_model", train | {"model_file": str(folder / "model")})
    if recipes()["contestants"][name].get("candidates"):
        listed = folder / "candidates.txt"
        _parlai("build_candidates", {"task": task, "outfile": str(listed)})
        files.write_text(listed, "\n".join(sorted(set(listed.read_text(encoding="utf-8").splitlines()))) + "\n")
    files.write_json(folder / RECORD, record | {"sha256": files.sha256(folder / "model")})


def _parlai(command: str, options: dict) -> None:
    """Run one of ParlAI's commands in a process of its own."""
    words = [part for key, value in options.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    done = subprocess.run([sys.executable, "-P", "-m", "parlai", command, *words], check=False)
    if done.returncode:
        raise UserError(f"parlai {command} ended with exit code {done.returncode}.", "Correct it, and run it again.")


def write_pool(pool: list[str], out: Path) -> Path:
    """Write pool.yaml with all contestants that are finished or ready."""
    entries = {}
    for name in pool:
        recipe, record = recipes()["contestants"][name], out / name / RECORD
        if "model_file" in recipe:
            entries[name] = {"model_file": recipe["model_file"], "description": recipe["description"]}
        elif record.exists() and "sha256" in files.read_json(record):
            play = options_of(name, "play", places_of(name, out))
            entries[name] = {"model_file": str(out / name / "model"), "opt": play, "description": recipe["description"]}
    files.write_text(out / "pool.yaml", yaml.safe_dump(entries, sort_keys=False, allow_unicode=True))
    return out / "pool.yaml"


if __name__ == "__main__":
    sys.exit(main())
