"""The certificate of a judge by verdicts and labels that were made elsewhere."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from parlai_spotbot.judges.certificate import Certificate, certificate_of
from parlai_spotbot.judges.certificate.families import with_family
from parlai_spotbot.judges.certificate.labelled_rows import ready, rows_of_file, scale_of, standard, unlike_labels


def certificate_of_file(
    path: Path, columns: str | Mapping[str, str] | None = None, judge: str = "", scale: str = ""
) -> Certificate:
    """Return the certificate by a file's rows; see `certificate_of_frame`."""
    return _certificate(*rows_of_file(path, columns), judge, path, scale)


def certificate_of_frame(
    frame: pd.DataFrame, columns: str | Mapping[str, str] | None = None, judge: str = "", scale: str = ""
) -> Certificate:
    """Return the certificate by a frame's rows; `columns` say how it calls our fields (`labelled_rows.yaml`), `scale`
    has the answers from lowest to highest, separated by commas, where they have an order that isn't known.
    """
    return _certificate(*standard(frame, columns, "the frame"), judge, "the frame", scale)


def _certificate(frame: pd.DataFrame, about: Mapping, judge: str, where: object, scale: str) -> Certificate:
    labelled, unlabelled, without = ready(frame, where)
    labelled = with_family(labelled, [judge], {})
    certificate = certificate_of(labelled, unlabelled, judge, scale_of(labelled, scale))
    certificate.figures.update(
        without_verdict=without, without_label=len(unlabelled), unlike_labels=unlike_labels(labelled)
    )
    certificate.figures.update(about)
    return certificate
