"""The options of `spotbot_import`, with their defaults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.left_out import LeftOut
from parlai_spotbot.options import option


@dataclass(frozen=True)
class ImportRequest:
    """A request to import `data`; of the options a format reads those that its help text names.

    A format counts in `left_out` the rows that it could not use, by reason: faults of the data, not what options or the
    format's rules leave out. It shows in the exit code.
    """

    data: str
    study: str = ""
    survey: str = "spot_the_bot"
    domain: str | None = option(
        None,
        "spotbot2020: dailydialog, empathetic or convai2; else the domain that judges are to learn from",
        "What is imported",
    )
    leave_out: str = option(
        "incomplete", "spotbot2020: annotations to leave out, of incomplete, repeats, developers; or none", "Details"
    )
    names: str | None = option(None, "conversations, messages, sharegpt, votes: speakers' ids and names, ID=NAME,…")
    seed_exchanges: int = option(0, "conversations, messages, sharegpt: exchanges of context in front")
    segments: Sequence[int] | None = option(None, "segment lengths in exchanges (default: those of 2,3,5 that fit)")
    columns: str | None = option(
        None,
        "messages, sharegpt, judgements, votes: our fields and the file's columns, OURS=THEIRS,… (messages, sharegpt: "
        "messages, role, text, model, conversation_id, turn, system; votes: a, b, winner, prompt, annotator, time, "
        "language; - for none)",
    )
    roles: str | None = option(
        None,
        "messages, sharegpt: our roles (user, assistant, system, tool) and words of the file for them, OURS=THEIRS,…; "
        "several for one: user=Kunde,user=Gast",
    )
    answers: str | None = option(
        None,
        "judgements, votes: the file's answers and ours, THEIRS=OURS,… (votes: a, b, tie, both_bad; numbers by cuts: "
        "'>0.5=a,<0.5=b,0.5=tie')",
    )
    source: str = option("human", "votes: who voted, human or judge:NAME where a model did")
    strict: bool = option(False, "refuse a file with a row that can't be used; else such rows are left out and counted")
    left_out: LeftOut = field(default_factory=LeftOut)

    def __post_init__(self) -> None:
        self.left_out.strict = self.strict

    @property
    def paths(self) -> list[str]:
        """The files that --data names."""
        return [self.data] if Path(self.data).exists() else [part for part in self.data.split(",") if part]

    def pairs(self, name: str) -> dict[str, str]:
        """Return the pairs of ``--columns``, ``--roles``, ``--names`` or ``--answers``: ``a=b,c=d``.

        What holds a comma is quoted: ``"a, b"=c``. Theirs may hold "=": ours never does. Of roles theirs is the key,
        since several words mean one of ours.
        """
        option, text = f"--{name}", getattr(self, name)
        result = {}
        split = str.rpartition if name in ("names", "answers") else str.partition
        for part in re.findall(r'(?:"[^"]*"|[^,])+', text or ""):
            left, equals, right = (side.strip(' "') for side in split(part, "="))
            if not part.strip():
                continue
            if not equals or not left or not right:
                raise UserError(
                    f"{option} {text}: '{part.strip()}' is not of the form A=B.", f'Write {option} a=b,"c, d"=e.'
                )
            if name == "roles":
                left, right = right, left
            if left in result:
                raise UserError(f"{option} {text}: '{left}' is there twice.", "Name each once.")
            result[left] = right
        return result
