"""Corpora of conversations: any ParlAI task or domain, a file of conversations, or the people of a study.

Folds share no conversation: "train", "valid" and "test" are the domain's folds for bots, for judges and people, and for
seeds.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path

from parlai_spotbot.domains import folding, get_domain
from parlai_spotbot.domains.conversation_files import ConversationRow, read_rows
from parlai_spotbot.domains.parlai_tasks import FOLDS, Episode
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import HUMAN

FOLDS_OF = {
    "train": ("bots",),
    "valid": ("judges", "humans"),
    "test": ("seeds",),
    "all": FOLDS,
    **{f: (f,) for f in FOLDS},
}
"""Which folds of a domain a fold of a corpus is made of; a domain's own names are understood as well."""

TWICE = "the same conversation again"
BOTS = "conversations with bots"


@dataclass(frozen=True)
class Corpus:
    """Conversations under a name; `left_out` counts by reason the conversations that were there and aren't used."""

    name: str
    dialogues: tuple[Episode, ...]
    fold: str = "all"
    left_out: dict[str, int] = field(default_factory=dict)


def read_corpus(name: str | Path, fold: str = "all", datapath: str | None = None) -> Corpus:
    """Read a corpus.

    Parameters
    ----------
    name : str
        A ParlAI task (as with ``-t``) or a domain; the path of a file of conversations or of a domain's description; or
        the folder of a study.
    fold : str
        One of `FOLDS_OF`. A file without splits is parted by its people, or else by a hash of the turns.

    Raises `UserError` for an unknown name, fold or field, a malformed file, and where no conversation is left.
    """
    if fold not in FOLDS_OF:
        raise UserError(f"fold '{fold}': unknown.", nearest(fold, FOLDS_OF))
    path = Path(name).expanduser()
    if path.is_dir() and (path / "conversations.jsonl").is_file():
        corpus = _of_file(path / "conversations.jsonl", path.resolve().name, fold)
    elif path.suffix.lower() in (".jsonl", ".json"):
        corpus = _of_file(path, path.stem, fold)
    else:
        domain = get_domain(str(name))
        episodes = [episode for fold_name in FOLDS_OF[fold] for episode in domain.episodes(fold_name, datapath)]
        corpus = Corpus(domain.name, tuple(episodes), fold)
    dialogues: dict[tuple[str, ...], Episode] = {}
    for dialogue in sorted(corpus.dialogues, key=lambda dialogue: dialogue.episode_id):
        dialogues.setdefault(dialogue.turns, dialogue)  # of copies the one with the least id
    left_out = dict(corpus.left_out)
    again = len(corpus.dialogues) - len(dialogues)
    if again:
        left_out[TWICE] = again
    if not dialogues:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items()) or "nothing left out"
        problem = f"corpus '{corpus.name}': no conversation in fold '{fold}' ({reasons})."
        raise UserError(problem, "Ask for the fold 'all', or name a larger corpus of people's conversations.")
    return replace(corpus, dialogues=tuple(dialogues.values()), left_out=left_out)


# -- files ---------------------------------------------------------------------------------------------------------
def _of_file(path: Path, name: str, fold: str) -> Corpus:
    """Read a file; of a study's conversations those between people."""
    bots = 0

    def wanted(row: dict) -> bool:
        nonlocal bots
        entities = row.get("entities")
        with_bot = isinstance(entities, list) and any(entity != HUMAN for entity in entities)
        bots += with_bot
        return not with_bot

    dialogues = [row.episode for row in _rows_of(read_rows(path, name, wanted=wanted), fold)]
    left_out = {}
    if bots:
        left_out[BOTS] = bots
    return Corpus(name, tuple(dialogues), fold, left_out)


def _rows_of(rows: list[ConversationRow], fold: str) -> list[ConversationRow]:
    """Return the rows of a fold, by the splits, the people or a hash of the turns, the first of these in the data."""
    if fold == "all":
        return rows
    episodes = [row.episode for row in rows]
    if all(row.split for row in rows):
        folds = folding.by_split(episodes, [row.split for row in rows], False)
    elif all(all(episode.people) for episode in episodes):
        folds = folding.by_people(episodes)
    else:
        folds = folding.by_hash(episodes)
    return [row for row, row_fold in zip(rows, folds, strict=True) if row_fold in FOLDS_OF[fold]]
