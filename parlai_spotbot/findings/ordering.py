"""Order of names: as they are planned, then by name."""

from collections.abc import Collection, Iterable


def planned_first(names: Collection[str], planned: Iterable[str]) -> list[str]:
    """Return the names that are `planned`, in that order, then the others sorted."""
    first = [name for name in dict.fromkeys(planned) if name in names]
    return [*first, *sorted(set(names).difference(first))]
