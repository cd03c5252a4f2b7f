"""Commands that users are told are whole: they run as they are printed."""

import shlex

from parlai_spotbot import hints


def test_a_command_names_study_and_survey_and_quotes_what_needs_it():
    told = hints.command("judge", "my studies/one", "acute_eval", judges="language_model", task=None, dry_run=True)
    assert shlex.split(told) == [
        *("parlai", "spotbot_judge", "--study", "my studies/one", "--survey", "acute_eval"),
        *("--judges", "language_model", "--dry-run"),
    ]
    assert hints.run("report", "s") == "Run: parlai spotbot_report --study s"
