"""Pages over several studies: how a ranking moved between them, and a leaderboard of all.

`write_compare` and `write_leaderboard` put their pages into a folder; both link to each study's own report.
"""

from parlai_spotbot.findings.standings import open_studies
from parlai_spotbot.report.studies.compare import write_compare
from parlai_spotbot.report.studies.leaderboard import write_leaderboard

__all__ = ["open_studies", "write_compare", "write_leaderboard"]
