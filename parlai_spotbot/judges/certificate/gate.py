"""Gate by certificate: reasons why a judge may not decide about two bots, with the cheapest remedy."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.analysis.certificate.uses import VALID
from parlai_spotbot.errors import NotVouched
from parlai_spotbot.judges.certificate import Certificate, read_certificate
from parlai_spotbot.judges.certificate.of_study import bound_of, certificate_path, stale
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.wording import filled, listed, upper_first

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
    file = Path(given or certificate_path(study, survey, judge))
    if not given and not file.exists():
        raise NotVouched(f"--gate: {file}: judge {judge} has no certificate.", LACKS)
    certificate = read_certificate(file)
    check_before(certificate, survey)
    return certificate


def vouched(
    certificate: Certificate, data: SurveyFiles, source: str, bots: tuple[str, str], means: Sequence[Mapping] = ()
) -> str:
    """Return what vouches for a judge's verdict on two bots; `NotVouched` where the certificate isn't one for its
    answers. `means` are people's, with and without its answers (`analysis.trust`).
    """
    check_after(certificate, data, source.removeprefix("judge:"), bots)
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


def check_before(certificate: Certificate, survey: str) -> None:
    """Raise `NotVouched` where a certificate can't gate by what is known before anybody plays."""
    if "survey" not in certificate.bound:
        raise NotVouched("--gate: the certificate is of a file, and bound to no survey.", ANEW)
    if certificate.bound["survey"] != survey:
        raise NotVouched(f"--gate: the certificate is for survey {certificate.bound['survey']}, not {survey}.", ANEW)
    if certificate.changed:
        raise NotVouched(f"--gate: {certificate.changed}", ANEW)
    status = certificate.use(GATE)["status"]
    if status != VALID:
        remedy = upper_first(certificate.remedy(GATE) or "let people decide")
        raise NotVouched(f"--gate: judge {certificate.judge}, {status}: {certificate.why(GATE)}.", f"{remedy}.")


def check_after(certificate: Certificate, data: SurveyFiles, judge: str, bots: Sequence[str]) -> None:
    """Raise `NotVouched` where a certificate isn't one for these answers of a judge."""
    if changed := stale(certificate, bound_of(data, judge)):
        raise NotVouched(
            f"--gate: the certificate is stale: {listed(changed)}.", f"Ask as it was certified; or: {ANEW}"
        )
    covered = certificate.covered
    seen = {
        "domain": {talk.domain for talk in data.conversations},
        "length": {str(item.exchanges) for item in data.items.values() if item.control is None},
    }
    lacking = [f"{kind} {name}" for kind, names in seen.items() for name in sorted(names - covered[kind].keys())]
    if covered.get("bot") and not set(bots) & covered["bot"].keys():
        lacking.append(f"{listed(bots, 'or')} (but of {listed(sorted(covered['bot']))})")
    if lacking:
        label = hints.command("crowdsource", data.study.path, data.survey, dry_run=True)
        raise NotVouched(
            f"--gate: the certificate has no labels of {listed(lacking)}.", f"Let people label some: {label}"
        )
