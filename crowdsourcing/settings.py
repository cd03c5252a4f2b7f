"""Settings of a launch: who recruits the annotators, what they are paid and told, and by which limits they work.

The settings are in a YAML file of the user's, and are validated whole before any work starts. They never hold
credentials: those stay where the platform's own tools look for them.
"""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from parlai_spotbot.crowdsourcing.platforms import platform_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.surveys.survey import ChatRules, Limits, Survey
from parlai_spotbot.user_files import validated


def number(kind: type = float, **bounds: float) -> Any:
    """Return the type of a finite number within pydantic's bounds (ge, gt, le, lt)."""
    return Annotated[kind, Field(**({} if kind is int else {"allow_inf_nan": False}), **bounds)]


def _known_platform(name: str) -> str:
    """Return the name of a platform; `ValueError` for any other."""
    try:
        platform_of(name)
    except UserError as error:
        raise ValueError(f"expected a platform, found {name!r}. {error.remedy}") from None
    return name


Provider = Annotated[str, AfterValidator(_known_platform)]
Country = Annotated[str, Field(pattern="^[A-Z]{2}$")]
Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]
LanguageCode = Annotated[str, Field(pattern="^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$")]
StudyId = Annotated[str, Field(pattern="^([0-9a-f]{24})?$")]


@dataclass(frozen=True)
class Qualifications:
    """Workers that MTurk lets in: `approval_rate` in per cent, `approved_hits` so far, `countries` as two letters."""

    approval_rate: number(int, ge=0, le=100) | None = None
    approved_hits: number(int, ge=0, le=10**9) | None = None
    countries: tuple[Country, ...] = ()
    adult: bool = False


MAY_BE_NONE = ("onboarding_mistakes", "controls_per_unit", "control_mistakes")


def _rules(kind: type, from_zero: Collection[str]) -> Any:
    """Return the type of a dict with some of the fields of a dataclass of numbers and flags."""
    types: dict[str, Any] = {}
    for setting in fields(kind):
        types[setting.name] = bool
        if not isinstance(setting.default, bool):
            least = 0 if setting.name in from_zero else 1
            types[setting.name] = number(type(setting.default), ge=least, lt=10**6)
    return TypedDict(kind.__name__, types, total=False)


@dataclass(frozen=True)
class LaunchSettings:
    """The settings of a launch; "" and None leave the choice to the survey or the platform.

    `pay` is in `currency`, for a unit; `minutes_per_unit` is the time limit of a unit. `completion_code` is what
    Prolific expects of who has finished, `screened_out_code` of who is stopped before the first unit is done.
    `language` is a language of ours or a file of texts, `texts` replaces single ones; `conversations` is the code of
    the conversations' language ("": English where their words are, else the page's). `fee` is the platform's share
    (None: what it took when this was written). `group` names the group of annotators (students, …) by which training
    outcomes are reported. `prolific_study` is the study's id at Prolific, whose links Prolific signs. `institution`,
    `approval` (of an ethics board, as a paper says it) and `minimum_age` are for the texts for a paper.
    """

    provider: Provider = "in_house"
    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ("chat", "conversation", "language", "bot")
    contact: str = ""
    pay: number(ge=0) = 0.0
    currency: Currency = "USD"
    minutes_per_unit: number(gt=0) | None = None
    qualifications: Qualifications = Qualifications()
    completion_code: str = ""
    screened_out_code: str = ""
    limits: _rules(Limits, MAY_BE_NONE) = field(default_factory=dict)
    chat: _rules(ChatRules, ("longest_delay",)) = field(default_factory=dict)
    language: str = "en"
    conversations: LanguageCode = ""
    texts: dict[str, str] = field(default_factory=dict)
    fee: number(ge=0, le=10) | None = None
    group: str = ""
    prolific_study: StudyId = ""
    institution: str = ""
    approval: str = ""
    minimum_age: number(int, ge=0, le=120) = 0

    @property
    def platform(self) -> Any:
        """Return the `Platform` that recruits the annotators."""
        return platform_of(self.provider)

    @property
    def platform_fee(self) -> float:
        return self.platform.fee if self.fee is None else self.fee

    @property
    def unit_cost(self) -> float:
        """Return what a unit costs with the platform's fee."""
        return self.pay * (1 + self.platform_fee)

    def recorded(self) -> dict[str, Any]:
        """Return the settings for provenance.json, without the codes that are worth money."""
        codes = ("completion_code", "screened_out_code")
        return {**asdict(self), **{name: "set" if getattr(self, name) else "" for name in codes}}

    def survey(self, survey: Survey) -> Survey:
        """Return the survey with this launch's limits and title."""
        if self.chat and survey.chat is None:
            raise UserError(f"settings: field 'chat': nobody chats in survey '{survey.name}'.", "Leave it out.")
        limits = dict(self.limits)
        if self.minutes_per_unit is not None:
            limits["minutes_per_unit"] = self.minutes_per_unit
        chat = replace(survey.chat, **self.chat) if survey.chat else None
        return replace(survey, limits=replace(survey.limits, **limits), title=self.title or survey.title, chat=chat)


def read_settings(path: str | Path | None, **overrides: Any) -> LaunchSettings:
    """Return the settings of a YAML file, with those of `overrides` that aren't None in their place.

    A mapping, such as limits, replaces only the keys that it names. Raises `UserError` with file, key and remedy.
    """
    row: Any = None
    if path is not None:
        row = read_yaml(path, "Name a YAML file with --config.", "Correct that line.")
    if row is None:
        row = {}
    if isinstance(row, dict):
        for key, value in overrides.items():
            if isinstance(value, dict) and isinstance(row.get(key), dict):
                row[key] = {**row[key], **value}
            elif value is not None:
                row[key] = value
    return parse_settings(row, str(path or "settings"))


def parse_settings(row: Any, where: str) -> LaunchSettings:
    """Return settings from keys and values; `where` names their place in errors."""
    settings = validated(LaunchSettings, row, where)
    for problem, remedy in _problems(settings):
        raise UserError(f"{where}: {problem}.", remedy)
    return settings


def _problems(settings: LaunchSettings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with well-formed settings, each time with what to do about it."""
    chat = {**asdict(ChatRules()), **settings.chat}
    if chat["messages"] > chat["most_messages"]:
        problem = f"'messages' is {chat['messages']}, more than 'most_messages', {chat['most_messages']}"
        yield problem, "Raise most_messages too."
    yield from settings.platform.problems(settings)
