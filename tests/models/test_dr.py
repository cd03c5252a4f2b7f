"""DR, the paper's weak baseline, found through ParlAI's zoo."""

from parlai.core.agents import create_agent
from parlai.core.opt import Opt

from parlai_spotbot import compat, plugin
from parlai_spotbot.zoo.spotbot import dr


def talk(agent, texts):
    replies = []
    for text in texts:
        agent.observe({"text": text, "episode_done": False})
        replies.append(agent.act()["text"])
    return replies


def test_the_weights_of_the_package_give_a_dull_but_real_bot(tmp_path):
    compat.install()
    plugin.register()
    dr.download(str(tmp_path))
    opt = Opt({"model_file": "zoo:spotbot/dr/model", "datapath": str(tmp_path), "override": {}})
    agent = create_agent(opt)
    replies = talk(agent, ["hey how are you?", "what do you do for fun?", "do you like movies?"])
    assert all(len(reply.split()) >= 2 for reply in replies)
    clones = [agent.clone() for _ in range(3)]
    observed = [c.observe({"text": "hey how are you?", "episode_done": False}) for c in clones]
    assert {act["text"] for act in agent.batch_act(observed)} == {replies[0]}
