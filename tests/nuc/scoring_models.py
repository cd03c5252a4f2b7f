"""Small contestants with random weights for the tests of scoring, and questions from a made-up corpus."""

from pathlib import Path

from parlai.core.agents import Agent, create_agent
from parlai.core.dict import DictionaryAgent
from parlai.core.params import ParlaiParser

from parlai_spotbot.surveys.nuc_questions import NucQuestion

WORDS = [
    "tea",
    "coffee",
    "rain",
    "sun",
    "train",
    "bridge",
    "piano",
    "violin",
    "bread",
    "soup",
    "winter",
    "summer",
    "garden",
    "river",
    "lamp",
    "window",
    "book",
    "song",
    "letter",
    "market",
]
FORMS = ("I like the {} very much", "do you know the {} here", "the {} was old and loud", "no {} for me today")


class UnforgettingAgent(Agent):
    """Ranks by how much it has heard in all its conversations."""

    heard = 0

    def observe(self, observation):
        self.heard += len(observation["text"])
        return super().observe(observation)

    def act(self):
        listed = self.observation.get("label_candidates", [])
        return {"text_candidates": listed, "candidate_scores": [len(text) * self.heard % 7 for text in listed]}


def made_questions(count: int, candidates: int = 5, turns: int = 3) -> list[NucQuestion]:
    """Questions, two a conversation, whose candidates are different turns; the true one stands anywhere."""
    texts = [form.format(word) for word in WORDS for form in FORMS]
    questions = []
    for number in range(count):
        own = [texts[(number * 7 + place * 13) % len(texts)] for place in range(candidates)]
        context = tuple(texts[(number * 11 + place * 17 + 3) % len(texts)] for place in range(turns))
        speakers = tuple((turns - place) % 2 for place in range(turns + 1))
        questions.append(
            NucQuestion(f"q{number}", "made", f"c{number // 2}", context, speakers, tuple(own), number % candidates)
        )
    return questions


def saved_agent(path: Path, model: str, **options: object) -> str:
    """Save an agent of `model` with random weights and a dictionary of the made-up texts; its model file."""
    import torch

    torch.manual_seed(7)
    words = {"model": model, "dict_tokenizer": "re", "dict_lower": True, **options}
    dictionary = DictionaryAgent(ParlaiParser(True, True).parse_kwargs(**words))
    for form in FORMS:
        for word in WORDS:
            dictionary.add_to_dict(dictionary.tokenize(form.format(word)))
    dictionary.save(f"{path}.dict", sort=True)
    opt = ParlaiParser(True, True).parse_kwargs(
        **words, datatype="train", model_file=str(path), dict_file=f"{path}.dict"
    )
    opt["no_cuda"] = True
    create_agent(opt).save(str(path))
    return str(path)
