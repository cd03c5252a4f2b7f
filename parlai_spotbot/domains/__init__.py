"""Domains: a ParlAI task, folds for bots, judges, people and seeds, segment lengths, contexts.

The paper's three domains (section 4, appendix E) and `chitchat`, which needs no download. Any other ParlAI task works
as a domain by its name, a file of conversations by its path; a description (YAML) says more of either.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.domains import custom
from parlai_spotbot.domains.parlai_tasks import FOLDS, Episode, TaskSource, parlai_folds
from parlai_spotbot.errors import UserError, nearest

__all__ = ["DOMAINS", "FOLDS", "Domain", "Episode", "domain_of", "get_domain", "keep_domain"]

SPLIT_NOTE = (
    "Folds follow the task's splits (train: bots; valid, by a hash of the turns: judges and humans; test: seeds) and "
    "share no conversation; the data do not say who spoke, so the folds may share people."
)


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
        Whether each entity is told something before the first turn (a persona).
    description, fold_note : str
        One sentence for tables; what is promised about the folds.
    aliases : tuple of str
        Other names that `get_domain` takes.
    source, options : str, tuple of (name, value)
        The task the episodes are read from where it differs from `task`, and the teacher's options.
    hidden_test : bool
        Whether there is no public test set, so that seeds come from valid.
    situation : str
        The field of the task's messages that tells what the first speaker is to talk about; only that one is told.
    own : Described, optional
        The user's own description, where the domain comes from one.
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
    own: custom.DomainDescription | None = None

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
        if self.own is not None and self.own.paths:
            return list(custom.folds_of(self.own)[0][fold])
        source = TaskSource(self.name, self.source or self.task, self.options, self.hidden_test, self.situation)
        where = str(datapath or os.environ.get("PARLAI_DATAPATH") or "") or None
        episodes = parlai_folds(source, where)[fold]
        if self.own is not None and not self.own.contexts:
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
                **({"people": len(people)} if people else {}),
            }
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
        row = {"task": self.task} if self.task else {}
        if self.own is not None:
            kept = self.own.plain()
            row |= {key: kept[key] for key in ("folds", "sha256") if key in kept}
            row["by"] = row.pop("folds")
        return {**row, "folds": self.counts(datapath), "note": self.fold_note, "episodes_sha256": digest.hexdigest()}


DOMAINS = {
    domain.name: domain
    for domain in (
        Domain(
            name="chitchat",
            task="spotbot:chitchat",
            segments=(2, 3, 5),
            description="Students chatting about anything, in English; comes with the package chitchat-dataset.",
            fold_note="The folds share no person and no conversation.",
            aliases=("spotbot:chitchat",),
        ),
        Domain(
            name="dailydialog",
            task="dailydialog",
            segments=(2, 3, 5),
            description="Dialogues of daily life from sites for learners of English (Li et al., 2017).",
            aliases=("daily_dialog", "dd"),
        ),
        Domain(
            name="empathetic_dialogues",
            task="empathetic_dialogues",
            segments=(1, 2, 3),
            description="A speaker tells of a situation, a listener answers with empathy (Rashkin et al., 2019).",
            aliases=("empathetic", "empatheticdialogues", "ed"),
            options=(("train_experiencer_only", "True"),),  # else each conversation comes in two halves
            contexts=True,
            situation="situation",
        ),
        Domain(
            name="convai2",
            task="convai2",
            segments=(2, 3, 5),
            contexts=True,
            description="Two people with given personas get to know each other: PersonaChat (Zhang et al., 2018).",
            fold_note=SPLIT_NOTE.replace("judges and humans; test: seeds", "judges, humans and seeds"),
            aliases=("personachat", "persona_chat", "pc"),
            source="convai2:both:no_cands",
            hidden_test=True,
        ),
    )
}


def get_domain(name: str) -> Domain:
    """The domain called `name` (or by an alias); a file, or any other task that ParlAI knows, becomes one; else a
    `UserError`.

    `name` may be the path of a description (YAML) or of a file of conversations (JSON Lines). A further task has
    segments of 2, 3 and 5 exchanges, the contexts that it has, and folds after its splits.
    """
    wanted_name = str(name).strip().lower()
    for domain in DOMAINS.values():
        if wanted_name == domain.name or wanted_name in domain.aliases:
            return domain
    if custom.is_file(str(name)):
        return _described(custom.describe(Path(name)), str(name))
    if not _is_task(str(name)):
        names = [*DOMAINS, *(alias for domain in DOMAINS.values() for alias in domain.aliases)]
        more = " Or name a task that ParlAI knows, a description (.yaml), or a file of conversations (.jsonl)."
        raise UserError(f"unknown domain '{name}'.", nearest(wanted_name, names) + more)
    return Domain(name=str(name), task=str(name), segments=(2, 3, 5), description="A ParlAI task.")


def domain_of(folder: Path | str, name: str) -> Domain:
    """The domain of the study in `folder`, whose plan calls it `name`: the copy it keeps, or a known one."""
    kept = custom.kept(Path(folder))
    if kept is None:
        try:
            return get_domain(name)
        except UserError:
            raise UserError(
                f"{folder}: its domain '{name}' is none that is known, and there is no copy of it in {custom.COPY}/.",
                f"Put the study's folder {custom.COPY}/ back; or, for a task of your own, make its package importable.",
            ) from None
    domain = _described(custom.describe(kept), str(kept))
    if domain.name != name:
        raise UserError(
            f"{kept}: describes the domain '{domain.name}', but the study's is '{name}'.", "Put the study's own back."
        )
    return domain


def keep_domain(domain: Domain, folder: Path | str) -> None:
    """Write a user's own domain into the folder of a new study; known ones need no copy."""
    if domain.own is not None:
        custom.keep(domain.own, Path(folder))


def _described(description: custom.DomainDescription, where: str) -> Domain:
    names = {name for domain in DOMAINS.values() for name in (domain.name, *domain.aliases)}
    if description.name.lower() in names:
        raise UserError(
            f"{where}: '{description.name}' is the name of a domain that comes with us.", "Choose another name."
        )
    if description.task and not _is_task(description.task):
        raise UserError(
            f"{where}: field 'task' is '{description.task}', which ParlAI doesn't know.",
            "Try it: parlai display_data -t TASK. Where it is your own, its package must be importable.",
        )
    note = SPLIT_NOTE if description.task else custom.folds_of(description)[1]
    if description.task and description.hidden_test:
        note = SPLIT_NOTE.replace("judges and humans; test: seeds", "judges, humans and seeds")
    return Domain(
        name=description.name,
        task=description.task,
        segments=description.segments,
        contexts=description.contexts,
        description=description.description,
        fold_note=note,
        options=description.options,
        hidden_test=description.hidden_test,
        situation=description.situation,
        own=description,
    )


def _is_task(name: str) -> bool:
    from parlai.core.loader import load_teacher_module

    from parlai_spotbot.plugin import register

    register()
    try:
        load_teacher_module(name)
    except (ImportError, AttributeError, ValueError, TypeError, KeyError):
        return False
    return True
