"""Conversations of people out of ParlAI's tasks: whole ones, each once, in folds.

A ParlAI teacher gives (text, label) pairs, often each conversation once for each side, with ``__SILENCE__`` where the
side that begins answers, and personas as lines before the first text. Here they become `Episode` again. Who spoke is
not known there, so the folds follow the task's splits (paper, section 4, Domains: seeds come from the test set).
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from parlai_spotbot.errors import UserError

FOLDS = ("bots", "judges", "humans", "seeds")

SILENCE = "__SILENCE__"
YOURS = "your persona: "
PARTNERS = "partner's persona: "


@dataclass(frozen=True)
class Episode:
    """A conversation of people; entity 0 has the even turns. What is not known (contexts, people) is ""."""

    episode_id: str
    turns: tuple[str, ...]
    context: tuple[str, str] = ("", "")
    people: tuple[str, str] = ("", "")


Spoken = tuple[tuple[str, ...], tuple[str, str]]
"""Turns and contexts."""


def split_context(text: str) -> tuple[tuple[str, str], str]:
    """Take the personas off a teacher's text: ((persona of the text's speaker, of the label's), the text)."""
    speakers = []
    answerers = []
    rest = []
    for line in text.split("\n"):
        if line.startswith(YOURS):
            answerers.append(line)
        elif line.startswith(PARTNERS):
            speakers.append(YOURS + line.removeprefix(PARTNERS))
        else:
            rest.append(line)
    return ("\n".join(speakers), "\n".join(answerers)), "\n".join(rest).strip()


@contextlib.contextmanager
def _environment_kept(name: str) -> Iterator[None]:
    """ParlAI's parser keeps a datapath it was given in the environment, where it would rule all later reading."""
    before = os.environ.get(name)
    try:
        yield
    finally:
        os.environ.pop(name, None)
        if before is not None:
            os.environ[name] = before


def _acts(task: str, split: str, options: dict) -> Iterator[list[dict]]:
    """The acts of a task's teacher, one list an episode, in the order of the data."""
    from parlai.core.params import ParlaiParser
    from parlai.core.teachers import create_task_agent_from_taskname

    if split == "train":
        split = "train:evalmode"  # in order, and once
    opt = ParlaiParser(True, False).parse_kwargs(task=task, datatype=split, **options)
    teacher = create_task_agent_from_taskname(opt)[0]
    if not teacher.num_examples():
        return
    acts: list[dict] = []
    while not teacher.epoch_done():
        acts.append(teacher.act())
        if acts[-1].get("episode_done"):
            yield acts
            acts = []
    if acts:
        yield acts


def _episode(acts: list[dict], situation: str) -> Spoken:
    """The turns and contexts of an episode, entity 0 first.

    `situation` names the field that tells whoever begins what to talk about: a line of that entity's persona, as
    ParlAI's models take it, and nothing for the other.
    """
    context = ("", "")
    turns = []
    for number, act in enumerate(acts):
        text = act.get("text") or ""
        if number == 0:
            context, text = split_context(text)
        turns.append(text.strip())
        turns += [label.strip() for label in (act.get("labels") or act.get("eval_labels") or ())[:1]]
    if turns and turns[0] == SILENCE:
        return tuple(turns[1:]), (context[1], context[0])
    situation_text = " ".join(str(acts[0].get(situation) or "").split())
    if situation and situation_text:
        context = ("\n".join(filter(None, (context[0], YOURS + situation_text))), context[1])
    return tuple(turns), context


def each_once(episodes: list[tuple]) -> list[tuple]:
    """Leave out an episode that is another's twin: the same conversation from the other side, or word for word.

    Seen from the other side a conversation begins with the same turn (after a silence) or with the second one, and ends
    with the same turn or one earlier or later.
    """
    order = sorted(range(len(episodes)), key=lambda i: episodes[i][0])
    twins = set()
    for i, j in pairwise(order):
        short = episodes[i][0]
        long = episodes[j][0]
        if len(long) - len(short) <= 1 and long[: len(short)] == short:
            twins.add(i)
    from_second = {part for turns, _ in episodes for part in (turns[1:], turns[1:-1]) if len(part) > 1}
    twins.update(i for i, (turns, _) in enumerate(episodes) if turns in from_second or turns[:-1] in from_second)
    return [episode for i, episode in enumerate(episodes) if i not in twins]


def stream(name: str, task: str, split: str, options: dict, situation: str = "") -> Iterator[Spoken]:
    """The turns and contexts of the conversations of a split, one by one, as the task gives them: often each from
    both sides (`each_once`). A task that can't be read is a `UserError` that names the domain `name`."""
    try:
        with _environment_kept("PARLAI_DATAPATH"):
            for acts in _acts(task, split, options):
                turns, context = _episode(acts, situation)
                if len(turns) > 1 and all(turns):
                    yield turns, context
    except (Exception, SystemExit) as err:  # a task's own code: it may raise anything
        raise UserError(
            f"domain '{name}': the {split} split of ParlAI's task '{task}' can't be read: {_in_a_line(err)}.",
            f"With a network, run once: parlai display_data -t {task}. Without, copy ParlAI's data folder from a "
            "machine that has it, and name it in the environment variable PARLAI_DATAPATH.",
        ) from err


def _in_a_line(err: BaseException) -> str:
    """An exception in a line; one for users needs no name."""
    text = " ".join(str(err).split())
    if isinstance(err, UserError):
        return text
    return f"{type(err).__name__}: {text}"
