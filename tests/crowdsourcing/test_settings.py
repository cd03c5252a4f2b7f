"""Settings: read whole before any work, refused with the file, the key and what to do; never with a credential."""

import pytest

from parlai_spotbot.crowdsourcing.settings import FEES, PROVIDERS, LaunchSettings, parse_settings, read_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey


def test_without_a_file_people_in_the_house_work_unpaid():
    settings = read_settings(None)
    assert settings == LaunchSettings()
    assert settings.provider == "in_house"
    assert not settings.paid


def test_a_file_is_read_and_the_command_line_comes_first(tmp_path):
    path = tmp_path / "settings.yaml"
    path.write_text(
        "provider: mturk_sandbox\npay: 2.5\nkeywords: chat, bots\nminutes_per_unit: 45\n"
        "qualifications: {approval_rate: 98, approved_hits: 500, countries: [US, GB]}\n"
        "limits: {units_per_annotator: 2, controls_per_unit: 0}\ntexts: {submit: Send}\n",
        encoding="utf-8",
    )
    settings = read_settings(path, provider="in_house", language=None)
    assert settings.provider == "in_house"
    assert settings.language == "en"
    assert (settings.pay, settings.keywords, settings.minutes_per_unit) == (2.5, ("chat", "bots"), 45.0)
    assert settings.qualifications.countries == ("US", "GB")
    assert settings.qualifications.approval_rate == 98
    survey = settings.survey(get_survey("spot_the_bot"))
    assert survey.limits.units_per_annotator == 2
    assert survey.limits.controls_per_unit == 0
    assert survey.limits.minutes_per_unit == 45.0
    assert survey.limits.onboarding_attempts == get_survey("spot_the_bot").limits.onboarding_attempts
    assert read_settings(path, limits={"controls_per_unit": 3}).limits == {
        "units_per_annotator": 2,
        "controls_per_unit": 3,
    }


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"payy": 1}, ["unknown key 'payy'", "'pay'"]),
        ({"provider": "prolifik"}, ["provider: ", "'prolific'"]),
        ({"pay": -1}, ["pay: ", "-1"]),
        ({"pay": float("nan")}, ["pay: ", "finite"]),
        ({"pay": "two"}, ["pay: ", "'two'"]),
        ({"pay": True}, ["pay: ", "'True'"]),
        ({"minutes_per_unit": 0}, ["minutes_per_unit: ", "greater than 0"]),
        ({"currency": "dollars"}, ["currency: ", "USD"]),
        ({"provider": "mturk", "pay": 1, "currency": "EUR"}, ["MTurk pays in USD"]),
        ({"limits": {"unit_per_annotator": 3}}, ["limits: ", "'units_per_annotator'"]),
        ({"limits": {"units_per_annotator": 0}}, ["limits.units_per_annotator: ", "equal to 1"]),
        ({"limits": {"controls_per_unit": 1.5}}, ["limits.controls_per_unit: "]),
        ({"qualifications": {"approval_rate": 101}}, ["approval_rate: ", "equal to 100"]),
        ({"qualifications": {"countries": ["Germany"]}}, ["countries[0]: ", "two letters"]),
        ({"texts": {"submit": 3}}, ["texts.submit: "]),
        ({"provider": "prolific", "pay": 2}, ["'completion_code'", "Prolific"]),
        (
            {"provider": "prolific", "pay": 2, "completion_code": "C"},
            ["'prolific_study'", "signed", "accept_unverified_ids: true"],
        ),
        ({"prolific_study": "mine"}, ["prolific_study: ", "24 hexadecimal"]),
        ({"accept_unverified_ids": "yes"}, ["accept_unverified_ids: "]),
        ({"links_days": 3}, ["links_days was removed", "--revoke"]),
        ({"provider": "mturk"}, ["'pay'"]),
        ("provider: x", ["expected an object"]),
    ],
)
def test_what_is_wrong_is_named(row, named):
    with pytest.raises(UserError) as error:
        parse_settings(row, "mine.yaml")
    assert error.value.problem.startswith("mine.yaml")
    for words in named:
        assert words in str(error.value)


@pytest.mark.parametrize(
    "row",
    [
        {"aws_secret_access_key": "abc"},
        {"prolific_api_token": "abc"},
        {"password": "abc"},
        {"title": "AKIAABCDEFGHIJKLMNOP"},
        {"texts": {"submit": "-----BEGIN RSA PRIVATE KEY-----"}},
        {"limits": {"api_key": "x"}},
    ],
)
def test_credentials_are_refused_and_not_repeated(row):
    with pytest.raises(UserError, match="credential") as error:
        parse_settings(row, "mine.yaml")
    assert "abc" not in str(error.value)
    assert "AKIA" not in str(error.value)


@pytest.mark.parametrize("text", ["pay: [1", "pay: 1\n\tprovider: x", "- a\n- b"])
def test_a_file_that_is_no_yaml_mapping_is_named(tmp_path, text):
    path = tmp_path / "broken.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"broken\.yaml"):
        read_settings(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.yaml: no such file"):
        read_settings(tmp_path / "none.yaml")


def test_what_cannot_be_read_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="can't be read: ") as caught:
            read_settings(path)
        assert "--config" in caught.value.remedy


def test_each_provider_has_a_fee_and_only_platforms_of_strangers_are_paid():
    assert set(FEES) == set(PROVIDERS)
    paid = {name for name in PROVIDERS if LaunchSettings(provider=name).paid}
    assert paid == {"prolific", "mturk"}
    assert LaunchSettings(provider="prolific", fee=0.1).platform_fee == 0.1


def test_qualifications_are_asked_of_real_workers_in_mturks_own_form():
    asked = {"approval_rate": 98, "approved_hits": 500, "adult": True}
    row = {"pay": 1, "qualifications": asked}
    live = parse_settings({**row, "provider": "mturk"}, "x").mturk_qualifications
    assert {one["QualificationTypeId"]: (one["Comparator"], one["IntegerValues"]) for one in live} == {
        "000000000000000000L0": ("GreaterThanOrEqualTo", [98]),
        "00000000000000000040": ("GreaterThanOrEqualTo", [500]),
        "00000000000000000060": ("EqualTo", [1]),
    }
    assert parse_settings({**row, "provider": "mturk_sandbox"}, "x").mturk_qualifications == ()
