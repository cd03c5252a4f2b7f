"""The report: one HTML file of what a study found (paper, sections 4 and 5), without network.

`page.build_report(study, survey)` writes ``report/index.html``: chapters (`chapters`), a survey each,
with figures drawn by `charts`.
"""
