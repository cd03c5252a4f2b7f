"""Next-Utterance Classification: pick the real next turn of a conversation among candidates (Lowe et al., 2016).

Here the questions are made: corpora are read (`corpora`), their text is made anonymous (`text`), contexts and
distractors are drawn (`sampling`). The task ``spotbot:nuc``, the command and the survey for people build on it.
"""
