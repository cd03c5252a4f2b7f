"""What a domain is: a ParlAI task, folds for bots, judges, people and seeds, segment lengths, contexts.

The paper's three domains (section 4, appendix E) and `chitchat`, which needs no download. Any other ParlAI task works
as a domain by its name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from parlai_spotbot.domains.reading import FOLDS, Episode, parlai_folds
from parlai_spotbot.errors import UserError, nearest

__all__ = ["DOMAINS", "FOLDS", "Domain", "Episode", "get_domain"]

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
        source = self.source or self.task
        where = str(datapath or os.environ.get("PARLAI_DATAPATH") or "") or None
        return list(parlai_folds(self.name, source, self.options, self.hidden_test, where)[fold])

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
    """The domain called `name` (or by an alias); any other task that ParlAI knows becomes one; else a `UserError`.

    A further task has segments of 2, 3 and 5 exchanges, no contexts, and folds after its splits.
    """
    known = str(name).strip().lower()
    for domain in DOMAINS.values():
        if known == domain.name or known in domain.aliases:
            return domain
    if not _is_task(str(name)):
        names = [*DOMAINS, *(alias for domain in DOMAINS.values() for alias in domain.aliases)]
        raise UserError(f"unknown domain '{name}'.", nearest(known, names) + " Or name any task that ParlAI knows.")
    return Domain(name=str(name), task=str(name), segments=(2, 3, 5), description="A ParlAI task.")


def _is_task(name: str) -> bool:
    from parlai.core.loader import load_teacher_module

    from parlai_spotbot.plugin import register

    register()
    try:
        load_teacher_module(name)
    except (ImportError, AttributeError, ValueError, TypeError, KeyError):
        return False
    return True
