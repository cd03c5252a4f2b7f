"""A contestant that was broken is replaced: what it said is set aside, and self-play lets it say everything anew.

The line of history.jsonl comes first, and from then on its earlier conversations don't count; they are moved
afterwards, here and before self-play, so a crash in between loses nothing.
"""

from __future__ import annotations

from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Contestant, Conversation
from parlai_spotbot.study import Study


def replace_contestant(study: Study, name: str, contestant: Contestant) -> int:
    """Let `contestant` play in the place of the one that the study calls `name`; returns how many conversations were
    set aside. The caller holds the study.

    Raises `UserError` where it isn't in the study, has not played in it, or people have begun to annotate there.
    """
    if name not in study.plan.contestants:
        raise UserError(f"--replace {name}: no such contestant.", nearest(name, study.plan.contestants))
    if "selfplay" not in study.provenance() or name not in study.played():
        raise UserError(
            f"--replace {name}: it has played nothing here that could be set aside.",
            "Give its new entry to spotbot_selfchat.",
        )
    begun = sorted(study.path.glob("surveys/*/crowdsourcing/**/ledger.db"))
    if begun:
        raise UserError(
            f"--replace {name}: people have begun to annotate ({begun[0]}).",
            "Leave it out (--leave-out), and let the new one play under another name.",
        )
    played = study.played_under(name)
    entry = Contestant.from_json(played, contestant.to_json(), f"--replace {name}").to_json()
    study.extend(contestants={played: entry}, mended=[played], replaced=[played])
    return put_aside(study)


def put_aside(study: Study) -> int:
    """Move the conversations that don't count any more to set_aside/; returns how many there were."""
    if not study.plan.replaced:
        return 0
    study = study.as_played()
    there: dict[str, Conversation] = {}
    for rows in _files(study).values():
        there = {row.conversation_id: row for row in rows if not study.plan.counts(row)} | there
    if not there:
        return 0
    study.set_aside_path.parent.mkdir(exist_ok=True)
    with checksums.Journal(study.set_aside_path) as journal:
        kept = checksums.read_jsonl(study.set_aside_path, Conversation.from_json, "conversations file")
        known = {row.conversation_id for row in kept}
        if new := [row.to_json() for row in there.values() if row.conversation_id not in known]:
            journal.append(*new)
    for path, rows in _files(study).items():
        write = files.write_jsonl if path == study.journal_path else checksums.write_jsonl
        write(path, [row.to_json() for row in rows if study.plan.counts(row)])
    return len(there)


def _files(study: Study) -> dict[Path, list[Conversation]]:
    """The conversations of each file that self-play has written."""
    found = {}
    if study.conversations_path.exists():
        found[study.conversations_path] = checksums.read_jsonl(
            study.conversations_path, Conversation.from_json, "conversations file"
        )
    if study.journal_path.exists():
        found[study.journal_path] = files.read_jsonl(
            study.journal_path, Conversation.from_json, "journal", torn_tail=True
        )
    return found
