"""The certificate of a judge by verdicts and labels that were made elsewhere."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from parlai_spotbot.judges.certificate import Certificate, certificate_of
from parlai_spotbot.judges.certificate.answers_alike import scale_of, with_answers
from parlai_spotbot.judges.certificate.families import with_family
from parlai_spotbot.judges.certificate.labelled_rows import frame_of_file, ready, standard, unlike_labels
from parlai_spotbot.judges.certificate.long_verdicts import without_reasons

MANY = 4
"""Words from which it is said that they were taken without an order."""

Pairs = str | Mapping[str, str] | None


def certificate_of_rows(
    given: pd.DataFrame | Path, columns: Pairs = None, judge: str = "", scale: str = "", answers: Pairs = None
) -> Certificate:
    """Return the certificate by the rows of a frame or file; `columns` say how it calls our fields
    (`labelled_rows.yaml`), `scale` has the answers from lowest to highest, separated by commas, where they have an
    order that isn't known; "-" where they have none; `answers` say which verdicts and labels are the same
    ("theirs=ours,…").
    """
    if isinstance(given, Path):
        where = str(given)
        frame = frame_of_file(given)
    else:
        where = "the frame"
        frame = given
    rows, about = standard(frame, columns, where, judge)
    rows, about["read_out"] = without_reasons(rows)
    labelled, unlabelled, without = ready(with_answers(rows, answers), where, bool(scale))
    labelled = with_family(labelled, [judge], {})
    order = scale_of(labelled, scale)
    certificate = certificate_of(labelled, unlabelled, judge, order)
    about |= unlike_labels(labelled, order)
    certificate.figures.update(about, without_verdict=without, without_label=len(unlabelled))
    if not scale and certificate.figures["measure"] == "nominal":
        certificate.figures["no_order"] = len(certificate.figures["answers"]) >= MANY
    certificate.figures["no_conversations"] = not {"conversation", "item"} & set(labelled)
    return certificate
