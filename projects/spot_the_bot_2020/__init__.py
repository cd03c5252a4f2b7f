"""The reproduction of *Spot The Bot* (Deriu et al., 2020) from its released data, table by table.

Run it as ``python -m parlai_spotbot.projects.spot_the_bot_2020 --data PATH --out DIR``.
"""
