"""Public names, each with the module that defines it; `lazy_loader` reads this list when the package is imported."""

from . import analysis as analysis
from .findings.analyze import analyze as analyze
from .findings.plans import PlanRequest as PlanRequest
from .findings.plans import plan as plan
from .judges.run import judge_study as judge_study
from .notebook import Study as Study
from .notebook import agreement as agreement
from .notebook import demo as demo
from .notebook import openai as openai
from .notebook import rank as rank
from .notebook import read_votes as read_votes
from .notebook import report as report
from .notebook import selfplay as selfplay
from .notebook import survival as survival
from .notebook import trust as trust
from .surveys.packing.pack_study import pack_study as pack_study

__all__: list[str]
__version__: str
