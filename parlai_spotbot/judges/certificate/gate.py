"""Whether a certificate lets a judge decide about two bots: reasons why not, with the cheapest remedy."""

from __future__ import annotations

from collections.abc import Sequence

from parlai_spotbot import hints
from parlai_spotbot.analysis.certificate.uses import VALID
from parlai_spotbot.judges.certificate import Certificate
from parlai_spotbot.judges.certificate.of_study import bound_of, stale
from parlai_spotbot.study import Study
from parlai_spotbot.wording import counted, listed

GATE = "gate"
ANEW = "Certify it in a study in which people answered the same questions: spotbot judge --study STUDY --certify."


def before_answers(certificate: Certificate, survey: str) -> tuple[str, str] | tuple[()]:
    """Return why a certificate can't gate by what is known before anybody plays, and a remedy; () where it can."""
    if "survey" not in certificate.bound:
        return "--gate: the certificate is of a file, and bound to no survey.", ANEW
    if certificate.bound["survey"] != survey:
        return f"--gate: the certificate is for survey {certificate.bound['survey']}, not {survey}.", ANEW
    if certificate.changed:
        return f"--gate: {certificate.changed}", ANEW
    if certificate.use(GATE)["status"] != VALID:
        said, _, remedy = certificate.said(GATE).partition("; ")
        remedy = remedy or "let people decide."
        return f"--gate: judge {certificate.judge}, {said.rstrip('.')}.", f"{remedy[:1].upper()}{remedy[1:]}"
    return ()


def after_answers(
    certificate: Certificate, study: Study, survey: str, judge: str, bots: Sequence[str]
) -> tuple[str, str] | None:
    """Return why a certificate isn't one for these answers of a judge, and a remedy; None where it is."""
    if changed := stale(certificate, bound_of(study, survey, judge)):
        return f"--gate: the certificate is stale: {listed(changed)}.", f"Ask as it was certified; or: {ANEW}"
    lacking = _not_covered(certificate, study, survey, bots)
    if lacking:
        label = hints.command("crowdsource", study.path, survey, dry_run=True)
        return f"--gate: the certificate has no labels of {listed(lacking)}.", f"Let people label some: {label}"
    return None


def _not_covered(certificate: Certificate, study: Study, survey: str, bots: Sequence[str]) -> list[str]:
    """Return the domains and lengths that the labels lack; and the bots, where they lack both."""
    covered = certificate.covered
    lacking = []
    domains = {talk.domain for talk in study.conversations()} - set(covered.get("domain", ()))
    if domains:
        lacking.append(f"{counted(len(domains), 'domain')} ({', '.join(sorted(domains))})")
    lengths = sorted(int(name) for name in covered.get("length", ()))
    shown = {item.exchanges for item in study.load(survey).items.values() if item.control is None}
    beyond = sorted(length for length in shown if lengths and not lengths[0] <= length <= lengths[-1])
    if beyond:
        lacking.append(f"{', '.join(map(str, beyond))} exchanges")
    if covered.get("bot") and not set(bots) & covered["bot"].keys():
        lacking.append(f"{bots[0]} or {bots[1]} (but of {', '.join(sorted(covered['bot']))})")
    return lacking
