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


def certificate_of_file(
    path: Path, columns: Pairs = None, judge: str = "", scale: str = "", answers: Pairs = None
) -> Certificate:
    """Return the certificate by a file's rows; see `certificate_of_frame`."""
    return certificate_of_frame(frame_of_file(path), columns, judge, scale, answers, path)


def certificate_of_frame(
    frame: pd.DataFrame,
    columns: Pairs = None,
    judge: str = "",
    scale: str = "",
    answers: Pairs = None,
    where: object = "the frame",
) -> Certificate:
    """Return the certificate by a frame's rows; `columns` say how it calls our fields (`labelled_rows.yaml`), `scale`
    has the answers from lowest to highest, separated by commas, where they have an order that isn't known; "-" where
    they have none; `answers` say which verdicts and labels are the same ("theirs=ours,…").
    """
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
