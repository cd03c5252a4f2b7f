"""Settings of a launch: who recruits the annotators, what they are paid and told, and by which limits they work.

The settings are in a YAML file of the user's, and are validated whole before any work starts. They never hold
credentials: those stay where the platform's own tools look for them.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from typing_extensions import TypedDict

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.surveys.survey import ChatRules, Limits, Survey
from parlai_spotbot.user_files import validated

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


def number(kind: type = float, **bounds: float) -> Any:
    """Return the type of a finite number within pydantic's bounds (ge, gt, le, lt)."""
    return Annotated[kind, Field(**({} if kind is int else {"allow_inf_nan": False}), **bounds)]


def check(test: Callable[[Any], Any], message: str) -> AfterValidator:
    """Return a validator that refuses what fails the `test`."""

    def validate(value: Any) -> Any:
        if not test(value):
            raise ValueError(message)
        return value

    return AfterValidator(validate)


def _listed(value: Any) -> Any:
    parts = [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    return tuple(parts) if isinstance(parts, list) else parts


Country = Annotated[str, check(re.compile("[A-Z]{2}").fullmatch, "write two letters, as US or GB")]
Currency = Annotated[str, check(re.compile("[A-Z]{3}").fullmatch, "write three letters, as USD")]
StudyId = Annotated[str, check(re.compile("([0-9a-f]{24})?").fullmatch, "expected 24 hexadecimal digits")]
Above = number(gt=0)


@dataclass(frozen=True)
class Qualifications:
    """Workers that MTurk lets in: `approval_rate` in per cent, `approved_hits` so far, `countries` as two letters."""

    approval_rate: number(int, ge=0, le=100) | None = None
    approved_hits: number(int, ge=0, le=10**9) | None = None
    countries: tuple[Country, ...] = ()
    adult: bool = False


MAY_BE_NONE = (
    "onboarding_mistakes",
    "controls_per_unit",
    "control_mistakes",
    "units_without_reason",
    "gold_every",
    "gold_wrong_turns",
)


def _rules(kind: type, from_zero: Collection[str]) -> Any:
    """Return the type of a dict with some of the fields of a dataclass of numbers and flags."""
    return TypedDict(
        kind.__name__,
        {
            field_name.name: bool
            if isinstance(field_name.default, bool)
            else number(type(field_name.default), ge=0 if field_name.name in from_zero else 1, lt=10**6)
            for field_name in fields(kind)
        },
        total=False,
    )


LIMITS = _rules(Limits, MAY_BE_NONE)
CHAT = _rules(ChatRules, ("longest_delay", "slow_after"))


@dataclass(frozen=True)
class LaunchSettings:
    """The settings of a launch; "" and None leave the choice to the survey or the platform.

    `pay` is in `currency`, for a unit; `minutes_per_unit` is the time limit of a unit. `completion_code` is what
    Prolific expects of who has finished, `screened_out_code` of who is stopped before the first unit is done.
    `language` is a language of ours or a file of texts, `texts` replaces single ones. `fee` is the platform's share
    (None: see `FEES`), `minimum_wage` per hour. `seconds_per_annotation` (None: what the study's own annotators took,
    else the paper's) and `reading_minutes`, for consent and instructions, are what the dry run computes with. `group`
    names the group of annotators (students, …) by which training outcomes are told apart. `prolific_study` is the
    study's id at Prolific, whose links it signs; with `accept_unverified_ids` its links need no signature, and
    whoever has the link is whom they say.
    """

    provider: Literal[PROVIDERS] = "in_house"
    title: str = ""
    description: str = ""
    keywords: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ("chat", "conversation", "language", "bot")
    contact: str = ""
    pay: number(ge=0) = 0.0
    currency: Currency = "USD"
    minutes_per_unit: Above | None = None
    qualifications: Qualifications = Qualifications()
    completion_code: str = ""
    screened_out_code: str = ""
    limits: LIMITS = field(default_factory=dict)
    chat: CHAT = field(default_factory=dict)
    language: str = "en"
    texts: dict[str, str] = field(default_factory=dict)
    fee: number(ge=0, le=10) | None = None
    minimum_wage: number(ge=0) = MINIMUM_WAGE
    seconds_per_annotation: Above | None = None
    reading_minutes: number(ge=0) = 3.0
    group: str = ""
    prolific_study: StudyId = ""
    accept_unverified_ids: bool = False

    @property
    def platform_fee(self) -> float:
        return FEES[self.provider] if self.fee is None else self.fee

    @property
    def paid(self) -> bool:
        """Return whether launching spends money, or lets people work who expect to be paid by a platform."""
        return self.provider in PAID

    @property
    def ids(self) -> str:
        """By what it is known that annotators are who they say."""
        if self.provider == "prolific":
            return NOT_VERIFIED if self.accept_unverified_ids else SIGNED
        return "personal links" if self.provider == "in_house" else "confirmed by the platform"

    @property
    def mturk_qualifications(self) -> tuple[dict, ...]:
        """Return MTurk's requirements of workers, in its own form; none in the sandbox."""
        if self.provider != "mturk":
            return ()
        rules = self.qualifications
        conditions = [
            (APPROVAL_RATE, "GreaterThanOrEqualTo", rules.approval_rate),
            (APPROVED_HITS, "GreaterThanOrEqualTo", rules.approved_hits),
            (ADULT, "EqualTo", 1 if rules.adult else None),
        ]
        return tuple(
            {
                "QualificationTypeId": name,
                "Comparator": comparator,
                "IntegerValues": [value],
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            }
            for name, comparator, value in conditions
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
    row: Any = read_yaml(path, "Name a YAML file with --config.", "Mend that line.") if path is not None else {}
    row = {} if row is None else row
    return parse_settings(_laid_over(row, overrides) if isinstance(row, dict) else row, str(path or "settings"))


def _laid_over(row: dict, overrides: Mapping) -> dict:
    value_by_key = {key: value for key, value in overrides.items() if value is not None}
    both = {
        key: value for key, value in value_by_key.items() if isinstance(value, dict) and isinstance(row.get(key), dict)
    }
    return {**row, **value_by_key, **{key: _laid_over(row[key], value) for key, value in both.items()}}


def parse_settings(row: Any, where: str) -> LaunchSettings:
    """Return settings from keys and values; `where` names their place in errors."""
    _refuse_secrets(row, where)
    if isinstance(row, dict) and "links_days" in row:
        raise UserError(f"{where}: links_days was removed in 0.2.", "Revoke links (--revoke NAME) or close (--close).")
    settings = validated(LaunchSettings, row, where)
    if settings.chat:
        _check_chat(settings.chat, where)
    return _together(settings, where)


def _refuse_secrets(row: Any, where: str) -> None:
    """Refuse credentials by the name of their key, or by what they look like."""
    for key, value in row.items() if isinstance(row, dict) else ():
        text = isinstance(value, str) and SECRET_VALUE.search(value)
        if (
            text
            or SECRET_VALUE.search(str(key))
            or (key not in LaunchSettings.__annotations__ and SECRET_NAME.search(str(key)))
        ):
            raise UserError(
                f"{where}: '{key}' looks like a credential; they don't belong in a study's settings.",
                "Take it out. MTurk's keys stay in ~/.aws/credentials, where Mephisto reads them.",
            )
        _refuse_secrets(value, where)


def _check_chat(chat: dict, where: str) -> None:
    least, most = ({**asdict(ChatRules()), **chat}[name] for name in ("messages", "most_messages"))
    if least > most:
        raise UserError(
            f"{where}: 'messages' is {least}, more than 'most_messages', {most}.", "Raise most_messages too."
        )


def _together(settings: LaunchSettings, where: str) -> LaunchSettings:
    """Check settings that must fit together."""
    if settings.provider == "prolific" and not settings.completion_code:
        raise UserError(
            f"{where}: provider is 'prolific' and 'completion_code' is missing.",
            "Copy it from the study's page at Prolific: annotators hand it in to be paid.",
        )
    if settings.provider.startswith("mturk") and settings.currency != "USD":
        raise UserError(
            f"{where}: 'currency' is '{settings.currency}', but MTurk pays in USD.", "Write 'currency: USD'."
        )
    if settings.provider == "prolific" and not settings.prolific_study and not settings.accept_unverified_ids:
        raise UserError(f"{where}: provider is 'prolific' and 'prolific_study' is missing.", HOW_TO_SIGN)
    if settings.paid and not settings.pay:
        raise UserError(f"{where}: provider is '{settings.provider}' and 'pay' is missing.", "Set the pay for a unit.")
    return settings
