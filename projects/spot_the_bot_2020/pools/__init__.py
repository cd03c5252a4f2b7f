"""The paper's pools of contestants (section 4, appendix C) as recipes, and a command that trains or fetches them.

Run it as ``python -m parlai_spotbot.projects.spot_the_bot_2020.pools --domain dailydialog --out DIR``.
"""
