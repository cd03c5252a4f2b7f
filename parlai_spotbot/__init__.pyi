"""The public names with their types, for editors and type checkers; where each stands at run time says `PUBLIC`."""

from parlai_spotbot import analysis as analysis
from parlai_spotbot.findings.analyze import analyze as analyze
from parlai_spotbot.findings.plans import PlanRequest as PlanRequest
from parlai_spotbot.findings.plans import plan as plan
from parlai_spotbot.judges.run import judge_study as judge_study
from parlai_spotbot.notebook import Study as Study
from parlai_spotbot.notebook import agreement as agreement
from parlai_spotbot.notebook import demo as demo
from parlai_spotbot.notebook import openai as openai
from parlai_spotbot.notebook import rank as rank
from parlai_spotbot.notebook import read_votes as read_votes
from parlai_spotbot.notebook import report as report
from parlai_spotbot.notebook import selfplay as selfplay
from parlai_spotbot.notebook import survival as survival
from parlai_spotbot.notebook import trust as trust
from parlai_spotbot.surveys.packing.pack_study import pack_study as pack_study

PUBLIC: dict[str, str]
__version__: str
