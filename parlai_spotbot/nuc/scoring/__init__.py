"""Scoring of candidates by contestants in Next-Utterance Classification (Lowe et al., 2016, section 3).

Any ParlAI agent can be asked: rankers by their own scores, generators by the likelihood of each candidate, all others
by how like their reply each candidate is. `scores` says what each way means, `scoring_server` finds the way of an
agent, `run` asks the contestants of a pool, each in a process of its own.
"""
