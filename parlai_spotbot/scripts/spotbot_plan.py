"""``parlai spotbot_plan``: how many conversations, annotations, hours and dollars a study needs; and after a pilot."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.scripts.command import Command, whole_numbers

if TYPE_CHECKING:
    import pandas as pd

    from parlai_spotbot.analysis.planning import Design
    from parlai_spotbot.study import Study

DIFFERENCES = (0.1, 0.2, 0.3, 0.5)
"""Shown side by side with the one that is asked for."""


def before(
    design: Design,
    *,
    difference: float,
    win_rates: list[float] | None,
    seconds: float,
    wage: float | None,
    people: dict[str, float],
    simulations: int = 0,
    seed: int = 0,
    progress: bool = True,
) -> dict:
    """The plan of a study that is still to be made: the need, the same for other differences, costs, and a check."""
    from tqdm import tqdm

    from parlai_spotbot.analysis import planning

    asked = planning.plan(design, difference=difference, win_rates=win_rates, seconds=seconds, wage=wage)
    others = [
        {"difference": d, **planning.plan(design, difference=d, seconds=seconds, wage=wage)}
        for d in sorted({*DIFFERENCES, difference})
    ]
    result = {"asked": asked, "differences": others, "design": _design(design), "simulation": None}
    if asked["conversations_per_pair"] is None:
        return result
    result["efficiency"] = planning.time_efficiency(
        design.bots, asked["annotations_per_pair"] * (1 + design.people), seconds, **people
    )
    if simulations:
        with tqdm(total=simulations, desc="simulated studies", disable=not progress, delay=1) as bar:
            result["simulation"] = planning.simulated_power(
                asked["rate"], asked["conversations_per_pair"], design, repetitions=simulations, seed=seed,
                progress=bar.update,
            )  # fmt: skip
    return result


def after_pilot(
    study: Study, survey: str, design: Design, *, source: str | None, difference: float, seconds: float | None,
    wage: float | None,
) -> dict:  # fmt: skip
    """Which pairs of a study still need data, from the judgements it has."""
    from parlai_spotbot.analysis import planning
    from parlai_spotbot.analysis.frames import annotations_frame, matches_frame
    from parlai_spotbot.analysis.methods.common import plain

    judgements = study.judgements(survey)
    try:
        frame = annotations_frame(judgements, study.conversations()).frame
    except ValueError as err:
        raise UserError(
            f"{study.judgements_path(survey)}: {err}.", "Correct that line, or make the file anew."
        ) from err
    source = _source(frame, source, study, survey)
    own = frame[frame["source"] == source].reset_index(drop=True)
    matches = matches_frame(own).reset_index(drop=True)
    if matches.empty:
        raise UserError(f"{study.judgements_path(survey)}: no match between two bots.", "Judge some units first.")
    seen = set(matches["a"]) | set(matches["b"])
    names = [name for name in study.plan.contestants if name in seen]
    names += sorted(seen - set(names))
    table, design = planning.pilot_needs(matches, names, design, difference=difference)
    seconds = seconds or (float(own["seconds"].mean()) if own["seconds"].notna().any() else None)
    more = table["more_annotations"].dropna()
    annotations = float(more.sum()) * (1 + design.people)
    hours = None if seconds is None else annotations * seconds / 3600
    return plain({
        "source": source, "pairs": table.to_dict(orient="records"), "design": _design(design),
        "correlations": planning.match_correlations(matches), "seconds": seconds,
        "more": {
            "conversations": int(table["more_conversations"].dropna().sum()), "annotations": round(annotations),
            "hours": hours, "cost": None if hours is None or wage is None else hours * wage,
        },
    })  # fmt: skip


def _source(frame: pd.DataFrame, asked: str | None, study: Study, survey: str) -> str:
    known = sorted(set(frame["source"]))
    if not known:
        raise UserError(f"{study.judgements_path(survey)}: no complete annotation in it.", "Judge some units first.")
    if asked is None:
        return "human" if "human" in known else known[0]
    if asked not in known:
        raise UserError(f"--source {asked}: no judgements of it in {study.judgements_path(survey)}.",
                        nearest(asked, known))  # fmt: skip
    return asked


def _design(design: Design) -> dict:
    from dataclasses import asdict

    return {**asdict(design), "design_effect": design.design_effect, "alpha": design.alpha}


def said_before(result: dict, difference: float) -> str:
    """The plan as a table and a sentence."""
    design, asked = result["design"], result["asked"]
    head = ("apart by", "win rate", "conversations", "", "annotations", "", "workers", "hours", "cost")
    under = ("", "", "a pair", "in all", "a pair", "in all", "", "", "")
    lines = ["".join(f"{cell:>14}" for cell in row).rstrip() for row in (head, under)]
    for row in result["differences"]:
        mark = "  <-" if row["difference"] == difference and not asked["pairs"] else ""
        lines.append(_need(row) + mark)
    if asked["pairs"]:
        lines.append("\nwith the win rates given:")
        lines.append(_need({"difference": abs(2 * asked["rate"] - 1), **asked}))
    pairs = design["bots"] * (design["bots"] - 1) // 2
    lines.append("")
    if asked["conversations_per_pair"] is None:
        lines.append(
            f"Two bots as close as {asked['rate']:.0%} to {1 - asked['rate']:.0%} can't be told apart with "
            f"{design['power']:.0%} power by any number of conversations up to a million."
        )
        return "\n".join(lines)
    lines.append(
        f"With {asked['conversations_per_pair']} conversations per pair ({asked['conversations']} in all, "
        f"{asked['annotations']} annotations with those of people, {asked['hours']:.0f} hours by {asked['workers']} "
        f"people{_cost(asked)}) two bots of which one wins {asked['rate']:.0%} of their decided matches are told apart "
        f"with {asked['power']:.0%} power, though {pairs} pairs are tested and annotations hang together "
        f"(design effect {design['design_effect']:.2f})."
    )
    if result["simulation"]:
        low, high = result["simulation"]["ci"]
        lines.append(
            f"{result['simulation']['repetitions']} simulated studies: {result['simulation']['power']:.0%} "
            f"({low:.0%} to {high:.0%}) found the difference."
        )
    lines.append(efficiency_said(result["efficiency"], design["bots"]))
    return "\n".join(lines)


def _need(row: dict) -> str:
    cells = [f"{row['difference']:.2f}", f"{row['rate']:.0%}:{1 - row['rate']:.0%}"]
    if row["conversations_per_pair"] is None:
        return "".join(f"{cell:>14}" for cell in cells) + f"{'out of reach':>14}"
    keys = ("conversations_per_pair", "conversations", "annotations_per_pair", "annotations", "workers")
    cells += [f"{row[key]:,}" for key in keys] + [f"{row['hours']:,.0f}"]
    cells.append("-" if row["cost"] is None else f"{row['cost']:,.0f}")
    return "".join(f"{cell:>14}" for cell in cells)


def _cost(row: dict) -> str:
    return "" if row["cost"] is None else f", {row['cost']:,.0f} in wages"


def efficiency_said(found: dict, bots: int) -> str:
    """The comparison of section 5.3, in a sentence."""
    ours, theirs, ratio = found["annotation_hours"], found["conversation_hours"], found["ratio"]
    more = f"{ratio:.1f} times as many" if ratio >= 1 else f"{1 / ratio:.1f} times fewer"
    pair, bot = found["annotation_minutes_per_pair"], found["conversation_minutes_per_bot"]
    return (
        f"If people talked to the bots instead, that would take {theirs:.0f} hours ({bot:.0f} minutes a bot; what it "
        f"finds is another question), {more} than the {ours:.0f} of annotation ({pair:.0f} minutes a pair); "
        f"annotation takes less time for pools of up to {found['break_even_bots']:.1f} bots (here {bots})."
    )


def said_after(result: dict) -> str:
    """Each pair's need as a table, and a sentence."""
    lines = [
        f"{'pair':<32}{'wins of decided':>16}{'p (Holm)':>10}{'power':>8}{'had':>7}{'needed':>8}{'more':>7}  status"
    ]
    for row in result["pairs"]:
        needed, more = ("-" if row[key] is None else row[key] for key in ("needed", "more_conversations"))
        lines.append(
            f"{row['a'] + ' / ' + row['b']:<32}{row['rate']:>16.0%}{row['p_adjusted']:>10.3f}{row['power']:>8.0%}"
            f"{row['conversations']:>7}{needed:>8}{more:>7}  {row['status']}"
        )
    looks = result["design"]["looks"] if result["design"]["correction"] == "bonferroni" else 1
    if looks > 1:
        threshold = f"{(1 - result['design']['level']) / looks:.3g}"
        lines.append(
            f"\nsettled: p below {threshold}, for pairs are tested {looks} times, now and with the data to come"
        )
    open_ones = [row for row in result["pairs"] if row["status"] != "settled"]
    more, design = result["more"], result["design"]
    lines.append("")
    if not open_ones:
        lines.append("Every pair is settled: nothing more is needed.")
        return "\n".join(lines)
    hours = "" if more["hours"] is None else f", {more['hours']:.0f} hours"
    lines.append(
        f"{len(open_ones)} of {len(result['pairs'])} pairs are not settled; for {design['power']:.0%} power they need "
        f"{more['conversations']} more conversations ({more['annotations']} annotations with those of people{hours}"
        f"{_cost(more)}). A pilot's win rates are rough, so are these numbers; 'close' pairs are planned for the least "
        "difference of interest."
    )
    return "\n".join(lines)


@register_script("spotbot_plan")
class SpotbotPlan(Command):
    DESCRIPTION = "How many conversations, annotations, hours and dollars a study needs; or a pilot still needs"
    EPILOG = """\
  parlai spotbot_plan --bots 6 --difference .2 --wage 15
      A study of 6 bots that finds, with 80 % power, every pair that wins 60:40 or clearer.
  parlai spotbot_plan --win-rates .79,.62,.56,.46,.41,.16 --power .9
      A pool whose win rates you can guess (these are the paper's for PersonaChat).
  parlai spotbot_plan --study studies/pilot --difference .2
      After a pilot: which pairs are settled, and how many more conversations the others need. The pilot's own ties,
      correlations and numbers of annotations take the place of the options.
  Annotations of one conversation, and by one person, hang together: 6 annotations of a conversation tell less than
  6 of six conversations, and so more are needed than for independent ones."""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        wish = parser.add_argument_group("What is wished for")
        wish.add_argument("--power", type=float, default=0.8, help="chance to find a difference that is there")
        wish.add_argument(
            "--difference", type=float, default=0.2,
            help="least difference of two bots' shares of decided matches to be found: .2 is 60:40",
        )  # fmt: skip
        wish.add_argument("--level", type=float, default=0.95, help="1 less the chance of any false alarm")
        wish.add_argument(
            "--correction", type=str, default="bonferroni", help="for many pairs: bonferroni (covers Holm) or none"
        )
        cls._add_study(parser.add_argument_group("The study"))
        cls._add_costs(parser.add_argument_group("Costs"))
        pilot = parser.add_argument_group("After a pilot")
        pilot.add_argument("--study", type=str, default=None, metavar="DIR", help="a study with judgements")
        pilot.add_argument("--survey", type=str, default="spot_the_bot", help="the method, what annotators were asked")
        pilot.add_argument("--source", type=str, default=None, help="whose judgements: human (default) or judge:NAME")
        pilot.add_argument(
            "--looks", type=int, default=2, help="tests of each pair: one now, one with the data to come"
        )

    @staticmethod
    def _add_study(group: argparse._ArgumentGroup) -> None:
        group.add_argument("--bots", type=int, default=None, help="bots in the pool; every pair meets")
        group.add_argument("--win-rates", type=str, default=None, help="expected win rates of the bots, as .7,.5,.3")
        group.add_argument("--segments", type=str, default="2,3,5", help="segment lengths shown of a conversation")
        group.add_argument("--annotators-per-segment", type=int, default=2, help="annotators who answer a segment")
        group.add_argument("--ties", type=float, default=0.7, help="share of matches without a winner")
        group.add_argument(
            "--conversation-correlation", type=float, default=0.1, help="of two matches that share the conversation"
        )
        group.add_argument(
            "--worker-correlation", type=float, default=0.07, help="of two matches of a pair by one annotator"
        )
        group.add_argument("--annotations-per-worker", type=float, default=60, help="annotations of bots by one person")
        group.add_argument(
            "--people", type=float, default=None,
            help="annotations of people's conversations for each of bots' (default: a third)",
        )  # fmt: skip

    @staticmethod
    def _add_costs(group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--seconds", type=float, default=None, help="mean per annotation (default 50, or the pilot's)"
        )
        group.add_argument("--wage", type=float, default=None, help="pay per hour, for the cost")
        group.add_argument("--conversations-per-bot", type=float, default=100, help="if people talked to bots instead")
        group.add_argument("--seconds-per-conversation", type=float, default=240, help="of a person with a bot")
        group.add_argument("--simulations", type=int, default=300, help="simulated studies to check the plan; 0: none")
        group.add_argument("--seed", type=int, default=0, help="where all chance starts")
        group.add_argument("--out", type=str, default=None, metavar="FILE", help="write the plan there, as JSON")

    def execute(self) -> None:
        from parlai_spotbot.study import Study

        opt = self.opt
        study = Study.open(opt["study"]) if opt["study"] else None
        if study is None and opt["bots"] is None and opt["win_rates"] is None:
            raise UserError("--bots missing.", "Say how many bots there are, or name a pilot with --study.")
        try:
            text, result, path = self._before() if study is None else self._after(study)
        except ValueError as err:
            raise UserError(f"{err}.", "Change that option; --help says what each means.") from err
        print(text)
        if path is not None:
            self._write(path, result)

    def _before(self) -> tuple[str, dict, str | None]:
        opt = self.opt
        rates = None if opt["win_rates"] is None else shares(opt["win_rates"])
        if rates and opt["bots"] not in (None, len(rates)):
            raise UserError(f"--bots {opt['bots']}: --win-rates names {len(rates)}.", "Leave out --bots.")
        if opt["simulations"] < 0:
            raise UserError(f"--simulations {opt['simulations']}: expected a number from 0 up.", "0 leaves them out.")
        people = {key: opt[key] for key in ("conversations_per_bot", "seconds_per_conversation")}
        result = before(
            self._design(len(rates) if rates else opt["bots"]), difference=opt["difference"], win_rates=rates,
            seconds=50.0 if opt["seconds"] is None else opt["seconds"], wage=opt["wage"], people=people,
            simulations=opt["simulations"], seed=opt["seed"],
        )  # fmt: skip
        return said_before(result, opt["difference"]), result, opt["out"]

    def _after(self, study: Study) -> tuple[str, dict, str]:
        opt = self.opt
        design = self._design(max(len(study.plan.contestants), 2), looks=opt["looks"])
        result = after_pilot(
            study, opt["survey"], design, source=opt["source"], difference=opt["difference"], seconds=opt["seconds"],
            wage=opt["wage"],
        )  # fmt: skip
        return said_after(result), result, opt["out"] or study.analysis_path(opt["survey"]) / "plan.json"

    def _design(self, bots: int, looks: int = 1) -> Design:
        from parlai_spotbot.analysis.planning import Design
        from parlai_spotbot.study import check_segments

        opt = self.opt
        people = 1 / 3 if opt["people"] is None else opt["people"]
        names = ("ties", "conversation_correlation", "worker_correlation", "annotations_per_worker", "power", "level",
                 "correction")  # fmt: skip
        segments = check_segments(whole_numbers(opt["segments"]), "--segments")
        per_conversation = len(segments) * opt["annotators_per_segment"]
        return Design(bots, per_conversation, looks=looks, people=people, **{name: opt[name] for name in names})

    def _write(self, path: str, result: dict) -> None:
        from pathlib import Path

        import parlai_spotbot
        from parlai_spotbot import files

        names = ("difference", "wage", "looks", "win_rates", "simulations", "conversations_per_bot",
                 "seconds_per_conversation")  # fmt: skip
        made_by = {"package": f"parlai_spotbot {parlai_spotbot.__version__}",
                   "options": {name: self.opt[name] for name in names}, "seed": self.opt["seed"]}  # fmt: skip
        source = result.pop("source", None)
        content = {"by_source": {source: result}} if source else {"plan": result}
        files.write_json(Path(path), {**content, "made_by": made_by})
        print(f"\nwritten: {path}")


def shares(text: str) -> list[float]:
    """Parse ``.7,.5,.3``; for the option --win-rates."""
    try:
        return [float(part) for part in text.replace(" ", "").split(",") if part]
    except ValueError:
        raise UserError(f"--win-rates {text}: expected numbers.", "Write for example --win-rates .7,.5,.3.") from None
