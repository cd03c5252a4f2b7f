"""The report: one HTML file of what a study found (paper, sections 4 and 5), without network.

`build_report(study, survey)` writes ``report/index.html``: chapters (`chapters`), a survey each, of what findings tell,
with figures drawn by `charts`.
"""

from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.parts import CAUTION

__all__ = ["CAUTION", "build_report"]
