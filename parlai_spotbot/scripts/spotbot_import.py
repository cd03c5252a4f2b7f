"""`parlai spotbot_import`: other people's data into a study, on which the other commands work as on our own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import HUMAN
from parlai_spotbot.scripts.command import Command, add_common, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Collection

    from parlai_spotbot.importers.writing import Imported

FORMATS = ("spotbot2020", "conversations", "self_chats", "pairings", "abc_eval", "judgements", "votes")


def pairs(text: str | None, option: str) -> dict[str, str]:
    """Parse ``a=b,c=d``; for the options --columns, --names and --answers."""
    result: dict[str, str] = {}
    for part in (text or "").split(","):
        left, equals, right = (side.strip() for side in part.partition("="))
        if not part.strip():
            continue
        if not equals or not left or not right:
            raise UserError(f"{option} {text}: '{part.strip()}' is not of the form A=B.", f"Write {option} a=b,c=d.")
        if left in result:
            raise UserError(f"{option} {text}: '{left}' is there twice.", "Name each once.")
        result[left] = right
    return result


@register_script("spotbot_import")
class SpotbotImport(Command):
    DESCRIPTION = "Bring other people's data into a study: the released data of the paper, conversations, judgements"
    EPILOG = """\
  parlai spotbot_import --format spotbot2020 --data MongoDump.zip --domain convai2 --study studies/convai2
  parlai spotbot_import --format conversations --data chats.jsonl --names model_1=mine,model_2=theirs --study studies/x
  parlai spotbot_import --format judgements --data answers.csv --columns nature0=verdict_a,nature1=verdict_b \\
      --answers H=human,B=bot,?=unsure --study studies/x
  parlai spotbot_import --format self_chats --data model1.jsonl,theirs=model2.jsonl --study studies/x
  parlai spotbot_import --format pairings --data pairings.jsonl --study studies/y
  parlai spotbot_import --format abc_eval --data behavior-classification-results.json --study studies/abc_eval
  parlai spotbot_import --format votes --data arena.csv --study studies/arena
  parlai spotbot_import --format votes --data votes.jsonl --columns a=bot1,b=bot2,winner=better,annotator=- \
      --answers 1=a,2=b,0=tie,3=both_bad --study studies/votes
  The same command again changes nothing."""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("What is imported")
        group.add_argument("--format", type=str, required=True, help=f"one of {', '.join(FORMATS)}")
        group.add_argument(
            "--data", type=str, required=True, metavar="PATH",
            help="spotbot2020: the zip file or its unpacked folder; conversations, self_chats: files, joined by commas "
            "(self_chats: each of one model, named NAME=FILE or after the file); pairings: a file of ParlAI's; "
            "abc_eval: the labels that its authors published, or the data.json of their whole project; "
            "judgements: a CSV or JSON Lines file; votes: a CSV or JSON file, a vote a row",
        )  # fmt: skip
        group.add_argument(
            "--domain",
            type=str,
            default=None,
            help="spotbot2020: dailydialog, empathetic or convai2; else the domain that judges are to learn from",
        )
        cls._add_details(parser.add_argument_group("Details"))

    @staticmethod
    def _add_details(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--leave-out", type=str, default="incomplete",
            help="spotbot2020: annotations to leave out, of incomplete, repeats, developers; or none",
        )  # fmt: skip
        group.add_argument(
            "--names", type=str, default=None, help="conversations, pairings, votes: speakers' ids and names, ID=NAME,…"
        )
        group.add_argument(
            "--ask", type=str, default="engagingness", help="pairings: the question, where the file names none"
        )
        group.add_argument("--seed-exchanges", type=int, default=0, help="conversations: exchanges of context in front")
        group.add_argument(
            "--segments", type=str, default=None,
            help="segment lengths in exchanges (default: those of 2,3,5 that fit)",
        )  # fmt: skip
        group.add_argument(
            "--columns", type=str, default=None,
            help="judgements, votes: our fields and the file's columns, OURS=THEIRS,… (votes: a, b, winner, prompt, "
            "annotator, time, language, where they aren't found; - for a column that is to be left out)",
        )  # fmt: skip
        group.add_argument(
            "--answers", type=str, default=None,
            help="judgements, votes: the file's answers and ours, THEIRS=OURS,… (votes: a, b, tie, both_bad)",
        )  # fmt: skip
        group.add_argument(
            "--source", type=str, default="human", help="votes: who voted, human or judge:NAME where a model did"
        )

    def execute(self) -> None:
        kind = self.opt["format"]
        if kind not in FORMATS:
            raise UserError(f"--format {kind}: not known.", nearest(kind, FORMATS))
        if kind == "judgements":
            self._judgements()
        else:
            read = {"spotbot2020": self._released, "conversations": self._conversations,
                    "self_chats": self._self_chats, "pairings": self._pairings, "abc_eval": self._abc_eval,
                    "votes": self._votes}  # fmt: skip
            self._study(read[kind]())

    def _released(self) -> Imported:
        from parlai_spotbot.importers.spotbot2020 import DOMAINS
        from parlai_spotbot.importers.spotbot2020_study import spotbot2020

        if self.opt["domain"] is None:
            raise UserError("--domain missing.", f"Name one of {', '.join(DOMAINS)}.")
        chosen = self.opt["leave_out"]
        leave_out = [] if chosen == "none" else [part.strip() for part in chosen.split(",") if part.strip()]
        return spotbot2020(self.opt["data"], self.opt["domain"], leave_out)

    def _segments(self) -> tuple[int, ...] | None:
        from parlai_spotbot.study import check_segments

        segments = self.opt["segments"]
        return None if segments is None else check_segments(whole_numbers(segments), "--segments")

    def _conversations(self) -> Imported:
        from parlai_spotbot.importers.conversations import conversations

        return conversations(
            [part for part in self.opt["data"].split(",") if part], self.opt["domain"] or "imported",
            names=pairs(self.opt["names"], "--names"), seed_exchanges=self.opt["seed_exchanges"],
            segments=self._segments(),
        )  # fmt: skip

    def _self_chats(self) -> Imported:
        from parlai_spotbot.importers.self_chats import self_chats

        data = [part for part in self.opt["data"].split(",") if part]
        return self_chats(data, self.opt["domain"] or "imported", self._segments())

    def _pairings(self) -> Imported:
        from parlai_spotbot.importers.pairings import pairings

        return pairings(
            self.opt["data"], self.opt["domain"] or "imported", names=pairs(self.opt["names"], "--names"),
            question=self.opt["ask"], segments=self._segments(),
        )  # fmt: skip

    def _abc_eval(self) -> Imported:
        from tqdm import tqdm

        from parlai_spotbot.importers.abc_eval_full import abc_eval

        with tqdm(desc="dialogues", unit="dialogue", delay=2) as bar:
            return abc_eval(self.opt["data"], bar.update)

    def _votes(self) -> Imported:
        from tqdm import tqdm

        from parlai_spotbot.importers.votes import votes

        given = {name: pairs(self.opt[name], f"--{name}") for name in ("columns", "answers", "names")}
        with tqdm(desc="votes", unit="vote", unit_scale=True, delay=2) as bar:
            return votes(self.opt["data"], self.opt["domain"] or "votes", source=self.opt["source"],
                         progress=bar.update, **given)  # fmt: skip

    def _study(self, imported: Imported) -> None:
        from parlai_spotbot.importers.writing import write_study

        new = write_study(self.opt["study"], imported)
        print(summary(imported))
        print(f"\n{'written' if new else 'there already, nothing changed'}: {self.opt['study']}")
        answered = imported.judgements or imported.lines
        step = "spotbot_analyze" if answered else "spotbot_crowdsource" if imported.units else "spotbot_pack"
        survey = "" if imported.survey == "spot_the_bot" else f" --survey {imported.survey}"
        for name in imported.others:
            print(f"also: {len(imported.others[name])} judgements of survey {name}")
        print(f"next: parlai {step} --study {self.opt['study']}{survey}")

    def _judgements(self) -> None:
        import hashlib
        from pathlib import Path

        from parlai_spotbot.importers.judgements import judgements
        from parlai_spotbot.importers.writing import add_judgements
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys import get_survey, survey_of

        survey, path = self.opt["survey"], Path(self.opt["data"])
        get_survey(survey)
        study = Study.open(self.opt["study"])
        known = {c.conversation_id: c for c in study.conversations()}
        columns, answers = pairs(self.opt["columns"], "--columns"), pairs(self.opt["answers"], "--answers")
        asked = survey_of(study, survey)
        units = study.units(survey) if study.units_path(survey).exists() else []
        items = {(item.conversation_ids, name): item.item_id for unit in units for item in unit.items
                 for name in item.questions or [q.name for q in asked.questions]}  # fmt: skip
        new = judgements(path, known, asked, items=items, columns=columns, answers=answers)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        about = {"source": path.name, "sha256": sha256, "columns": columns, "answers": answers, "judgements": len(new)}
        with study.lock("spotbot_import"):
            added = add_judgements(study, survey, new, about)
        workers = len({judgement.worker_id for judgement in new})
        print(f"{len(new)} judgements by {workers} annotators read, {added} of them new")
        print(f"written: {study.judgements_path(survey)}")


def summary(imported: Imported) -> str:
    """What was imported, and every oddity with its count and what was done about it."""
    if imported.survey in imported.lines:
        return _summary_of_votes(imported.plan.contestants, imported.about)
    lines = [f"{len(imported.conversations)} conversations of {', '.join(imported.plan.contestants)}"]
    if imported.judgements:
        people = len({judgement.worker_id for judgement in imported.judgements if judgement.source == HUMAN})
        lines[0] += f"; {len(imported.units)} units; {imported.about['annotations']} annotations, {people} annotators"
    elif imported.units:
        pairs_read, known = imported.about["pairs"], imported.about["controls"]
        lines[0] += f"; {pairs_read} pairs in {len(imported.units)} units, {known} controls"
    lines += [f"note: {note}" for note in imported.about.get("notes", [])]
    rows = imported.about.get("oddities", [])
    if rows:
        lines.append(f"\n{'count':>6} {'of':>6}  what, and what is done about it")
        lines += [f"{row['count']:>6} {row['of']:>6}  {row['what']}: {row['rule']}" for row in rows if row["count"]]
    return "\n".join(lines)


def _summary_of_votes(contestants: Collection[str], about: dict) -> str:
    """How many votes came to what, and which columns were read as what."""
    outcomes = ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in about["outcomes"].items())
    lines = [f"{about['annotations']:,} votes on {len(contestants)} contestants: {outcomes}"]
    if about["annotators"] is not None:
        lines[0] += f"; {about['annotators']:,} annotators"
    columns = {ours: ", ".join([theirs] if isinstance(theirs, str) else theirs)
               for ours, theirs in about["columns"].items()}  # fmt: skip
    lines.append(f"read: {'; '.join(f'{ours} from {theirs}' for ours, theirs in columns.items())}")
    return "\n".join(lines + [f"note: {note}" for note in about["notes"]])
