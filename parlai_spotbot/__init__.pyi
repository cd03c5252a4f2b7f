"""Public names, each with the module that defines it; `lazy_loader` reads this list when the package is imported."""

from . import analysis as analysis
from .findings.analyze import analyze as analyze
from .findings.plans import PlanRequest as PlanRequest
from .findings.plans import plan as plan
from .judges.run import judge_study as judge_study
from .notebook.page import report as report
from .notebook.playing import openai as openai
from .notebook.playing import selfplay as selfplay
from .notebook.study_answers import Study as Study
from .notebook.study_answers import demo as demo
from .notebook.survey_results import agreement as agreement
from .notebook.survey_results import rank as rank
from .notebook.survey_results import survival as survival
from .notebook.survey_results import trust as trust
from .notebook.votes import read_votes as read_votes
from .surveys.packing.pack_study import pack_study as pack_study

__all__: list[str]
__version__: str
