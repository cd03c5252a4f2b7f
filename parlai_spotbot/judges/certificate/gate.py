"""Whether a certificate lets a judge decide about two bots: reasons why not, with the cheapest remedy."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.analysis.certificate.uses import VALID
from parlai_spotbot.errors import NotVouched
from parlai_spotbot.judges.certificate import NAME, Certificate, read_certificate
from parlai_spotbot.judges.certificate.of_study import bound_of, stale
from parlai_spotbot.study import Study
from parlai_spotbot.wording import filled, listed

GATE = "gate"
ANEW = "Certify it in a study in which people answered the same questions: spotbot judge --study STUDY --certify."
LACKS = "Name the certificate of a study in which people answered, too: --gate STUDY/…/certificate.json."

CORRECTED = (
    "; people's labels and its answers together give {0} {1:percent}{2:between} of the points, labels alone "
    "{3:percent}{4:between}"
)


def asked_certificate(given: str | Path, study: Path, survey: str, judge: str) -> Certificate:
    """Return the certificate that is named, "" for the study's own; `NotVouched` where it can't gate by what is known
    before anybody plays.
    """
    file = Path(given or study / "surveys" / survey / "judges" / judge / NAME)
    if not given and not file.exists():
        raise NotVouched(f"--gate: {file}: judge {judge} has no certificate.", LACKS)
    certificate = read_certificate(file)
    if objection := before_answers(certificate, survey):
        raise NotVouched(*objection)
    return certificate


def vouched(
    certificate: Certificate, study: Study, source: str, bots: tuple[str, str], means: Sequence[Mapping] = ()
) -> str:
    """Return what vouches for a judge's verdict on two bots; `NotVouched` where the certificate isn't one for its
    answers. `means` are people's, with and without its answers (`analysis.trust`).
    """
    objection = after_answers(certificate, study, source.removeprefix("judge:"), bots)
    if objection:
        raise NotVouched(*objection)
    text = f"vouched for by {certificate.vouched}"
    for row in means:
        of_two = row["criterion"] == certificate.bound["question"] and {row.get("a"), row.get("b")} == {*bots}
        if of_two and row["n_judge_alone"]:
            both, alone = (_points(row, name, bots[0]) for name in ("both", "people"))
            text += filled(CORRECTED, bots[0], both[0], both[1:], alone[0], alone[1:])
    return text


def _points(row: Mapping, name: str, bot: str) -> list[float | None]:
    """Return a share of points (a tie is half a point) with its interval, from wins less losses."""
    ends = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
    sign = 1
    if row["b"] == bot:
        sign = -1
        ends[1:] = ends[:0:-1]
    return [None if end is None else (1 + sign * end) / 2 for end in ends]


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
