"""A real TorchAgent that says what it would read: its history, as ParlAI's models get it."""

import torch
from parlai.core.message import Message
from parlai.core.torch_agent import TorchAgent


class HistoryAgent(TorchAgent):
    """Answers with the whole text that a model would be given, in one line."""

    def __init__(self, opt, shared=None):
        super().__init__(opt, shared)
        self.model, self.criterion = torch.nn.Identity(), None

    def build_model(self):
        return self.model

    def train_step(self, batch):
        raise NotImplementedError

    def eval_step(self, batch):
        raise NotImplementedError

    def say(self, heard):
        return "HEARD " + heard.replace("\n", " | ")

    def batch_act(self, observations):
        said = [self.say(observation["full_text"]) for observation in observations]
        return [Message({"id": self.getID(), "text": text, "episode_done": False}) for text in said]


class QuietAgent(HistoryAgent):
    """Says how many lines it would read."""

    def say(self, heard):
        return f"i would read {heard.count(chr(10)) + 1} lines ."
