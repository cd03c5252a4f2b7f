"""A packed study: its files, and one answer to its first unit."""

from parlai_spotbot import checksums
from tests.spoken import rows_of_item


def contents(study):
    return {p.relative_to(study.path): p.read_bytes() for p in sorted(study.path.rglob("*")) if p.is_file()}


def judge(study, survey, given):
    unit = study.units(survey)[0]
    checksums.write_jsonl(study.judgements_path(survey), rows_of_item("a", unit, unit.items[0], "w", given))
