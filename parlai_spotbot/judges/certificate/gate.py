"""Whether a certificate lets a judge decide about two bots: reasons why not, with the cheapest remedy."""

from __future__ import annotations

from collections.abc import Sequence

from parlai_spotbot import hints
from parlai_spotbot.analysis.certificate.uses import VALID
from parlai_spotbot.judges.certificate import Certificate
from parlai_spotbot.judges.certificate.of_study import bound_of, stale
from parlai_spotbot.study import Study
from parlai_spotbot.wording import listed

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


def after_answers(certificate: Certificate, study: Study, judge: str, bots: Sequence[str]) -> tuple[str, str] | None:
    """Return why a certificate isn't one for these answers of a judge, and a remedy; None where it is."""
    survey = certificate.bound["survey"]
    if changed := stale(certificate, bound_of(study, survey, judge)):
        return f"--gate: the certificate is stale: {listed(changed)}.", f"Ask as it was certified; or: {ANEW}"
    covered = certificate.covered
    items = study.load(survey).items.values()
    seen = {
        "domain": {talk.domain for talk in study.conversations()},
        "length": {str(item.exchanges) for item in items if item.control is None},
    }
    lacking = [f"{kind} {name}" for kind, names in seen.items() for name in sorted(names - covered[kind].keys())]
    if covered.get("bot") and not set(bots) & covered["bot"].keys():
        lacking.append(f"{listed(bots, 'or')} (but of {listed(sorted(covered['bot']))})")
    if not lacking:
        return None
    label = hints.command("crowdsource", study.path, survey, dry_run=True)
    return f"--gate: the certificate has no labels of {listed(lacking)}.", f"Let people label some: {label}"
