"""A domain: where its conversations come from, the folds, segment lengths and contexts."""

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.domains import folding
from parlai_spotbot.domains.conversation_files import ConversationRow, check_ids, read_rows
from parlai_spotbot.domains.parlai_tasks import FOLDS, Episode, each_once, stream
from parlai_spotbot.errors import UserError, nearest

SPLIT_NOTE = (
    "Folds follow the task's splits (train: bots; valid, by a hash of the turns: judges and humans; test: seeds) and "
    "share no conversation; the data do not say who spoke, so the folds may share people."
)

HIDDEN_NOTE = SPLIT_NOTE.replace("judges and humans; test: seeds", "judges, humans and seeds")
NOTES = {
    "split": "Folds follow the splits of the data and share no conversation",
    "people": "The folds share no person and no conversation",
    "hash": "Folds follow a hash of the turns and share no conversation; they may share people",
}


UNTRAINED_NOTE = "No contestant learns from them, so that people, judges and seeds get all."

Files = tuple[tuple[str, Path, str], ...]
"""Split, file and SHA-256 of each file."""
Folds = dict[str, tuple[Episode, ...]]


@dataclass(frozen=True)
class Domain:
    """A domain.

    Attributes
    ----------
    name : str
    task : str
        What ParlAI calls it, for ``-t``.
    segments : tuple of int
        Lengths of the segments that annotators see, in exchanges.
    contexts : bool
        Whether each entity has a context before the first turn (a persona).
    description, fold_note : str
        One sentence for tables; what is promised about the folds.
    aliases : tuple of str
        Other names that `get_domain` takes.
    source, options : str, tuple of (name, value)
        The task the episodes are read from where it differs from `task`, and the teacher's options.
    hidden_test : bool
        Whether there is no public test set, so that seeds come from valid.
    situation : str
        The field of the task's messages with the first speaker's topic; only that speaker gets it.
    folds : str
        How a user's own domain is folded: "split", "people" or "hash"; "" for the domains of the package.
    trained : bool, optional
        Whether a contestant may have learnt from a user's files: if not, there is no fold for bots; None if not said.
    paths : tuple of (split, file, SHA-256)
        The user's files, with the split "" for a file of all splits.
    """

    name: str
    task: str
    segments: tuple[int, ...]
    contexts: bool = False
    description: str = ""
    fold_note: str = SPLIT_NOTE
    aliases: tuple[str, ...] = ()
    source: str = ""
    options: tuple[tuple[str, str], ...] = ()
    hidden_test: bool = False
    situation: str = ""
    folds: str = ""
    trained: bool | None = None
    paths: Files = ()

    def episodes(self, fold: str, datapath: str | None = None) -> list[Episode]:
        """The conversations of a fold ("bots", "judges", "humans", "seeds"), always in the same order.

        `datapath` is ParlAI's data folder; without it the environment variable PARLAI_DATAPATH counts, then ParlAI's
        default.

        Raises `UserError` for an unknown fold, and where the data are missing and can't be fetched.
        """
        if fold not in FOLDS:
            raise UserError(f"domain '{self.name}' has no fold '{fold}'.", nearest(fold, FOLDS))
        if self.name == "chitchat":
            from parlai_spotbot.tasks.chitchat import data

            return [Episode(chat.conversation_id, chat.turns, people=chat.people) for chat in data.conversations(fold)]
        if self.paths:
            return list(folds_of(self)[0][fold])
        where = str(datapath or os.environ.get("PARLAI_DATAPATH") or "") or None
        episodes = parlai_folds(self, where)[fold]
        if self.folds and not self.contexts:
            return [Episode(e.episode_id, e.turns, people=e.people) for e in episodes]
        return list(episodes)

    def counts(self, datapath: str | None = None) -> dict[str, dict[str, int]]:
        """For each fold how many conversations, how many that fill the longest segment beside the seed, how many turns
        and, where it is known, how many people it holds."""
        counts = {}
        for fold in FOLDS:
            episodes = self.episodes(fold, datapath)
            people = {person for episode in episodes for person in episode.people if person}
            counts[fold] = {
                "conversations": len(episodes),
                "long": sum(len(episode.turns) // 2 > max(self.segments) for episode in episodes),
                "turns": sum(len(episode.turns) for episode in episodes),
            }
            if people:
                counts[fold]["people"] = len(people)
        return counts

    def table(self, datapath: str | None = None) -> str:
        """Return the sizes of the folds as a few lines."""
        lines = [f"domain {self.name}: {self.description}".rstrip(), f"  {'fold':<8}{'conversations':>14}{'people':>8}"]
        for fold, count in self.counts(datapath).items():
            lines.append(f"  {fold:<8}{count['conversations']:>14}{count.get('people', 'unknown'):>8}")
        return "\n".join([*lines, f"  {self.fold_note}"])

    def about(self, datapath: str | None = None) -> dict:
        """Return what provenance keeps: the task or the files, the folds' sizes, and a checksum of what they hold."""
        digest = hashlib.sha256()
        for fold in FOLDS:
            for e in self.episodes(fold, datapath):
                digest.update((files.dumps([fold, e.episode_id, e.turns, e.context, e.people]) + "\n").encode())
        row = {}
        if self.task:
            row["task"] = self.task
        if self.folds:
            row["by"] = self.folds
        if self.paths:
            row["sha256"] = self.sha256
        return {**row, "folds": self.counts(datapath), "note": self.fold_note, "episodes_sha256": digest.hexdigest()}

    @property
    def sha256(self) -> dict[str, str]:
        """Return the checksum of each file by the name of its copy in a study."""
        return {copy_name(split): digest for split, _, digest in self.paths}

    def plain(self) -> dict:
        """Return a user's own domain as it is written into a study, with the copies' names and checksums."""
        row = {"name": self.name, "description": self.description}
        if self.task:
            row |= {"task": self.task, "options": dict(self.options), "situation": self.situation}
        else:
            row["conversations"] = {split: copy_name(split) for split, _, _ in self.paths if split} or copy_name("")
            row["sha256"] = self.sha256
        row |= {"segments": list(self.segments), "contexts": self.contexts, "folds": self.folds}
        if self.trained is not None:
            row["trained"] = self.trained
        return row | {"hidden_test": self.hidden_test}


def copy_name(split: str) -> str:
    """Return the name of the copy of a file of this split."""
    return f"{split or 'conversations'}.jsonl"


# -- conversations of ParlAI's tasks --------------------------------------------------------------------------------
@lru_cache(maxsize=8)
def parlai_folds(domain: Domain, datapath: str | None) -> Folds:
    """Read all splits of a task: train is for bots, valid for judges and humans, test for seeds.

    Valid is shared out by a hash of the turns, in two, or in three where the test set is hidden. A conversation that
    occurs in several splits is in the first of the folds bots, judges, humans, seeds only.
    """
    options = dict(domain.options)
    if datapath:
        options["datapath"] = datapath
    splits = ["train", "valid", "test"]
    held = FOLDS[1:3]
    if domain.hidden_test:
        splits.remove("test")
        held = FOLDS[1:]
    folds: dict[str, list[Episode]] = {fold: [] for fold in FOLDS}
    seen = set()
    for split in splits:
        streamed = list(stream(domain.name, domain.source or domain.task, split, options, domain.situation))
        for number, (turns, context) in enumerate(each_once(streamed)):
            if turns not in seen:
                seen.add(turns)
                lot = int.from_bytes(hashlib.sha256("\x1f".join(turns).encode()).digest()[:8], "big")
                fold = {"train": "bots", "test": "seeds"}.get(split, held[lot % len(held)])
                folds[fold].append(Episode(f"{domain.name}:{split}:{number:06d}", turns, context))
    return {fold: tuple(episodes) for fold, episodes in folds.items()}


# -- conversations of files ------------------------------------------------------------------------------------------
@lru_cache(maxsize=8)
def rows_of(paths: Files, name: str) -> tuple[ConversationRow, ...]:
    return tuple(row for split, path, _ in paths for row in read_rows(path, name, split))


@lru_cache(maxsize=8)
def folds_of(domain: Domain) -> tuple[Folds, str]:
    """The conversations of each fold, and what is promised about them; each conversation is in one fold only."""
    rows = []
    seen = set()
    for row in rows_of(domain.paths, domain.name):
        if row.episode.turns not in seen:
            seen.add(row.episode.turns)
            if not domain.contexts:
                row = replace(row, episode=replace(row.episode, context=("", "")))
            rows.append(row)
    check_ids(rows)
    chosen = _chosen(domain, rows)
    folds: dict[str, list[Episode]] = {fold: [] for fold in FOLDS}
    for row, fold in zip(rows, chosen, strict=True):
        if fold:
            folds[fold].append(row.episode)
    double = len(rows_of(domain.paths, domain.name)) - len(rows)
    note = _note(domain.folds, folds, sum(fold is None for fold in chosen), double)
    if domain.trained is False:
        note += f" {UNTRAINED_NOTE}"
    return {fold: tuple(episodes) for fold, episodes in folds.items()}, note


def _note(way: str, folds: dict[str, list[Episode]], lost: int, double: int) -> str:
    """Return what is promised about the folds, and what they leave out."""
    note = NOTES[way]
    if way == "split":
        folds_of_person = Counter()
        for episodes in folds.values():
            folds_of_person.update({person for episode in episodes for person in episode.people})
        if "" in folds_of_person:
            note += "; the data do not say who spoke, so they may share people"
        else:
            note += f"; they share {sum(count > 1 for count in folds_of_person.values())} people"
    if lost:
        note += f"; {lost} conversations between people of different folds are left out"
    if double:
        note += f"; {double} that stood there before count once"
    return f"{note}."


def _chosen(domain: Domain, rows: Sequence[ConversationRow]) -> Sequence[str | None]:
    episodes = [row.episode for row in rows]
    needs = {"split": lambda row: row.split, "people": lambda row: all(row.episode.people)}
    lacking = next((row for row in rows if domain.folds in needs and not needs[domain.folds](row)), None)
    if lacking is not None:
        raise UserError(
            f"{lacking.where}: field '{domain.folds}' is missing, but folds go by {domain.folds}.",
            "Add it to every line, or say 'folds: hash' in the description of the domain.",
        )
    if domain.folds == "split":
        return folding.by_split(episodes, [row.split for row in rows], domain.hidden_test)
    shares = folding.SHARES
    if domain.trained is False:
        shares = folding.UNTRAINED
    if domain.folds == "people":
        return folding.by_people(episodes, shares)
    return folding.by_hash(episodes, shares)
