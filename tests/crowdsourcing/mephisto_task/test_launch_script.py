"""The launch script: Mephisto's keys and groups, ours under `spotbot`; what can't be honoured is refused by name."""

import shutil
import subprocess
import sys

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException

import parlai_spotbot
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.mephisto_task import launch_script
from parlai_spotbot.crowdsourcing.mephisto_task.launch_script import check_names, in_script_terms, request_of
from parlai_spotbot.crowdsourcing.settings import read_settings
from parlai_spotbot.crowdsourcing.spot_the_bot.run import CONFIGS
from parlai_spotbot.errors import UserError
from parlai_spotbot.sequential.settled_request import SettledRequest
from tests.case_tables import cases


def asked(*words):
    """The launch that words on the command line ask for."""
    check_names(list(words))
    with initialize_config_dir(CONFIGS, version_base=None):
        return request_of(compose("scriptconfig", ["spotbot.study=x", *words]))


@cases(
    "words settings",
    """
- [[], {provider: in_house}]
- [[mephisto.provider._provider_type=mock], {provider: in_house}]
- [[mephisto/provider=spotbot_in_house, mephisto/blueprint=spotbot], {provider: in_house}]
- [[mephisto/provider=mturk_sandbox, mephisto.task.task_reward=2], {provider: mturk_sandbox, pay: 2}]
- - [mephisto.task.task_title=Chats, 'mephisto.task.task_tags="chat, bots"', mephisto.task.maximum_units_per_worker=2]
  - {provider: in_house, title: Chats, keywords: [chat, bots], limits: {units_per_annotator: 2}}
- - [mephisto.task.assignment_duration_in_seconds=1800, mephisto.task.allowed_concurrent=1, num_tasks=5]
  - {provider: in_house, minutes_per_unit: 30}
- - [spotbot.settings.limits.controls_per_unit=3, +spotbot.settings.texts.hand_in=Send, spotbot.language=de]
  - {provider: in_house, limits: {controls_per_unit: 3}, texts: {hand_in: Send}, language: de}
- - [conf=prolific, spotbot.settings.completion_code=A1, spotbot.settings.prolific_study=65f0c0ffee65f0c0ffee65f0]
  - provider: prolific
    pay: 4.5
    minutes_per_unit: 60
    currency: USD
    completion_code: A1
    prolific_study: 65f0c0ffee65f0c0ffee65f0
- - [conf=mturk, mephisto/provider=mturk_sandbox]
  - {provider: mturk_sandbox, pay: 4.5, minutes_per_unit: 60, qualifications: {approval_rate: 98, approved_hits: 500}}
""",
)
def test_keys_of_mephisto_are_settings(words, settings):
    assert asked(*words).settings == read_settings(None, **settings)


@cases(
    "words options",
    """
- [[], {}]
- [[spotbot.survey=abc_eval, spotbot.task=consistency], {survey: abc_eval, part: consistency}]
- [[spotbot.group=lab, spotbot.annotators=5, spotbot.live=true], {part: lab, annotators: '5', live: true}]
- [[mephisto/architect=local], {port: 3000}]
- [[mephisto/architect=local, mephisto.architect.port=4000, mephisto.architect.hostname=localhost], {port: 4000}]
- [[mephisto/architect=local, spotbot.port=5000], {port: 5000}]
""",
)
def test_options_are_those_of_the_command(words, options):
    assert asked(*words) == LaunchRequest("x", **options, settings=asked(*words).settings)


def test_serving_until_settled_is_asked_for_by_name():
    request = asked("spotbot.until=settled", "spotbot.margin=.1", "spotbot.budget=9", "spotbot.unit_size=4")
    assert request.settled == SettledRequest(until="settled", margin=0.1, budget=9)
    assert request.unit_size == 4


@cases(
    "words says",
    """
- - [study=x]
  - >-
    study: unknown key. Write spotbot.study=x
- - [settings.pay=3]
  - >-
    Write spotbot.settings.pay=3
- - [until=settled]
  - >-
    Write spotbot.until=settled
- - [part=x]
  - >-
    part: unknown key.
- - [spotbot.studdy=x]
  - >-
    Did you mean 'spotbot.study'?
- - [+spotbot.studdy=x]
  - >-
    Did you mean 'spotbot.study'?
- - [spotbot.provider=mturk]
  - >-
    Write mephisto/provider=NAME.
- - [mephisto.provider._provider_type=mturkk]
  - >-
    expected a platform, found 'mturkk'
- - [mephisto/architect=heroku]
  - >-
    mephisto/architect=heroku can't be launched from here. Put the page behind an https
- - [mephisto.architect._architect_type=ec2]
  - >-
    mephisto.architect._architect_type=ec2 can't be launched from here. Put the page
- - [mephisto/blueprint=model_chat]
  - >-
    Write spotbot.survey=interactive.
- - [mephisto.blueprint._blueprint_type=static_task]
  - >-
    Write spotbot.survey=NAME
- - [mephisto.blueprint.block_qualification=b]
  - >-
    spotbot mephisto --study DIR examine
- - [mephisto.blueprint.survey=nuc]
  - >-
    Write spotbot.survey=NAME.
- - [mephisto.provider.requester_name=me]
  - >-
    AWS_PROFILE
- - [mephisto.task.task_name=mine]
  - >-
    the task is called after study
- - [mephisto.task.allowed_concurrent=3]
  - >-
    an annotator has one unit at a time
- - [mephisto.task.force_rebuild=true]
  - >-
    the page is built already
- - [num_tasks=3]
  - >-
    the units are those that spotbot_pack has made
- - [+mephisto.datapath=/x]
  - >-
    Mephisto's database is in the study
- - [mephisto/architect=local, mephisto.architect.hostname=x.org]
  - >-
    Write spotbot.url=https://…
- - [mephisto/architect=local, mephisto.architect.port=x]
  - >-
    port: expected a valid integer
- - [mephisto.task.task_reward=2, spotbot.settings.pay=3]
  - >-
    say different things. Leave one out.
- - [spotbot.task=a, spotbot.group=b]
  - >-
    a launch has one of them
- - [spotbot.settings=3]
  - >-
    expected single settings
- - [spotbot.port=here]
  - >-
    port: expected a valid integer, found 'here'
- - [spotbot.until=later]
  - >-
    expected 'settled', found 'later'
- - [spotbot.settings.limits.controls_per_unit=-1]
  - >-
    limits.controls_per_unit: expected greater than or equal to 0
- - [conf=prolific]
  - >-
    'completion_code' is missing
""",
)
def test_what_cannot_be_honoured_is_refused_by_name(words, says):
    with pytest.raises(UserError) as caught:
        asked(*words)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [["mephisto.task.task_reward=much"], ["conf=nowhere"], ["mephisto.architect.port=1"], ["mephisto/provider=mturkk"]],
)
def test_hydra_refuses_what_it_knows_better(words):
    with pytest.raises((HydraException, ValueError)):
        asked(*words)


def test_every_remedy_is_of_a_key_that_exists_or_is_unknown_to_hydra():
    known = launch_script._flat(launch_script.OmegaConf.structured(launch_script.ScriptConfig))
    assert set(launch_script.TABLES["taken"]) <= set(known)
    for key in launch_script.TABLES["refused"]:
        if key.startswith("mephisto.task."):
            assert key in known


def test_errors_of_a_launch_are_in_the_scripts_terms():
    error = in_script_terms(UserError("--margin: goes with --until 'settled'.", "Add --dry-run."))
    assert str(error) == "spotbot.margin: goes with spotbot.until 'settled'. Add spotbot.dry_run."
    command = "Run: parlai spotbot_pack --study x"
    assert in_script_terms(UserError("--task x: none.", command)).remedy == command


def script(folder, *words):
    """What came of the launch script, started in the folder."""
    command = [sys.executable, "-m", "parlai_spotbot.crowdsourcing.spot_the_bot.run", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_the_script_launches_with_a_configuration_of_ones_own_and_leaves_nothing_where_it_is_started(tmp_path):
    study = tmp_path / "study"
    shutil.copytree(parlai_spotbot.demo().path, study)
    here = tmp_path / "here"
    (here / "mine" / "conf").mkdir(parents=True)
    (here / "mine" / "conf" / "lab.yaml").write_text(
        "#@package _global_\ndefaults:\n  - /mephisto/blueprint: spotbot\n  - /mephisto/architect: local\n"
        "  - /mephisto/provider: mock\nmephisto: {task: {task_reward: 2}}\nspotbot: {settings: {currency: EUR}}\n",
        encoding="utf-8",
    )
    words = ("--config-dir", "mine", "conf=lab", f"spotbot.study={study}")
    done = script(here, *words, "spotbot.dry_run=true")
    assert done.returncode == 0, done.stderr
    assert "EUR: 2.00 a unit" in done.stdout
    assert [path.name for path in here.iterdir()] == ["mine"]
    shown = script(here, *words, "--cfg", "job")
    assert "task_reward: 2.0" in shown.stdout
    wrong = script(here, f"spotbot.study={study}", "spotbot.task=x")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error: spotbot.task x: survey spot_the_bot has none of that name.")
    unknown = script(here, "conf=nowhere")
    assert unknown.returncode == 2


def test_the_help_lists_our_options_and_groups(tmp_path):
    text = script(tmp_path, "--help").stdout
    for word in ("spotbot.study", "spotbot.until", "spotbot.task", "mephisto.task.task_reward", "conf: example, mturk"):
        assert word in text
    assert "$" not in text
