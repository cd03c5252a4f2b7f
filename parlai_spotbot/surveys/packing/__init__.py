"""How conversations become units, what one person does in one sitting: one kind of packing a file."""

from __future__ import annotations

from parlai_spotbot.surveys.packing.candidates import Candidates
from parlai_spotbot.surveys.packing.dialogues import Dialogues
from parlai_spotbot.surveys.packing.elsewhere import Elsewhere
from parlai_spotbot.surveys.packing.kind import Packing
from parlai_spotbot.surveys.packing.pairs import Pairs
from parlai_spotbot.surveys.packing.partners import Partners
from parlai_spotbot.surveys.packing.segments import Segments
from parlai_spotbot.surveys.survey import Survey

KINDS: dict[str, Packing] = {
    kind.name: kind for kind in (Segments(), Pairs(), Dialogues(), Partners(), Candidates(), Elsewhere())
}
"""By the names that surveys give them."""


def packing_of(survey: Survey) -> Packing:
    """The kind of packing that a survey asks for."""
    return KINDS[survey.packing]
