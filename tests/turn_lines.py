"""Lines written for tests of phrases, and turns of people in which hardly any phrase may be found."""

import csv
from pathlib import Path

from parlai_spotbot.records import HUMAN
from tests.outside_data import SPOT_THE_BOT, released_data


def labelled(path: Path, part: str) -> tuple[list[str], list[str]]:
    """The texts of a part of a table that say what is looked for, and those that don't."""
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["part"] == part]
    says, says_not = ([row["text"].replace("\\n", "\n") for row in rows if row["says"] == yes] for yes in ("yes", "no"))
    return says, says_not


def turns_of_the_paper() -> list[str]:
    """What people said in the paper's three domains."""
    from parlai_spotbot.projects.spot_the_bot_2020.dump import read_dump

    dump = released_data(SPOT_THE_BOT)
    talks = [talk for name in ("convai2", "dailydialog", "empathetic") for talk in read_dump(dump, name).conversations]
    return [turn.text for talk in talks for turn in talk.turns if turn.speaker == HUMAN]


def turns_of_chitchat() -> list[str]:
    """What people said in the conversations of the chitchat task."""
    from parlai_spotbot.tasks.chitchat.data import raw_conversations

    talks = raw_conversations().values()
    return [" ".join(message["text"] for message in turn) for talk in talks for turn in talk["messages"] if turn]
