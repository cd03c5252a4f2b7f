"""What a launch is told: who recruits the annotators, what they are paid and told, and by which limits they work.

The settings stand in a YAML file of the user's, and are validated whole before any work starts. They never hold
credentials: those stay where the platform's own tools look for them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.surveys.survey import ChatRules, Limits, Survey

PROVIDERS = ("in_house", "prolific", "mturk_sandbox", "mturk")
PAID = ("prolific", "mturk")
"""Where people are paid real money: these go live only when told so (`--live`)."""

FEES = {"in_house": 0.0, "prolific": 0.428, "mturk_sandbox": 0.0, "mturk": 0.2}
"""The platform's fee as a share of pay and bonus. MTurk: a fifth, for HITs of fewer than ten assignments, and ours have
one. Prolific: its rate for companies; that for universities is a third. Both change: set `fee` to what you are told."""

MINIMUM_WAGE = 12.0
"""Dollars an hour: what Prolific recommends (it takes no less than 8)."""

APPROVAL_RATE, APPROVED_HITS, ADULT = "000000000000000000L0", "00000000000000000040", "00000000000000000060"
"""The ids that MTurk gives its own qualifications."""

SIGNED, NOT_VERIFIED = "signed by the platform", "not verified"

HOW_TO_SIGN = (
    "Make the study at Prolific a draft, have its links signed there (“secure your study's URL”), and copy the id from "
    "the address of its page. Where its links can't be signed, say accept_unverified_ids: true (or "
    "--accept-unverified-ids): then one person with the link can take part as many."
)

SECRET_NAME = re.compile(r"(?i)(secret|token|passw|credential|api_?key|access_?key|private_?key|auth)")
SECRET_VALUE = re.compile(r"\b(AKIA|ASIA)[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY")


@dataclass(frozen=True)
class Qualifications:
    """Whom MTurk lets in: `approval_rate` in per cent, `approved_hits` so far, `countries` as two letters."""

    approval_rate: int | None = None
    approved_hits: int | None = None
    countries: tuple[str, ...] = ()
    adult: bool = False


@dataclass(frozen=True)
class LaunchSettings:
    """The settings of a launch; "" and None leave the choice to the survey or the platform.

    `pay` is in `currency`, for a unit; `minutes_per_unit` is the time limit of a unit. `completion_code` is what
    Prolific expects of who has finished, `screened_out_code` of who is stopped before the first unit is done.
    `language` is a language of ours or a file of texts, `texts` replaces single ones. `fee` is the platform's share
    (None: see `FEES`), `minimum_wage` per hour. `seconds_per_annotation` (None: what the study's own annotators took,
    else the paper's) and `reading_minutes`, for consent and instructions, are what the dry run reckons with. `group`
    names the group of annotators (students, …) by which training outcomes are told apart; `gold` is a file of further
    gold dialogues of the task that is launched. `prolific_study` is the study's id at Prolific, whose links it signs;
    with `accept_unverified_ids` its links need no signature, and whoever has the link is whom they say. `links_days` is
    for how long in-house links open the page (None: as long as the study takes).
    """

    provider: str = "in_house"
    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ("chat", "conversation", "language", "bot")
    contact: str = ""
    pay: float = 0.0
    currency: str = "USD"
    minutes_per_unit: float | None = None
    qualifications: Qualifications = Qualifications()
    completion_code: str = ""
    screened_out_code: str = ""
    limits: dict = field(default_factory=dict)
    chat: dict = field(default_factory=dict)
    language: str = "en"
    texts: dict = field(default_factory=dict)
    fee: float | None = None
    minimum_wage: float = MINIMUM_WAGE
    seconds_per_annotation: float | None = None
    reading_minutes: float = 3.0
    group: str = ""
    gold: str = ""
    prolific_study: str = ""
    accept_unverified_ids: bool = False
    links_days: float | None = None

    @property
    def platform_fee(self) -> float:
        return FEES[self.provider] if self.fee is None else self.fee

    @property
    def paid(self) -> bool:
        """Whether launching spends money, or lets people work who expect to be paid by a platform."""
        return self.provider in PAID

    @property
    def ids(self) -> str:
        """By what it is known that annotators are who they say."""
        if self.provider == "prolific":
            return NOT_VERIFIED if self.accept_unverified_ids else SIGNED
        return "personal links" if self.provider == "in_house" else "confirmed by the platform"

    @property
    def mturk_qualifications(self) -> tuple[dict, ...]:
        """What MTurk is to ask of workers, in its own form; nothing in the sandbox, where nobody has a record."""
        if self.provider != "mturk":
            return ()
        wanted = self.qualifications
        found = [
            (APPROVAL_RATE, "GreaterThanOrEqualTo", wanted.approval_rate),
            (APPROVED_HITS, "GreaterThanOrEqualTo", wanted.approved_hits),
            (ADULT, "EqualTo", 1 if wanted.adult else None),
        ]
        return tuple(
            {
                "QualificationTypeId": name,
                "Comparator": comparator,
                "IntegerValues": [value],
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            }
            for name, comparator, value in found
            if value is not None
        )

    def to_json(self) -> dict:
        return asdict(self)

    def survey(self, survey: Survey) -> Survey:
        """The survey with this launch's limits and title."""
        limits = dict(self.limits)
        if self.minutes_per_unit is not None:
            limits["minutes_per_unit"] = self.minutes_per_unit
        if self.chat and survey.chat is None:
            raise UserError(f"settings: field 'chat': nobody chats in survey '{survey.name}'.", "Leave it out.")
        chat = replace(survey.chat, **self.chat) if survey.chat else None
        return replace(survey, limits=replace(survey.limits, **limits), title=self.title or survey.title, chat=chat)


def read_settings(path: str | Path | None, **overrides: Any) -> LaunchSettings:
    """The settings of a YAML file, with those of `overrides` that aren't None in their place.

    Of what has keys of its own, limits and the like, only those that are named are replaced.
    Raises `UserError` that names the file, the key and the remedy.
    """
    row: Any = {}
    where = str(path or "settings")
    if path is not None:
        try:
            row = parse_yaml(Path(path).read_text(encoding="utf-8")) or {}
        except FileNotFoundError:
            raise UserError(f"{path}: no such file.", "Name a YAML file with --config, or leave it out.") from None
        except OSError as err:
            raise UserError(f"{path}: cannot be read: {err.strerror}.", "Name a YAML file with --config.") from None
        except (Malformed, UnicodeDecodeError) as err:
            raise UserError(f"{path}: not valid YAML: {err}.", "Mend that line.") from None
    if isinstance(row, dict):
        row = _laid_over(row, overrides)
    return parse_settings(row, where)


def _laid_over(row: dict, overrides: Mapping) -> dict:
    said = {key: value for key, value in overrides.items() if value is not None}
    both = {key: value for key, value in said.items() if isinstance(value, dict) and isinstance(row.get(key), dict)}
    return {**row, **said, **{key: _laid_over(row[key], value) for key, value in both.items()}}


def parse_settings(row: Any, where: str) -> LaunchSettings:
    """Settings from keys and values; `where` names their place in errors."""
    row = _keys(row, LaunchSettings, where)
    plain = LaunchSettings()
    values: dict[str, Any] = {
        "provider": _one_of(row, "provider", PROVIDERS, where, plain.provider),
        "keywords": _names(row, "keywords", where, plain.keywords),
        "qualifications": _qualifications(row.get("qualifications", {}), f"{where}: field 'qualifications'"),
        "limits": checked_limits(row.get("limits", {}), f"{where}: field 'limits'"),
        "chat": checked_chat(row.get("chat", {}), f"{where}: field 'chat'"),
        "texts": _texts(row, where),
        "minutes_per_unit": _number(row, "minutes_per_unit", where, None, ABOVE_ZERO),
        "seconds_per_annotation": _number(row, "seconds_per_annotation", where, None, ABOVE_ZERO),
        "fee": _number(row, "fee", where, None, NumberRange(most=10)),
    }
    values["accept_unverified_ids"] = files.field(row, "accept_unverified_ids", bool, where, False)
    values["links_days"] = _number(row, "links_days", where, None, ABOVE_ZERO)
    codes = ("completion_code", "screened_out_code", "prolific_study")
    for name in ("title", "description", "contact", *codes, "language", "group", "gold"):
        values[name] = files.field(row, name, str, where, getattr(plain, name)).strip()
    for name in ("pay", "minimum_wage", "reading_minutes"):
        values[name] = _number(row, name, where, getattr(plain, name))
    values["currency"] = _currency(row, where, values["provider"])
    return _together(LaunchSettings(**values), where)


def _keys(row: Any, kind: type, where: str) -> dict:
    """`row`, if it is a dict whose keys are the fields of `kind`; a credential among them is refused by name."""
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected keys and values, found {row!r}.", "Write for example 'pay: 2.50'.")
    known = [f.name for f in fields(kind)]
    for key, value in row.items():
        if _holds_secret(value) or (key not in known and SECRET_NAME.search(str(key))):
            raise UserError(
                f"{where}: '{key}' looks like a credential; they don't belong in a study's settings.",
                "Take it out. MTurk's keys stay in ~/.aws/credentials, where Mephisto reads them.",
            )
        if key not in known:
            raise UserError(f"{where}: unknown key '{key}'.", nearest(str(key), known))
    return row


def _holds_secret(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_secret, [*value, *value.values()]))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_secret, value))
    return isinstance(value, str) and SECRET_VALUE.search(value) is not None


@dataclass(frozen=True)
class NumberRange:
    """Which numbers a setting may have: from 0, or above 0, up to `most`."""

    zero: bool = True
    most: float = math.inf


ABOVE_ZERO = NumberRange(zero=False)


def _number(row: Mapping, name: str, where: str, default: Any, allowed: NumberRange = NumberRange()) -> Any:
    value = files.field(row, name, (int, float, type(None)), where, default)
    if value is None:
        return default
    if not math.isfinite(value) or not 0 <= value <= allowed.most or (value == 0 and not allowed.zero):
        wanted = "from 0 up" if allowed.zero else "above 0"
        raise UserError(f"{where}: field '{name}' is {value}, expected a number {wanted}.", "Correct it.")
    return float(value)


def _one_of(row: Mapping, name: str, known: tuple[str, ...], where: str, default: str) -> str:
    value = files.field(row, name, str, where, default)
    if value not in known:
        raise UserError(f"{where}: field '{name}' is '{value}'.", nearest(value, known))
    return value


def _names(row: Mapping, name: str, where: str, default: tuple[str, ...]) -> tuple[str, ...]:
    value = row.get(name, default)
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(parts, (list, tuple)) or not all(isinstance(part, str) for part in parts):
        raise UserError(f"{where}: field '{name}' is {value!r}, expected a list of words.", "Write [chat, bots].")
    return tuple(part for part in parts if part)


def _qualifications(row: Any, where: str) -> Qualifications:
    row = _keys(row, Qualifications, where)
    for name, most in (("approval_rate", 100), ("approved_hits", 10**9)):
        value = files.field(row, name, (int, type(None)), where, None)
        if value is not None and not 0 <= value <= most:
            raise UserError(f"{where}: field '{name}' is {value}, expected 0 to {most}.", "Correct it.")
    countries = _names(row, "countries", where, ())
    for country in countries:
        if not re.fullmatch(r"[A-Z]{2}", country):
            raise UserError(f"{where}: field 'countries' holds '{country}'.", "Write two letters, as US or GB.")
    adult = files.field(row, "adult", bool, where, False)
    return Qualifications(row.get("approval_rate"), row.get("approved_hits"), countries, adult)


MAY_BE_NONE = (
    "onboarding_mistakes",
    "controls_per_unit",
    "control_mistakes",
    "units_without_reason",
    "gold_every",
    "gold_wrong_turns",
)


def checked_limits(row: Any, where: str) -> dict:
    """Checked values for some of a survey's `Limits`."""
    row = _keys(row, Limits, where)
    checked = {}
    for known in fields(Limits):
        if known.name not in row:
            continue
        whole = isinstance(known.default, int)
        value = files.field(row, known.name, int if whole else (int, float), where)
        least = 0 if known.name in MAY_BE_NONE else 1
        if not least <= value < 10**6:
            number = "whole number" if whole else "number"
            raise UserError(f"{where}: '{known.name}' is {value}, expected a {number} from {least} up.", "Correct it.")
        checked[known.name] = value
    return checked


def checked_chat(row: Any, where: str) -> dict:
    """Checked values for some of a survey's rules of chats."""
    row = _keys(row, ChatRules, where)
    checked: dict[str, Any] = {}
    for known in (known for known in fields(ChatRules) if known.name in row):
        if isinstance(known.default, bool):
            checked[known.name] = files.field(row, known.name, bool, where)
        elif isinstance(known.default, int):
            value = checked[known.name] = files.field(row, known.name, int, where)
            if not 1 <= value < 10**6:
                raise UserError(
                    f"{where}: '{known.name}' is {value}, expected a whole number from 1 up.", "Correct it."
                )
        else:
            checked[known.name] = _number(row, known.name, where, known.default)
    least, most = ({**asdict(ChatRules()), **checked}[name] for name in ("messages", "most_messages"))
    if least > most:
        raise UserError(
            f"{where}: 'messages' is {least}, more than 'most_messages', {most}.", "Raise most_messages too."
        )
    return checked


def _texts(row: Mapping, where: str) -> dict:
    value = files.field(row, "texts", dict, where, {})
    for key, text in value.items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise UserError(f"{where}: field 'texts' holds {key!r}: {text!r}, expected texts.", "Put it in quotes.")
    return dict(value)


def _currency(row: Mapping, where: str, provider: str) -> str:
    value = files.field(row, "currency", str, where, "USD").strip().upper()
    if not re.fullmatch(r"[A-Z]{3}", value):
        raise UserError(f"{where}: field 'currency' is '{value}'.", "Write three letters, as USD or EUR.")
    if provider.startswith("mturk") and value != "USD":
        raise UserError(f"{where}: field 'currency' is '{value}', but MTurk pays in USD.", "Write 'currency: USD'.")
    return value


def _together(settings: LaunchSettings, where: str) -> LaunchSettings:
    """What must fit together."""
    if settings.provider == "prolific" and not settings.completion_code:
        raise UserError(
            f"{where}: provider is 'prolific' and 'completion_code' is missing.",
            "Copy it from the study's page at Prolific: annotators hand it in to be paid.",
        )
    if settings.prolific_study and not re.fullmatch(r"[0-9a-f]{24}", settings.prolific_study):
        raise UserError(
            f"{where}: field 'prolific_study' is '{settings.prolific_study}', expected 24 hexadecimal digits.",
            "Copy it from the address of the study's page at Prolific.",
        )
    if settings.provider == "prolific" and not settings.prolific_study and not settings.accept_unverified_ids:
        raise UserError(f"{where}: provider is 'prolific' and 'prolific_study' is missing.", HOW_TO_SIGN)
    if settings.paid and not settings.pay:
        raise UserError(f"{where}: provider is '{settings.provider}' and 'pay' is missing.", "Set the pay for a unit.")
    return settings
