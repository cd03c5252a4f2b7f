"""The certificate of a judge by verdicts and labels that were made elsewhere."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from parlai_spotbot.judges.certificate import Certificate, certificate_of
from parlai_spotbot.judges.certificate.families import with_family
from parlai_spotbot.judges.certificate.labelled_rows import frame_of_file, ready, scale_of, standard, unlike_labels


def certificate_of_file(
    path: Path, columns: str | Mapping[str, str] | None = None, judge: str = "", scale: str = ""
) -> Certificate:
    """Return the certificate by a file's rows; see `certificate_of_frame`."""
    return certificate_of_frame(frame_of_file(path), columns, judge, scale, path)


def certificate_of_frame(
    frame: pd.DataFrame,
    columns: str | Mapping[str, str] | None = None,
    judge: str = "",
    scale: str = "",
    where: object = "the frame",
) -> Certificate:
    """Return the certificate by a frame's rows; `columns` say how it calls our fields (`labelled_rows.yaml`), `scale`
    has the answers from lowest to highest, separated by commas, where they have an order that isn't known; "-" where
    they have none.
    """
    rows, about = standard(frame, columns, where)
    labelled, unlabelled, without = ready(rows, where)
    labelled = with_family(labelled, [judge], {})
    certificate = certificate_of(labelled, unlabelled, judge, scale_of(labelled, scale))
    certificate.figures.update(
        about, without_verdict=without, without_label=len(unlabelled), unlike_labels=unlike_labels(labelled)
    )
    certificate.figures["no_conversations"] = not {"conversation", "item"} & set(labelled)
    return certificate
