"""One module a survey: which statistics, on which rows, under which names.

A module, found by the survey's name, has ``analyze(judgements, conversations, …) -> {file stem: {"by_source": …,
"made_by": …}}``, ``tables(result) -> {table: frame}``, and the names of its `PARTS`.
"""
