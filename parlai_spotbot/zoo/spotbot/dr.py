"""DR, the paper's weak baseline (section 4), as ``zoo:spotbot/dr/model``: ParlAI's seq2seq with one GRU layer of 128.

The package carries its weights, in half precision, as `.ci/prepared` trains them on chitchat's fold for bots. Like the
paper's it is trained for a few epochs only and gives generic answers.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.cache import SHIPPED


def download(datapath: str) -> None:
    """Put DR where ParlAI looks for ``zoo:spotbot/dr/model``: a link in `datapath` to the model in the package.

    Raises
    ------
    UserError
        If `datapath` cannot be written.
    """
    trained = SHIPPED / "dr"
    place = Path(datapath) / "models" / "spotbot" / "dr"
    if place.is_dir() and place.resolve() == trained:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        link = place.with_name(f".dr.{os.getpid()}")
        link.symlink_to(trained, target_is_directory=True)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        link.replace(place)
    except OSError as err:
        raise UserError(
            f"{place}: cannot put the model DR here: {err.strerror or err}.",
            "Name a writable folder with --datapath, or in the environment variable PARLAI_DATAPATH.",
        ) from err
