"""Public names, each with the module that defines it; `lazy_loader` reads this list when the package is imported."""

from . import analysis as analysis
from .findings.plan_request import PlanRequest as PlanRequest
from .notebook.certificates import certify as certify
from .notebook.commands import analyze as analyze
from .notebook.commands import compare as compare
from .notebook.commands import import_study as import_study
from .notebook.commands import judge_study as judge_study
from .notebook.commands import pack as pack
from .notebook.commands import plan as plan
from .notebook.commands import report as report
from .notebook.playing import openai as openai
from .notebook.playing import selfplay as selfplay
from .notebook.study_answers import Study as Study
from .notebook.study_answers import demo as demo
from .notebook.survey_results import agreement as agreement
from .notebook.survey_results import finding as finding
from .notebook.survey_results import rank as rank
from .notebook.survey_results import survival as survival
from .notebook.survey_results import trust as trust
from .notebook.votes import read_votes as read_votes

__all__: list[str]
__version__: str
