"""A study's rows under the names that its contestants bear now: files keep those under which they played.

`names` is of each renamed contestant, by the name under which it played, the one that it bears.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import field
from parlai_spotbot.records import Contestant, Conversation, Turn, Unit

Names = Mapping[str, str]


def check_names(contestants: Mapping[str, Contestant], names: Names, where: str) -> dict[str, str]:
    """`names` without those that are the ones played under; a `UserError` where one isn't valid or is another's.

    A name that a contestant played under stays its own, for files hold it.
    """
    found = {played: name for played, name in names.items() if played != name}
    for played, name in found.items():
        if played not in contestants:
            raise UserError(f"{where}: no contestant '{played}' to rename.", f"There are: {', '.join(contestants)}.")
        Contestant.from_json(name, contestants[played].to_json(), where)
        if name in contestants or sum(other == name for other in found.values()) > 1:
            raise UserError(
                f"{where}: '{played}' can't be called '{name}': another contestant is, or has played under that name.",
                "Choose a name that none has had.",
            )
    return found


def pair_under(pair: str, names: Names) -> str:
    """A pair "A/B"."""
    return "/".join(names.get(name, name) for name in pair.split("/"))


def conversation_under(row: Conversation, names: Names) -> Conversation:
    """A conversation; its id stays, as units and judgements name it."""
    if names.keys().isdisjoint(row.entities):
        return row
    provenance = dict(row.provenance)
    if "system_prompts" in provenance:
        provenance["system_prompts"] = keys_under(provenance["system_prompts"], names)
    return replace(
        row,
        pair=(names.get(row.pair[0], row.pair[0]), names.get(row.pair[1], row.pair[1])),
        entities=(names.get(row.entities[0], row.entities[0]), names.get(row.entities[1], row.entities[1])),
        turns=tuple(Turn(names.get(turn.speaker, turn.speaker), turn.text) for turn in row.turns),
        provenance=provenance,
    )


def unit_under(unit: Unit, names: Names) -> Unit:
    """A unit, in which annotators may be due to talk to contestants."""
    if names.keys().isdisjoint(name for item in unit.items for name in item.partners):
        return unit
    items = (
        replace(item, partners=tuple(names.get(name, name) for name in item.partners)) if item.partners else item
        for item in unit.items
    )
    return replace(unit, items=tuple(items))


def checked_failure(row: dict, where: str) -> dict:
    """A row of failures.jsonl whose names are names."""
    field(row, "contestant", str, where, "")
    for name, kind in (("pair", str), ("turns", dict)):
        if not all(isinstance(one, kind) for one in field(row, name, list, where, [])):
            raise UserError(f"{where}: field '{name}' is {row[name]!r}.", "Correct it, or remove that line.")
    for turn in row.get("turns", []):
        field(turn, "id", str, where, "")
    return row


def failure_under(row: dict, names: Names) -> dict:
    """A row of failures.jsonl."""
    found = dict(row)
    if "contestant" in row:
        found["contestant"] = names.get(row["contestant"], row["contestant"])
    if "pair" in row:
        found["pair"] = [names.get(name, name) for name in row["pair"]]
    if "turns" in row:
        found["turns"] = [{**turn, "id": names.get(turn.get("id"), turn.get("id"))} for turn in row["turns"]]
    return found


def selfplay_under(step: dict, names: Names) -> dict:
    """What provenance.json says of self-play; the plan in it stays as it was carried out."""
    found = dict(step)
    if "contestants" in step:
        found["contestants"] = keys_under(step["contestants"], names)
    overlap = step.get("overlap_with_training_data")
    if overlap:
        found["overlap_with_training_data"] = overlap_under(overlap, names)
    counts = step.get("counts")
    if counts and "in_order" in counts:
        pairs = {
            pair_under(pair.replace(":", "/"), names).replace("/", ":"): n for pair, n in counts["in_order"].items()
        }
        found["counts"] = {**counts, "in_order": pairs}
    return found


def overlap_under(overlap: dict, names: Names) -> dict:
    """How much of what contestants said stands in the data that they know."""
    if "turns_found" not in overlap:
        return overlap
    return {**overlap, "turns_found": keys_under(overlap["turns_found"], names)}


def packed_under(summary: dict, names: Names) -> dict:
    """What is said of units that were packed; of conversations it has a report on their surface."""
    found = dict(summary)
    if names and "surface" in summary:
        surface = summary["surface"]
        found["surface"] = {**surface, "contestants": keys_under(surface["contestants"], names)}
    if names and "warnings" in summary:
        parts = (warning.partition(": ") for warning in summary["warnings"])
        found["warnings"] = [f"{names.get(who, who)}{colon}{what}" for who, colon, what in parts]
    return found


def judge_under(about: dict, names: Names) -> dict:
    """What a judge says of itself: whom its answers are of, and the bots that a model of it hasn't met."""
    found = dict(about)
    variants = about.get("variants")
    if names and isinstance(variants, dict):
        found["variants"] = {
            worker: {**own, "per_contestant": keys_under(own["per_contestant"], names)}
            if isinstance(own, dict) and "per_contestant" in own
            else own
            for worker, own in variants.items()
        }
    trained = about.get("trained_on")
    if names and isinstance(trained, dict) and "leaving_out" in trained:
        bots = {
            " and ".join(names.get(name, name) for name in together.split(" and ")): own
            for together, own in trained["leaving_out"].items()
        }
        found["trained_on"] = {**trained, "leaving_out": bots}
    return found


def keys_under(row: Mapping, names: Names) -> dict:
    """A row of which the keys are contestants."""
    return {names.get(key, key): value for key, value in row.items()}
