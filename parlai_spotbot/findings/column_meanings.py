"""What the columns of a survey's tables mean, as data dictionaries tell it: ``columns.yaml`` by the columns' names."""

from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.finding import csv_tables
from parlai_spotbot.findings.whole_study import hygiene, simulators
from parlai_spotbot.reading import own_data
from parlai_spotbot.surveys.survey import Survey


def columns_in_words(survey: Survey) -> dict[str, list[tuple[str, str, str]]]:
    """Return name, meaning and unit of the columns of a survey's tables, by the stem of their file."""
    words = own_data(__file__, "columns.yaml")
    columns: dict[str, list[tuple[str, str, str]]] = {}
    for finding in (*findings_of(survey), hygiene.FINDING, simulators.FINDING):
        for stem, table in csv_tables(finding).items():
            columns[stem] = []
            for name, column in table.columns.items():
                title = f"{column.title}: " if column.title else ""
                columns[stem].append((name, title + words["columns"][name], words["kinds"][column.kind]))
    return columns
