"""A copy of a study that is fit for publication: what leads to annotators, machines or accounts is left behind.

`export_study(study, folder)` writes it; what it holds is named there, file by file, so that nothing comes along by
accident.
"""

from parlai_spotbot.report.export.copying import CopyOptions, StudyCopy, export_study

__all__ = ["CopyOptions", "StudyCopy", "export_study"]
