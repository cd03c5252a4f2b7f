"""Blueprint and architect: Mephisto's own contract tests, and what is stored of an annotator's work."""

import functools
import json
import pathlib
import shutil
import urllib.error
import urllib.request

import pytest

from parlai_spotbot.crowdsourcing.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_task import home  # noqa: F401  before any of Mephisto
from parlai_spotbot.crowdsourcing.mephisto_task import setup as task_setup
from parlai_spotbot.crowdsourcing.mephisto_task.architect import InProcessChannel, SpotbotArchitect
from parlai_spotbot.crowdsourcing.mephisto_task.blueprint import (
    SpotbotBlueprint,
    SpotbotBlueprintArgs,
    SpotbotSharedState,
    blocks,
)
from parlai_spotbot.crowdsourcing.mephisto_task.builder import fingerprint
from parlai_spotbot.errors import UserError

from mephisto.abstractions.blueprint import AgentState  # isort: skip
from mephisto.abstractions.test import architect_tester, blueprint_tester  # isort: skip
from mephisto.data_model.agent import Agent  # isort: skip
from mephisto.data_model.assignment import Assignment, InitializationData  # isort: skip
from mephisto.data_model.packet import PACKET_TYPE_ALIVE, PACKET_TYPE_UPDATE_STATUS, Packet  # isort: skip
from mephisto.data_model.task_run import TaskRun  # isort: skip
from mephisto.operations.hydra_config import MephistoConfig  # isort: skip
from mephisto.utils.testing import MOCK_ARCHITECT_ARGS, MOCK_PROVIDER_ARGS, MOCK_TASK_ARGS  # isort: skip
from omegaconf import OmegaConf  # isort: skip


TWO_UNITS = InitializationData(shared={"block_id": "b"}, unit_data=[{"unit_id": "u0"}, {"unit_id": "u1"}])


@pytest.fixture(autouse=True)
def built_page(tmp_path, monkeypatch):
    """The contract tests know no settings: let the package's page be a small one."""
    page = tmp_path / "built"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<p>hello</p>", encoding="utf-8")
    (page / "assets" / "page.js").write_text("1", encoding="utf-8")
    monkeypatch.setattr(task_setup, "PAGE", page)
    return page


def run_of_ours(db):
    """A task run of our blueprint with Mephisto's mock people, since its tests bring no others."""
    config = MephistoConfig(
        provider=MOCK_PROVIDER_ARGS,
        blueprint=SpotbotBlueprintArgs(),
        architect=MOCK_ARCHITECT_ARGS,
        task=MOCK_TASK_ARGS,
    )
    task_id = db.new_task("ours", SpotbotBlueprint.BLUEPRINT_TYPE)
    params = json.dumps(OmegaConf.to_yaml(OmegaConf.structured(config)))
    requester_id = db.find_requesters()[0].db_id
    return TaskRun.get(db, db.new_task_run(task_id, requester_id, params, "mock", SpotbotBlueprint.BLUEPRINT_TYPE))


class TestBlueprintContract(blueprint_tester.BlueprintTests):
    """Mephisto's tests of a blueprint, all of them; their task run is of type "mock", which `setUp` replaces."""

    BlueprintClass = SpotbotBlueprint

    def setUp(self):
        super().setUp()
        self.task_run = run_of_ours(self.db)

    def tearDown(self):
        super().tearDown()
        shutil.rmtree(self.build_dir)

    def task_is_built(self, build_dir):
        with open(f"{build_dir}/page.json", encoding="utf-8") as file:
            return json.load(file) == fingerprint(task_setup.PAGE)

    def get_test_assignment(self):
        run = self.task_run
        ids = (run.task_id, run.db_id, run.requester_id)
        assignment = Assignment.get(self.db, self.db.new_assignment(*ids, run.task_type, run.provider_type))
        assignment.write_assignment_data(TWO_UNITS)
        for index in range(2):
            unit_id = self.db.new_unit(*ids, assignment.db_id, index, 0.3, run.provider_type, run.task_type)
            worker_id = self.db.new_worker(f"worker {index}", "mock")
            self.db.new_agent(
                worker_id, unit_id, run.task_id, run.db_id, assignment.db_id, run.task_type, run.provider_type
            )
        return assignment

    def prep_mock_agents_to_complete(self, agents):
        for agent in agents:
            agent.enqueue_mock_submit_event({"items": [agent.db_id]})

    def assignment_completed_successfully(self, assignment):
        agents = assignment.get_agents()
        done = all(agent.get_status() == AgentState.STATUS_COMPLETED for agent in agents)
        return done and all(agent.state.get_parsed_data() == {"items": [agent.db_id]} for agent in agents)

    def assignment_is_tracked(self, task_runner, assignment):
        return assignment.db_id in task_runner.running_assignments


class TestArchitectContract(architect_tester.ArchitectTests):
    """Mephisto's tests of an architect, all of them, with a real server; the address asked is the page's."""

    ArchitectClass = SpotbotArchitect

    @pytest.fixture(autouse=True)
    def _server(self, plain_server):
        self.plain_server = plain_server

    def setUp(self):
        super().setUp()
        self.task_run = run_of_ours(self.db)

    def get_architect(self):
        make_server = functools.partial(self.plain_server, task_setup.PAGE, None)
        args = OmegaConf.structured(
            MephistoConfig(blueprint=SpotbotBlueprintArgs(), architect=self.ArchitectClass.ArgsClass())
        )
        state = SpotbotSharedState(make_server=make_server)
        self.curr_architect = SpotbotArchitect(self.db, args, state, self.task_run, self.build_dir)
        return self.curr_architect

    def server_is_prepared(self, build_dir):
        with open(f"{build_dir}/page.json", encoding="utf-8") as file:
            return "assets/page.js" in json.load(file)

    def server_is_cleaned(self, build_dir):
        return self.server_is_prepared(build_dir)  # the note on the page stays

    def server_is_shutdown(self):
        return self.curr_architect.server is None

    def server_is_up(self, url):
        return answers(url)


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


def test_a_block_is_an_assignment_with_its_units_in_order(make_units):
    units = make_units(2)
    mixed = [units[0], units[3], units[1], units[4], units[2], units[5]]
    made = blocks(mixed)
    assert [data.shared["block_id"] for data in made] == ["block-0", "block-1"]
    assert [entry for data in made for entry in data.unit_data] == [{"unit_id": unit.unit_id} for unit in units]


def test_the_page_must_be_built(setup_task, serve_task):
    setup = setup_task()
    (setup.page / "index.html").unlink()
    with pytest.raises(UserError, match="page is not built"), serve_task(setup):
        pass


def test_no_units_no_task(setup_task):
    with pytest.raises(UserError, match="no units"):
        SpotbotBlueprint.assert_task_args(None, SpotbotSharedState())


def test_architect_without_server(setup_task):
    architect = SpotbotArchitect(None, None, SpotbotSharedState(), None, "")
    with pytest.raises(UserError, match="no server"):
        architect.deploy()
    architect.shutdown()


def test_channel_lives_as_long_as_the_server(setup_task, serve_task):
    with serve_task(setup_task()) as task:
        live = _live(task)
        (channel,) = live.client_io.channels.values()
        assert isinstance(channel, InProcessChannel)
        assert channel.is_alive()
        assert channel.enqueue_send(Packet(packet_type=PACKET_TYPE_ALIVE, subject_id="mephisto"))
        assert not channel.enqueue_send(Packet(packet_type=PACKET_TYPE_UPDATE_STATUS, subject_id="1"))  # nobody listens
        channel.architect.server.error = RuntimeError("gone")
        assert not channel.is_alive()
        channel.architect.server.error = None
    assert channel.is_closed()
    assert not channel.is_alive()


def _live(task):
    import gc

    from mephisto.operations.datatypes import LiveTaskRun

    return next(o for o in gc.get_objects() if isinstance(o, LiveTaskRun) and o.task_runner is task.crowd.runner)


def test_agent_state_is_one_file_replaced_whole(setup_task, serve_task, monkeypatch):
    with serve_task(setup_task()) as task:
        agent_id = task.crowd.assign(Visitor("ann"), "unit-0-1")
        agent = Agent.get(task.crowd.db, agent_id)
        assert not agent.state.path.exists()
        task.crowd.completed(agent_id, {"items": [1], "started_at": 1700000000.5})
        stored = json.loads(agent.state.path.read_text(encoding="utf-8"))
        assert stored["inputs"] == {"unit_id": "unit-0-1"}
        assert stored["outputs"] == {"items": [1], "started_at": 1700000000.5}
        again = Agent.get(task.crowd.db, agent_id)
        fresh = again.state
        assert fresh.get_parsed_data() == stored["outputs"]
        assert fresh.get_task_start() == 1700000000.5
        assert fresh.get_task_end() > fresh.get_task_start()
        assert [path.name for path in agent.state.path.parent.iterdir()] == ["agent_data.json"]

        monkeypatch.setattr("os.replace", _fail)
        with pytest.raises(UserError, match="cannot write"):
            fresh.update_submit({"items": [2]})
        assert json.loads(agent.state.path.read_text(encoding="utf-8")) == stored


def _fail(*_):
    raise OSError(28, "No space left on device")


def test_tips_and_feedback_of_mephisto_are_kept(setup_task, serve_task):
    with serve_task(setup_task()) as task:
        agent_id = task.crowd.assign(Visitor("ann"), "unit-0-1")
        task.crowd.completed(agent_id, {"items": []})
        agent = Agent.get(task.crowd.db, agent_id)
        agent.state.update_metadata("tips", [{"header": "h", "text": "t"}])
        assert Agent.get(task.crowd.db, agent_id).state.get_tips() == [{"header": "h", "text": "t"}]


def test_live_updates_are_not_sent_here(setup_task, serve_task):
    with serve_task(setup_task()) as task:
        agent = Agent.get(task.crowd.db, task.crowd.assign(Visitor("ann"), "unit-0-0"))
        with pytest.raises(ValueError, match="no live updates"):
            agent.state.update_data({"text": "hello"})


def test_transcripts_never_enter_mephistos_files(setup_task, serve_task):
    setup = setup_task()
    with serve_task(setup) as task:
        task.crowd.completed(task.crowd.assign(Visitor("ann"), "unit-0-0"), {"items": []})
    everything = [path for path in pathlib.Path(setup.data_root).rglob("*") if path.is_file()]
    assert len(everything) > 5
    assert not [path for path in everything if b"secret words" in path.read_bytes()]
    assert not [path for path in everything if b"conversation-" in path.read_bytes()]
