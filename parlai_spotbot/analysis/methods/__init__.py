"""One module a survey: which statistics, on which rows, under which names.

A module, found by the survey's name, has ``analyze(judgements, conversations, …) -> {file stem: {"by_source": …,
"made_by": …}}``, ``tables(result) -> {table: frame}``, and the names of its `PARTS`. It may have ``summary(result)``
for the terminal, ``sections(analysis, source)`` for the report, `OPTIONS` (those of spotbot_analyze that it takes) and
`WANTS` (items, survey, training: what it is told besides). See README.md here, and `driver` for the common core.
"""
