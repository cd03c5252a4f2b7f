"""Contestants whose ranking says nothing."""

from parlai.core.agents import Agent


class NoNumbers(Agent):
    """Scores every candidate with what is no number."""

    score = float("nan")

    def act(self):
        candidates = list((self.observation or {}).get("label_candidates") or [])
        scores = [self.score] * len(candidates)
        return {"id": "odd", "text": "ok", "text_candidates": candidates, "candidate_scores": scores}


class Constant(NoNumbers):
    """Scores every candidate alike."""

    score = 0.0


class Endless(NoNumbers):
    score = float("inf")


def echo(text):
    return f"{text}?"


def silent(text):
    return ""
