"""The reproduction of ABC-Eval (Finch, Finch & Choi, 2022) from what its authors published, table by table.

Run it as ``python -m parlai_spotbot.projects.abc_eval --data PATH --out DIR``.
"""
