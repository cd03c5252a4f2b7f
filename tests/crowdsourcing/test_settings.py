"""Settings: read whole before any work, refused with the file, the key and what to do."""

import pytest

from parlai_spotbot.crowdsourcing.settings import LaunchSettings, parse_settings, read_settings
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey
from tests.case_tables import case_table


def test_a_file_is_read_and_the_command_line_comes_first(tmp_path):
    assert read_settings(None) == LaunchSettings()
    path = tmp_path / "settings.yaml"
    path.write_text(
        "provider: mturk_sandbox\npay: 2.5\nkeywords: [chat, bots]\nminutes_per_unit: 45\n"
        "qualifications: {countries: [US, GB]}\nlimits: {units_per_annotator: 2, controls_per_unit: 0}\n",
        encoding="utf-8",
    )
    settings = read_settings(path, provider="in_house", language=None, limits={"controls_per_unit": 3})
    assert (settings.provider, settings.language, settings.pay) == ("in_house", "en", 2.5)
    assert (settings.keywords, settings.qualifications.countries) == (("chat", "bots"), ("US", "GB"))
    limits, before = settings.survey(get_survey("spot_the_bot")).limits, get_survey("spot_the_bot").limits
    assert (limits.units_per_annotator, limits.controls_per_unit, limits.minutes_per_unit) == (2, 3, 45.0)
    assert limits.onboarding_attempts == before.onboarding_attempts


@case_table(__file__, "refused")
def test_what_is_wrong_is_named(row, named):
    with pytest.raises(UserError) as error:
        parse_settings(row, "mine.yaml")
    assert error.value.problem.startswith("mine.yaml")
    assert named in str(error.value)


@pytest.mark.parametrize("text", ["pay: [1", "pay: 1\n\tprovider: x", "- a\n- b", None])
def test_a_file_that_is_no_yaml_mapping_is_named(tmp_path, text):
    path = tmp_path / "mine.yaml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"mine\.yaml"):
        read_settings(path)


def test_qualifications_are_asked_of_real_workers_in_mturks_own_form():
    asked = {"approval_rate": 98, "approved_hits": 500, "adult": True}
    row = {"pay": 1, "qualifications": asked}
    live = required(parse_settings({**row, "provider": "mturk"}, "x"))
    assert {one["QualificationTypeId"]: (one["Comparator"], one["IntegerValues"]) for one in live} == {
        "000000000000000000L0": ("GreaterThanOrEqualTo", [98]),
        "00000000000000000040": ("GreaterThanOrEqualTo", [500]),
        "00000000000000000060": ("EqualTo", [1]),
    }
    assert required(parse_settings({**row, "provider": "mturk_sandbox"}, "x")) == ()


def required(settings):
    """What the platform requires of workers."""
    return settings.platform.qualifications(settings)
