"""Train or fetch the paper's pool of a domain (section 4, appendix C) with ParlAI's own commands.

``python -m parlai_spotbot.projects.spot_the_bot_2020.pools --domain dailydialog --out DIR``: `recipes.yaml` holds every
option. ParlAI saves checkpoints, so the same command resumes a stopped training.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from parlai_spotbot import files, hints
from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.options import described
from parlai_spotbot.projects import command
from parlai_spotbot.reading import own_data

RECORD = "contestant.json"


@dataclass(frozen=True)
@described
class ReproduceSpotTheBot2020Pools:
    """Train or fetch the paper's pool of a domain (section 4, appendix C) and write its pool file.

    The same command resumes a stopped run.
    """

    domain: str = ""
    out: str = ""
    only: tuple[str, ...] = ()


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code: 0, or 2 for bad input."""
    return command.run(__package__, ReproduceSpotTheBot2020Pools, _run, words)


def _run(options: ReproduceSpotTheBot2020Pools) -> None:
    pool = pool_of(options.domain, options.only)
    out = Path(options.out).expanduser().resolve()
    task = get_domain(options.domain).task
    entries = {}
    for name in pool:
        recipe = recipes()["contestants"][name]
        if reasons := [source["why"] for source in sources_of(name).values() if "why" in source]:
            print(f"{name}: cannot be fetched, left out: {'; '.join(reasons)}")
            continue
        if "model_file" in recipe:
            entries[name] = {"model_file": recipe["model_file"]}
        else:
            entries[name] = {"model_file": str(out / name / "model"), "opt": make(name, task, out)}
        entries[name]["description"] = recipe["description"]
    path = out / "pool.yaml"
    files.write_text(path, yaml.safe_dump(entries, sort_keys=False, allow_unicode=True))
    following = hints.command("tournament", Path("studies") / out.name, pool=path, domain=options.domain)
    print(f"\npool: {path}\nnext: {following}")


# -- recipes ---------------------------------------------------------------------------------------------------------
@cache
def recipes() -> dict:
    """Return the contents of recipes.yaml: domains, contestants, options of every training, sources."""
    return own_data(__file__, "recipes.yaml")


def pool_of(domain: str, only: Sequence[str] = ()) -> list[str]:
    """Return the names of a domain's contestants, those in `only` if given; unknown names are a `UserError`."""
    pools = recipes()["domains"]
    if domain not in pools:
        raise UserError(f"--domain {domain}: there is no pool for it.", nearest(domain, pools))
    for name in only:
        if name not in pools[domain]:
            raise UserError(f"--only {name}: not in the pool of {domain}.", nearest(name, pools[domain]))
    return [name for name in pools[domain] if not only or name in only]


def options_of(name: str, kind: str, places: dict[str, str], task: str = "") -> dict:
    """Return ParlAI's options to "train" or "play" a contestant, with the places of its sources filled in."""
    options = dict(recipes()["contestants"][name].get(kind, {}))
    if kind == "train" and options:
        options = {"task": task, **recipes()["common"], **options}
    return {key: value.format(**places) if isinstance(value, str) else value for key, value in options.items()}


def sources_of(name: str) -> dict[str, dict]:
    """Return what a contestant needs, by its names in the recipes."""
    return {need: recipes()["sources"][need] for need in recipes()["contestants"][name]["needs"]}


# -- making ----------------------------------------------------------------------------------------------------------
def fetch(need: str, folder: Path) -> Path:
    """Fetch a source into `folder`, unless its files are there; return its place: a file of an archive, else a folder.

    Raises
    ------
    UserError
        The source cannot be reached.
    """
    source = recipes()["sources"][need]
    where = source["address"]
    names = source["files"]
    place = folder / names[0] if source["kind"] == "archive" else folder
    if all((folder / name).exists() for name in names):
        return place
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if source["kind"] == "hub":
            from huggingface_hub import hf_hub_download

            for name in names:
                shutil.copyfile(hf_hub_download(where, name), folder / name)
        else:
            archive, _ = urllib.request.urlretrieve(where)
            shutil.unpack_archive(archive, folder, "zip")
    except OSError as err:
        raise UserError(
            f"{need}: {where} cannot be fetched: {err}.",
            f"Put {', '.join(names)} into {folder}, or name the others with --only.",
        ) from err
    if need == "bert":
        shutil.copyfile(folder / "config.json", folder / "bert_config.json")  # the name that its agent reads
    return place


def make(name: str, task: str, out: Path) -> dict:
    """Fetch and train a contestant, unless it is finished; return the options with which it plays."""
    folder = out / name
    places = {"contestant": str(folder)} | {need: str(fetch(need, out / "sources" / need)) for need in sources_of(name)}
    train = options_of(name, "train", places, task)
    record = folder / RECORD
    trained = files.read_json(record, "record of a contestant")["train"] if record.exists() else train
    if trained != train:
        raise UserError(f"{folder}: it was trained with other options.", "Name another --out.")
    if not record.exists():
        _parlai("train_model", train | {"model_file": str(folder / "model")})
        if recipes()["contestants"][name].get("candidates"):
            listed = folder / "candidates.txt"
            _parlai("build_candidates", {"task": task, "outfile": str(listed)})
            files.write_text(listed, "\n".join(sorted(set(listed.read_text(encoding="utf-8").splitlines()))) + "\n")
        files.write_json(record, {"train": train, "sha256": files.sha256(folder / "model")})
    return options_of(name, "play", places)


def _parlai(command: str, options: dict) -> None:
    """Run one of ParlAI's commands in a process of its own."""
    words = [part for key, value in options.items() for part in (f"--{key.replace('_', '-')}", str(value))]
    done = subprocess.run([sys.executable, "-P", "-m", "parlai", command, *words], check=False)
    if done.returncode:
        raise UserError(f"parlai {command} ended with exit code {done.returncode}.", "Correct it, and run it again.")


if __name__ == "__main__":
    sys.exit(main())
