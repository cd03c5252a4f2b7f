"""Domains: a ParlAI task, folds for bots, judges, people and seeds, segment lengths, contexts.

The paper's three domains (section 4, appendix E) and `chitchat`, which needs no download. Any other ParlAI task works
as a domain by its name, a file of conversations by its path; a description (YAML) says more of either.
"""

from pathlib import Path

from pydantic import TypeAdapter

from parlai_spotbot.domains import custom
from parlai_spotbot.domains.domain import Domain
from parlai_spotbot.domains.parlai_tasks import FOLDS, Episode
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import own_data

__all__ = ["DOMAINS", "FOLDS", "Domain", "Episode", "domain_of", "get_domain", "keep_domain"]

DOMAINS = {row["name"]: TypeAdapter(Domain).validate_python(row) for row in own_data(__file__, "domains.yaml")}


def get_domain(name: str) -> Domain:
    """The domain called `name` (or by an alias); a file, or any other task that ParlAI knows, becomes one; else a
    `UserError`.

    `name` may be the path of a description (YAML) or of a file of conversations (JSON Lines). A further task has
    segments of 2, 3 and 5 exchanges, the contexts that it has, and folds after its splits.
    """
    wanted_name = name.strip().lower()
    for domain in DOMAINS.values():
        if wanted_name == domain.name or wanted_name in domain.aliases:
            return domain
    if custom.is_file(name):
        return _checked(custom.describe(Path(name)), name)
    if not _is_task(name):
        names = [*DOMAINS, *(alias for domain in DOMAINS.values() for alias in domain.aliases)]
        more = " Or name a task that ParlAI knows, a description (.yaml), or a file of conversations (.jsonl)."
        raise UserError(f"unknown domain '{name}'.", nearest(wanted_name, names) + more)
    return Domain(name=name, task=name, segments=(2, 3, 5), description="A ParlAI task.")


def domain_of(folder: Path | str, name: str) -> Domain:
    """The domain of the study in `folder`, whose plan calls it `name`: the copy it keeps, or a known one."""
    kept = custom.kept(Path(folder))
    if kept is None:
        try:
            return get_domain(name)
        except UserError:
            raise UserError(
                f"{folder}: its domain '{name}' is none that is known, and there is no copy of it in {custom.COPY}/.",
                f"Put the study's folder {custom.COPY}/ back; or, for a task of your own, make its package importable.",
            ) from None
    domain = _checked(custom.describe(kept), str(kept))
    if domain.name != name:
        raise UserError(
            f"{kept}: describes the domain '{domain.name}', but the study's is '{name}'.", "Put the study's own back."
        )
    return domain


def keep_domain(domain: Domain, folder: Path | str) -> None:
    """Write a user's own domain into the folder of a new study; known ones need no copy."""
    if domain.folds:
        custom.keep(domain, Path(folder))


def _checked(domain: Domain, where: str) -> Domain:
    """Return a user's own domain, unless its name is taken or its task unknown (`UserError`)."""
    if domain.name.lower() in {name for other in DOMAINS.values() for name in (other.name, *other.aliases)}:
        raise UserError(f"{where}: '{domain.name}' is the name of a domain of the package.", "Choose another name.")
    if domain.task and not _is_task(domain.task):
        raise UserError(
            f"{where}: field 'task' is '{domain.task}', which ParlAI doesn't know.",
            "Try it: parlai display_data -t TASK. Where it is your own, its package must be importable.",
        )
    return domain


def _is_task(name: str) -> bool:
    from parlai.core.loader import load_teacher_module

    from parlai_spotbot.plugin import register

    register()
    try:
        load_teacher_module(name)
    except (ImportError, AttributeError, ValueError, TypeError, KeyError):
        return False
    return True
