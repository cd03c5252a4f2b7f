"""DR, the paper's weak baseline, found through ParlAI's zoo."""

from parlai.core.agents import create_agent
from parlai.core.opt import Opt

from parlai_spotbot import compat, plugin
from parlai_spotbot.zoo.spotbot import dr


def test_the_weights_of_the_package_give_a_dull_but_real_bot(tmp_path):
    compat.install()
    plugin.register()
    dr.download(str(tmp_path))
    agent = create_agent(Opt({"model_file": "zoo:spotbot/dr/model", "datapath": str(tmp_path), "override": {}}))
    agent.observe({"text": "hey how are you?", "episode_done": False})
    assert len(agent.act()["text"].split()) > 1
