"""Packs the units of a study: reads its conversations, writes surveys/NAME/units.jsonl and says what was left out.

The same wishes on the same conversations change nothing; a study that grew gets further units, and what is in
units.jsonl stays byte for byte.
"""

from typing import Any

from parlai_spotbot import files
from parlai_spotbot.study import Study, expect_study
from parlai_spotbot.surveys import study_survey
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.packing import PackRequest


def pack_study(study: Study, survey: str = "spot_the_bot", **options: Any) -> dict:
    """Write the units of a survey and return the summary that `spotbot_pack` prints; see `PackRequest`, `Packing.pack`.

    The summary is in provenance.json too, under ``pack``; the surface report also in surveys/NAME/surface.json.
    """
    expect_study(study)
    data = study.load(survey)
    about = study_survey(data)
    wishes = PackRequest(**options)
    packing = packing_of(about)
    packing.check(about, wishes)
    with files.no_collection():
        return packing.pack(data, about, wishes)
