"""The study of Lowe et al. (2016) again: the embedded corpus and pool on Next-Utterance Classification, Table 2 beside.

Run it as ``python -m parlai_spotbot.projects.next_utterance_classification --out DIR``.
"""
