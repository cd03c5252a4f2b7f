"""Certificate of a judge: what people's labels vouch for, for which judge, survey and bots; see README.md.

The statistics are `analysis.certificate`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot import checksums, files, in_html
from parlai_spotbot.analysis.certificate import CRITERIA, assess
from parlai_spotbot.analysis.certificate.assess import Assessment
from parlai_spotbot.analysis.certificate.uses import (
    ENOUGH_PEOPLE,
    FAVOUR,
    FEWEST,
    FLIPS,
    MARGIN,
    MOST,
    NOT_VALID,
    VALID,
)
from parlai_spotbot.analysis.values import plain
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import own_data
from parlai_spotbot.user_files import validated
from parlai_spotbot.wording import counted, filled, number, people_said, percent, templates, upper_first

REASONS, REMEDIES = own_data(__file__, "certificate.yaml")
LIMITS = {"margin": MARGIN, "fewest": FEWEST, "enough": ENOUGH_PEOPLE, "favour": FAVOUR, "flips": FLIPS}
FAVOURS = (
    "{kind} {group}: it says {answer} {points} points {often} often{0:ci_points} than people do, compared with others"
)
FAVOUR_UNKNOWN = "{kind} {group}: whether the judge favours it is not known"
OFTEN = ("more", "less")
OPEN = 2
"""An interval as wide as this, of the 4 that differences of differences of shares can take, says nothing."""
NAME = "certificate.json"
REMEDY = "Make it anew: spotbot judge --certify."
FEW_ANSWERS = 3
"""Answers up to which it is said what the judge says of each label."""
MOST_SHOWN = 5
"""Answers of a scale up to which it is said how often the judge gives the very label."""
COVERED = ("bot", "domain", "length")
SIGNS = {VALID: "✓ ", NOT_VALID: "✗ "}
UNCLEAR = "? "


@dataclass(frozen=True)
class Certificate:
    """Record of the uses that labels vouch for.

    `uses` are records of `analysis.certificate.uses.UseStatus`, `figures` those of `Assessment`. `covered` has the
    bots, domains and lengths with labels, and how many; `not_covered` those that the judge answered without. `bound`
    says which judge, survey and labels it is of, with a `digest`; `frozen` are the verdicts that a recheck asks for
    again, and `changed` says that one found the judge changed.
    """

    judge: str
    uses: list[dict[str, Any]]
    figures: dict[str, Any]
    covered: dict[str, Any]
    not_covered: dict[str, list[str]]
    bound: dict[str, Any] = field(default_factory=dict)
    frozen: list[dict[str, Any]] = field(default_factory=list)
    changed: str = ""

    def use(self, name: str) -> dict[str, Any]:
        """Return the record of a use."""
        return next(row for row in self.uses if row["use"] == name)

    @property
    def vouched(self) -> str:
        """Return by how many labels it is vouched for, and its agreement with people."""
        people = ""
        if self.figures["people"]:
            people = f" of {people_said(self.figures['people'])}"
        return f"{counted(self.figures['labels'], 'label')}{people}, agreement {_measured(self.figures['agreement'])}"

    def why(self, use: str) -> str:
        """Return the reason for the status of a use."""
        row = self.use(use)
        return filled(REASONS[row["reason"]], **_of_use(row))

    def remedy(self, use: str) -> str:
        """Return what to do where a use isn't valid; "" where nothing is known that would help."""
        row = self.use(use)
        if row["status"] == VALID:
            return ""
        if row["reason"].startswith("unclear") and row["labels"] is None:
            return f"it is so near that more than {MOST:,} labels would have to tell"
        return filled(REMEDIES.get(row["reason"], ""), **_of_use(row))

    def explained(self, use: str) -> str:
        """Return the reason for the status of a use, and what to do, as one sentence."""
        return "; ".join(filter(None, [self.why(use), self.remedy(use)])) + "."

    def __str__(self) -> str:
        """Return the answer, and below it what it rests on."""
        uses: dict[str, list[str]] = {}
        for row in self.uses:
            text = f"{row['status']}: {self.explained(row['use'])}"
            uses.setdefault(text, []).append(row["use"])
        return self._text(uses=uses)

    @property
    def sentences(self) -> list[str]:
        """Return the answer and what it rests on, without what is in `tables`."""
        lines = self._text(uses={}, by_label={}).splitlines()
        return [f"{upper_first(line.strip()).rstrip('.')}." for line in lines if line.strip()]

    @property
    def tables(self) -> list[in_html.Table]:
        """Return what the judge may do and why, and what it says of each label where there are few answers."""
        uses = []
        for row in self.uses:
            status = SIGNS.get(row["status"], UNCLEAR) + row["status"]
            uses.append((row["use"], status, upper_first(self.explained(row["use"]))))
        tables: list[in_html.Table] = [("What it may do", ("Use", "Status", "Why"), uses)]
        answers = self.figures["answers"]
        by_label = self.figures["by_label"]
        if not by_label or len(answers) > FEW_ANSWERS:
            return tables
        labels = []
        for label, right in by_label.items():
            place = answers.index(label)
            said = [str(round(met[place])) for met in self.figures["confusion"]]
            labels.append((label, *said, _measured(right, percent)))
        head = ("People say", *(f"It says {answer}" for answer in answers), "Right")
        return [*tables, ("What it says where people label", head, labels)]

    def _text(self, **shown: Any) -> str:
        """Return what the template writes of the certificate; `shown` replaces figures."""
        facts = {
            "valid": [row["use"] for row in self.uses if row["status"] == VALID],
            "vouched": self.vouched,
            "favoured": self._favours(),
            "few": FEW_ANSWERS,
            "most_shown": MOST_SHOWN,
            "covered_kinds": COVERED,
            "measured": _measured,
        }
        template = templates(Path(__file__).parent).get_template("certificate.jinja")
        return template.render(vars(self) | self.figures | facts | shown).rstrip()

    def _repr_html_(self) -> str:
        return in_html.shown(self.sentences, self.tables)

    def _favours(self) -> list[str]:
        """Return the greatest difference by bot, family, length and order that the labels show or leave open."""
        rows = [{**row} for row in self.figures["favours"] if row["low"] is not None]
        rows.sort(key=lambda row: max(abs(row["low"]), abs(row["high"])))
        worst = {row["kind"]: row for row in rows}
        for row in worst.values():
            row["points"] = round(abs(100 * row["estimate"]))
            row["often"] = OFTEN[row["estimate"] < 0]
            row["words"] = FAVOURS if row["high"] - row["low"] < OPEN else FAVOUR_UNKNOWN
        return [filled(row["words"], (row["low"], row["high"]), **row) for row in worst.values()]

    def write(self, path: Path) -> None:
        """Write it as JSON; in a study with its checksum."""
        checksums.write_json(path, plain(asdict(self)))


def _of_use(row: Mapping) -> dict[str, Any]:
    """Return what the words on a use take, by its record."""
    return {**LIMITS, **row, "limit": CRITERIA[row["use"]]}


def _measured(record: Mapping, show: Any = number) -> str:
    low = record["low"]
    if low is None:
        return f"{show(record['estimate'])} (no interval)"
    return f"{show(record['estimate'])} [{show(low)}, {show(record['high'])}]"


def read_certificate(path: Path) -> Certificate:
    """Return the certificate in a file; a missing or malformed one is a `UserError`."""
    if path.is_dir():
        path = path / NAME
    value = checksums.read_json(path, "certificate", REMEDY)
    certificate = validated(Certificate, value, path, REMEDY)
    if digest(certificate.bound) != certificate.bound.get("digest"):
        raise UserError(f"{path}: what it is bound to was changed.", REMEDY)
    return certificate


def certificate_of(
    labelled: pd.DataFrame,
    unlabelled: pd.DataFrame,
    judge: str = "",
    scale: Sequence[str] | None = None,
    bound: Mapping[str, Any] | None = None,
    frozen: Sequence[Mapping] = (),
) -> Certificate:
    """Return the certificate of a judge by labelled rows (see `analysis.certificate.assess`); `unlabelled` has its
    other verdicts.
    """
    assessment = assess(labelled, scale)
    covered = {}
    not_covered = {}
    for kind in COVERED:
        if kind in labelled:
            covered[kind] = {str(name): int(n) for name, n in labelled[kind].value_counts(sort=False).items()}
            others = set(unlabelled.get(kind, pd.Series(dtype=str)).astype(str)) - {""}
            not_covered[kind] = sorted(others - covered[kind].keys())
    about = {**(bound or {}), "labels_sha256": frame_digest(labelled)}
    return Certificate(
        judge=judge,
        uses=[plain(asdict(use)) for use in assessment.uses],
        figures=plain(_figures(assessment)),
        covered=covered,
        not_covered=not_covered,
        bound={**about, "digest": digest(about)},
        frozen=[dict(row) for row in frozen],
    )


def _figures(assessment: Assessment) -> dict[str, Any]:
    return {
        "labels": assessment.table.labels,
        "people": assessment.table.people,
        "measure": assessment.table.metric,
        "answers": assessment.table.levels,
        "agreement": asdict(assessment.agreement),
        "accuracy": asdict(assessment.accuracy),
        "chance": assessment.chance,
        "by_label": {name: asdict(measured) for name, measured in assessment.by_label.items()},
        "people_agreement": asdict(assessment.people),
        "confusion": assessment.confusion,
        "favours": assessment.favours,
        "flips": dict(assessment.flips),
    }


def digest(bound: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what a certificate is bound to, without its own digest."""
    about = {name: value for name, value in bound.items() if name != "digest"}
    return hashlib.sha256(files.json_bytes(plain(about))).hexdigest()


def frame_digest(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of rows, whatever their order and that of the columns."""
    rows = frame[sorted(frame)].astype(str).agg("\t".join, axis=1)
    return hashlib.sha256("\n".join(sorted(rows)).encode("utf-8", "replace")).hexdigest()
