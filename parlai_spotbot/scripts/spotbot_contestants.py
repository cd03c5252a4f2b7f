"""``parlai spotbot_contestants``: what is in a pool, whether its entries are right, and how the contestants answer."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import textwrap
from pathlib import Path

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.scripts.command import Command

SECRET = re.compile(r"api_?key$|secret|passw|access_?token|bearer|authorization", re.IGNORECASE)
WIDTH = 96
BUBBLE = 60


@register_script("spotbot_contestants")
class SpotbotContestants(Command):
    DESCRIPTION = "List a pool, check every entry without loading it, and try each contestant with --try"
    EPILOG = """\
  parlai spotbot_contestants --pool rules
  parlai spotbot_contestants --pool my_pool.yaml --try --json tried.json
  parlai spotbot_contestants -mf path/to/my/model --model-opt beam_size=10,inference=beam --try
  parlai spotbot_contestants --study studies/mine --try --at-once 2
  Exit code 2: an entry is wrong; 1: one that was tried failed. How to write a pool: parlai_spotbot/pools/README.md"""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        group = parser.add_argument_group("Contestants")
        group.add_argument("--pool", type=str, default=None, help="embedded (default), rules, or a YAML file")
        group.add_argument("--study", type=str, default=None, metavar="DIR", help="the contestants of a study instead")
        group.add_argument("-mf", "--model-file", dest="bot_file", type=str, default="", help="or one: a model file")
        group.add_argument("-m", "--model", dest="bot", type=str, default="", help="or one: an agent")
        group.add_argument("--model-opt", type=str, default="", help="its ParlAI options: beam_size=3,inference=beam")
        group.add_argument("--json", type=str, default=None, metavar="FILE", help="write everything there as JSON")
        group = parser.add_argument_group("Trying")
        group.add_argument("--try", dest="trying", type="bool", default=False, nargs="?", const=True,
                           help="load each and let it answer two test exchanges in two conversations")  # fmt: skip
        group.add_argument("--domain", type=str, default=None, help="whose seeds it answers (default chitchat)")
        group.add_argument("--at-once", type=int, default=1, help="so many are tried side by side")

    def execute(self) -> int:
        from parlai_spotbot import files
        from parlai_spotbot.errors import UserError

        if self.opt["at_once"] < 1:
            raise UserError(f"--at-once {self.opt['at_once']}: expected a number from 1 up.", "Leave it out for 1.")
        entries = self._entries()
        print(listing(entries))
        problems = [problem for entry in entries for problem in entry.problems]
        for problem in problems:
            print(f"error: {problem.problem}" + (f"\n  {problem.remedy}" if problem.remedy else ""), file=sys.stderr)
        trials = self._try(entries) if self.opt["trying"] else []
        if self.opt["json"]:
            files.write_json(Path(self.opt["json"]), as_json(entries, trials))
            print(f"written: {self.opt['json']}")
        if problems:
            return 2
        return 1 if any(trial.problem for trial in trials) else 0

    def _entries(self) -> list:
        from parlai_spotbot.errors import UserError
        from parlai_spotbot.selfplay.plan import DEFAULT_POOL
        from parlai_spotbot.selfplay.pool import check_entry, read_entries
        from parlai_spotbot.study import Study

        one = bool(self.opt["bot_file"] or self.opt["bot"])
        if sum((one, bool(self.opt["pool"]), bool(self.opt["study"]))) > 1:
            raise UserError("More than one of --pool, --study and -mf/-m is given.", "Name one of them.")
        if self.opt["model_opt"] and not one:
            raise UserError("--model-opt is given without -mf or -m.", "A pool's options stand in the pool.")
        if one:
            return [check_entry(self._one(), "the command line")]
        if self.opt["study"]:
            study = Study.open(Path(self.opt["study"]))
            return [check_entry(contestant, str(study.path)) for contestant in study.plan.contestants.values()]
        return read_entries(self.opt["pool"] or DEFAULT_POOL)

    def _one(self):
        from parlai_spotbot.records import Contestant
        from parlai_spotbot.selfplay.plan import _name_of, parse_options

        entry = {
            "model_file": self.opt["bot_file"],
            "model": self.opt["bot"],
            "opt": parse_options(self.opt["model_opt"], "--model-opt"),
        }
        return Contestant.from_json(_name_of(entry["model_file"] or entry["model"]), entry, "the command line")

    def _try(self, entries: list) -> list:
        from tqdm import tqdm

        from parlai_spotbot.domains import get_domain
        from parlai_spotbot.selfplay.plan import DEFAULT_DOMAIN
        from parlai_spotbot.selfplay.trial import scripts, try_all

        contestants = [entry.contestant for entry in entries if not entry.problems and entry.contestant]
        lines = scripts(get_domain(self.opt["domain"] or self._study_domain() or DEFAULT_DOMAIN))
        logs = Path(tempfile.mkdtemp(prefix="spotbot-trial-"))
        threads = max(1, (os.cpu_count() or 1) // self.opt["at_once"])
        stages: dict[str, str] = {}
        trials = []
        with tqdm(total=len(contestants), unit="bot", desc="trying") as bar:

            def say(name: str, stage: str) -> None:
                stages[name] = stage
                bar.set_postfix_str("; ".join(f"{name} {stage}" for name, stage in stages.items()))

            for trial in try_all(contestants, lines, logs, self.opt["at_once"], threads, say):
                stages.pop(trial.name, None)
                trials.append(trial)
                bar.update()
        order = {entry.name: number for number, entry in enumerate(entries)}
        trials.sort(key=lambda trial: order[trial.name])
        print("\n" + report(trials))
        if any(trial.problem for trial in trials):
            print(f"what they printed is in {logs}")
        return trials

    def _study_domain(self) -> str:
        from parlai_spotbot.study import Study

        return Study.open(Path(self.opt["study"])).plan.domain if self.opt["study"] else ""


def listing(entries: list) -> str:
    """The pool as a table, and what is good to know of its entries."""
    from tabulate import tabulate

    rows = []
    for entry in entries:
        bot = entry.contestant
        options = ", ".join(f"{key}={value}" for key, value in shown_options(bot.opt).items()) if bot else ""
        said = "wrong" if entry.problems else entry.kind
        file, words = (bot.model_file, bot.description) if bot else ("", "")
        rows.append((entry.name, said, entry.agent.rpartition(":")[2], file, options, words))
    headers = ("name", "what it is", "agent class", "model file", "options", "description")
    widths = [20, 12, 34, 30, 26, 34]
    used = [n for n, _ in enumerate(headers) if n < 2 or any(row[n] for row in rows)]
    table = tabulate(
        [[row[n] for n in used] for row in rows],
        headers=[headers[n] for n in used],
        maxcolwidths=[widths[n] for n in used],
    )
    notes = [f"note: {entry.name}: {note}" for entry in entries for note in entry.notes]
    return "\n".join([table, *notes])


def shown_options(opt: dict) -> dict:
    """Options as they may be shown and written: keys and passwords don't belong into a pool, and aren't repeated."""
    return {key: "(not shown)" if SECRET.search(str(key)) else value for key, value in opt.items()}


def report(trials: list) -> str:
    """Figures, warnings, failures and conversations of all trials."""
    from tabulate import tabulate

    good = [trial for trial in trials if not trial.problem]
    rows = [
        (
            t.name, f"{t.load_seconds:.1f}", f"{1000 * t.first_seconds:.0f}", f"{1000 * t.median_seconds:.0f}",
            f"{t.memory / 2**20:.0f}", {"same": "yes, same text", "other": "yes, other text"}.get(t.batch, t.batch),
            "same text" if t.same_again else "OTHER text", len(t.warnings) or "",
        )
        for t in good
    ]  # fmt: skip
    headers = ("name", "load s", "first ms", "median ms", "MiB", "batched", "same seed", "warnings")
    parts = [picture(trial) for trial in good]
    if rows:
        parts.append(tabulate(rows, headers=headers, disable_numparse=True, colalign=("left", *("right",) * 4)))
    parts.append("\n".join(f"warning: {t.name}: {warning}" for t in good for warning in t.warnings))
    bad = [t for t in trials if t.problem]
    parts.append("\n".join(f"failed: {t.problem}\n  {t.remedy}" for t in bad))
    parts.append(f"{len(good)} of {len(trials)} answered")
    return "\n\n".join(part for part in parts if part)


def picture(trial) -> str:
    """The test conversations as they would look on a page: the contestant's turns to the right, the seed in dots."""
    lines = []
    for number, conversation in enumerate(trial.conversations, start=1):
        lines.append(f"── {trial.name}, conversation {number} ".ljust(WIDTH, "─"))
        for place, (speaker, text) in enumerate(conversation):
            lines += bubble(speaker, text, right=speaker == trial.name, seed=place < 2)
    return "\n".join(lines)


def bubble(speaker: str, text: str, right: bool, seed: bool) -> list[str]:
    """One turn as lines: on the right side or the left, marked where it belongs to the seed."""
    edge = "┊" if seed else "│"
    told = textwrap.wrap(text, BUBBLE, max_lines=8, placeholder=" […]") or ["(empty)"]
    who = f"{speaker}{' (seed)' if seed else ''}"
    rows = [who, *(f"{line} {edge}" if right else f"{edge} {line}" for line in told)]
    return [row.rjust(WIDTH) if right else row for row in rows]


def as_json(entries: list, trials: list) -> dict:
    """What was checked and tried, for ``--json``."""
    tried = {trial.name: trial.to_json() for trial in trials}
    rows = []
    for entry in entries:
        row = {"name": entry.name, "kind": entry.kind, "agent": entry.agent, "notes": list(entry.notes)}
        row["entry"] = entry.contestant.to_json() if entry.contestant else None
        if row["entry"] and "opt" in row["entry"]:
            row["entry"]["opt"] = shown_options(row["entry"]["opt"])
        row["problems"] = [{"problem": p.problem, "remedy": p.remedy} for p in entry.problems]
        row["trial"] = tried.get(entry.name)
        rows.append(row)
    return {"contestants": rows}
