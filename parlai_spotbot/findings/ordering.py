"""Order of names: as they are planned, then by name; people before judges."""

from collections.abc import Collection, Iterable

from parlai_spotbot.records import HUMAN


def planned_first(names: Collection[str], planned: Iterable[str]) -> list[str]:
    """Return the names that are `planned`, in that order, then the others sorted."""
    first = [name for name in dict.fromkeys(planned) if name in names]
    return [*first, *sorted(set(names).difference(first))]


def people_first(sources: Iterable[str]) -> list[str]:
    """Sources, each once: people, then the judges."""
    return sorted(set(sources), key=lambda source: (source != HUMAN, source))
