"""`parlai spotbot_analyze`: every statistic of a survey, from a study's judgements to its analysis folder."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.scripts.command import Command, add_common, add_seed, seed_of
from parlai_spotbot.scripts.facts_of_study import hygiene_of, training_overlap, wanted

if TYPE_CHECKING:
    from pandas import DataFrame

    from parlai_spotbot.study import Study

RESAMPLE = ("conversations_workers", "conversations", "workers", "annotations")
BACKENDS = ("auto", "native", "icenreg")
UNSURE = ("survives", "missing", "half")

DEFAULTS: dict = {"backend": "auto", "unsure": "survives", "wage": None, "stability": False, "known_order": ()}
"""Options that not every survey's analysis has; each says which by `OPTIONS`."""

OF_SPOT_THE_BOT = ("bootstraps", "resample", "backend", "unsure", "wage", "stability")
"""Those of a method that doesn't say."""


def analyze_study(
    study: Study,
    survey: str = "spot_the_bot",
    *,
    seed: int = 0,
    bootstraps: int = 1000,
    resample: str = "conversations_workers",
    backend: str = "auto",
    unsure: str = "survives",
    wage: float | None = None,
    stability: bool = False,
    known_order: Sequence[str] = (),
    progress: bool = True,
) -> dict[str, dict]:
    """Compute all statistics of `survey` and write them to its analysis folder, as JSON and CSV.

    `stability`: also how many conversations per pair make the ranking repeatable, which takes minutes. `known_order`:
    chains such as "human>dr", by which wordings are compared. An option that the survey's analysis doesn't have, given
    another value than its default, is a `UserError`.
    Returns what was written, by file stem. Nothing is written unless everything could be computed.
    """
    from tqdm import tqdm

    from parlai_spotbot import files

    method = check_options(
        survey, bootstraps, resample=resample, backend=backend, unsure=unsure, wage=wage, stability=stability,
        known_order=known_order, contestants=study.plan.contestants,
    )  # fmt: skip
    given = {"bootstraps": bootstraps, "resample": resample, "backend": backend, "unsure": unsure, "wage": wage,
             "known_order": tuple(known_order)}  # fmt: skip
    options = {name: given[name] for name in getattr(method, "OPTIONS", OF_SPOT_THE_BOT) if name in given}
    checksums = study.checksums(survey)
    as_table = getattr(method, "TABLE", False)
    judgements = study.judgement_table(survey) if as_table else study.judgements(survey)
    ours = getattr(method, "OWN_CONVERSATIONS", True)
    if not len(judgements):
        raise UserError(
            f"{study.judgements_path(survey)}: there are no judgements in it.",
            f"Run: parlai {'spotbot_judge' if ours else 'spotbot_collect'} --study {study.path}",
        )
    sources = len(set(judgements["source"]) if as_table else {judgement.source for judgement in judgements})
    with tqdm(total=sources * len(method.PARTS), desc="analysis", unit="part", disable=not progress, delay=2) as bar:

        def done(source: str, part: str) -> None:
            bar.set_postfix_str(f"{source}: {part}", refresh=False)
            bar.update()

        try:
            result = method.analyze(
                judgements, study.conversations() if ours else [], bots=list(study.plan.contestants), seed=seed,
                progress=done, **options, **wanted(study, survey, method),
            )  # fmt: skip
        except ValueError as err:
            raise UserError(
                f"{study.judgements_path(survey)}: {err}.",
                "Judgement N is line N of that file: correct it, or make the file anew.",
            ) from err
    extended = study.extended_by()
    for value in result.values():
        value["made_by"] |= {"sha256": checksums} | ({"study_extended": extended} if extended else {})
    overlap = training_overlap(study)
    for own in result.get("order", {}).get("by_source", {}).values():
        own["training_overlap"] = overlap
    tables = method.tables(result)
    if ours or study.conversations_path.exists():
        result["hygiene"], tables["hygiene"] = hygiene_of(study, overlap)
    if stability:
        result["stability"], tables["stability"] = _stability(study, survey, seed, progress)
        result["stability"]["made_by"]["sha256"] = checksums
    folder = study.analysis_path(survey)
    if not stability:
        _mark_outdated(folder / "stability.json", checksums)
    if "trust" not in result:  # people or judges may be gone since
        for stale in (folder / "trust.json", *folder.glob("trust*.csv")):
            stale.unlink(missing_ok=True)
    for stem, value in result.items():
        files.write_json(folder / f"{stem}.json", value)
    for name, table in tables.items():
        files.write_text(folder / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
    return result


def _stability(study: Study, survey: str, seed: int, progress: bool) -> tuple[dict, DataFrame]:
    """The stability of the ranking, as JSON and as a table."""
    from tqdm import tqdm

    from parlai_spotbot.analysis.methods.spot_the_bot_stability import analyze_stability, stability_table
    from parlai_spotbot.surveys import launched_survey

    with tqdm(desc="stability", unit="point", disable=not progress, delay=2) as bar:

        def done(points: int, of: int) -> None:
            bar.total = of
            bar.update(points - bar.n)

        found = analyze_stability(
            study.judgements(survey), study.conversations(), bots=list(study.plan.contestants), seed=seed,
            survey=launched_survey(study, survey), progress=done,
        )  # fmt: skip
    return found, stability_table(found)


def _mark_outdated(path: Path, checksums: dict[str, str]) -> None:
    """Say in an earlier stability.json that it was made from other files; the report repeats it."""
    from parlai_spotbot import files
    from parlai_spotbot.analysis.methods.common import VERSION

    if not path.exists():
        return
    earlier = json.loads(path.read_text(encoding="utf-8"))
    made = earlier["made_by"]
    if (made.get("sha256"), made.get("version")) != (checksums, VERSION):
        for own in earlier["by_source"].values():
            own["outdated"] = "Made from other files, or by another version; make it anew: spotbot_analyze --stability."
        files.write_json(path, earlier)


def _method(survey: str) -> ModuleType:
    """The module that analyses `survey`, found by its name."""
    import importlib
    import pkgutil

    from parlai_spotbot.analysis import methods

    known = [
        m.name
        for m in pkgutil.iter_modules(methods.__path__)
        if hasattr(importlib.import_module(f"{methods.__name__}.{m.name}"), "analyze")
    ]
    if survey not in known:
        raise UserError(f"--survey {survey}: no such survey can be analysed.", nearest(survey, known))
    return importlib.import_module(f"{methods.__name__}.{survey}")


def check_options(
    survey: str,
    bootstraps: int = 1000,
    *,
    resample: str = "conversations_workers",
    backend: str = "auto",
    unsure: str = "survives",
    wage: float | None = None,
    stability: bool = False,
    known_order: Sequence[str] = (),
    contestants: Collection[str] = (),
) -> ModuleType:
    """Raise `UserError` for options that can't be carried out; return the module that analyses `survey`."""
    from parlai_spotbot.analysis.survival import icenreg

    method = _method(survey)
    known = getattr(method, "OPTIONS", OF_SPOT_THE_BOT)
    given = {"backend": backend, "unsure": unsure, "wage": wage, "stability": stability,
             "known_order": tuple(known_order)}  # fmt: skip
    for name, value in given.items():
        if value != DEFAULTS[name] and name not in known:
            option = name.replace("_", "-")
            raise UserError(
                f"--{option}: the analysis of survey '{survey}' has no such option.",
                f"Leave it out; it has {', '.join(sorted('--' + own.replace('_', '-') for own in known))}.",
            )
    _check_order(known_order, contestants)
    if bootstraps < 1:
        raise UserError(f"--bootstraps {bootstraps}: expected a whole number from 1 up.", "1000 is the default.")
    if resample not in RESAMPLE:
        raise UserError(f"--resample {resample}: not known.", nearest(resample, RESAMPLE))
    if backend not in BACKENDS:
        raise UserError(f"--backend {backend}: not known.", nearest(backend, BACKENDS))
    if unsure not in UNSURE:
        raise UserError(f"--unsure {unsure}: not known.", nearest(unsure, UNSURE))
    if backend == "icenreg" and icenreg.unusable():
        raise UserError(f"--backend icenreg: {icenreg.unusable()}.", f"To have it, {icenreg.HOW}; or use native.")
    if wage is not None and not wage > 0:
        raise UserError(f"--wage {wage}: expected pay per hour above 0.", "Leave it out for no cost estimate.")
    return method


def _check_order(known_order: Sequence[str], contestants: Collection[str]) -> None:
    """Raise `UserError` for chains of known order that aren't, or that name nobody of the study."""
    from parlai_spotbot.analysis.choices import known_pairs
    from parlai_spotbot.records import HUMAN

    try:
        pairs = known_pairs(known_order)
    except ValueError as err:
        raise UserError(f"--known-order: {err}.", "Write for example --known-order 'human>dr'.") from None
    for name in dict.fromkeys(name for pair in pairs for name in pair):
        if contestants and name != HUMAN and name not in contestants:
            raise UserError(f"--known-order: '{name}' is no contestant.", nearest(name, [HUMAN, *contestants]))


def summary(result: dict[str, dict], survey: str = "spot_the_bot") -> str:
    """What the terminal shows: the method's own, or that of Spot The Bot."""
    own = getattr(_method(survey), "summary", None)
    return own(result) if own is not None else _summary(result)


def _summary(result: dict[str, dict]) -> str:
    """What is left out; a table per source: places, strength, win rate, TrueSkill, share taken for human, survival."""
    from parlai_spotbot.analysis.methods.core_tables import of_extensions, of_source

    lines = of_extensions(result["ranking"])
    for source, own in result["ranking"]["by_source"].items():
        lines += of_source(result["ranking"], source)
        if beside := result["annotators"]["by_source"][source].get("with_everybody"):
            lines.append(f"  {beside['sentence']}")
        curves = result["survival"]["by_source"][source]["curves"]
        longest = max((k for curve in curves.values() for k in curve["exchanges"]), default=0)
        lines.append(
            f"  {'places':<8} {'name':<20} {'strength':>8} {'win rate':>8} {'TrueSkill':>9} {'human':>6} "
            f"{f'S({longest})':>6}"
        )
        for bot in own["order"]:
            place = _span(own["clusters"][bot])
            cells = (own["davidson"][bot]["strength"], own["win_rate"][bot], own["trueskill"][bot]["mu"])
            lines.append(_line(place, bot, *cells, own["human_share"][bot], _at(curves.get(bot), longest)))
        reference = own["human_reference"]["human_share"]
        if reference is not None:
            lines.append(_line("", "human", None, None, None, reference, _at(curves.get("human"), longest)))
        if not own["orders"]["agree"]:
            changed = sorted({f"{pair['a']}/{pair['b']}" for pair in own["orders"]["reversed"]})
            lines.append(
                f"  strength, TrueSkill, win rate, survival order these pairs differently: {', '.join(changed)}"
            )
        survival = result["survival"]["by_source"][source]
        lines.append(f"  survival by {survival['backend']}; {survival['unsure']['said']}")
        if "warning" in survival:
            lines.append("  take care: annotators chose when to stop, so S falls too steeply; the report has bounds")
    return "\n".join(lines)


def _at(curve: dict | None, k: int) -> float | None:
    return curve["survival"][curve["exchanges"].index(k)] if curve and k in curve["exchanges"] else None


def _span(places: list[int]) -> str:
    return str(places[0]) if places[0] == places[1] else f"{places[0]}-{places[1]}"


def _line(
    place: str, name: str, strength: float | None, rate: float | None, skill: float | None, *shares: float | None
) -> str:
    def cell(value: float | None, width: int, digits: int) -> str:
        return f"{'-':>{width}}" if value is None else f"{value:>{width}.{digits}f}"

    last = " ".join(cell(share, 6, 2) for share in shares)
    return f"  {place:<8} {name:<20} {cell(strength, 8, 2)} {cell(rate, 8, 2)} {cell(skill, 9, 1)} {last}"


@register_script("spotbot_analyze")
class SpotbotAnalyze(Command):
    DESCRIPTION = "Compute every statistic of a survey: ranking, survival, features, agreement, annotators, time"
    EPILOG = "parlai spotbot_analyze --study studies/mine"

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Statistics")
        group.add_argument("--bootstraps", type=int, default=1000, help="bootstrap replicates")
        group.add_argument(
            "--resample", type=str, default="conversations_workers",
            help=f"what the bootstrap draws: {', '.join(RESAMPLE)} (the paper's)",
        )  # fmt: skip
        group.add_argument(
            "--backend", type=str, default="auto",
            help="survival analysis by native, icenreg (R), or auto: icenreg where it is installed",
        )  # fmt: skip
        group.add_argument(
            "--unsure", type=str, default="survives",
            help='what "unsure" says in survival analysis: survives (not spotted, the paper\'s), missing, or half',
        )  # fmt: skip
        group.add_argument("--wage", type=float, default=None, help="pay per hour, for an estimate of the cost")
        group.add_argument(
            "--stability", action="store_true",
            help="also how many conversations per pair make the ranking repeatable (section 5.2); takes minutes",
        )  # fmt: skip
        group.add_argument(
            "--known-order", type=str, default="",
            help="acute_eval: contestants from better to worse, as 'human>dr' (several with commas): how often each "
            "wording of a question finds it; by default people are better than bots",
        )  # fmt: skip
        group.add_argument(
            "--metrics", action="store_true",
            help="also the study of all metrics (analysis/metrics/): agreement, importance, sensitivity, coverage, "
            "costs; made without asking where people rated conversations that they led (survey interactive)",
        )  # fmt: skip
        add_seed(group)

    def execute(self) -> None:
        from parlai_spotbot.scripts import metrics_of_study
        from parlai_spotbot.study import Study

        opt = self.opt
        study = Study.open(opt["study"])
        metrics = None
        with study.lock("spotbot_analyze"):
            result = analyze_study(
                study, opt["survey"], seed=seed_of(opt, study), bootstraps=opt["bootstraps"], resample=opt["resample"],
                backend=opt["backend"], unsure=opt["unsure"], wage=opt["wage"],
                stability=opt["stability"], known_order=[c.strip() for c in opt["known_order"].split(",") if c.strip()],
            )  # fmt: skip
            if opt["metrics"] or metrics_of_study.has_what_it_takes(study):
                from parlai_spotbot.analysis.metrics import Wishes

                wishes = Wishes(seed=seed_of(opt, study), bootstraps=opt["bootstraps"], wage=opt["wage"])
                metrics = metrics_of_study.analyze_metrics(study, wishes)
        print(summary(result, opt["survey"]))
        for source, own in result.get("stability", {"by_source": {}})["by_source"].items():
            print(f"stability, {source}: {own['whole']['sentence'] if 'whole' in own else own['why']}")
        print(f"written to {study.analysis_path(opt['survey'])}")
        if metrics is not None:
            print(metrics_of_study.summary(metrics))
            print(f"written to {metrics_of_study.metrics_path(study)}")
