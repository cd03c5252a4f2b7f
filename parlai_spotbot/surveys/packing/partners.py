"""Units of surveys in which annotators chat with contestants: each unit is a pair of them, in a drawn order.

Every pair comes equally often, and in each pair either one comes first equally often (ABC-Eval 2022, section 3: 200
units of four bots). What is packed stays when more comparisons are asked for or contestants are added. No conversation
has to be there beforehand.
"""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Unit
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.packing import Packing, PackRequest, seed_of
from parlai_spotbot.surveys.packing.units_file import Packed, existing_units, packed_with
from parlai_spotbot.surveys.survey import Survey

COMPARISONS = 33
"""Units of each pair unless the user says: the paper's 200 over the six pairs of its four bots."""

FEWEST = 2


class PartnersPacking(Packing):
    """Two contestants to chat with."""

    name = "contestants"
    of_conversations = False
    chats = True
    takes = ("comparisons",)

    def packed(self, data: SurveyFiles, survey: Survey, request: PackRequest) -> Packed:
        """See `Packing.packed`; every two contestants of the plan meet in `comparisons` units."""
        packed = (packed_with(data) or {}).get("comparisons")
        comparisons = request.comparisons or packed or COMPARISONS
        contestants = list(data.plan.remaining().contestants)
        if len(contestants) < FEWEST:
            raise UserError(
                f"{data.study.plan_path}: one contestant, and a unit is a pair of them.",
                "Add a second one to the pool.",
            )
        if comparisons < (packed or 1) or request.comparisons == 0:
            raise UserError(f"--comparisons {request.comparisons}: expected {packed or 1} or more.", "Ask for more.")
        recorded = {"survey": survey.name, "comparisons": comparisons, "seed": seed_of(data.plan, request)}
        existing = existing_units(
            data,
            recorded,
            lambda units: all(set(partners_of(unit)) <= set(contestants) for unit in units),
            lambda mapping, requested: {**mapping, "comparisons": 0} == {**requested, "comparisons": 0},
        )
        return Packed(
            recorded, existing, partner_units(survey, contestants, comparisons, recorded["seed"], existing), {}
        )


def partner_units(
    survey: Survey, contestants: Sequence[str], comparisons: int, seed: int, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """Return the units to add to `existing` so that every pair of `contestants` has `comparisons`.

    They come in rounds, each with every pair once in a drawn order, so that a collection that ends early is balanced
    as far as it got.
    """
    have = Counter(frozenset(partners_of(unit)) for unit in existing)
    pairs = list(combinations(contestants, 2))
    units = []
    for number in range(comparisons):
        due = [pair for pair in pairs if number >= have[frozenset(pair)]]
        random.Random(f"partners {survey.name} {seed} {number}").shuffle(due)
        units += [_unit(survey, pair, number, seed) for pair in due]
    return units


def _unit(survey: Survey, pair: tuple[str, str], number: int, seed: int) -> Unit:
    """Return unit `number` of a pair: a chat with each, then the comparison; the transcripts are empty as yet.

    Of each two neighbouring units of a pair either one comes first in one.
    """
    names = sorted(pair)
    swapped = random.Random(f"first {survey.name} {seed} {number // 2} {names}").random() < 0.5
    partners = tuple(names)
    if swapped != bool(number % 2):
        partners = partners[::-1]
    unit_id = opaque("partners", survey.name, seed, *names, number)
    choices = tuple(question.name for question in survey.questions if "pair" in question.targets)
    ratings = tuple(question.name for question in survey.questions if "pair" not in question.targets)
    items = [
        Item(opaque("chat", unit_id, place), (), 0, ((),), None, (1,), ratings, (name,))
        for place, name in enumerate(partners)
    ]
    items.append(Item(opaque("compare", unit_id), (), 0, ((), ()), None, (1, 1), choices, partners))
    return Unit(unit_id, survey.name, unit_id, 0, 0, tuple(items))


def partners_of(unit: Unit) -> tuple[str, ...]:
    """Return the contestants of a unit in the order of the chats."""
    return tuple(item.partners[0] for item in unit.items if len(item.partners) == 1)


PACKING = PartnersPacking()
