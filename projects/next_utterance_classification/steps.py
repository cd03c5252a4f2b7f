"""The steps of the study, each of which is left out where it is done: the model, the questions, the scores, the survey.

They are the package's own commands; stopped, the same command goes on.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.options import described
from parlai_spotbot.records import Contestant
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan

DOMAIN = "chitchat"
CANDIDATES = 5
VERSIONS = 4
ENCODER = "dual_encoder"

RECIPE = (
    "-t spotbot:nuc --nuc-candidates 10 -m spotbot:dual_encoder -cands batch -ecands inline -bs 128 "
    "--optimizer adam -lr 0.002 --gradient-clip 1.0 --dict-minfreq 2 --text-truncate 60 --label-truncate 40 "
    "--no-cuda --validation-every-n-epochs 1 -vmt hits@1 -vmm max -vp 2 -vme 2000 --load-from-checkpoint true "
    "--save-after-valid true"
)
"""How the dual encoder is trained: that of its README."""


@dataclass(frozen=True)
@described
class NucStudySettings:
    """Settings of a run."""

    questions: int = 200
    corpora: str = DOMAIN
    datapath: str = ""
    only: tuple[str, ...] = ()
    pool: str = "embedded"
    epochs: int = 6
    seed: int = 0


def carry_out(arguments: Sequence[str]) -> None:
    """Run one of ParlAI's commands in a process of its own, which shows its progress; `UserError` where it fails."""
    done = subprocess.run([sys.executable, "-m", "parlai", *arguments], check=False)
    if done.returncode:
        raise UserError(
            f"parlai {arguments[0]} ended with exit code {done.returncode}; what went wrong stands above.",
            "Correct it, then run the same command again: what was finished is kept.",
        )


def encoder_of(out: Path, settings: NucStudySettings) -> Path:
    """The model file of the dual encoder, trained here unless there is one."""
    model = out / ENCODER / "model"
    mark = out / ENCODER / "trained.json"
    if not mark.exists():
        model.parent.mkdir(parents=True, exist_ok=True)
        options = ["--num-epochs", str(settings.epochs), "--seed", str(settings.seed)]
        carry_out(["train_model", "-mf", str(model), *RECIPE.split(), *options])
        files.write_json(mark, {"recipe": RECIPE.split(), "epochs": settings.epochs, "seed": settings.seed})
    return model


def study_of(out: Path, settings: NucStudySettings) -> Study:
    """The study in `out`, made if it isn't there: the pool, and the dual encoder where it takes part."""
    from parlai_spotbot.errors import nearest
    from parlai_spotbot.selfplay.pool import read_pool

    pool = read_pool(settings.pool)
    for name in settings.only:
        if name not in pool and name != ENCODER:
            raise UserError(f"--only {name}: there is no such contestant.", nearest(name, [*pool, ENCODER]))
    contestants = {name: contestant for name, contestant in pool.items() if not settings.only or name in settings.only}
    encoder = not settings.only or ENCODER in settings.only
    if len(contestants) + encoder < 2:
        raise UserError("a study has two contestants at least.", "Name another one after --only.")
    if encoder:
        contestants[ENCODER] = Contestant(
            ENCODER, model_file=str(encoder_of(out, settings)), description="the paper's model, trained small"
        )
    path = out / "study"
    if not Study.exists(path):
        return Study.create(path, Plan(DOMAIN, contestants, seed=settings.seed, surveys=("nuc",)))
    study = Study.open(path)
    there = {name: contestant.to_json() for name, contestant in study.plan.contestants.items()}
    if (
        there != {name: contestant.to_json() for name, contestant in contestants.items()}
        or study.plan.seed != settings.seed
    ):
        raise UserError(f"{path}: there is a study with other contestants, or another seed.", "Choose another --out.")
    return study


def score(path: Path, settings: NucStudySettings) -> None:
    """`spotbot_nuc` with the paper's number of candidates; done again in no time where all is scored."""
    words = f"spotbot_nuc --candidates {CANDIDATES} --k 1 2 --questions {settings.questions} --threads 1"
    options = ["--seed", str(settings.seed), "--study", str(path), "--task", settings.corpora]
    carry_out([*words.split(), *options, *(["--datapath", settings.datapath] if settings.datapath else [])])


def pack(study: Study) -> str:
    """Pack the survey for people and its checks; "" or, where the questions are too few for it, why not."""
    from parlai_spotbot.surveys.controls import write_controls
    from parlai_spotbot.surveys.nuc import SURVEY
    from parlai_spotbot.surveys.nuc_questions import read_questions
    from parlai_spotbot.surveys.packing.pack_study import pack_study

    if study.units_path("nuc").exists():
        return ""
    count = len(read_questions(study.path / "nuc" / "questions.jsonl"))
    why = f"{count} questions are too few for {VERSIONS} versions"
    for size in range(min(SURVEY.unit_size, count // VERSIONS), 0, -1):  # some questions would give others away
        try:
            pack_study(study, "nuc", unit_size=size)
        except UserError as err:
            why = err.problem
            continue
        write_controls(study.load("nuc"))
        return ""
    return why


def people(study: Study, seed: int) -> dict[str, dict] | None:
    """The analysis of people's answers, and the report; None where nobody has answered."""
    if not study.judgements_path("nuc").exists() or not study.judgements("nuc"):
        return None
    from parlai_spotbot.findings.analyze import analyze

    return analyze(study, "nuc", seed=seed)
