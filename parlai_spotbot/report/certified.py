"""Section on a judge's certificate, if a study has one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from parlai_spotbot.findings.sections import CardTable, Section
from parlai_spotbot.wording import listed

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

USES = "Screen: choose what people should look at. Rank: order bots in quick looks. Gate: stop a release."


def certificate_section(contents: SurveyData, source: str) -> Section | None:
    """Return the section on the certificate of a judge; None where it has none."""
    from parlai_spotbot.judges.certificate import read_certificate
    from parlai_spotbot.judges.certificate.of_study import bound_of, certificate_path, stale

    judge = source.removeprefix("judge:")
    path = certificate_path(contents.study.path, contents.survey, judge)
    if not path.exists():
        return None
    certificate = read_certificate(path)
    lines = certificate.sentences
    changed = stale(certificate, bound_of(contents, judge))
    if changed:
        lines.insert(0, f"It is stale: {listed(changed)}. Make it anew.")
    if certificate.changed:
        lines.insert(0, certificate.changed)
    tables = [
        CardTable(title, "", tuple(head), [tuple(map(str, row)) for row in rows])
        for title, head, rows in certificate.tables
    ]
    tables[0] = replace(tables[0], how=USES)
    first, *others = lines
    return Section("certificate", "Certificate: what people vouch for", [first, " ".join(others)], tables=tables)
