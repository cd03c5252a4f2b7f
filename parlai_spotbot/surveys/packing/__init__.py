"""Packing of conversations into units, one kind in each file."""

from __future__ import annotations

from parlai_spotbot.surveys.packing.candidates import CandidatesPacking
from parlai_spotbot.surveys.packing.dialogues import DialoguesPacking
from parlai_spotbot.surveys.packing.elsewhere import ElsewherePacking
from parlai_spotbot.surveys.packing.packing import Packing
from parlai_spotbot.surveys.packing.pairs import PairsPacking
from parlai_spotbot.surveys.packing.partners import PartnersPacking
from parlai_spotbot.surveys.packing.segments import SegmentsPacking
from parlai_spotbot.surveys.survey import Survey

KINDS: dict[str, Packing] = {
    kind.name: kind
    for kind in (
        SegmentsPacking(),
        PairsPacking(),
        DialoguesPacking(),
        PartnersPacking(),
        CandidatesPacking(),
        ElsewherePacking(),
    )
}
"""By the names that surveys give them."""


def packing_of(survey: Survey) -> Packing:
    """Return the kind of packing that a survey asks for."""
    return KINDS[survey.packing]
